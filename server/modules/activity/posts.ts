// What was posted, newest first, as one reader sees it: updates, kudos, articles and events in one order.
//
//     reaches everybody   an index by class            9:31  9:12  9:05 | 8:50 …    these decide how far back to look
//     space 7             an index by space            9:20  8:59 |
//     team 3              an index by team             (nothing so late)            and of the reader's own spaces
//     written by them     an index by author           8:57 |                       and teams only what is later counts
//
// So a page costs a look into each of the reader's own spaces and teams, and nothing for all the others.
import * as t from '../../kernel/contract/schema.ts';
import { joined, literal, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { type PostedNoun, postedNouns } from '../content/contract.ts';
import { familyOf, type PostedFamily } from '../content/family.ts';
import { isPublished, openReaches, reach } from '../content/reach.ts';
import { knows, spacesKnownTo } from '../spaces/access.ts';

/** A place in the order: of what came at the same moment the type decides, and then the id. */
export interface Place {
  at: string;
  type: string;
  id: number;
}
export interface PostFilter {
  types: readonly PostedNoun[];
  space_ids?: readonly number[] | undefined;
  team_ids?: readonly number[] | undefined;
  actor_id?: number | undefined;
  /** Only what is beyond this place. */
  before?: Place | undefined;
}

export const posted = (noun: PostedNoun) => familyOf(noun) as PostedFamily;
/** In the order of their names, as places are. */
export const nounsAmong = (types: readonly string[]) => postedNouns.filter((noun) => types.includes(noun)).sort();

/** CTEs that end in `posts(type, id, at)`: the newest `count`, a constant of the program, in order. */
export function newestPosts(actor: Actor, filter: PostFilter, count: number): Sql {
  const nouns = nounsAmong(filter.types);
  const each = nouns.map((noun) => sql`select ${literal(noun)} as type, k.id, k.at from ${trusted(`${noun}_keys`)} k`);
  const none = trusted(`select null::text as type, null::bigint as id, null::timestamptz as at where false`);
  return sql`
    ${joined(
      nouns.map((noun) => keysOf(actor, noun, filter, count)),
      ' ',
    )}
    posts as materialized (
      select * from (${each.length > 0 ? joined(each, ' union all ') : none}) k
      order by at desc, type collate "C", id desc limit ${literal(count)})`;
}

/** CTEs that end in `<noun>_keys(id, at)`. */
function keysOf(actor: Actor, noun: PostedNoun, filter: PostFilter, count: number): Sql {
  const { space_ids, team_ids, actor_id, before } = filter;
  const { name, postedAt, sees } = posted(noun);
  const [table, at, keys] = [trusted(name), trusted(postedAt), trusted(`${noun}_keys`)];
  const limit = literal(count);
  const isBeyond = (key: Sql) =>
    before ? sql`(${key}) < (${before.at}::timestamptz, ${beyond(noun, before)}::bigint)` : trusted('true');
  const newestKeys = (sources: readonly Sql[]) => sql`
    ${keys} as materialized (
      select k.id, max(k.at) as at from (${joined(sources, ' union all ')}) k
      group by k.id order by max(k.at) desc, k.id desc limit ${limit}),`;

  const ofPerson = (user_id: number, condition: Sql) => sql`(
      select t.id, ${at} as at from ${table} t
      where t.organisation_id = $1 and t.creator_id = ${user_id} and ${isPublished} and ${condition}
        and ${isBeyond(sql`${at}, t.id`)}
      order by ${at} desc, t.id desc limit ${limit})`;
  /** In each of the places, which have the columns space_id or team_id. */
  const inPlaces = (places: Sql, column: 'space_id' | 'team_id', condition: Sql) => {
    const [audiences, id] = [trusted(`${noun}_audiences`), trusted(`a.${noun}_id`)];
    return sql`
      select p.id, p.at from (${places}) m cross join lateral (
        select ${id} as id, a.posted_at as at from ${audiences} a
        where a.organisation_id = $1 and a.${trusted(column)} = m.${trusted(column)}
          and ${isBeyond(sql`a.posted_at, ${id}`)} and ${condition}
        order by a.posted_at desc, ${id} desc limit ${limit}) p`;
  };
  const content = (condition: Sql) => sql`(
          select ${condition} from ${table} t where t.organisation_id = $1 and t.id = a.${trusted(`${noun}_id`)})`;

  if (space_ids || team_ids) {
    const isTheirs = actor_id === undefined ? nothing : sql`and t.creator_id = ${actor_id}`;
    const isSeen = content(sql`${isPublished} and ${sees(actor)} ${isTheirs}`);
    const known = spacesKnownTo(actor).length === 3 ? trusted('true') : knows(actor, trusted('s'));
    const spaces = sql`
        select s.id as space_id from spaces s
        where s.organisation_id = $1 and s.id = any(${space_ids ?? []}::bigint[]) and ${known}`;
    const teams = sql`select unnest(${team_ids ?? []}::bigint[]) as team_id`;
    return newestKeys([inPlaces(spaces, 'space_id', isSeen), inPlaces(teams, 'team_id', isSeen)]);
  }
  if (actor_id !== undefined) return newestKeys([ofPerson(actor_id, sees(actor))]);

  const [open, floor] = [trusted(`${noun}_open`), trusted(`${noun}_floor`)];
  const opened = sql`
    ${open} as materialized (
      select p.id, p.at from unnest(${openReaches(actor)}::smallint[]) c(class) cross join lateral (
        select t.id, ${at} as at from ${table} t
        where t.organisation_id = $1 and t.list_class = c.class and ${isPublished} and ${isBeyond(sql`${at}, t.id`)}
        order by ${at} desc, t.id desc limit ${limit}) p
      order by p.at desc, p.id desc limit ${limit}),
    ${floor} as materialized (
      select case when count(*) = ${limit} then min(at) else '-infinity' end as at from ${open}),`;
  if (isUnbounded(actor)) return sql`${opened} ${newestKeys([sql`select id, at from ${open}`])}`;
  const isLate = (moment: Sql) => sql`${moment} >= (select f.at from ${floor} f)`;
  const isIn = (table: string, column: string) => sql`
      select m.${trusted(column)} from ${trusted(table)} m
      where m.organisation_id = $1 and m.user_id = ${actor.user_id}`;
  const isLive = sql`${isLate(trusted('a.posted_at'))} and ${content(isPublished)}`;
  return sql`
    ${opened}
    ${newestKeys([
      sql`select id, at from ${open}`,
      inPlaces(isIn('space_members', 'space_id'), 'space_id', isLive),
      inPlaces(isIn('team_members', 'team_id'), 'team_id', isLive),
      ofPerson(actor.user_id, sql`t.list_class >= ${literal(reach.private)} and ${isLate(at)}`),
    ])}`;
}

/** Ids from here down are beyond the place, of what came at its moment. */
const beyond = (noun: string, { type, id }: Place) => (noun === type ? id : noun < type ? 0 : t.ID_MAX);
