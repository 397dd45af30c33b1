import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { given, jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { type ContentNoun, plurals, type ReactionName } from '../content/contract.ts';
import { reactionsOf } from '../content/shown.ts';
import { authorOf } from '../users/queries.ts';

const list: Listing = { table: 'likes', at: 'created_at', id: 'user_id', newestFirst: false };
export type Likeable = ContentNoun | 'comment';
/** What is liked counts its likes. */
const tableOf = (kind: Likeable) => (kind === 'comment' ? 'comments' : plurals[kind]);

/** Of the likes `l` of `source`. */
const shown = (source: string, columns = sql`author.person as creator,`) => sql`
  select ${columns} l.user_id, author.external_id as user_external_id, author.person as user,
    iso(l.created_at) as created_at
  from ${trusted(source)} l cross join lateral ${trusted(authorOf('l.user_id'))}`;

interface Page {
  skip: number;
  take: number;
}
const listShown = (tx: Tx, kind: Likeable, id: number, { skip, take }: Page, of: Sql[], columns?: Sql) =>
  listRows(
    tx,
    list,
    { skip, take, ...everyRow, where: [sql`t.kind = ${kind}`, sql`t.content_id = ${id}`, ...of] },
    jsonOf(sql`
      ${shown('likes', columns)}
      where l.organisation_id = $1 and l.kind = ${kind} and l.content_id = ${id} and l.user_id = listed.id`),
  );
export const listLikes = (tx: Tx, kind: Likeable, id: number, page: Page) =>
  listShown(tx, kind, id, page, [trusted(`t.reaction = 'like'`)]);
export const listReactions = (tx: Tx, kind: Likeable, id: number, page: Page, reaction?: ReactionName) => {
  const of = given(reaction, (one) => sql`t.reaction = ${one}`);
  return listShown(tx, kind, id, page, of, sql`l.reaction,`);
};

/** CTE body: counts of what was reacted to follow rows `r` of `source` with content_id, former and reaction. */
const recounted = (kind: Likeable, source: Sql) => sql`
  update ${trusted(tableOf(kind))} t
  set likes_count = t.likes_count + (r.reaction is not distinct from 'like')::integer
      - (r.former is not distinct from 'like')::integer,
    reactions = recounted_reactions(t.reactions, r.former, r.reaction)
  from ${source} r
  where t.organisation_id = $1 and t.id = r.content_id and r.former is distinct from r.reaction
  returning t.id, t.likes_count, t.reactions`;

/** CTEs `reacted` and `counted`: the one reaction of this person, which takes the place of another. */
const reacted = (kind: Likeable, id: number, reaction: ReactionName, user_id: number, created_at: string) => sql`
  target as (select id from ${trusted(tableOf(kind))} where organisation_id = $1 and id = ${id} for key share),
  reacted as (
    insert into likes as l (organisation_id, kind, content_id, user_id, reaction, created_at)
    select $1, ${kind}, target.id, ${user_id}::bigint, ${reaction}::text, ${created_at}::timestamptz from target
    on conflict (organisation_id, kind, content_id, user_id) do update
    set former = l.reaction, reaction = excluded.reaction,
      created_at = case l.reaction when excluded.reaction then l.created_at else excluded.created_at end
    returning l.user_id, l.content_id, l.reaction, l.former, l.created_at),
  counted as (${recounted(kind, trusted('reacted'))})`;

/** Undefined: the content is gone. Liking twice changes nothing. */
export const insertLike = (tx: Tx, kind: Likeable, id: number, user_id: number, created_at = tx.now()) =>
  tx.json(sql`with ${reacted(kind, id, 'like', user_id, created_at)} ${jsonOf(shown('reacted'))}`);

/** CTEs `gone` and `counted`. */
const unreacted = (kind: Likeable, id: number, user_id: number, which = trusted('true')) => sql`
  gone as (
    delete from likes
    where organisation_id = $1 and kind = ${kind} and content_id = ${id} and user_id = ${user_id} and ${which}
    returning content_id, reaction as former, null::text as reaction),
  counted as (${recounted(kind, trusted('gone'))})`;

export const deleteLike = (tx: Tx, kind: Likeable, id: number, user_id: number) =>
  tx.json(sql`
    with ${unreacted(kind, id, user_id, trusted(`reaction = 'like'`))}
    select json_build_object('user_id', ${user_id}::bigint, 'likes_count', coalesce(
      (select likes_count from counted),
      (select t.likes_count from ${trusted(tableOf(kind))} t where t.organisation_id = $1 and t.id = ${id})))::text
      as json`) as Promise<Json>;

/** What somebody's reaction is now, and all counts. Undefined: the content is gone. */
const answered = (kind: Likeable, id: number, user_id: number, reaction: ReactionName | null) => sql`
    select json_build_object('user_id', ${user_id}::bigint, 'reaction', ${reaction}::text,
      'reactions', ${reactionsOf('t')})::text as json
    from (
      select likes_count, reactions from counted
      union all
      select c.likes_count, c.reactions from ${trusted(tableOf(kind))} c
      where c.organisation_id = $1 and c.id = ${id} and not exists (select from counted)) t`;
export const setReaction = (
  tx: Tx,
  kind: Likeable,
  id: number,
  reaction: ReactionName,
  user_id: number,
  created_at = tx.now(),
) =>
  tx.json(sql`
    with ${reacted(kind, id, reaction, user_id, created_at)} ${answered(kind, id, user_id, reaction)}`);
export const deleteReaction = (tx: Tx, kind: Likeable, id: number, user_id: number) =>
  tx.json(sql`with ${unreacted(kind, id, user_id)} ${answered(kind, id, user_id, null)}`);

/** Columns: whether the actor likes `t`, and how they react. */
export const reactionOf = (kind: Likeable, { user_id }: Actor, id = 't.id'): Sql => {
  const own = sql`
    from likes l
    where l.organisation_id = $1 and l.kind = ${literal(kind)} and l.content_id = ${trusted(id)}
      and l.user_id = ${user_id}`;
  return sql`exists (select ${own} and l.reaction = 'like') as liked_by_me, (select l.reaction ${own}) as reaction`;
};

/** Before or after what is liked is deleted. */
export const deleteLikesOf = (tx: Tx, kind: Likeable, ids: readonly number[]) =>
  tx.rows(sql`delete from likes where organisation_id = $1 and kind = ${kind} and content_id = any(${ids}::bigint[])`);
