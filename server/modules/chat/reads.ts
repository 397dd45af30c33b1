// How far people have read: statements.
import type { Json, Tx } from '../../kernel/data/db.ts';
import { literal, sql } from '../../kernel/data/sql.ts';

const UNREAD_MAX = 1000;

/** Scalar: how far the person has read in the channel `c`. */
export const readSequence = (user_id: number) => sql`
  coalesce((
    select x.read_sequence from chat_reads x
    where x.organisation_id = $1 and x.channel_id = c.id and x.user_id = ${user_id}), 0)`;
/** Scalar: what others wrote since. Who joined a space has not missed what was said there before. */
export const unreadCount = (user_id: number) => sql`(
  select count(*) from (
    select m.created_at from chat_messages m
    where m.organisation_id = $1 and m.list_bucket = c.id and m.list_class = 0 and m.id > ${readSequence(user_id)}
      and m.user_id is distinct from ${user_id}
    order by m.id desc limit ${literal(UNREAD_MAX)}) newest
  where newest.created_at > coalesce((
    select sm.created_at from space_members sm
    where sm.organisation_id = $1 and sm.space_id = c.space_id and sm.user_id = ${user_id}), '-infinity'))`;

/** Up to this message, or all; never back. Returns how far it is now. */
export const upsertRead = async (tx: Tx, channel_id: number, user_id: number, up_to: number | undefined) =>
  (await tx.value<number>(sql`
    insert into chat_reads as x (organisation_id, channel_id, user_id, read_sequence, updated_at)
    select $1, c.id, ${user_id}, least(c.last_sequence, coalesce(${up_to ?? null}::bigint, c.last_sequence)),
      ${tx.now()}
    from chat_channels c where c.organisation_id = $1 and c.id = ${channel_id}
    on conflict (organisation_id, channel_id, user_id) do update
    set read_sequence = greatest(x.read_sequence, excluded.read_sequence), updated_at = excluded.updated_at
    returning read_sequence`)) ?? 0;
export const getUnread = (tx: Tx, channel_id: number, user_id: number) =>
  tx.json(sql`
    select json_build_object('channel_url', c.channel_url, 'read_sequence', ${readSequence(user_id)},
      'unread_count', ${unreadCount(user_id)})::text as json
    from chat_channels c where c.organisation_id = $1 and c.id = ${channel_id}`) as Promise<Json>;
