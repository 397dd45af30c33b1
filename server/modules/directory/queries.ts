import type { Paging } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { pageOf, type Row, totalOf } from '../../kernel/data/listing.ts';
import { assigned, cleared } from '../../kernel/data/rows.ts';
import { all, given, jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { userUpdated } from '../users/events.ts';
import { userFilters } from '../users/expansions.ts';
import { changeUser, usersList } from '../users/queries.ts';
import type { Profile } from './contract.ts';

const TEAMS_SHOWN = literal(5);
const LEVELS_MAX = literal(50);
const LAST_CHARACTER = '\u{10ffff}';

const byName = trusted('lower(t.name) collate "C"');
/** It begins so: a range, so that an index finds it whatever is asked for. */
const begins = (column: 'name' | 'last_name', q: string) => {
  const [name, from] = [trusted(`lower(t.${column}) collate "C"`), q.toLowerCase()];
  return sql`(${name} >= ${from} and ${name} <= ${from + LAST_CHARACTER})`;
};
const entryColumns = trusted(`u.id, u.name, u.job_title, avatar_url(o.web_url, u.photo_key, u.name) as avatar_url,
  u.is_active`);

/** A page of the people that `from` selects as `t`, by name; `shown` is JSON of the one whose id is `p.id`. */
const page = async (tx: Tx, from: Sql, total: Sql, shown: Sql, { skip, take }: Paging) =>
  pageOf(
    await tx.rows<Row>(sql`
      with p as (
        select t.id, row_number() over (order by ${byName}, t.id) as n ${from} order by ${byName}, t.id
        limit ${take} offset ${skip})
      select c.total, r.json from (select (${total})::integer as total) c
      left join (select p.n, s.json from p cross join lateral (${shown} offset 0) s) r on true
      order by r.n`),
  );

interface Filter extends Paging {
  q?: string | undefined;
  in_teams?: readonly number[] | undefined;
}
export function listDirectory(tx: Tx, actor: Actor, { q, in_teams, ...paging }: Filter) {
  const conditions = [
    ...given(q?.trim() || undefined, (name) => sql`(${begins('name', name)} or ${begins('last_name', name)})`),
    ...userFilters.all.flatMap(({ name, condition }) =>
      name === 'in_teams' ? given(in_teams, (ids) => condition(actor, ids)) : [],
    ),
  ];
  const from = sql`
    from users t where t.organisation_id = $1 and t.kind = 'person' and t.is_active and ${all(conditions)}`;
  const total = conditions.length === 0 ? totalOf(usersList, literal(0), [0]) : sql`select count(*) ${from}`;
  const shown = jsonOf(sql`
    select ${entryColumns}, u.is_frontline, (
      select coalesce(json_agg(json_build_object('id', g.id, 'name', g.name) order by g.name, g.id), '[]') from (
        select g.id, g.name from team_members m join teams g on g.organisation_id = $1 and g.id = m.team_id
        where m.organisation_id = $1 and m.user_id = u.id order by g.name, g.id limit ${TEAMS_SHOWN}) g) as teams
    from users u join organisations o on o.id = $1 where u.organisation_id = $1 and u.id = p.id`);
  return page(tx, from, total, shown, paging);
}

/** SQL: somebody who is there reports to this person. */
const leads = (id: string) =>
  trusted(`exists (select from users r where r.organisation_id = $1 and r.manager_id = ${id} and r.is_active)`);
const positionColumns = sql`${entryColumns}, u.manager_id, (
  select count(*)::integer from users r where r.organisation_id = $1 and r.manager_id = u.id
    and (r.is_active or exists (
      select from users b where b.organisation_id = $1 and b.manager_id = r.id and b.is_active))) as reports_count`;

export function listPositions(tx: Tx, manager_id: number | undefined, paging: Paging) {
  const from =
    manager_id === undefined
      ? sql`from users t
        where t.organisation_id = $1 and t.kind = 'person' and t.manager_id is null and ${leads('t.id')}`
      : sql`from users t
        where t.organisation_id = $1 and t.manager_id = ${manager_id} and (t.is_active or ${leads('t.id')})`;
  const shown = jsonOf(sql`
    select ${positionColumns} from users u join organisations o on o.id = $1
    where u.organisation_id = $1 and u.id = p.id`);
  return page(tx, from, sql`select count(*) ${from}`, shown, paging);
}

/** Undefined: there is no such person. */
export const listManagers = async (tx: Tx, id: number) =>
  (await tx.value<string | null>(sql`
    with recursive up as (
      select u.id, u.manager_id, 0 as level from users u
      where u.organisation_id = $1 and u.id = ${id} and u.kind = 'person'
      union all
      select u.id, u.manager_id, up.level + 1 from up join users u on u.organisation_id = $1 and u.id = up.manager_id
      where up.level < ${LEVELS_MAX}) cycle id set is_cycle using path
    select json_agg(r.position order by r.level desc)::text from (
      select up.level, (select row_to_json(s) from (select ${positionColumns}) s) as position
      from up join users u on u.organisation_id = $1 and u.id = up.id join organisations o on o.id = $1
      where not up.is_cycle) r`)) ?? undefined;

const said = {
  display_name: cleared('text'),
  timezone: cleared('text'),
  locale: cleared('text'),
  mobile_phone: cleared('text'),
  direct_dial: cleared('text'),
};
export const replaceProfile = (tx: Tx, id: number, profile: Profile) =>
  changeUser(tx, id, userUpdated, assigned(said, profile, 'u'));
