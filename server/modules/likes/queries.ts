import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import { type ContentNoun, plurals } from '../content/contract.ts';
import { personOf } from '../content/queries.ts';

const list: Listing = { table: 'likes', at: 'created_at', id: 'user_id', newestFirst: false };
export type Likeable = ContentNoun | 'comment';
const tableOf = (kind: Likeable) => trusted(kind === 'comment' ? 'comments' : plurals[kind]);

const columns = trusted(
  `l.user_id, (select u.external_id from users u where u.organisation_id = $1 and u.id = l.user_id) as user_external_id, ${personOf('l.user_id')} as user, iso(l.created_at) as created_at`,
);

export const listLikes = (tx: Tx, kind: Likeable, id: number, { skip, take }: { skip: number; take: number }) =>
  listRows(
    tx,
    list,
    { skip, take, ...everyRow, where: [sql`t.kind = ${kind}`, sql`t.content_id = ${id}`] },
    sql`select row_to_json(r)::text as json from (select ${columns} from likes l where l.organisation_id = $1 and l.kind = ${kind} and l.content_id = ${id} and l.user_id = listed.id) r`,
  );

/** One like a person: a second changes nothing. Undefined: the content is gone. */
export const insertLike = (tx: Tx, kind: Likeable, id: number, user_id: number, created_at: string | undefined) =>
  tx.json(sql`
    with target as (select id from ${tableOf(kind)} where organisation_id = $1 and id = ${id} for key share),
    liked as (
      insert into likes as l (organisation_id, kind, content_id, user_id, created_at) select $1, ${kind}, target.id, ${user_id}::bigint, ${created_at ?? tx.now()}::timestamptz from target
      on conflict (organisation_id, kind, content_id, user_id) do update set created_at = l.created_at returning l.*, l.xmax = 0 as is_new),
    counted as (update ${tableOf(kind)} t set likes_count = t.likes_count + 1 from liked where t.organisation_id = $1 and t.id = liked.content_id and liked.is_new)
    select row_to_json(r)::text as json from (select ${columns} from liked l) r`);

export const deleteLike = (tx: Tx, kind: Likeable, id: number, user_id: number) =>
  tx.json(sql`
    with gone as (delete from likes where organisation_id = $1 and kind = ${kind} and content_id = ${id} and user_id = ${user_id} returning content_id),
    counted as (update ${tableOf(kind)} t set likes_count = t.likes_count - 1 from gone where t.organisation_id = $1 and t.id = gone.content_id returning t.likes_count)
    select json_build_object('user_id', ${user_id}::bigint, 'likes_count', coalesce((select likes_count from counted), (select t.likes_count from ${tableOf(kind)} t where t.organisation_id = $1 and t.id = ${id})))::text as json`) as Promise<Json>;

/** Before content is deleted. */
export const deleteLikesOf = (tx: Tx, kind: Likeable, ids: readonly number[]) =>
  tx.rows(sql`delete from likes where organisation_id = $1 and kind = ${kind} and content_id = any(${ids}::bigint[])`);
