// The home feed: posts as their families show them. Newest first it goes on without end; by relevance it orders what is
// new and what waits for its reader.
import type { Json, Tx } from '../../kernel/data/db.ts';
import { roundedUp } from '../../kernel/data/listing.ts';
import { joined, literal, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { sees } from '../content/access.ts';
import type { PostedNoun } from '../content/contract.ts';
import { isPublished } from '../content/reach.ts';
import { shownRows } from '../content/shown.ts';
import { newestPosts, nounsAmong, type Place, posted } from './posts.ts';

/** As many of the newest are ordered by relevance. */
const RANKED = 200;
const MUST_READS = 50;
/** Of a post, its newest are asked whom they mention. */
const COMMENTS = 100;

export interface FeedKey {
  type: PostedNoun;
  id: number;
  at: string;
  reason: 'must_read' | 'mention' | 'own' | 'new';
}

/** `count` of the newest, from this place on. */
export const findNewest = (tx: Tx, actor: Actor, types: readonly PostedNoun[], count: number, before?: Place) =>
  tx.rows<FeedKey>(sql`
    with ${newestPosts(actor, { types, before }, roundedUp(count))}
    select type, id, iso(at) as at, 'new' as reason from posts limit (select ${count}::bigint)`);

/** `count` of the most relevant, after as many as were shown already. */
export const findRelevant = (tx: Tx, actor: Actor, types: readonly PostedNoun[], count: number, shown: number) => {
  const nouns = nounsAmong(types);
  const each = nouns.map((noun) => sql`select * from ${trusted(`${noun}_weighed`)}`);
  return tx.rows<FeedKey>(sql`
    with ${newestPosts(actor, { types }, RANKED)},
    ${joined(nouns.map((noun) => weighed(actor, noun)))}
    select type, id, iso(at) as at, reason from (${joined(each, ' union all ')}) w
    order by reason = 'must_read' desc, at + case reason
      when 'mention' then interval '3 days' when 'own' then interval '12 hours' else interval '0' end desc,
      type collate "C", id desc
    offset (select ${shown}::bigint) limit (select ${count}::bigint)`);
};

/** The posts as their families show them, in this order; without those that the reader does not see any more. */
export async function listItems(tx: Tx, actor: Actor, keys: readonly FeedKey[], language?: string): Promise<Json[]> {
  const nouns = nounsAmong(keys.map(({ type }) => type));
  const found = await Promise.all(
    nouns.map((noun) => {
      const own = keys.flatMap((key, n) => (key.type === noun ? [{ ...key, n }] : []));
      const row = sql`(
          select * from ${trusted(posted(noun).name)} t
          where t.organisation_id = $1 and t.id = k.id and ${sees(actor, noun)})`;
      return tx.rows<{ n: number; json: Json }>(sql`
        select k.n, json_build_object('type', ${literal(noun)}, 'id', k.id, 'reason', k.reason,
          'posted_at', iso(k.at), 'resource', r.json::json)::text as json
        from unnest(${own.map(({ n }) => n)}::integer[], ${own.map(({ id }) => id)}::bigint[],
          ${own.map(({ at }) => at)}::timestamptz[], ${own.map(({ reason }) => reason)}::text[]) k(n, id, at, reason)
        cross join lateral (
          ${shownRows(posted(noun), row, { now: tx.now(), actor, language })} offset 0) r`);
    }),
  );
  return found
    .flat()
    .sort((one, other) => one.n - other.n)
    .map(({ json }) => json);
}

/** CTEs that end in `<noun>_weighed(type, id, at, reason)`. */
function weighed(actor: Actor, noun: PostedNoun): Sql {
  const { name, postedAt, columns } = posted(noun);
  const [table, at, id] = [trusted(name), trusted(postedAt), trusted(`${noun}_id`)];
  const isUnread = sql`t.requires_acknowledgement and not exists (
          select from acknowledgements k
          where k.organisation_id = $1 and k.kind = ${literal(noun)} and k.content_id = t.id
            and k.content_version = t.content_version and k.user_id = ${actor.user_id})`;
  const asksForReading = 'requires_acknowledgement' in columns;
  const unread = asksForReading
    ? sql`
      union
      select t.id from (
        select * from ${table} t
        where t.organisation_id = $1 and ${isPublished} and t.requires_acknowledgement
        order by ${at} desc, t.id desc limit ${literal(RANKED)}) t
      where ${isUnread} and ${sees(actor, noun)} limit ${literal(MUST_READS)}`
    : nothing;
  const candidates = trusted(`${noun}_candidates`);
  const names = (kind: string, content: string) => sql`exists (
          select from mentions m
          where m.organisation_id = $1 and m.kind = ${literal(kind)} and m.content_id = ${trusted(content)}
            and m.target_type = 'user' and m.target_id = ${actor.user_id})`;
  const isMentioned = sql`(${names(noun, 't.id')} or exists (
          select from (
            select c.id from comments c
            where c.organisation_id = $1 and c.kind = ${literal(noun)} and c.content_id = t.id
            order by c.created_at desc, c.id desc limit ${literal(COMMENTS)}) c
          where ${names('comment', 'c.id')}))`;
  const isMember = (members: string, column: string) => sql`exists (
          select from ${trusted(members)} m
          where m.organisation_id = $1 and m.user_id = ${actor.user_id}
            and m.${trusted(column)} = a.${trusted(column)})`;
  return sql`
    ${candidates} as materialized (
      select p.id from posts p where p.type = ${literal(noun)}${unread}),
    ${trusted(`${noun}_weighed`)} as materialized (
      select ${literal(noun)} as type, t.id, ${at} as at, case
        when ${asksForReading ? isUnread : trusted('false')} then 'must_read'
        when ${isMentioned} then 'mention'
        when exists (
          select from ${trusted(`${noun}_audiences`)} a
          where a.organisation_id = $1 and a.${id} = t.id
            and (${isMember('space_members', 'space_id')} or ${isMember('team_members', 'team_id')})) then 'own'
        else 'new' end as reason
      from ${candidates} c join ${table} t on t.organisation_id = $1 and t.id = c.id
      where ${isPublished} and ${sees(actor, noun)})`;
}
