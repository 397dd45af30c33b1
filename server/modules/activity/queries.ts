import type { Json, Tx } from '../../kernel/data/db.ts';
import { pageOf, type Row } from '../../kernel/data/listing.ts';
import { joined, literal, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { type PostedNoun, plurals, postedNouns } from '../content/contract.ts';
import { personOf } from '../users/queries.ts';
import { mayRead } from './access.ts';
import { newestPosts } from './posts.ts';
import { type ActivityFilter, type Stream, streams } from './streams.ts';

/** Things that are listed; what happened before them is read from the families' own lists. */
const LISTED = 1000;

/** One page of what these streams have, newest first. */
export async function listActivity(
  tx: Tx,
  actor: Actor,
  asked: readonly Stream[],
  { skip, take, ...filter }: ActivityFilter & { skip: number; take: number },
): Promise<{ rows: Json[]; total: number }> {
  const { user_id, ...places } = filter;
  const isWanted = (one: string) => asked.some(({ type }) => type === one);
  const isPlaced = places.space_ids !== undefined || places.team_ids !== undefined;
  // Comments are on what is posted there, whoever wrote that.
  const hasSubjects = isPlaced && isWanted('comment');
  const nouns = postedNouns.filter((noun) => isWanted(noun) || (hasSubjects && mayRead(actor, plurals[noun])));
  const actor_id = hasSubjects ? undefined : user_id;
  const posts = sql`
        select p.type, p.id, p.at, null::bigint as actor_id from posts p
        where p.type = any(${nouns.filter(isWanted)}::text[])
          and ${hasSubjects && user_id !== undefined ? sql`${creatorOf(nouns)} = ${user_id}` : trusted('true')}`;
  const others = asked.flatMap(({ type, keys }) => {
    const own = keys?.(actor, filter, LISTED);
    return own ? [sql`select ${literal(type)}, k.id, k.at, k.actor_id from (${own}) k`] : [];
  });
  return pageOf(
    await tx.rows<Row>(sql`
    with ${newestPosts(actor, { types: nouns, ...places, actor_id }, LISTED)},
    ${hasSubjects ? subjects(actor, places) : nothing}
    happened as materialized (
      select * from (${joined([posts, ...others], ' union all ')}) k
      order by at desc, type collate "C", id desc, actor_id desc limit ${literal(LISTED)}),
    page as materialized (
      select *, row_number() over () as n from (
        select * from happened offset (select ${skip}::bigint) limit (select ${take}::bigint)) k)
    select (select count(*) from happened) as total, r.json
    from (select) one left join lateral (${shown(asked)}) r on true order by r.n`),
  );
}

/** Scalar: who wrote the post `p`. */
const creatorOf = (nouns: readonly PostedNoun[]) => {
  const cases = nouns.map(
    (noun) =>
      `when '${noun}' then (select t.creator_id from ${plurals[noun]} t where t.organisation_id = $1 and t.id = p.id)`,
  );
  return trusted(`case p.type ${cases.join(' ')} end`);
};

/** CTE `subjects(type, id)`: what is posted there, pages included. */
function subjects(actor: Actor, places: ActivityFilter) {
  const pages = streams()
    .find(({ type }) => type === 'page')
    ?.keys?.(actor, places, LISTED);
  const ofPages = pages && mayRead(actor, 'pages') ? sql`union all select 'page', k.id from (${pages}) k` : nothing;
  return sql`subjects as materialized (select type, id from posts ${ofPages}),`;
}

/** SQL that selects `n, json` of each key of `page`. */
function shown(asked: readonly Stream[]): Sql {
  const objects = asked.map(
    ({ type, object, action }) => sql`
      select ${literal(action)} as action, x.*
      from (${object}) x(actor_id, title, path, content_type, content_id) where k.type = ${literal(type)}`,
  );
  return sql`
    select k.n, json_build_object('type', k.type, 'id', k.id, 'action', told.action,
      'actor', ${trusted(personOf('coalesce(k.actor_id, told.actor_id)'))},
      'object', json_build_object('type', k.type, 'id', k.id, 'title', told.title, 'content_type', told.content_type,
        'content_id', told.content_id,
        'permalink', (select g.web_url from organisations g where g.id = $1) || told.path),
      'created_at', iso(k.at))::text as json
    from page k cross join lateral (${joined(objects, ' union all ')}) told`;
}
