// Channels: statements.

import { randomBytes } from 'node:crypto';
import type { Paging } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows, totalOf } from '../../kernel/data/listing.ts';
import { given, jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { spaceMembersList } from '../spaces/members.ts';
import { belongs, channelsNear, seesChannel } from './access.ts';
import { bots } from './bots.ts';
import type { ChannelType } from './contract.ts';
import { person } from './members.ts';
import { messageColumns } from './messages.ts';
import { readSequence, unreadCount } from './reads.ts';

/** Ordered by their last change: what a person belongs to is few enough to sort. */
const activeChannels: Listing = { table: 'chat_channels', at: 'last_sequence', id: 'id', newestFirst: true };
const newestChannels: Listing = { table: 'chat_channels', at: null, id: 'id', newestFirst: true };

const MEMBERS_SHOWN = 100;
const nameFor = (user_id: number) => sql`
  case c.type when 'space' then (select s.name from spaces s where s.organisation_id = $1 and s.id = c.space_id)
    when 'bot' then ${bots().author(trusted('c.bot_id'))} ->> 'bot_nickname'
    when 'direct' then coalesce((
      select coalesce(nullif(u.display_name, ''), u.name)
      from chat_members m join users u on u.organisation_id = $1 and u.id = m.user_id
      where m.organisation_id = $1 and m.channel_id = c.id and m.user_id <> ${user_id} limit 1), '')
    else c.name end`;
const members = sql`(
  select coalesce(json_agg(${person} order by u.id), '[]')
  from (
    select user_id from (
      select m.user_id from chat_members m where m.organisation_id = $1 and m.channel_id = c.id
      union all
      select m.user_id from space_members m
      where m.organisation_id = $1 and m.space_id = c.space_id and m.list_class = 0) ids
    order by user_id limit ${literal(MEMBERS_SHOWN)}) m
  join users u on u.organisation_id = $1 and u.id = m.user_id and u.is_active
  join organisations o on o.id = $1)`;
const memberCount = sql`
  case when c.space_id is not null then ${totalOf(spaceMembersList, trusted('c.space_id'), [0])} else (
    select count(*) from chat_members m join users u on u.organisation_id = $1 and u.id = m.user_id and u.is_active
    where m.organisation_id = $1 and m.channel_id = c.id) end`;
/** Condition: may read messages. An admin may open a channel that they do not belong to. */
const reads = (actor: Actor): Sql => {
  if (!holds(actor.scopes, 'chats.messages.read')) return trusted('false');
  return actor.kind === 'key' ? trusted('true') : belongs(sql`${actor.user_id}::bigint`);
};
/** Channel of the contract, for the channels `c` that fulfil the condition. */
const shown = (actor: Actor, condition: Sql, now: string) =>
  jsonOf(sql`
    select c.channel_url, c.type, ${nameFor(actor.user_id)} as name, c.space_id, ${members} as members,
      ${memberCount} as member_count, ${bots().authorsInChannel} as bots,
      (
        select row_to_json(l) from (
          select ${messageColumns(now)} from chat_messages t
          where t.organisation_id = $1 and t.list_bucket = c.id and t.list_class = 0 and ${reads(actor)}
          order by t.id desc limit 1) l) as last_message,
      ${actor.kind === 'key' ? literal(0) : unreadCount(actor.user_id)} as unread_count,
      ${readSequence(actor.user_id)} as read_sequence, c.last_sequence,
      iso(c.created_at) as created_at, iso(c.updated_at) as updated_at
    from chat_channels c where c.organisation_id = $1 and ${condition}`);

export const listChannels = (tx: Tx, actor: Actor, type: ChannelType | undefined, paging: Paging) => {
  const isKey = actor.kind === 'key';
  const near = isKey ? [] : [sql`t.id = any(${channelsNear(actor.user_id)})`];
  const where = [...near, seesChannel(actor, trusted('t')), ...given(type, (one) => sql`t.type = ${one}`)];
  const page = { ...paging, ...everyRow, where };
  return listRows(tx, isKey ? newestChannels : activeChannels, page, shown(actor, sql`c.id = listed.id`, tx.now()));
};
export const findChannel = (tx: Tx, actor: Actor, channel_url: string) =>
  tx.json(shown(actor, sql`c.channel_url = ${channel_url} and ${seesChannel(actor)}`, tx.now()));
export const getChannel = (tx: Tx, actor: Actor, id: number) =>
  tx.json(shown(actor, sql`c.id = ${id}`, tx.now())) as Promise<Json>;
export const lockChannel = (tx: Tx, id: number) =>
  tx.rows(sql`select id from chat_channels where organisation_id = $1 and id = ${id} for update`);

export interface NewChannel {
  /** Made here unless given. */
  channel_url?: string;
  type: ChannelType;
  name?: string | undefined;
  /** There is one channel of this pair. */
  pair?: string | undefined;
  bot_id?: number | undefined;
  space_id?: number | undefined;
  created_by: number;
  members: readonly number[];
}
export const botChannel = (bot_id: number, user_id: number) =>
  ({ type: 'bot', pair: `bot:${bot_id}:${user_id}`, bot_id, members: [user_id] }) as const;
/** 128 random bits. */
const newChannelUrl = () => `chat_${randomBytes(16).toString('base64url')}`;

/** Undefined: there is one already, made by a transaction that this statement did not see yet. */
const openChannel = (tx: Tx, channel: NewChannel) => {
  const { channel_url = newChannelUrl(), type, name = '', created_by, members } = channel;
  const { pair = null, bot_id = null, space_id = null } = channel;
  return tx.row<{ id: number; channel_url: string; is_new: boolean }>(sql`
    with added as (
      insert into chat_channels (
        organisation_id, channel_url, type, name, pair, bot_id, space_id, created_by, created_at, updated_at)
      values (
        $1, ${channel_url}, ${type}, ${name}, ${pair}, ${bot_id}, ${space_id}, ${created_by}, ${tx.now()}, ${tx.now()})
      on conflict do nothing returning id, channel_url),
    joined as (
      insert into chat_members (organisation_id, channel_id, user_id, created_at)
      select $1, added.id, u.id, ${tx.now()}
      from added, users u where u.organisation_id = $1 and u.id = any(${members}::bigint[]) and u.kind = 'person'
      order by u.id)
    select id, channel_url, true as is_new from added
    union all
    select id, channel_url, false from chat_channels
    where organisation_id = $1 and (pair = ${pair} or space_id = ${space_id})`);
};
/** The channel; made when there is none of this pair or space. Who opens the same one at once gets the same one. */
export async function openOnce(tx: Tx, channel: NewChannel) {
  const opened = (await openChannel(tx, channel)) ?? (await openChannel(tx, channel));
  if (!opened) throw new Error('A channel was neither made nor found.');
  return opened;
}
