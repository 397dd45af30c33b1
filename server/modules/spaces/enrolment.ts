// Default spaces enrol people by themselves: everybody, or whoever is in every team of one of the space's rules.
import type { Json, Tx } from '../../kernel/data/db.ts';
import { counted } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { spaceMembersList } from './members.ts';

/** SQL: the person `u` is in every team of a rule of space `s`; without any rule, everybody is meant. */
const matches = trusted(`(
  not exists (select from space_rules r where r.organisation_id = $1 and r.space_id = s.id)
  or exists (
    select from space_rules r where r.organisation_id = $1 and r.space_id = s.id and not exists (
      select from space_rule_teams rt
      where rt.organisation_id = $1 and rt.space_id = r.space_id and rt.rule_id = r.id and not exists (
        select from team_members tm
        where tm.organisation_id = $1 and tm.team_id = rt.team_id and tm.user_id = u.id))))`);
const enrol = (tx: Tx, which: Sql) =>
  tx.rows(sql`
    with added as (
      insert into space_members (organisation_id, space_id, user_id, from_rules, created_at)
      select $1, s.id, u.id, true, ${tx.now()} from spaces s, users u
      where s.organisation_id = $1 and u.organisation_id = $1 and s.is_default and not s.is_archived
        and u.is_active and u.kind = 'person' and ${which} and ${matches}
      order by s.id, u.id on conflict do nothing returning *)
    ${counted(spaceMembersList, 'added', 1)}`);
const unenrol = (tx: Tx, which: Sql) =>
  tx.rows(sql`
    with gone as (
      delete from space_members m using spaces s, users u
      where m.organisation_id = $1 and m.from_rules and s.organisation_id = $1 and s.id = m.space_id and s.auto_unenrol
        and u.organisation_id = $1 and u.id = m.user_id and ${which} and not (s.is_default and ${matches})
      returning m.*)
    ${counted(spaceMembersList, 'gone', -1)}`);
const ruleNames = (team_id: number) => sql`exists (
  select from space_rule_teams rt
  where rt.organisation_id = $1 and rt.space_id = s.id and rt.team_id = ${team_id})`;

export const enrolNewUser = (tx: Tx, user_id: number) => enrol(tx, sql`u.id = ${user_id}`);
export const enrolBySpace = (tx: Tx, space_id: number) => enrol(tx, sql`s.id = ${space_id}`);
export const unenrolBySpace = (tx: Tx, space_id: number) => unenrol(tx, sql`s.id = ${space_id}`);
export const enrolByTeam = async (tx: Tx, team_id: number, user_ids: readonly number[]) => {
  if (user_ids.length > 0) await enrol(tx, sql`u.id = any(${user_ids}::bigint[]) and ${ruleNames(team_id)}`);
};
export const unenrolByTeam = async (tx: Tx, team_id: number, user_ids: readonly number[]) => {
  if (user_ids.length > 0) await unenrol(tx, sql`u.id = any(${user_ids}::bigint[]) and ${ruleNames(team_id)}`);
};

export const getRules = (tx: Tx, space_id: number) =>
  tx.json(sql`
    select json_build_object('rules', coalesce(
      json_agg(json_build_object('team_ids', team_ids) order by rule_id), '[]'))::text as json
    from (
      select rule_id, json_agg(team_id order by team_id) as team_ids from space_rule_teams
      where organisation_id = $1 and space_id = ${space_id} group by rule_id) r`) as Promise<Json>;
export const deleteRules = (tx: Tx, space_id: number) =>
  tx.rows(sql`delete from space_rules where organisation_id = $1 and space_id = ${space_id}`);
export const insertRules = (tx: Tx, space_id: number, rules: readonly (readonly number[])[]) =>
  tx.rows(sql`
    with given as (
      select n, array(select distinct t::bigint from json_array_elements_text(team_ids) t) as team_ids
      from json_array_elements(${JSON.stringify(rules)}::json) with ordinality g(team_ids, n)),
    numbered as (
      select n, team_ids, nextval(pg_get_serial_sequence('space_rules', 'id')) as id from given order by n),
    added as (
      insert into space_rules (organisation_id, space_id, id) overriding system value
      select $1, ${space_id}, id from numbered)
    insert into space_rule_teams (organisation_id, space_id, rule_id, team_id)
    select $1, ${space_id}, numbered.id, t from numbered, unnest(numbered.team_ids) t`);
export const setDefault = (tx: Tx, space_id: number, is_default: boolean) =>
  tx.rows(sql`update spaces set is_default = ${is_default} where organisation_id = $1 and id = ${space_id}`);
/** Whole rules go: without the team a rule would take in people it never meant. */
export const removeRulesOfTeam = (tx: Tx, team_id: number) =>
  tx.rows(sql`
    with named as (
      select rt.space_id, rt.rule_id from space_rule_teams rt
      where rt.organisation_id = $1 and rt.team_id = ${team_id}),
    gone as (
      delete from space_rules r using named
      where r.organisation_id = $1 and r.space_id = named.space_id and r.id = named.rule_id returning r.space_id)
    update spaces s set is_default = false
    where s.organisation_id = $1 and s.id in (select space_id from gone) and not exists (
      select from space_rules r
      where r.organisation_id = $1 and r.space_id = s.id and (r.space_id, r.id) not in (
        select space_id, rule_id from named))`);
