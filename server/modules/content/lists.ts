// What a list of posted content holds for somebody.

import type { Paging } from '../../kernel/contract/contract.ts';
import { idsOrAll } from '../../kernel/contract/schema.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Listing, listRows, type Slice } from '../../kernel/data/listing.ts';
import { given, joined, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { PublicNow } from '../../kernel/delivery/visibility.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { knows, spacesKnownTo } from '../spaces/access.ts';
import { type PostedNoun, plurals } from './contract.ts';
import type { ContentFamily, Reading } from './family.ts';
import { openReaches, reach, reaching } from './reach.ts';
import { shownRows } from './shown.ts';

/** Newest first; the bucket is the state, the class the reach (reach.ts). */
export const postedList = (noun: PostedNoun): Listing => ({
  table: plurals[noun],
  at: 'created_at',
  id: 'id',
  newestFirst: true,
});

/** Which of these everybody in the organisation sees now, or the reader. */
export const publicNow = ({ name, isPublic, isNews, sees }: ContentFamily): PublicNow => {
  const isSeen = (reader?: Actor) => (reader ? sees(reader) : sql`${isPublic} and ${isNews ?? trusted('true')}`);
  return (ids, reader) => sql`
    select t.id from ${trusted(name)} t
    where t.organisation_id = $1 and t.id = any(${ids}) and ${isSeen(reader)}`;
};

/** A page of a list, as the reader sees its rows. */
export const listContent = (tx: Tx, family: ContentFamily, list: Listing, slice: Slice, reading: Reading) =>
  listRows(
    tx,
    list,
    slice,
    shownRows(
      family,
      sql`(select * from ${trusted(family.name)} where organisation_id = $1 and id = listed.id)`,
      reading,
    ),
  );

export interface TimeFilter {
  creator_id?: number;
  created_after?: string;
  created_before?: string;
}
export const atTimes = ({ creator_id, created_after, created_before }: TimeFilter): Sql[] => [
  ...given(creator_id, (id) => sql`t.creator_id = ${id}`),
  ...given(created_after, (at) => sql`t.created_at > ${at}::timestamptz`),
  ...given(created_before, (at) => sql`t.created_at < ${at}::timestamptz`),
];

export interface PostedFilter extends TimeFilter, Paging {
  space_ids?: readonly string[];
  in_spaces?: readonly string[];
  team_ids?: readonly string[];
  in_teams?: readonly string[];
}

/** What a list of this noun shows to the actor, in these states. */
export function postedSlice(
  actor: Actor,
  noun: PostedNoun,
  filter: PostedFilter,
  states: readonly number[],
  more: readonly Sql[] = [],
): Slice {
  const { skip, take, updated_after } = filter;
  const spaces = idsOrAll(filter.space_ids ?? filter.in_spaces);
  const teams = idsOrAll(filter.team_ids ?? filter.in_teams);
  const asked = [spaces, teams].filter((ids) => ids !== undefined && ids.length > 0);
  // `all` alone is a set of reaches, whose totals are kept; all else is looked up, several ways in one set.
  const onlyAll = asked.length > 0 && asked.every((ids) => ids === 'all');
  const wanted: number[] = [
    ...(spaces === 'all' ? [reach.public, reach.private, reach.hidden] : []),
    ...(teams === 'all' ? [reach.teams] : []),
  ];
  const open = openReaches(actor);
  const also = sql`t.list_class >= 2 and ${trusted(onlyAll ? `t.list_class in (${wanted.join(', ')})` : 'true')}
    and t.id in (${reaching(actor, noun)})`;
  const [state] = states;
  return {
    skip,
    take,
    updated_after,
    bucket: states.length === 1 ? state : undefined,
    classes: onlyAll ? open.filter((one) => wanted.includes(one)) : open,
    also: isUnbounded(actor) ? undefined : also,
    where: [
      ...(states.length === 1 ? [] : [trusted(`t.list_bucket in (${states.join(', ')})`)]),
      ...atTimes(filter),
      ...(asked.length > 0 && !onlyAll ? [sql`t.id in (${postedTo(actor, noun, spaces, teams)})`] : []),
      ...more,
    ],
  };
}

type Asked = readonly number[] | 'all' | undefined;
/** SQL: ids of what was posted to one of these spaces or teams. */
function postedTo(actor: Actor, noun: PostedNoun, spaces: Asked, teams: Asked): Sql {
  // What reaches the actor through another space must not tell them that it was also posted to this one.
  const known =
    spacesKnownTo(actor).length === 3
      ? nothing
      : sql`and exists (
          select from spaces s where s.organisation_id = $1 and s.id = a.space_id and ${knows(actor, trusted('s'))})`;
  const among = (ids: Asked, column: 'space_id' | 'team_id', limit: Sql) => {
    if (ids === undefined || ids.length === 0) return [];
    const target = trusted(`a.${column}`);
    const named = ids === 'all' ? sql`${target} is not null` : sql`${target} = any(${ids}::bigint[]) ${limit}`;
    const [id, audiences] = [trusted(`a.${noun}_id`), trusted(`${noun}_audiences`)];
    return [sql`select ${id} from ${audiences} a where a.organisation_id = $1 and ${named}`];
  };
  return joined([...among(spaces, 'space_id', known), ...among(teams, 'team_id', nothing)], ' union all ');
}
