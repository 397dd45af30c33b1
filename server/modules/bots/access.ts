import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';

/** Who administers bots sees all of them, with their addresses. */
export const administersBots = (actor: Actor) =>
  actor.kind === 'key' || actor.roles.some((role) => role === 'developer' || role === 'admin');

/** Condition: the person is in the audience of the bot `b`. `user_id` names neither a, tm nor sm. */
export const inBotAudience = (user_id: Sql, b = trusted('b')): Sql => sql`(
  ${b}.deleted_at is null and (${b}.is_global or exists (
    select from bot_audiences a where a.organisation_id = $1 and a.bot_id = ${b}.id and (
      exists (
        select from team_members tm
        where tm.organisation_id = $1 and tm.team_id = a.team_id and tm.user_id = ${user_id})
      or exists (
        select from space_members sm
        where sm.organisation_id = $1 and sm.space_id = a.space_id and sm.user_id = ${user_id})))))`;

/** Condition: the actor may know of the bot `b`. */
export const seesBot = (actor: Actor, b = trusted('b')): Sql =>
  administersBots(actor)
    ? sql`${b}.deleted_at is null`
    : sql`(${b}.active and ${inBotAudience(sql`${actor.user_id}::bigint`, b)})`;

/** Condition: the bot `b` was added to the channel `c`, a group, and is still for everybody. */
export const isInGroup = trusted(`(
  b.is_global and b.deleted_at is null and exists (
    select from chat_bot_members x where x.organisation_id = $1 and x.channel_id = c.id and x.bot_id = b.id))`);
/** Condition: the bot `b` and this person talk in the channel `c`: theirs, or a group that the bot is in. */
export const talksWith = (user_id: Sql): Sql => sql`((c.bot_id = b.id and ${inBotAudience(user_id)}) or ${isInGroup})`;
