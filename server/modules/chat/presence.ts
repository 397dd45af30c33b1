// Who has an open socket: a row a person and node, renewed at every sweep.
import type { Json, Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';

/** A row that was not renewed for so long is of a node that died. */
const isFresh = (now: string) => sql`p.seen_at > ${now}::timestamptz - interval '1 minute'`;

export const listPresence = (tx: Tx, user_ids: readonly number[]) =>
  tx.json(sql`
    select coalesce(json_agg(json_build_object('user_id', u.id, 'is_online', exists (
        select from chat_presence p
        where p.organisation_id = $1 and p.user_id = u.id and ${isFresh(tx.now())})) order by u.id), '[]')::text as json
    from users u
    where u.organisation_id = $1 and u.id = any(${user_ids}::bigint[]) and u.kind = 'person'
      and u.is_active`) as Promise<Json>;
export const upsertPresence = (tx: Tx, node: string, user_ids: readonly number[]) =>
  tx.rows(sql`
    insert into chat_presence (organisation_id, user_id, node, seen_at)
    select $1, u.id, ${node}, ${tx.now()}::timestamptz
    from users u where u.organisation_id = $1 and u.id = any(${user_ids}::bigint[]) order by u.id
    on conflict (organisation_id, user_id, node) do update set seen_at = excluded.seen_at`);
/** Returns whether the person is online on no other node either. */
export const deletePresence = async (tx: Tx, node: string, user_id: number) =>
  !(await tx.value<boolean>(sql`
    with gone as (
      delete from chat_presence where organisation_id = $1 and user_id = ${user_id} and node = ${node})
    select exists (
      select from chat_presence p
      where p.organisation_id = $1 and p.user_id = ${user_id} and p.node <> ${node} and ${isFresh(tx.now())})`));
export const deleteStalePresence = (tx: Tx) =>
  tx.rows(sql`
    delete from chat_presence
    where organisation_id = $1 and seen_at < ${tx.now()}::timestamptz - interval '5 minutes'`);
