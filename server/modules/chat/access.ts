import { refuse, refuseForbidden, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { inBotAudience } from '../bots/access.ts';
import { seesInside } from '../spaces/access.ts';
import type { ChannelType } from './contract.ts';

/** SQL: the person with this id belongs to the channel `c`. Who is outside a bot's audience has no channel with it. */
export const belongs = (user_id: Sql, alias = 'c'): Sql => {
  const c = trusted(alias);
  return sql`(
    (exists (select from chat_members m where m.organisation_id = $1 and m.channel_id = ${c}.id and m.user_id = ${user_id})
      and (${c}.bot_id is null or exists (select from bots b where b.organisation_id = $1 and b.id = ${c}.bot_id and ${inBotAudience(user_id)})))
    or (${c}.space_id is not null and exists (select from space_members m where m.organisation_id = $1 and m.space_id = ${c}.space_id and m.user_id = ${user_id})))`;
};

/** SQL: the actor sees the channel. A key never sees what two people say to each other. */
export const seesChannel = (actor: Actor, alias = 'c'): Sql => {
  if (actor.kind !== 'key') return belongs(sql`${actor.user_id}::bigint`, alias);
  const c = trusted(alias);
  const space = sql`exists (select from spaces s where s.organisation_id = $1 and s.id = ${c}.space_id and ${seesInside(actor, trusted('s'))})`;
  return sql`(${c}.type <> 'direct' and (${c}.space_id is null or ${space}))`;
};

/** SQL: ids of channels that the person may belong to, found from the person's side; `belongs` decides. */
export const channelsNear = (user_id: number): Sql => sql`array(
  select m.channel_id from chat_members m where m.organisation_id = $1 and m.user_id = ${user_id}
  union all select c.id from space_members m join chat_channels c on c.organisation_id = $1 and c.space_id = m.space_id where m.organisation_id = $1 and m.user_id = ${user_id})`;

const postingRoles = trusted(`('owner', 'admin', 'moderator', 'editor')`);
/** SQL: in the space of the channel `c`, if it has one, this person may post. */
const mayPost = (user_id: number): Sql => sql`(c.space_id is null or exists (
  select from spaces s join space_members m on m.organisation_id = $1 and m.space_id = s.id and m.user_id = ${user_id}
  where s.organisation_id = $1 and s.id = c.space_id and not s.is_archived and (not s.is_read_only or m.role in ${postingRoles})))`;
const botAnswers = trusted(
  '(c.bot_id is null or exists (select from bots b where b.organisation_id = $1 and b.id = c.bot_id and b.active and b.deleted_at is null))',
);

export interface ChannelRow {
  id: number;
  channel_url: string;
  type: ChannelType;
  bot_id: number | null;
  space_id: number | null;
  created_by: number | null;
}

/** The channel, if the actor sees it, and for `write`, if they may post there. */
export async function channelFor(
  tx: Tx,
  actor: Actor,
  channel_url: string,
  right: 'see' | 'write',
): Promise<ChannelRow> {
  const channel = await tx.row<ChannelRow & { may_post: boolean; bot_answers: boolean }>(sql`
    select c.id, c.channel_url, c.type, c.bot_id, c.space_id, c.created_by, ${mayPost(actor.user_id)} as may_post, ${botAnswers} as bot_answers
    from chat_channels c where c.organisation_id = $1 and c.channel_url = ${channel_url} and ${seesChannel(actor)}`);
  if (!channel) return refuseNotFound();
  if (right === 'write') {
    if (!channel.may_post) refuseForbidden('In this space you may read, but not post.');
    if (!channel.bot_answers) refuse('bot_inactive', 'This bot is not active.');
  }
  return channel;
}
