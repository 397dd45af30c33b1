import { refuse, refuseForbidden, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { seesInside } from '../spaces/access.ts';
import { bots } from './bots.ts';
import type { ChannelType } from './contract.ts';

/** Condition: it is no bot's channel, or its bot is for this person; who is outside the audience has none with it. */
const isBotFor = (user_id: Sql, c = trusted('c')): Sql =>
  sql`(${c}.bot_id is null or ${bots().isFor(sql`${c}.bot_id`, user_id)})`;

/** Condition: the person belongs to the channel `c`. */
export const belongs = (user_id: Sql, c = trusted('c')): Sql => sql`(
  (${isBotFor(user_id, c)} and exists (
    select from chat_members m where m.organisation_id = $1 and m.channel_id = ${c}.id and m.user_id = ${user_id}))
  or (${c}.space_id is not null and exists (
    select from space_members m
    where m.organisation_id = $1 and m.space_id = ${c}.space_id and m.user_id = ${user_id})))`;
/** Rows `user_id`: who belongs to the channel `c`. */
export const peopleIn = (): Sql => sql`
  select m.user_id from chat_members m
  where m.organisation_id = $1 and m.channel_id = c.id and ${isBotFor(trusted('m.user_id'))}
  union select m.user_id from space_members m where m.organisation_id = $1 and m.space_id = c.space_id`;
/** Array: channels that the person may belong to; whether they do, `belongs` decides. */
export const channelsNear = (user_id: number): Sql => sql`array(
  select m.channel_id from chat_members m where m.organisation_id = $1 and m.user_id = ${user_id}
  union all
  select c.id from space_members m join chat_channels c on c.organisation_id = $1 and c.space_id = m.space_id
  where m.organisation_id = $1 and m.user_id = ${user_id})`;
/** Of these people in these channels, those who belong no more or lost access: as `belongs`, for thousands of pairs. */
export const findStrangers = (tx: Tx, channel_ids: readonly number[], user_ids: readonly number[]) =>
  tx.rows<{ channel_id: number; user_id: number }>(sql`
    select g.channel_id, g.user_id
    from unnest(${channel_ids}::bigint[], ${user_ids}::bigint[]) g (channel_id, user_id)
    left join users u on u.organisation_id = $1 and u.id = g.user_id and u.is_active and u.has_access
    left join chat_channels c on c.organisation_id = $1 and c.id = g.channel_id
    left join space_members sm on sm.organisation_id = $1 and sm.space_id = c.space_id and sm.user_id = g.user_id
    left join chat_members cm on cm.organisation_id = $1 and cm.channel_id = c.id and cm.user_id = g.user_id
    where u.id is null or (sm.user_id is null and cm.user_id is null) or not ${isBotFor(trusted('g.user_id'))}`);

/** Condition: the actor sees the channel. A key never sees what two people say to each other. */
export const seesChannel = (actor: Actor, c = trusted('c')): Sql => {
  if (actor.kind !== 'key') return belongs(sql`${actor.user_id}::bigint`, c);
  return sql`(${c}.type <> 'direct' and (${c}.space_id is null or exists (
    select from spaces s
    where s.organisation_id = $1 and s.id = ${c}.space_id and ${seesInside(actor, trusted('s'))})))`;
};

/** Condition: in the space of the channel `c`, if it has one, this person may post. */
const mayPost = (user_id: number): Sql => sql`(c.space_id is null or exists (
  select from spaces s
  join space_members m on m.organisation_id = $1 and m.space_id = s.id and m.user_id = ${user_id}
  where s.organisation_id = $1 and s.id = c.space_id and not s.is_archived
    and (not s.is_read_only or m.role in ('owner', 'admin', 'moderator', 'editor'))))`;

export interface ChannelRow {
  id: number;
  type: ChannelType;
  space_id: number | null;
  created_by: number | null;
}
/** The channel, if the actor sees it, and for `write`, if they may post there. */
export async function channelFor(tx: Tx, actor: Actor, channel_url: string, right: 'see' | 'write' = 'see') {
  const channel = await tx.row<ChannelRow & { may_post: boolean; bot_answers: boolean }>(sql`
    select c.id, c.type, c.space_id, c.created_by, ${mayPost(actor.user_id)} as may_post,
      (c.bot_id is null or ${bots().isActive(trusted('c.bot_id'))}) as bot_answers
    from chat_channels c where c.organisation_id = $1 and c.channel_url = ${channel_url} and ${seesChannel(actor)}`);
  if (!channel) return refuseNotFound();
  if (right === 'write') {
    if (!channel.may_post) refuseForbidden('In this space you may read, but not post.');
    if (!channel.bot_answers) refuse('bot_inactive', 'This bot is not active.');
  }
  return channel;
}
