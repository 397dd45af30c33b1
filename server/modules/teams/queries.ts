import type { Paging } from '../../kernel/contract/contract.ts';
import { noted } from '../../kernel/data/changes.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { counted, everyRow, type Listing, listRows, totalOf, uncounted } from '../../kernel/data/listing.ts';
import { touched } from '../../kernel/data/rows.ts';
import { given, jsonOf, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { followsTeam, teamMembersList } from './members.ts';

export const teamsList: Listing = { table: 'teams', at: null, id: 'id', newestFirst: false };
const typesList: Listing = { table: 'team_types', at: null, id: 'id', newestFirst: false };
/** Of teams `t` of `source`. */
export const shown = (source: Sql) =>
  jsonOf(sql`
    select t.id, t.external_id, t.name, avatar_url(o.web_url, t.photo_key, t.name) as avatar_url,
      o.web_url || '/teams/' || t.id as permalink, json_build_object('id', y.id, 'name', y.name) as team_type,
      ${totalOf(teamMembersList, trusted('t.id'), [0])} as member_count,
      iso(t.created_at) as created_at, iso(t.updated_at) as updated_at
    from ${source}
    join organisations o on o.id = t.organisation_id
    join team_types y on y.organisation_id = t.organisation_id and y.id = t.team_type_id`);

const hasMember = (user_ids: readonly number[]) => sql`exists (
  select from team_members m
  where m.organisation_id = $1 and m.team_id = t.id and m.user_id = any(${user_ids}::bigint[]))`;

export interface TeamFilter extends Paging {
  team_type_id?: number | undefined;
  name?: string | undefined;
  user_ids?: readonly number[] | undefined;
}
export function listTeams(tx: Tx, { team_type_id, name, user_ids, ...page }: TeamFilter) {
  const where = [
    ...given(team_type_id, (id) => sql`t.team_type_id = ${id}`),
    ...given(name, (text) => sql`lower(t.name) = lower(${text})`),
    ...given(user_ids, (ids) => hasMember(ids)),
  ];
  return listRows(
    tx,
    teamsList,
    { ...page, bucket: 0, classes: [0], where },
    shown(sql`(select * from teams where organisation_id = $1 and id = listed.id) t`),
  );
}
export const findTeam = (tx: Tx, id: number) =>
  tx.json(shown(sql`(select * from teams where organisation_id = $1 and id = ${id}) t`));
export const findTeamId = (tx: Tx, external_id: string) =>
  tx.value<number>(sql`select id from teams where organisation_id = $1 and external_id = ${external_id}`);
export const lockTeam = (tx: Tx, id: number) =>
  tx.row<{ id: number }>(sql`select id from teams where organisation_id = $1 and id = ${id} for update`);

export interface TeamFields {
  name: string;
  external_id?: string | null | undefined;
  team_type_id: number;
}
export const insertTeam = (tx: Tx, { name, external_id, team_type_id }: TeamFields) =>
  tx.json(sql`
    with t as (
      insert into teams (organisation_id, name, external_id, team_type_id, created_at, updated_at)
      values ($1, ${name}, ${external_id ?? null}, ${team_type_id}, ${tx.now()}, ${tx.now()}) returning *),
    change as (${counted(teamsList, 't', 1)})
    ${shown(trusted('t'))}`) as Promise<Json>;
/** The team of this name and type; made when it is missing, even while another transaction makes it. */
export const ensureTeam = async (tx: Tx, name: string, team_type_id: number): Promise<number> => {
  const find = () =>
    tx.value<number>(sql`
      select id from teams
      where organisation_id = $1 and team_type_id = ${team_type_id} and lower(name) = lower(${name})`);
  const add = () =>
    tx.value<number>(sql`
      with t as (
        insert into teams (organisation_id, name, team_type_id, created_at, updated_at)
        values ($1, ${name}, ${team_type_id}, ${tx.now()}, ${tx.now()})
        on conflict do nothing returning *),
      change as (${counted(teamsList, 't', 1)})
      select id from t`);
  return (await find()) ?? (await add()) ?? (await find()) ?? ensureTeam(tx, name, team_type_id);
};
export const updateTeam = (tx: Tx, id: number, { name, external_id, team_type_id }: TeamFields) =>
  tx.json(sql`
    with t as (
      update teams set name = ${name}, external_id = coalesce(${external_id ?? null}, external_id),
        team_type_id = ${team_type_id}, ${touched(tx.now(), 'teams')}
      where organisation_id = $1 and id = ${id} returning *)
    ${shown(trusted('t'))}`);
/** As an identity provider names it: an external id that it leaves out is taken away. */
export const renameTeam = (tx: Tx, id: number, name: string, external_id: string | null) =>
  tx.rows(sql`
    update teams t set name = ${name}, external_id = ${external_id}, ${touched(tx.now())}
    where t.organisation_id = $1 and t.id = ${id}`);
/** Within a transaction: what follows the team goes first. */
export async function deleteTeam(tx: Tx, id: number) {
  for (const { deleted } of followsTeam.all) await deleted(tx, id);
  return tx.json(sql`
    with gone as (delete from teams where organisation_id = $1 and id = ${id} returning *),
    change as (${counted(teamsList, 'gone', -1)}),
    ${uncounted([teamMembersList], id)},
    note as (${noted('team', 'gone', tx.now())})
    select json_build_object('id', id)::text as json from gone`);
}

/** Who is in them has changed: a new version. In the order of ids, as whoever locks several of them does. */
export const touchTeams = (tx: Tx, ids: readonly number[]) =>
  tx.rows(sql`
    with touched as (
      select id from teams
      where organisation_id = $1 and id = any(${ids}::bigint[])
      order by id for no key update)
    update teams t set ${touched(tx.now())}
    from touched where t.organisation_id = $1 and t.id = touched.id`);
/** Which of these there are. */
export const existingTeams = async (tx: Tx, ids: readonly number[]): Promise<ReadonlySet<number>> =>
  new Set(await tx.values<number>(sql`select id from teams where organisation_id = $1 and id = any(${ids}::bigint[])`));
export const listTeamIdsOf = (tx: Tx, user_id: number) =>
  tx.values<number>(sql`select team_id from team_members where organisation_id = $1 and user_id = ${user_id}`);

const typeColumns = trusted(`json_build_object('id', id, 'name', name)::text as json`);
export const listTeamTypes = (tx: Tx, skip: number, take: number) =>
  listRows(
    tx,
    typesList,
    { skip, take, ...everyRow },
    sql`select ${typeColumns} from team_types where organisation_id = $1 and id = listed.id`,
  );
export const insertTeamType = (tx: Tx, name: string) =>
  tx.json(sql`
    insert into team_types (organisation_id, name, created_at)
    values ($1, ${name}, ${tx.now()}) returning ${typeColumns}`) as Promise<Json>;
export const updateTeamType = (tx: Tx, id: number, name: string) =>
  tx.json(sql`update team_types set name = ${name} where organisation_id = $1 and id = ${id} returning ${typeColumns}`);
export const deleteTeamType = (tx: Tx, id: number) =>
  tx.json(sql`delete from team_types where organisation_id = $1 and id = ${id} returning ${typeColumns}`);
/** The type of this name; made when it is missing. */
export const ensureTeamType = async (tx: Tx, name: string) => {
  const named = sql`select id from team_types where organisation_id = $1 and lower(name) = lower(${name})`;
  const id = await tx.value<number>(sql`
    with added as (
      insert into team_types (organisation_id, name, created_at)
      values ($1, ${name}, ${tx.now()}) on conflict do nothing returning id)
    select id from added union all ${named} limit 1`);
  if (id !== undefined) return id;
  // Made by a transaction that committed while the statement waited for it: the next statement sees it.
  const made = await tx.value<number>(named);
  if (made === undefined) throw new Error('The team type was deleted while it was being made.');
  return made;
};
export const hasTeamType = (tx: Tx, id: number) =>
  tx.any(sql`select id from team_types where organisation_id = $1 and id = ${id}`);
