import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { counting } from '../../kernel/data/rows.ts';
import { jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { type ContentNoun, plurals } from '../content/contract.ts';
import { authorOf } from '../users/queries.ts';

const list: Listing = { table: 'likes', at: 'created_at', id: 'user_id', newestFirst: false };
export type Likeable = ContentNoun | 'comment';
/** What is liked counts its likes. */
const tableOf = (kind: Likeable) => (kind === 'comment' ? 'comments' : plurals[kind]);

/** Of the likes `l` of `source`. */
const shown = (source: string) =>
  trusted(`
  select l.user_id, author.external_id as user_external_id, author.person as user, author.person as creator,
    iso(l.created_at) as created_at
  from ${source} l cross join lateral ${authorOf('l.user_id')}`);

export const listLikes = (tx: Tx, kind: Likeable, id: number, { skip, take }: { skip: number; take: number }) =>
  listRows(
    tx,
    list,
    { skip, take, ...everyRow, where: [sql`t.kind = ${kind}`, sql`t.content_id = ${id}`] },
    jsonOf(sql`
      ${shown('likes')}
      where l.organisation_id = $1 and l.kind = ${kind} and l.content_id = ${id} and l.user_id = listed.id`),
  );

/** One like a person: a second changes nothing. Undefined: the content is gone. */
export const insertLike = (tx: Tx, kind: Likeable, id: number, user_id: number, created_at = tx.now()) =>
  tx.json(sql`
    with target as (
      select id from ${trusted(tableOf(kind))} where organisation_id = $1 and id = ${id} for key share),
    liked as (
      insert into likes as l (organisation_id, kind, content_id, user_id, created_at)
      select $1, ${kind}, target.id, ${user_id}::bigint, ${created_at}::timestamptz from target
      on conflict (organisation_id, kind, content_id, user_id) do update set created_at = l.created_at
      returning l.*, l.xmax = 0 as is_new),
    counted as (${counting(
      tableOf(kind),
      'likes_count',
      literal(1),
      sql`t.id in (select content_id from liked where is_new)`,
    )})
    ${jsonOf(shown('liked'))}`);

export const deleteLike = (tx: Tx, kind: Likeable, id: number, user_id: number) =>
  tx.json(sql`
    with gone as (
      delete from likes
      where organisation_id = $1 and kind = ${kind} and content_id = ${id} and user_id = ${user_id}
      returning content_id),
    counted as (${counting(tableOf(kind), 'likes_count', literal(-1), sql`t.id in (select content_id from gone)`)})
    select json_build_object('user_id', ${user_id}::bigint, 'likes_count', coalesce(
      (select likes_count from counted),
      (select t.likes_count from ${trusted(tableOf(kind))} t where t.organisation_id = $1 and t.id = ${id})))::text
      as json`) as Promise<Json>;

/** Column: the actor likes `t`. */
export const likedBy = (kind: Likeable, { user_id }: Actor, id = 't.id'): Sql => sql`exists (
  select from likes l
  where l.organisation_id = $1 and l.kind = ${literal(kind)} and l.content_id = ${trusted(id)}
    and l.user_id = ${user_id}) as liked_by_me`;

/** Before or after what is liked is deleted. */
export const deleteLikesOf = (tx: Tx, kind: Likeable, ids: readonly number[]) =>
  tx.rows(sql`delete from likes where organisation_id = $1 and kind = ${kind} and content_id = any(${ids}::bigint[])`);
