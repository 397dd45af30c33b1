import type { Json, Tx } from '../../kernel/data/db.ts';
import { counted, everyRow, type Listing, listRows, totalOf, uncounted } from '../../kernel/data/listing.ts';
import { nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import type { PublicNow } from '../../kernel/delivery/visibility.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { postedNouns } from '../content/contract.ts';
import { userColumns } from '../users/queries.ts';
import { knows } from './access.ts';
import type { SpaceRole } from './contract.ts';
import { spaceArchived, spaceCreated, spaceUnarchived, spaceUpdated } from './events.ts';

const spacesList: Listing = { table: 'spaces', at: null, id: 'id', newestFirst: false };
const categoriesList: Listing = { table: 'space_categories', at: null, id: 'id', newestFirst: false };
/** One bucket a space; class 0 active people, 1 deactivated ones. */
export const spaceMembersList: Listing = { table: 'space_members', at: null, id: 'user_id', newestFirst: false };

const columns = sql`s.id, s.external_id, s.parent_space_id, s.name, s.description, avatar_url(o.web_url, s.photo_key, s.name) as avatar_url, s.visibility,
  s.is_external, s.is_corporate, s.is_mandatory, s.is_read_only, s.is_default, s.auto_unenrol,
  (select coalesce(json_agg(json_build_object('id', c.id, 'name', c.name, 'description', c.description) order by c.id), '[]')
   from space_category_links l join space_categories c on c.organisation_id = $1 and c.id = l.category_id where l.organisation_id = $1 and l.space_id = s.id) as categories,
  s.is_archived, ${totalOf(spaceMembersList, trusted('s.id'), [0])} as member_count, iso(s.created_at) as created_at, iso(s.updated_at) as updated_at, s.sequence,
  o.web_url || '/spaces/' || s.id as permalink`;
const shown = (source: Sql) =>
  sql`select row_to_json(r)::text as json from (select ${columns} from ${source} join organisations o on o.id = $1) r`;

export interface SpaceFilter {
  skip: number;
  take: number;
  is_corporate?: boolean | undefined;
  is_archived?: boolean | undefined;
}
export function listSpaces(tx: Tx, actor: Actor, { skip, take, is_corporate, is_archived }: SpaceFilter) {
  const where = [
    knows(actor, trusted('t')),
    ...(is_corporate === undefined ? [] : [sql`t.is_corporate = ${is_corporate}`]),
    ...(is_archived === undefined ? [] : [sql`t.is_archived = ${is_archived}`]),
  ];
  return listRows(
    tx,
    spacesList,
    { skip, take, ...everyRow, where },
    shown(sql`(select * from spaces where organisation_id = $1 and id = listed.id) s`),
  );
}
export const getSpace = (tx: Tx, id: number) =>
  tx.json(shown(sql`(select * from spaces where organisation_id = $1 and id = ${id}) s`)) as Promise<Json>;

export interface SpaceFields {
  name: string;
  external_id?: string | null | undefined;
  parent_space_id?: number | null | undefined;
  description?: string | undefined;
  visibility?: string | undefined;
  is_external?: boolean | undefined;
  is_corporate?: boolean | undefined;
  is_mandatory?: boolean | undefined;
  is_read_only?: boolean | undefined;
  is_default?: boolean | undefined;
  auto_unenrol?: boolean | undefined;
}
export const insertSpace = async (tx: Tx, space: SpaceFields) => {
  const row = await tx.row<{ id: number }>(sql`
    with s as (
      insert into spaces (organisation_id, name, external_id, parent_space_id, description, visibility, is_external, is_corporate, is_mandatory, is_read_only, is_default, auto_unenrol, created_at, updated_at)
      values ($1, ${space.name}, ${space.external_id ?? null}, ${space.parent_space_id ?? null}, ${space.description ?? ''}, ${space.visibility ?? 'public'}, ${space.is_external ?? false}, ${space.is_corporate ?? false},
        ${space.is_mandatory ?? false}, ${space.is_read_only ?? false}, ${space.is_default ?? false}, ${space.auto_unenrol ?? false}, ${tx.now()}, ${tx.now()}) returning *)
    select id from s`);
  return row?.id ?? 0;
};
const changed = sql`updated_at = greatest(clock.now, s.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')`;
export const updateSpace = (tx: Tx, id: number, space: SpaceFields) =>
  tx.rows(sql`
    update spaces s set name = ${space.name}, external_id = coalesce(${space.external_id ?? null}, s.external_id), parent_space_id = ${space.parent_space_id ?? null}, description = ${space.description ?? ''},
      visibility = coalesce(${space.visibility ?? null}, s.visibility), is_external = ${space.is_external ?? false}, is_corporate = ${space.is_corporate ?? false}, is_mandatory = ${space.is_mandatory ?? false},
      is_read_only = ${space.is_read_only ?? false}, is_default = ${space.is_default ?? false}, auto_unenrol = ${space.auto_unenrol ?? false}, ${changed}
    from (select ${tx.now()}::timestamptz as now) clock where s.organisation_id = $1 and s.id = ${id}`);
/** One space at a time: what is posted to two goes with the later one, so neither may pass the other by. */
export const awaitArchival = (tx: Tx) =>
  tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('archived spaces', $1))`);
/** Returns whether it was in the other state before. */
export const setArchived = async (tx: Tx, id: number, archived: boolean) =>
  (
    await tx.rows(sql`
    update spaces s set archived_at = case when ${archived} then clock.now end, ${changed}
    from (select ${tx.now()}::timestamptz as now) clock where s.organisation_id = $1 and s.id = ${id} and s.is_archived <> ${archived} returning s.id`)
  ).length > 0;

/** None of them changes until the commit. */
export const lockSpaces = (tx: Tx, ids: readonly number[]) =>
  tx.rows(sql`select id from spaces where organisation_id = $1 and id = any(${ids}::bigint[]) order by id for share`);

/** Whoever posts there now is waited for, and finds no space afterwards. */
export const lockToDelete = (tx: Tx, id: number) =>
  tx.rows(sql`select id from spaces where organisation_id = $1 and id = ${id} for update`);

/** Emits the event with the space as it is now. */
const announce = (tx: Tx, event: Event, id: number) =>
  tx.json(sql`
    with r as (${shown(sql`(select * from spaces where organisation_id = $1 and id = ${id}) s`)}),
    shown as (select r.json::json as json, s.visibility = 'public' as is_public, s.id as space_id from r, spaces s where s.organisation_id = $1 and s.id = ${id}),
    event as (${emitted(event, 'shown', tx.now())})
    select json::text from shown`) as Promise<Json>;
export const announceCreated = (tx: Tx, id: number) => announce(tx, spaceCreated, id);
export const announceUpdated = (tx: Tx, id: number) => announce(tx, spaceUpdated, id);
export const announceArchived = (tx: Tx, id: number) => announce(tx, spaceArchived, id);
export const announceUnarchived = (tx: Tx, id: number) => announce(tx, spaceUnarchived, id);

/** Is `parent_id` this space or one of its descendants? */
export const isBelow = async (tx: Tx, id: number, parent_id: number) =>
  (await tx.row(sql`
    with recursive up as (
      select id, parent_space_id from spaces where organisation_id = $1 and id = ${parent_id}
      union select s.id, s.parent_space_id from up join spaces s on s.organisation_id = $1 and s.id = up.parent_space_id)
    select id from up where id = ${id}`)) !== undefined;
export const hasContent = async (tx: Tx, id: number) =>
  (
    await tx.row<{ found: boolean }>(sql`
    select exists (select from pages where organisation_id = $1 and list_bucket = ${id}) or exists (select from spaces where organisation_id = $1 and parent_space_id = ${id})
      or exists (select from documents where organisation_id = $1 and space_id = ${id}) or exists (select from document_folders where organisation_id = $1 and space_id = ${id})
      ${postedNouns.reduce((more, noun) => sql`${more} or exists (select from ${trusted(`${noun}_audiences`)} where organisation_id = $1 and space_id = ${id})`, nothing)} as found`)
  )?.found ?? false;
export const deleteSpace = (tx: Tx, id: number) =>
  tx.json(sql`
    with gone as (delete from spaces where organisation_id = $1 and id = ${id} returning id),
    ${uncounted([spaceMembersList, { table: 'pages' }], id)}
    select json_build_object('id', id)::text as json from gone`);

// ---- Categories --------------------------------------------------------------------------------------------------

const category = trusted(`json_build_object('id', id, 'name', name, 'description', description)::text as json`);
export const listSpaceCategories = (tx: Tx, skip: number, take: number) =>
  listRows(
    tx,
    categoriesList,
    { skip, take, ...everyRow },
    sql`select ${category} from space_categories where organisation_id = $1 and id = listed.id`,
  );
export const insertSpaceCategory = (tx: Tx, name: string, description: string) =>
  tx.json(
    sql`insert into space_categories (organisation_id, name, description, created_at) values ($1, ${name}, ${description}, ${tx.now()}) returning ${category}`,
  ) as Promise<Json>;
export const deleteSpaceCategory = (tx: Tx, id: number) =>
  tx.json(
    sql`delete from space_categories where organisation_id = $1 and id = ${id} returning json_build_object('id', id)::text as json`,
  );
export const replaceCategoryLinks = async (tx: Tx, space_id: number, category_ids: readonly number[]) => {
  await tx.rows(sql`delete from space_category_links where organisation_id = $1 and space_id = ${space_id}`);
  await tx.rows(
    sql`insert into space_category_links (organisation_id, space_id, category_id) select $1, ${space_id}, c from unnest(${[...new Set(category_ids)]}::bigint[]) c`,
  );
};

// ---- Members -----------------------------------------------------------------------------------------------------

export const listSpaceUsers = (tx: Tx, space_id: number, role: SpaceRole | undefined, skip: number, take: number) =>
  listRows(
    tx,
    spaceMembersList,
    { skip, take, bucket: space_id, classes: [0], where: role ? [sql`t.role = ${role}`] : [] },
    sql`
    select row_to_json(r)::text as json from (
      select ${userColumns}, m.role as space_role from users u join organisations o on o.id = u.organisation_id
      join space_members m on m.organisation_id = $1 and m.space_id = ${space_id} and m.user_id = u.id where u.organisation_id = $1 and u.id = listed.id) r`,
  );

/** Adds who is no member; with a role also gives it to who is. Returns who was added and who was changed. */
export const upsertMembers = (tx: Tx, space_id: number, user_ids: readonly number[], role: SpaceRole | undefined) =>
  tx.rows<{ user_id: number; added: boolean }>(sql`
    with added as (
      insert into space_members as m (organisation_id, space_id, user_id, role, created_at, list_class)
      select $1, ${space_id}, u.id, ${role ?? 'member'}, ${tx.now()}, case when u.is_active then 0 else 1 end from users u where u.organisation_id = $1 and u.id = any(${user_ids}::bigint[])
      order by u.id on conflict do nothing returning *),
    updated as (
      update space_members m set role = ${role ?? 'member'}, from_rules = false
      where ${role !== undefined} and m.organisation_id = $1 and m.space_id = ${space_id} and m.user_id = any(${user_ids}::bigint[]) and m.role <> ${role ?? 'member'} returning m.user_id),
    change as (${counted(spaceMembersList, 'added', 1)})
    select user_id, true as added from added union all select user_id, false from updated`);
export const deleteMembers = (tx: Tx, space_id: number, user_ids: readonly number[]) =>
  tx.rows<{ user_id: number }>(sql`
    with gone as (delete from space_members where organisation_id = $1 and space_id = ${space_id} and user_id = any(${user_ids}::bigint[]) returning *),
    change as (${counted(spaceMembersList, 'gone', -1)})
    select user_id from gone`);
export const ownersAmong = async (tx: Tx, space_id: number, user_ids: readonly number[]) =>
  (
    await tx.rows<{ user_id: number }>(
      sql`select user_id from space_members where organisation_id = $1 and space_id = ${space_id} and role = 'owner' and user_id = any(${user_ids}::bigint[])`,
    )
  ).length;

// ---- Enrolment ---------------------------------------------------------------------------------------------------

/** SQL: the person `u` is in every team of a rule of space `s`; without any rule, everybody is meant. */
const matches = trusted(`(
  exists (select from space_rules r where r.organisation_id = $1 and r.space_id = s.id and not exists (
    select from space_rule_teams rt where rt.organisation_id = $1 and rt.space_id = r.space_id and rt.rule_id = r.id and not exists (
      select from team_members tm where tm.organisation_id = $1 and tm.team_id = rt.team_id and tm.user_id = u.id)))
  or not exists (select from space_rules r where r.organisation_id = $1 and r.space_id = s.id))`);
const enrol = (tx: Tx, which: Sql) =>
  tx.rows(sql`
    with added as (
      insert into space_members (organisation_id, space_id, user_id, from_rules, created_at)
      select $1, s.id, u.id, true, ${tx.now()} from spaces s, users u
      where s.organisation_id = $1 and u.organisation_id = $1 and s.is_default and not s.is_archived and u.is_active and u.kind = 'person' and ${which} and ${matches}
      order by s.id, u.id on conflict do nothing returning *)
    ${counted(spaceMembersList, 'added', 1)}`);
const unenrol = (tx: Tx, which: Sql) =>
  tx.rows(sql`
    with gone as (
      delete from space_members m using spaces s, users u
      where m.organisation_id = $1 and m.from_rules and s.organisation_id = $1 and s.id = m.space_id and s.auto_unenrol and u.organisation_id = $1 and u.id = m.user_id
        and ${which} and not (s.is_default and ${matches}) returning m.*)
    ${counted(spaceMembersList, 'gone', -1)}`);
const ruleNames = (team_id: number) =>
  sql`exists (select from space_rule_teams rt where rt.organisation_id = $1 and rt.space_id = s.id and rt.team_id = ${team_id})`;

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
    select json_build_object('rules', coalesce(json_agg(json_build_object('team_ids', team_ids) order by rule_id), '[]'))::text as json
    from (select rule_id, json_agg(team_id order by team_id) as team_ids from space_rule_teams where organisation_id = $1 and space_id = ${space_id} group by rule_id) r`) as Promise<Json>;
