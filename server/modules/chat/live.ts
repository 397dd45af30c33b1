// Statements of the gateway: what is new, and who may hear it.
import type { Json, Tx } from '../../kernel/data/db.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import { inBotAudience } from '../bots/access.ts';
import { belongs, channelsNear } from './access.ts';
import { messageColumns } from './queries.ts';

const CHANNELS_MAX = 2000;
export interface LiveChannel {
  id: number;
  channel_url: string;
  last_sequence: number;
}
/** Channels that the person belongs to, those with the newest messages first. */
export const liveChannels = (tx: Tx, user_id: number) =>
  tx.rows<LiveChannel>(sql`
    select c.id, c.channel_url, c.last_sequence from chat_channels c
    where c.organisation_id = $1 and c.id = any(${channelsNear(user_id)}) and ${belongs(sql`${user_id}::bigint`)} order by c.last_sequence desc limit ${CHANNELS_MAX}`);

/** Changes of one channel read at once; there may be more. */
export const CHANGES_MAX = 200;
export interface Change {
  channel_id: number;
  /** The channel's last number when this was read. */
  last_sequence: number;
  sequence: number | null;
  message_id: number;
  is_deleted: boolean;
  json: Json;
}
/** For each channel its changes after a number, oldest first; one row without a change where there is none. */
export const changesAfter = (tx: Tx, channel_ids: readonly number[], after: readonly number[]) =>
  tx.rows<Change>(sql`
    select c.id as channel_id, c.last_sequence, t.sequence, t.id as message_id, t.deleted_at is not null as is_deleted,
      case when t.deleted_at is null then (select row_to_json(r) from (select ${messageColumns(trusted('c.channel_url'), tx.now())}) r)::text end as json
    from unnest(${channel_ids}::bigint[], ${after}::bigint[]) g (channel_id, after) join chat_channels c on c.organisation_id = $1 and c.id = g.channel_id
    left join lateral (
      select * from chat_messages m where m.organisation_id = $1 and m.channel_id = g.channel_id and m.sequence > g.after order by m.sequence limit ${trusted(String(CHANGES_MAX))}) t on true
    order by c.id, t.sequence`);

/** Of these people in these channels, those who no longer belong or lost access. As `belongs` says, written as joins for thousands of pairs. */
export const strangers = (tx: Tx, channel_ids: readonly number[], user_ids: readonly number[]) =>
  tx.rows<{ channel_id: number; user_id: number }>(sql`
    select g.channel_id, g.user_id from unnest(${channel_ids}::bigint[], ${user_ids}::bigint[]) g (channel_id, user_id)
    left join users u on u.organisation_id = $1 and u.id = g.user_id and u.is_active and u.has_access
    left join chat_channels c on c.organisation_id = $1 and c.id = g.channel_id
    left join space_members sm on sm.organisation_id = $1 and sm.space_id = c.space_id and sm.user_id = g.user_id
    left join chat_members cm on cm.organisation_id = $1 and cm.channel_id = c.id and cm.user_id = g.user_id
    where u.id is null or (sm.user_id is null and cm.user_id is null)
      or (c.bot_id is not null and not exists (select from bots b where b.organisation_id = $1 and b.id = c.bot_id and ${inBotAudience(trusted('g.user_id'))}))`);

/** Which of these people belong to the channel. */
export const membersAmong = (tx: Tx, channel_id: number, user_ids: readonly number[]) =>
  tx.row<LiveChannel & { user_ids: number[] }>(sql`
    select c.id, c.channel_url, c.last_sequence, array(select g.user_id from unnest(${user_ids}::bigint[]) g (user_id) where ${belongs(trusted('g.user_id'))}) as user_ids
    from chat_channels c where c.organisation_id = $1 and c.id = ${channel_id}`);

/** Channels that these people have belonged to only since a moment. */
export const joinedSince = (tx: Tx, user_ids: readonly number[], since: string) =>
  tx.rows<{ channel_id: number }>(sql`
    select m.channel_id from chat_members m where m.organisation_id = $1 and m.user_id = any(${user_ids}::bigint[]) and m.created_at > ${since}::timestamptz
    union select c.id from space_members m join chat_channels c on c.organisation_id = $1 and c.space_id = m.space_id
    where m.organisation_id = $1 and m.user_id = any(${user_ids}::bigint[]) and greatest(m.created_at, c.created_at) > ${since}::timestamptz`);

/** Channels that went on after the number this node knows. */
export const channelsAhead = (tx: Tx, channel_ids: readonly number[], known: readonly number[]) =>
  tx.rows<{ id: number }>(sql`
    select c.id from unnest(${channel_ids}::bigint[], ${known}::bigint[]) g (channel_id, known)
    join chat_channels c on c.organisation_id = $1 and c.id = g.channel_id and c.last_sequence > g.known`);

/** Of these sessions and people, what is still good. */
export const stillGood = (tx: Tx, session_ids: readonly number[], user_ids: readonly number[]) =>
  tx.row<{ sessions: number[]; users: number[] }>(sql`
    select array(select s.id from sessions s where s.organisation_id = $1 and s.id = any(${session_ids}::bigint[])) as sessions,
      array(select u.id from users u where u.organisation_id = $1 and u.id = any(${user_ids}::bigint[]) and u.is_active and u.has_access) as users`);

// ---- Presence ----------------------------------------------------------------------------------------------------

export const upsertPresence = (tx: Tx, node: string, user_ids: readonly number[]) =>
  tx.rows(sql`
    insert into chat_presence (organisation_id, user_id, node, seen_at) select $1, u.id, ${node}, ${tx.now()}::timestamptz from users u
    where u.organisation_id = $1 and u.id = any(${user_ids}::bigint[]) order by u.id on conflict (organisation_id, user_id, node) do update set seen_at = excluded.seen_at`);
/** Returns whether the person is online on no other node either. */
export const deletePresence = async (tx: Tx, node: string, user_id: number) =>
  (
    await tx.row<{ is_gone: boolean }>(sql`
    with gone as (delete from chat_presence where organisation_id = $1 and user_id = ${user_id} and node = ${node})
    select not exists (select from chat_presence p where p.organisation_id = $1 and p.user_id = ${user_id} and p.node <> ${node} and p.seen_at > ${tx.now()}::timestamptz - interval '1 minute') as is_gone`)
  )?.is_gone ?? true;
export const deleteStalePresence = (tx: Tx) =>
  tx.rows(
    sql`delete from chat_presence where organisation_id = $1 and seen_at < ${tx.now()}::timestamptz - interval '5 minutes'`,
  );
