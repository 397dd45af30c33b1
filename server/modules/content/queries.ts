import { idsOrAll } from '../../kernel/contract/schema.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { counted, type Listing, type Slice } from '../../kernel/data/listing.ts';
import { nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { PublicNow } from '../../kernel/delivery/visibility.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import type { AudienceTargets } from '../audiences/access.ts';
import { audienceOf } from '../audiences/queries.ts';
import { knows, spacesKnownTo } from '../spaces/access.ts';
import type { SpaceRole } from '../spaces/contract.ts';
import { type PostedNoun, plurals, postedNouns } from './contract.ts';
import { openReaches, reach, reaching, state } from './reach.ts';

/** Newest first. Bucket: the state; class: the reach (see access.ts). */
export const postedList = (noun: PostedNoun): Listing => ({
  table: plurals[noun],
  at: 'created_at',
  id: 'id',
  newestFirst: true,
});

/** What reaches everybody, archived or not. */
export const publicPosts =
  (noun: PostedNoun): PublicNow =>
  (ids) =>
    sql`select t.id from ${trusted(plurals[noun])} t where t.organisation_id = $1 and t.id = any(${ids}) and t.list_bucket <> ${trusted(String(state.unpublished))} and t.list_class <= ${trusted(String(reach.public))}`;

/** The person with this id as other resources show them (interface 2.8); null for none. */
export const personOf = (id: string) => `(
  select json_build_object('id', u.id, 'external_id', u.external_id, 'email', u.email, 'name', u.name, 'first_name', u.first_name, 'last_name', u.last_name,
    'avatar_url', avatar_url(o.web_url, u.photo_key, u.name), 'job_title', u.job_title, 'timezone', u.timezone, 'locale', u.locale, 'hire_date', u.hire_date,
    'date_of_birth', u.date_of_birth, 'mobile_phone', u.mobile_phone, 'direct_dial', u.direct_dial)
  from users u join organisations o on o.id = u.organisation_id where u.organisation_id = $1 and u.id = ${id})`;

/** The last columns of every posted resource (postedFields); `t` is the row. Without an actor, for events: all of it. */
export const postedColumns = (noun: PostedNoun, actor?: Actor): Sql => {
  const known = actor && spacesKnownTo(actor).length < 3 ? knows(actor, trusted('s')) : undefined;
  return sql`${audienceOf(noun, known)} as audience, ${trusted(`t.likes_count, t.comments_count, iso(t.created_at) as created_at, iso(t.updated_at) as updated_at, t.sequence,
    (select o.web_url from organisations o where o.id = $1) || '/${plurals[noun]}/' || ${noun === 'article' ? 't.slug' : 't.id'} as permalink`)}`;
};

export interface PostedFilter {
  skip: number;
  take: number;
  space_ids?: readonly string[];
  in_spaces?: readonly string[];
  team_ids?: readonly string[];
  in_teams?: readonly string[];
  creator_id?: number;
  created_after?: string;
  created_before?: string;
  updated_after?: string;
}

/** What a list of this noun shows to the actor, in these states. */
export function postedSlice(
  actor: Actor,
  noun: PostedNoun,
  filter: PostedFilter,
  states: readonly number[],
  more: readonly Sql[] = [],
): Slice {
  const { skip, take, creator_id, created_after, created_before, updated_after } = filter;
  const spaces = idsOrAll(filter.space_ids ?? filter.in_spaces);
  const teams = idsOrAll(filter.team_ids ?? filter.in_teams);
  const given = (value: unknown, condition: Sql) => (value === undefined ? [] : [condition]);
  const [audiences, id] = [trusted(`${noun}_audiences`), trusted(`a.${noun}_id`)];
  // `all` alone is a set of classes, whose total is kept; all else is looked up, several ways in one set.
  const wanted = [
    ...(spaces === 'all' ? [reach.public, reach.private, reach.hidden] : []),
    ...(teams === 'all' ? [reach.teams] : []),
  ];
  // What reaches the actor through another space must not tell them that it was also posted to this one.
  const known =
    spacesKnownTo(actor).length < 3
      ? sql` and exists (select from spaces s where s.organisation_id = $1 and s.id = a.space_id and ${knows(actor, trusted('s'))})`
      : nothing;
  const postedTo = (ids: readonly number[] | 'all' | undefined, column: string, limit: Sql) =>
    ids === undefined || ids.length === 0
      ? []
      : [
          sql`select ${id} from ${audiences} a where a.organisation_id = $1 and a.${trusted(column)} ${ids === 'all' ? trusted('is not null') : sql`= any(${ids}::bigint[])${limit}`}`,
        ];
  const posted = [...postedTo(spaces, 'space_id', known), ...postedTo(teams, 'team_id', nothing)];
  const onlyClasses = posted.length > 0 && [spaces, teams].every((ids) => ids === 'all' || !ids?.length);
  const inTargets =
    posted.length === 0 || onlyClasses
      ? []
      : [sql`t.id in (${posted.reduce((left, right) => sql`${left} union all ${right}`)})`];
  const open = openReaches(actor);
  const isBounded = !isUnbounded(actor);
  return {
    skip,
    take,
    bucket: states.length === 1 ? states[0] : undefined,
    classes: onlyClasses ? open.filter((one) => wanted.includes(one as 1)) : open,
    also: isBounded
      ? sql`t.list_class >= 2 and ${trusted(onlyClasses ? `t.list_class in (${wanted.join(', ')})` : 'true')} and t.id in (${reaching(actor, noun)})`
      : undefined,
    where: [
      ...(states.length === 1 ? [] : [trusted(`t.list_bucket in (${states.join(', ')})`)]),
      ...given(creator_id, sql`t.creator_id = ${creator_id}`),
      ...given(created_after, sql`t.created_at > ${created_after}::timestamptz`),
      ...given(created_before, sql`t.created_at < ${created_before}::timestamptz`),
      ...given(updated_after, sql`t.updated_at > ${updated_after}::timestamptz`),
      ...inTargets,
      ...more,
    ],
  };
}

/**
 * Scalar: the reach of content with these targets. Locks the spaces, so that one whose visibility changes meanwhile is
 * waited for.
 */
export const reachOf = ({ type, spaces }: AudienceTargets): Sql => {
  if (type !== 'spaces') return trusted(String(type === 'Global' ? reach.everybody : reach.teams));
  return sql`coalesce((select min(${reachOfVisibility}) from (select visibility from spaces where organisation_id = $1 and id = any(${spaces}::bigint[]) for share) s), ${trusted(String(reach.hidden))})`;
};
/** The same for what is in one space, or in none. */
export const reachOfSpace = (space_id: number | null): Sql =>
  reachOf(
    space_id === null ? { type: 'Global', spaces: [], teams: [] } : { type: 'spaces', spaces: [space_id], teams: [] },
  );
const reachOfVisibility = trusted(
  `case s.visibility when 'public' then ${reach.public} when 'private' then ${reach.private} else ${reach.hidden} end`,
);

/** Is the content for a space that is not archived, or for no space at all? Such a space stays so until the commit. */
export const hasOpenSpace = async (tx: Tx, noun: PostedNoun, id: number) =>
  (await tx.row(
    sql`select id from ${trusted(plurals[noun])} where organisation_id = $1 and id = ${id} and audience_type <> 'spaces'`,
  )) !== undefined ||
  (
    await tx.rows(sql`
    select s.id from spaces s where s.organisation_id = $1 and not s.is_archived
      and s.id in (select a.space_id from ${trusted(`${noun}_audiences`)} a where a.organisation_id = $1 and a.${trusted(`${noun}_id`)} = ${id})
    order by s.id for share`)
  ).length > 0;

/** CTE body: the audience rows of the content in `source`, which has the column id. */
export const insertedAudience = (noun: PostedNoun, source: string, { spaces, teams }: AudienceTargets): Sql => sql`
  insert into ${trusted(`${noun}_audiences`)} (organisation_id, ${trusted(`${noun}_id`)}, space_id, team_id)
  select $1, t.id, w.space_id, w.team_id from ${trusted(source)} t, (
    select s as space_id, null::bigint as team_id from unnest(${[...new Set(spaces)]}::bigint[]) s
    union all select null, g from unnest(${[...new Set(teams)]}::bigint[]) g) w`;

/** CTEs after `was` and `changed` (the row before and after an update): the list's counts follow bucket and class. */
export const recounted = (list: Listing): Sql => sql`
  key as (select (was.list_bucket, was.list_class) is distinct from (changed.list_bucket, changed.list_class) as differs, changed.id from was join changed on changed.id = was.id),
  minus as (${counted(list, '(select was.* from was join key on key.id = was.id where differs)', -1)}),
  plus as (${counted(list, '(select changed.* from changed join key on key.id = changed.id where differs)', 1)})`;

/** After a space's visibility changed: what is posted there reaches others now. */
export async function followVisibility(tx: Tx, space_id: number) {
  await tx.rows(sql`
    with was as (select * from documents t where t.organisation_id = $1 and t.space_id = ${space_id} order by t.id for update),
    changed as (
      update documents t set list_class = n.reach from (select ${reachOfSpace(space_id)}::smallint as reach) n, was where t.organisation_id = $1 and t.id = was.id and t.list_class <> n.reach returning t.*),
    ${recounted({ table: 'documents', at: 'created_at', id: 'id', newestFirst: true })}
    select id from changed`);
  for (const noun of postedNouns) {
    const [table, audiences, id] = [trusted(plurals[noun]), trusted(`${noun}_audiences`), trusted(`${noun}_id`)];
    await tx.rows(sql`
      with was as (
        select t.* from ${table} t where t.organisation_id = $1 and t.audience_type = 'spaces'
          and t.id in (select a.${id} from ${audiences} a where a.organisation_id = $1 and a.space_id = ${space_id}) order by t.id for update),
      changed as (
        update ${table} t set list_class = n.reach from (
          select was.id, (select min(${reachOfVisibility}) from ${audiences} a join spaces s on s.organisation_id = $1 and s.id = a.space_id where a.organisation_id = $1 and a.${id} = was.id)::smallint as reach from was) n
        where t.organisation_id = $1 and t.id = n.id and t.list_class <> n.reach returning t.*),
      ${recounted(postedList(noun))}
      select id from changed`);
  }
}

export interface Target {
  of: 'spaces' | 'teams';
  n: number;
  id: number;
  is_known: boolean;
  is_archived: boolean;
  is_read_only: boolean;
  is_member: boolean;
  role: SpaceRole | null;
}
/** Each of the spaces and teams as the actor stands to it, with its place in the given list. */
export const findTargets = (tx: Tx, actor: Actor, spaces: readonly number[], teams: readonly number[]) =>
  tx.rows<Target>(sql`
    select 'spaces' as of, g.n - 1 as n, g.id, s.id is not null as is_known, coalesce(s.is_archived, false) as is_archived, coalesce(s.is_read_only, false) as is_read_only, m.role is not null as is_member, m.role
    from unnest(${spaces}::bigint[]) with ordinality g(id, n) left join spaces s on s.organisation_id = $1 and s.id = g.id and ${knows(actor, trusted('s'))}
      left join space_members m on m.organisation_id = $1 and m.space_id = s.id and m.user_id = ${actor.user_id}
    union all
    select 'teams', g.n - 1, g.id, k.id is not null, false, false, m.user_id is not null, null
    from unnest(${teams}::bigint[]) with ordinality g(id, n) left join teams k on k.organisation_id = $1 and k.id = g.id
      left join team_members m on m.organisation_id = $1 and m.team_id = k.id and m.user_id = ${actor.user_id}
    order by 1, 2`);