export const deleteRules = (tx: Tx, space_id: number) =>
  tx.rows(sql`delete from space_rules where organisation_id = $1 and space_id = ${space_id}`);
export const insertRules = (tx: Tx, space_id: number, rules: readonly (readonly number[])[]) =>
  tx.rows(sql`
    with given as (select n, array(select distinct t::bigint from json_array_elements_text(team_ids) t) as team_ids from json_array_elements(${JSON.stringify(rules)}::json) with ordinality g(team_ids, n)),
    numbered as (select n, team_ids, nextval(pg_get_serial_sequence('space_rules', 'id')) as id from given order by n),
    added as (insert into space_rules (organisation_id, space_id, id) overriding system value select $1, ${space_id}, id from numbered)
    insert into space_rule_teams (organisation_id, space_id, rule_id, team_id) select $1, ${space_id}, numbered.id, t from numbered, unnest(numbered.team_ids) t`);
export const setDefault = (tx: Tx, space_id: number, is_default: boolean) =>
  tx.rows(sql`update spaces set is_default = ${is_default} where organisation_id = $1 and id = ${space_id}`);
/** Whole rules go: without the team a rule would take in people it never meant. */
export const removeRulesOfTeam = (tx: Tx, team_id: number) =>
  tx.rows(sql`
    with gone as (
      delete from space_rules r where r.organisation_id = $1
        and exists (select from space_rule_teams rt where rt.organisation_id = $1 and rt.space_id = r.space_id and rt.rule_id = r.id and rt.team_id = ${team_id}) returning r.space_id)
    update spaces s set is_default = false where s.organisation_id = $1 and s.id in (select space_id from gone)
      and not exists (select from space_rules r where r.organisation_id = $1 and r.space_id = s.id and not exists (
        select from space_rule_teams rt where rt.organisation_id = $1 and rt.space_id = r.space_id and rt.rule_id = r.id and rt.team_id = ${team_id}))`);

export const publicSpaces: PublicNow = (ids) =>
  sql`select s.id from spaces s where s.organisation_id = $1 and s.id = any(${ids}) and s.visibility = 'public'`;
