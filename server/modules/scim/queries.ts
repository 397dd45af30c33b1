import type { Json, Tx } from '../../kernel/data/db.ts';
import {
  counted,
  everyRow,
  type Listing,
  listed,
  listRows,
  pageOf,
  type Row,
  totalOf,
} from '../../kernel/data/listing.ts';
import type { PointRead } from '../../kernel/data/point-reads.ts';
import { all, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { emitted } from '../../kernel/delivery/outbox.ts';
import { teamMembersList } from '../teams/members.ts';
import { teamsList } from '../teams/queries.ts';
import { userUpdated } from '../users/events.ts';
import { changeUser, shown as shownUsers, usersList } from '../users/queries.ts';
import type { EmailRow, UserFields, UserRow } from './people.ts';

// ---- Users -------------------------------------------------------------------------------------------------------

/** A person with all that a SCIM user shows; `u` is the row of users. */
const userRow =
  trusted(`select u.id, u.external_id, u.email, u.first_name, u.last_name, u.name, u.display_name, u.job_title, u.timezone, u.locale,
  u.hire_date, u.date_of_birth, u.mobile_phone, u.direct_dial, u.is_active, u.roles, iso(u.created_at) as created_at, iso(u.updated_at) as updated_at,
  s.attributes, s.manager_reference, u.manager_id, b.email as manager_email, b.name as manager_name,
  (select json_agg(json_build_object('type', e.type, 'value', e.value, 'primary', e.is_primary, 'display', e.display) order by e.n)
   from scim_emails e where e.organisation_id = $1 and e.user_id = u.id) as emails,
  (select json_agg(json_build_object('id', x.id, 'name', x.name, 'type', y.name, 'is_assigned', a.team_id is not null) order by x.id)
   from team_members m join teams x on x.organisation_id = $1 and x.id = m.team_id join team_types y on y.organisation_id = $1 and y.id = x.team_type_id
   left join scim_assignments a on a.organisation_id = $1 and a.user_id = m.user_id and a.team_type_id = y.id and a.team_id = x.id
   where m.organisation_id = $1 and m.user_id = u.id) as teams
  from users u left join scim_users s on s.organisation_id = $1 and s.user_id = u.id left join users b on b.organisation_id = $1 and b.id = u.manager_id`);

const parsed = (json: Json | undefined): UserRow | undefined => (json === undefined ? undefined : JSON.parse(json));
export const findUserRow = async (tx: Tx, id: number) =>
  parsed(
    await tx.json(
      sql`select row_to_json(r)::text as json from (${userRow} where u.organisation_id = $1 and u.id = ${id} and u.kind = 'person' and not u.is_withdrawn) r`,
    ),
  );

export const lockPerson = (tx: Tx, id: number) =>
  tx.row(sql`select id from users where organisation_id = $1 and id = ${id} for update`);

export interface UserListing {
  skip: number;
  take: number;
  /** 0 active, 1 deactivated. */
  classes: readonly number[];
  where: readonly Sql[];
  order?: { by: Sql; descending: boolean } | undefined;
}
export async function listUserRows(
  tx: Tx,
  { skip, take, classes, where, order }: UserListing,
): Promise<{ rows: UserRow[]; total: number }> {
  const shown = sql`select row_to_json(r)::text as json from (${userRow} where u.organisation_id = $1 and u.id = listed.id) r`;
  const slice = { skip, take, bucket: 0, classes, where };
  const people = sql`users t where t.organisation_id = $1 and t.kind = 'person' and not t.is_withdrawn and ${all(where)}`;
  const page = order
    ? pageOf(
        await tx.rows<Row>(
          sql`with ${sorted(people, { skip, take, ...order })} select listed.total, r.json from listed left join lateral (${shown}) r on true order by listed.n`,
        ),
      )
    : await listRows(tx, usersList, slice, shown);
  return { rows: page.rows.map((json) => JSON.parse(json) as UserRow), total: page.total };
}

/** CTEs as `listed`, in an order of the client's choice: counted and sorted as it is read. */
function sorted(
  source: Sql,
  { skip, take, by, descending }: { skip: number; take: number; by: Sql; descending: boolean },
): Sql {
  const direction = trusted(descending ? 'desc' : 'asc');
  return sql`
    start as materialized (select count(*) as total from ${source}),
    keys as materialized (select t.id from ${source} order by ${by} ${direction}, t.id limit ${take} offset ${skip}),
    listed as (select start.total, numbered.id, numbered.n from start left join (select id, row_number() over () as n from keys) as numbered on true)`;
}

/** Everybody who has this external id or address, locked: two creates of one person decide one after the other. */
export const lockMatches = (tx: Tx, email: string, external_id: string | null) =>
  tx.rows<{ id: number; is_active: boolean; by_email: boolean }>(sql`
    select id, is_active, lower(email) = lower(${email}) as by_email from users
    where organisation_id = $1 and (lower(email) = lower(${email}) or external_id = ${external_id}) order by id for update`);

/** Whom a provider names as manager: text with @ is an address, a number an id, the rest (and an unknown number) an external id. */
export const findManager = async (tx: Tx, reference: string) =>
  (
    await tx.row<{ id: number }>(
      reference.includes('@')
        ? sql`select id from users where organisation_id = $1 and lower(email) = lower(${reference}) and kind = 'person'`
        : sql`select id from users where organisation_id = $1 and kind = 'person' and (external_id = ${reference} or id::text = ${reference} and id = ${idIn(reference)}) order by (external_id = ${reference}) is true limit 1`,
    )
  )?.id;
const idIn = (text: string) => (/^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0);

/** Who waits for this person as their manager gets them. */
export const adoptReports = (tx: Tx, id: number) =>
  tx.rows(sql`
    with manager as (select u.id, u.email, u.external_id from users u where u.organisation_id = $1 and u.id = ${id} and u.kind = 'person'),
    waiting as (
      update scim_users s set manager_reference = null from manager
      where s.organisation_id = $1 and s.manager_reference is not null and s.user_id <> manager.id
        and lower(s.manager_reference) in (lower(manager.email), lower(manager.external_id), manager.id::text)
        and (s.manager_reference not like '%@%' or lower(s.manager_reference) = lower(manager.email)) returning s.user_id),
    changed as (
      update users u set manager_id = ${id}, updated_at = greatest(${tx.now()}::timestamptz, u.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
      from waiting where u.organisation_id = $1 and u.id = waiting.user_id returning u.*),
    ${shownUsers('changed')}
    ${emitted(userUpdated, 'shown', tx.now())}`);
/** Whether a deactivated person is a SCIM resource. Returns the row if that changed. */
export const setWithdrawn = (tx: Tx, id: number, is_withdrawn: boolean) =>
  tx.rows(sql`
    with was as (select * from users where organisation_id = $1 and id = ${id} and is_withdrawn <> ${is_withdrawn} for update),
    withdrawn as (update users u set is_withdrawn = ${is_withdrawn} from was where u.organisation_id = $1 and u.id = was.id returning u.*),
    minus as (${counted(usersList, 'was', -1)}),
    plus as (${counted(usersList, 'withdrawn', 1)})
    select id from withdrawn`);

export const updateScimUser = (tx: Tx, id: number, fields: UserFields, manager_id: number | null) =>
  changeUser(
    tx,
    id,
    userUpdated,
    sql`email = ${fields.email}, external_id = ${fields.external_id}, first_name = ${fields.first_name}, last_name = ${fields.last_name},
      display_name = ${fields.display_name}, job_title = ${fields.job_title}, timezone = ${fields.timezone}, locale = ${fields.locale},
      hire_date = ${fields.hire_date}, date_of_birth = ${fields.date_of_birth}, mobile_phone = ${fields.mobile_phone}, direct_dial = ${fields.direct_dial},
      roles = ${fields.roles}::text[], manager_id = ${manager_id}`,
  );
export const upsertExtras = (tx: Tx, id: number, attributes: object, manager_reference: string | null) =>
  tx.rows(sql`
    insert into scim_users (organisation_id, user_id, attributes, manager_reference) values ($1, ${id}, ${JSON.stringify(attributes)}::jsonb, ${manager_reference})
    on conflict (organisation_id, user_id) do update set attributes = excluded.attributes, manager_reference = excluded.manager_reference`);
/** Whether the provider still says that this is a photo of the person, who still is here. */
export const namesPhoto = async (tx: Tx, id: number, url: string) =>
  (await tx.row(sql`
    select u.id from scim_users s join users u on u.organisation_id = $1 and u.id = s.user_id and u.is_active
    where s.organisation_id = $1 and s.user_id = ${id} and s.attributes -> 'photos' @> ${JSON.stringify([{ value: url }])}::jsonb`)) !==
  undefined;
export async function replaceEmails(tx: Tx, id: number, rows: readonly EmailRow[]) {
  await tx.rows(sql`delete from scim_emails where organisation_id = $1 and user_id = ${id}`);
  if (rows.length === 0) return;
  await tx.rows(sql`
    insert into scim_emails (organisation_id, user_id, n, type, value, is_primary, display)
    select $1, ${id}, n, type, value, is_primary, display
    from unnest(${rows.map(({ type }) => type)}::text[], ${rows.map(({ value }) => value)}::text[], ${rows.map(({ primary }) => primary)}::boolean[], ${rows.map(({ display }) => display)}::text[])
      with ordinality as r(type, value, is_primary, display, n)`);
}

/** The person's team of a type by attribute, or else the first they are in by hand. */
export const findTeamOfType = (tx: Tx, user_id: number, team_type_id: number) =>
  tx.row<{ team_id: number }>(sql`
    select m.team_id from team_members m join teams x on x.organisation_id = $1 and x.id = m.team_id and x.team_type_id = ${team_type_id}
    left join scim_assignments a on a.organisation_id = $1 and a.user_id = m.user_id and a.team_id = m.team_id
    where m.organisation_id = $1 and m.user_id = ${user_id} order by a.team_id is null, m.team_id limit 1`);
export const upsertAssignment = (tx: Tx, user_id: number, team_type_id: number, team_id: number) =>
  tx.rows(sql`
    insert into scim_assignments (organisation_id, user_id, team_type_id, team_id) values ($1, ${user_id}, ${team_type_id}, ${team_id})
    on conflict (organisation_id, user_id, team_type_id) do update set team_id = excluded.team_id`);

// ---- Groups ------------------------------------------------------------------------------------------------------

export interface GroupRow {
  id: number;
  external_id: string | null;
  name: string;
  team_type_id: number;
  created_at: string;
  updated_at: string;
  sequence: number;
  members: { value: number; display: string }[] | null;
}
const groupRow = (withMembers: boolean) => sql`
  select g.id, g.external_id, g.name, g.team_type_id, iso(g.created_at) as created_at, iso(g.updated_at) as updated_at, g.sequence,
    ${
      withMembers
        ? trusted(`(select json_agg(json_build_object('value', m.user_id, 'display', u.name) order by m.user_id)
      from team_members m join users u on u.organisation_id = $1 and u.id = m.user_id where m.organisation_id = $1 and m.team_id = g.id and not u.is_withdrawn)`)
        : trusted('null::json')
    } as members from teams g`;
export const findGroupRow = async (tx: Tx, id: number, withMembers: boolean): Promise<GroupRow | undefined> => {
  const json = await tx.json(
    sql`select row_to_json(r)::text as json from (${groupRow(withMembers)} where g.organisation_id = $1 and g.id = ${id}) r`,
  );
  return json === undefined ? undefined : JSON.parse(json);
};
/** A page of groups ends with the one that reaches so many members: RFC 7644 3.4.2.4 allows fewer than were asked for. */
const MEMBERS_A_PAGE = 20_000;
export async function listGroupRows(
  tx: Tx,
  { skip, take, where, order, withMembers }: Omit<UserListing, 'classes'> & { withMembers: boolean },
) {
  const shown = sql`select row_to_json(r)::text as json from (${groupRow(withMembers)} where g.organisation_id = $1 and g.id = listed.id) r`;
  const keys = order
    ? sorted(sql`teams t where t.organisation_id = $1 and ${all(where)}`, { skip, take, ...order })
    : listed(teamsList, { skip, take, bucket: 0, classes: [0], where });
  const before = sql`coalesce(sum(${totalOf(teamMembersList, trusted('listed.id'), [0, 1])}) over (order by listed.n rows between unbounded preceding and 1 preceding), 0)`;
  const page = pageOf(
    await tx.rows<Row>(sql`
      with ${keys}
      select listed.total, r.json from (select listed.*, ${withMembers ? before : trusted('0')} as members_before from listed) listed
      left join lateral (${shown}) r on listed.members_before < ${trusted(String(MEMBERS_A_PAGE))} order by listed.n`),
  );
  return { rows: page.rows.map((json) => JSON.parse(json) as GroupRow), total: page.total };
}
export const lockGroup = (tx: Tx, id: number) =>
  tx.row(sql`select id from teams where organisation_id = $1 and id = ${id} for update`);
export const findAdoptable = (tx: Tx, name: string) =>
  tx.row<{ id: number }>(
    sql`select id from teams where organisation_id = $1 and lower(name) = lower(${name}) and external_id is null order by id limit 1 for update`,
  );
export const updateGroup = (tx: Tx, id: number, name: string, external_id: string | null) =>
  tx.rows(sql`update teams set name = ${name}, external_id = ${external_id} where organisation_id = $1 and id = ${id}`);
export const findStrangers = async (tx: Tx, ids: readonly number[]) =>
  (
    await tx.rows<{ id: number }>(sql`
      select unnest(${ids}::bigint[]) as id except select id from users where organisation_id = $1 and id = any(${ids}::bigint[]) and kind = 'person' limit 10`)
  ).map(({ id }) => id);
/** Members that the condition (on `m` and its person `u`) selects leave. */
export const deleteMembersWhere = (tx: Tx, team_id: number, condition: Sql) =>
  tx.rows<{ user_id: number }>(sql`
    with gone as (
      delete from team_members m using users u where m.organisation_id = $1 and m.team_id = ${team_id} and u.organisation_id = $1 and u.id = m.user_id and ${condition} returning m.*),
    change as (${counted(teamMembersList, 'gone', -1)})
    select user_id from gone`);

// ---- Secrets, settings, guard ------------------------------------------------------------------------------------

export interface ScimSettings {
  reactivates: boolean;
  binds_secrets: boolean;
  assigns_roles: boolean;
  adopts_teams: boolean;
  group_team_type: string;
  guard_percent: number | null;
  log_values: 'masked' | 'full';
  log_days: number;
}
export const defaults: ScimSettings = {
  reactivates: true,
  binds_secrets: false,
  assigns_roles: true,
  adopts_teams: false,
  group_team_type: 'Team',
  guard_percent: null,
  log_values: 'masked',
  log_days: 90,
};
export interface FoundSecret {
  id: number;
  provider: string;
  expires_ms: number | null;
  used_ms: number | null;
  is_revoked: boolean;
  settings: ScimSettings | null;
}
/** A secret by its hash, with the organisation's settings. */
export const secretByHash: PointRead = {
  keyType: 'text',
  text: `select row_to_json(r) from (
    select s.id, s.provider, extract(epoch from s.expires_at) * 1000 as expires_ms, extract(epoch from s.last_used_at) * 1000 as used_ms, s.revoked_at is not null as is_revoked,
      (select row_to_json(p) from scim_settings p where p.organisation_id = $1) as settings
    from scim_secrets s where s.organisation_id = $1 and s.secret_sha256 = KEY) r`,
};
export const touchSecret = (tx: Tx, id: number) =>
  tx.rows(sql`update scim_secrets set last_used_at = ${tx.now()} where organisation_id = $1 and id = ${id}`);

const secretsList: Listing = { table: 'scim_secrets', at: null, id: 'id', newestFirst: true };
const secretColumns = trusted(
  `s.id, s.provider, s.created_by, iso(s.created_at) as created_at, iso(s.expires_at) as expires_at, iso(s.last_used_at) as last_used_at, iso(s.revoked_at) as revoked_at`,
);
const showSecret = (source: Sql) =>
  sql`select row_to_json(r)::text as json from (select ${secretColumns} from ${source}) r`;
export const listSecrets = (tx: Tx, skip: number, take: number) =>
  listRows(
    tx,
    secretsList,
    { skip, take, ...everyRow },
    showSecret(sql`scim_secrets s where s.organisation_id = $1 and s.id = listed.id`),
  );
/** The former secrets of the provider go on for the overlap. */
export const insertSecret = (
  tx: Tx,
  provider: string,
  secret_sha256: string,
  created_by: number | null,
  overlap_hours: number,
) =>
  tx.json(sql`
    with former as (
      update scim_secrets set expires_at = ${tx.now()}::timestamptz + make_interval(hours => ${overlap_hours})
      where organisation_id = $1 and provider = ${provider} and revoked_at is null
        and (expires_at is null or expires_at > ${tx.now()}::timestamptz + make_interval(hours => ${overlap_hours}))),
    s as (
      insert into scim_secrets (organisation_id, provider, secret_sha256, created_by, created_at)
      values ($1, ${provider}, ${secret_sha256}, ${created_by}, ${tx.now()}) returning *)
    ${showSecret(trusted('s'))}`) as Promise<Json>;
export const revokeSecret = (tx: Tx, id: number) =>
  tx.json(sql`
    with s as (update scim_secrets set revoked_at = coalesce(revoked_at, ${tx.now()}) where organisation_id = $1 and id = ${id} returning *)
    ${showSecret(trusted('s'))}`);

const settingColumns =
  trusted(`p.reactivates, p.binds_secrets, p.assigns_roles, p.adopts_teams, p.group_team_type, p.guard_percent, p.log_values, p.log_days,
  iso(p.guard_paused_at) as guard_paused_at, p.guard_notice, iso(p.guard_lifted_until) as guard_lifted_until`);
export const findSettings = (tx: Tx) =>
  tx.json(
    sql`select row_to_json(r)::text as json from (select ${settingColumns} from scim_settings p where p.organisation_id = $1) r`,
  );
export const upsertSettings = (tx: Tx, s: ScimSettings) =>
  tx.json(sql`
    with p as (
      insert into scim_settings (organisation_id, reactivates, binds_secrets, assigns_roles, adopts_teams, group_team_type, guard_percent, log_values, log_days, updated_at)
      values ($1, ${s.reactivates}, ${s.binds_secrets}, ${s.assigns_roles}, ${s.adopts_teams}, ${s.group_team_type}, ${s.guard_percent}, ${s.log_values}, ${s.log_days}, ${tx.now()})
      on conflict (organisation_id) do update set reactivates = excluded.reactivates, binds_secrets = excluded.binds_secrets, assigns_roles = excluded.assigns_roles,
        adopts_teams = excluded.adopts_teams, group_team_type = excluded.group_team_type, guard_percent = excluded.guard_percent, log_values = excluded.log_values,
        log_days = excluded.log_days, updated_at = excluded.updated_at returning *)
    select row_to_json(r)::text as json from (select ${settingColumns} from p) r`) as Promise<Json>;

export interface GuardState {
  people: number;
  left: number;
  oldest_ms: number | null;
  is_lifted: boolean;
  other_admins: number;
  is_admin: boolean;
}
/** What the sync guard decides by; one deactivation of the organisation after the other. */
export async function lockGuardState(tx: Tx, id: number): Promise<GuardState> {
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('scim guard', $1))`);
  return (await tx.row<GuardState>(sql`
    with recent as (
      select count(*) as left, extract(epoch from min(created_at)) * 1000 as oldest_ms from deprovisioning_receipts
      where organisation_id = $1 and via = 'scim' and created_at > ${tx.now()}::timestamptz - interval '1 hour')
    select (select count(*) from users where organisation_id = $1 and list_bucket = 0 and list_class = 0) + recent.left as people, recent.left, recent.oldest_ms::float8 as oldest_ms,
      coalesce((select guard_lifted_until > ${tx.now()}::timestamptz from scim_settings where organisation_id = $1), false) as is_lifted,
      (select count(*) from users where organisation_id = $1 and id <> ${id} and is_active and kind = 'person' and 'admin' = any(roles)) as other_admins,
      coalesce((select 'admin' = any(roles) from users where organisation_id = $1 and id = ${id}), false) as is_admin
    from recent`)) as GuardState;
}
export const pauseGuard = (tx: Tx, notice: string) =>
  tx.rows(
    sql`update scim_settings set guard_paused_at = ${tx.now()}, guard_notice = ${notice} where organisation_id = $1`,
  );
/** Lets leavers through for an hour, and clears the notice. */
export const liftGuard = (tx: Tx) =>
  tx.json(sql`
    with p as (
      update scim_settings set guard_paused_at = null, guard_notice = null, guard_lifted_until = ${tx.now()}::timestamptz + interval '1 hour' where organisation_id = $1 returning *)
    select row_to_json(r)::text as json from (select ${settingColumns} from p) r`);
