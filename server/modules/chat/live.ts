// What the gateway asks the database about channels and people; what is new in channels is in changes.ts.
import type { Tx } from '../../kernel/data/db.ts';
import { literal, sql, trusted } from '../../kernel/data/sql.ts';
import { belongs, channelsNear } from './access.ts';

const CHANNELS_MAX = 2000;

export interface LiveChannel {
  id: number;
  channel_url: string;
  last_sequence: number;
}
/** Channels that the person belongs to, those with the newest messages first. */
export const listLiveChannels = (tx: Tx, user_id: number) =>
  tx.rows<LiveChannel>(sql`
    select c.id, c.channel_url, c.last_sequence from chat_channels c
    where c.organisation_id = $1 and c.id = any(${channelsNear(user_id)}) and ${belongs(sql`${user_id}::bigint`)}
    order by c.last_sequence desc limit ${literal(CHANNELS_MAX)}`);
/** The channel, with those of these people who belong to it. */
export const findMembersAmong = (tx: Tx, channel_id: number, user_ids: readonly number[]) =>
  tx.row<LiveChannel & { user_ids: number[] }>(sql`
    select c.id, c.channel_url, c.last_sequence, array(
        select g.user_id from unnest(${user_ids}::bigint[]) g (user_id)
        where ${belongs(trusted('g.user_id'))}) as user_ids
    from chat_channels c where c.organisation_id = $1 and c.id = ${channel_id}`);
/** Ids of channels that one of these people has belonged to only since a moment. */
export const listJoinedSince = (tx: Tx, user_ids: readonly number[], since: string) =>
  tx.values<number>(sql`
    select m.channel_id from chat_members m
    where m.organisation_id = $1 and m.user_id = any(${user_ids}::bigint[]) and m.created_at > ${since}::timestamptz
    union
    select c.id from space_members m join chat_channels c on c.organisation_id = $1 and c.space_id = m.space_id
    where m.organisation_id = $1 and m.user_id = any(${user_ids}::bigint[])
      and greatest(m.created_at, c.created_at) > ${since}::timestamptz`);
/** Ids of channels that have gone on after these numbers. */
export const listAhead = (tx: Tx, channel_ids: readonly number[], after: readonly number[]) =>
  tx.values<number>(sql`
    select c.id from unnest(${channel_ids}::bigint[], ${after}::bigint[]) g (channel_id, after)
    join chat_channels c on c.organisation_id = $1 and c.id = g.channel_id and c.last_sequence > g.after`);
/** Which of these, counted from 1, have ended: the person has no access, or there was a session and it is gone. */
export const listEnded = (tx: Tx, user_ids: readonly number[], session_ids: readonly (number | null)[]) =>
  tx.values<number>(sql`
    select g.n
    from unnest(${user_ids}::bigint[], ${session_ids}::bigint[]) with ordinality g (user_id, session_id, n)
    where not (
      exists (
        select from users u
        where u.organisation_id = $1 and u.id = g.user_id and u.is_active and u.has_access)
      and (g.session_id is null or exists (
        select from sessions s where s.organisation_id = $1 and s.id = g.session_id)))`);
