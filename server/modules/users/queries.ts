import type { Static } from 'typebox';
import type { Key } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { counted, type Listing, listRows } from '../../kernel/data/listing.ts';
import type { PointRead } from '../../kernel/data/point-reads.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import type { NewUser, UserReplacement } from './contract.ts';
import { userCreated, userDeactivated, userReactivated, userUpdated } from './events.ts';

/** Classes: 0 active person, 1 deactivated person, 2 service account, 3 deactivated by a delete through SCIM. */
export const usersList: Listing = { table: 'users', at: null, id: 'id', newestFirst: false };

const columns = `u.id, u.external_id, u.email, u.name, u.first_name, u.last_name, u.display_name,
  avatar_url(o.web_url, u.photo_key, u.name) as avatar_url, u.job_title, u.timezone, u.locale, u.hire_date, u.manager_id,
  u.date_of_birth, u.mobile_phone, u.direct_dial, u.has_logged_in, iso(u.created_at) as created_at,
  o.web_url || '/directory/people/' || u.id as permalink, u.is_frontline, u.has_access and u.is_active as has_access, u.is_active, u.roles, iso(u.updated_at) as updated_at`;
/** Columns of a user (interface 2.2); needs `u` and its organisation `o`. */
export const userColumns = trusted(columns);
const organisation = trusted('join organisations o on o.id = u.organisation_id');

const read = (keyType: PointRead['keyType'], condition: string): PointRead => ({
  keyType,
  text: `select row_to_json(r) from (select ${columns} from users u join organisations o on o.id = u.organisation_id where u.organisation_id = $1 and u.kind = 'person' and ${condition}) r`,
});
const byId = read('bigint', 'u.id = KEY');
const byExternalId = read('text', 'u.external_id = KEY');
const byEmail = read('text', 'lower(u.email) = lower(KEY)');
export const findUser = (tx: Tx, id: number) => tx.lookup(byId, id);
/** A person by one of the three names that clients know them by. */
export type UserKey = Key | { email: string };
export const findUserBy = (tx: Tx, key: UserKey) => {
  if (typeof key === 'number') return findUser(tx, key);
  return 'email' in key ? tx.lookup(byEmail, key.email) : tx.lookup(byExternalId, String(key.external_id));
};

export type Expansion = 'teams' | 'spaces' | 'manager';
const expansions = {
  teams: sql`, (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) order by t.id), '[]') from team_members m join teams t on t.organisation_id = $1 and t.id = m.team_id
    where m.organisation_id = $1 and m.user_id = u.id) as teams`,
  manager: sql`, (select row_to_json(m) from (select ${trusted(columns.replaceAll('u.', 'b.'))} from users b where b.organisation_id = $1 and b.id = u.manager_id) m) as manager`,
};
const expanded = (expand: readonly Expansion[], visibilities: readonly string[]) =>
  expand.reduce(
    (text, name) => sql`${text}${name === 'spaces' ? spaces(visibilities) : expansions[name]}`,
    trusted(''),
  );
const spaces = (
  visibilities: readonly string[],
) => sql`, (select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name) order by s.id), '[]')
    from space_members m join spaces s on s.organisation_id = $1 and s.id = m.space_id
    where m.organisation_id = $1 and m.user_id = u.id and s.visibility = any(${visibilities}::text[])) as spaces`;

export interface UserFilter {
  skip: number;
  take: number;
  classes: readonly number[];
  in_spaces?: readonly number[] | undefined;
  in_teams?: readonly number[] | undefined;
  email?: string | undefined;
  expand: readonly Expansion[];
  /** Spaces that the actor may know of. */
  visibilities: readonly string[];
}

export function listUsers(
  tx: Tx,
  { skip, take, classes, in_spaces, in_teams, email, expand, visibilities }: UserFilter,
) {
  const where = [
    ...(email === undefined ? [] : [sql`lower(t.email) = lower(${email})`]),
    ...(in_teams === undefined
      ? []
      : [
          sql`exists (select from team_members m where m.organisation_id = $1 and m.user_id = t.id and m.team_id = any(${in_teams}::bigint[]))`,
        ]),
    ...(in_spaces === undefined
      ? []
      : [
          sql`exists (select from space_members m join spaces s on s.organisation_id = $1 and s.id = m.space_id
        where m.organisation_id = $1 and m.user_id = t.id and m.space_id = any(${in_spaces}::bigint[]) and s.visibility = any(${visibilities}::text[]))`,
        ]),
  ];
  return listRows(
    tx,
    usersList,
    { skip, take, bucket: 0, classes, where },
    sql`
    select row_to_json(r)::text as json from (
      select ${userColumns}${expanded(expand, visibilities)} from users u ${organisation} where u.organisation_id = $1 and u.id = listed.id) r`,
  );
}

export const findExpandedUser = (
  tx: Tx,
  key: UserKey,
  expand: readonly Expansion[],
  visibilities: readonly string[],
) => {
  const named = (condition: Sql) => sql`u.organisation_id = $1 and u.kind = 'person' and ${condition}`;
  const by = (): Sql => {
    if (typeof key === 'number') return named(sql`u.id = ${key}`);
    return named('email' in key ? sql`lower(u.email) = lower(${key.email})` : sql`u.external_id = ${key.external_id}`);
  };
  return tx.json(sql`
    select row_to_json(r)::text as json from (
      select ${userColumns}${expanded(expand, visibilities)} from users u ${organisation} where ${by()}) r`);
};

/** CTE `shown` with the user as the interface shows it, from a CTE of user rows. */
export const shown = (source: string) => sql`
  shown as (select (select row_to_json(r) from (select ${userColumns} from organisations o where o.id = $1) r) as json, true as is_public, null::bigint as space_id from ${trusted(source)} u)`;

type Writable = Omit<Static<typeof NewUser>, 'manager_external_id'> & { roles?: readonly string[] };
export const insertUser = (tx: Tx, user: Writable, at = tx.now()) =>
  tx.json(sql`
    with added as (
      insert into users (organisation_id, external_id, email, first_name, last_name, display_name, job_title, timezone, locale, hire_date, manager_id,
        date_of_birth, mobile_phone, direct_dial, is_frontline, has_access, roles, created_at, updated_at)
      values ($1, ${user.external_id ?? null}, ${user.email}, ${user.first_name}, ${user.last_name}, ${user.display_name ?? null}, ${user.job_title ?? ''}, ${user.timezone ?? null},
        ${user.locale ?? null}, ${user.hire_date ?? null}, ${user.manager_id ?? null}, ${user.date_of_birth ?? null}, ${user.mobile_phone ?? null}, ${user.direct_dial ?? null},
        ${user.is_frontline ?? false}, ${user.has_access ?? true}, ${user.roles ?? ['user']}::text[], ${at}, ${at})
      returning *),
    ${shown('added')},
    event as (${emitted(userCreated, 'shown', at)}),
    change as (${counted(usersList, 'added', 1)})
    select json::text from shown`) as Promise<Json>;

type Replacement = Omit<Static<typeof UserReplacement>, 'manager_external_id' | 'is_active'>;
export const updateUser = (tx: Tx, id: number, user: Replacement) =>
  changeUser(
    tx,
    id,
    userUpdated,
    sql`
    email = ${user.email}, first_name = ${user.first_name}, last_name = ${user.last_name}, external_id = coalesce(${user.external_id ?? null}, u.external_id),
    display_name = ${user.display_name ?? null}, job_title = ${user.job_title ?? ''}, timezone = ${user.timezone ?? null}, locale = ${user.locale ?? null},
    hire_date = ${user.hire_date ?? null}, manager_id = ${user.manager_id ?? null}, date_of_birth = ${user.date_of_birth ?? null}, mobile_phone = ${user.mobile_phone ?? null},
    direct_dial = ${user.direct_dial ?? null}, is_frontline = coalesce(${user.is_frontline ?? null}, u.is_frontline), has_access = coalesce(${user.has_access ?? null}, u.has_access)`,
  );

export const updateUserRoles = (tx: Tx, id: number, roles: readonly string[]) =>
  changeUser(tx, id, userUpdated, sql`roles = ${roles}::text[]`);
export const updateUserPhoto = (tx: Tx, id: number, photo_key: string) =>
  changeUser(tx, id, userUpdated, sql`photo_key = ${photo_key}`);
export const activateUser = (tx: Tx, id: number) =>
  changeUser(tx, id, userReactivated, sql`is_active = true, is_withdrawn = false`);
export const deactivateUser = (tx: Tx, id: number) => changeUser(tx, id, userDeactivated, sql`is_active = false`);

/** Updates one person, emits the event, keeps the list's counts. Undefined when there is no such person. */
export const changeUser = (tx: Tx, id: number, event: Event, assignments: Sql) => {
  const at = tx.now();
  return tx.json(sql`
    with was as (select * from users where organisation_id = $1 and id = ${id} and kind = 'person' for update),
    changed as (
      update users u set ${assignments}, updated_at = greatest(${at}::timestamptz, u.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
      from was where u.organisation_id = $1 and u.id = was.id returning u.*),
    ${shown('changed')},
    event as (${emitted(event, 'shown', at)}),
    moved as (select was.list_class <> changed.list_class as class_changed from was, changed),
    minus as (${counted(usersList, '(select was.* from was, moved where class_changed)', -1)}),
    plus as (${counted(usersList, '(select changed.* from changed, moved where class_changed)', 1)})
    select json::text from shown`);
};

export interface Receipt {
  user_id: number;
  via: string;
  credential_id: number | null;
  /** What ended, and how many of it. */
  ended: Readonly<Record<string, number>>;
  left_behind: Readonly<Record<string, number>>;
}
export const insertReceipt = (tx: Tx, { user_id, via, credential_id, ended, left_behind }: Receipt) =>
  tx.rows(sql`
    insert into deprovisioning_receipts (organisation_id, user_id, via, credential_id, ended, left_behind, created_at)
    values ($1, ${user_id}, ${via}, ${credential_id}, ${JSON.stringify(ended)}, ${JSON.stringify(left_behind)}, ${tx.now()})`);
/** What works on without the person who made it, and may need a decision; spaces are those that nobody else owns. */
export const countLeftBehind = async (tx: Tx, user_id: number) =>
  (await tx.row<Receipt['left_behind']>(sql`
    select (select count(*) from api_keys k where k.organisation_id = $1 and k.created_by = ${user_id} and k.app_id is not null and k.revoked_at is null) as app_keys,
      (select count(*) from scim_secrets s where s.organisation_id = $1 and s.created_by = ${user_id} and s.revoked_at is null) as scim_secrets,
      (select count(*) from webhooks w where w.organisation_id = $1 and w.created_by = ${user_id} and w.active) as webhooks,
      (select count(*) from bots b where b.organisation_id = $1 and b.created_by = ${user_id} and b.deleted_at is null) as bots,
      (select count(*) from space_members m join spaces s on s.organisation_id = $1 and s.id = m.space_id and not s.is_archived
       where m.organisation_id = $1 and m.user_id = ${user_id} and m.role = 'owner' and not exists (
         select from space_members o where o.organisation_id = $1 and o.space_id = m.space_id and o.role = 'owner' and o.user_id <> m.user_id and o.list_class = 0)) as spaces`)) ??
  {};
/** Jobs that act for the person name them as user_id. Returns how many were taken away. */
export const deleteJobsOf = async (tx: Tx, user_id: number) =>
  (
    await tx.rows(
      sql`delete from jobs where organisation_id = $1 and payload->>'user_id' = ${String(user_id)} returning id`,
    )
  ).length;

/** Lists of people show active ones: memberships (rows with user_id and created_at) follow the person's state. */
export async function classifyMemberships(tx: Tx, user_id: number, list_class: 0 | 1, memberships: readonly Listing[]) {
  for (const list of memberships) {
    await tx.rows(sql`
      with changed as (
        update ${trusted(list.table)} m set list_class = ${list_class}::smallint where m.organisation_id = $1 and m.user_id = ${user_id} and m.list_class <> ${list_class} returning m.*),
      plus as (${counted(list, 'changed', 1)})
      ${counted(list, '(select list_bucket, (1 - list_class)::smallint as list_class, user_id, created_at from changed)', -1)}`);
  }
}

export const lockUser = (tx: Tx, id: number) =>
  tx.row<{ id: number; is_active: boolean; photo_key: string | null; roles: string[] }>(
    sql`select id, is_active, photo_key, roles from users where organisation_id = $1 and id = ${id} and kind = 'person' for update`,
  );
export const findUserId = async (tx: Tx, external_id: string) =>
  (
    await tx.row<{ id: number }>(
      sql`select id from users where organisation_id = $1 and external_id = ${external_id} and kind = 'person'`,
    )
  )?.id;
export const countOtherAdmins = async (tx: Tx, id: number) =>
  (
    await tx.row<{ count: number }>(
      sql`select count(*) as count from users where organisation_id = $1 and id <> ${id} and is_active and kind = 'person' and 'admin' = any(roles)`,
    )
  )?.count ?? 0;

export interface FrontlineChange {
  external_id: string;
  is_frontline: boolean;
  has_access: boolean;
}
/** All or nothing: while one external id is unknown, nothing is written and `unknown` names the places. */
export const updateFrontlineStatus = (tx: Tx, changes: readonly FrontlineChange[]) => {
  const at = tx.now();
  return tx.row<{ unknown: number[] | null; shown: Json | null; ended: number[] | null }>(sql`
    with given as (
      select * from unnest(${changes.map((c) => c.external_id)}::text[], ${changes.map((c) => c.is_frontline)}::boolean[], ${changes.map((c) => c.has_access)}::boolean[])
        with ordinality as g(external_id, is_frontline, has_access, n)),
    unknown as (
      select g.n from given g where not exists (select from users u where u.organisation_id = $1 and u.external_id = g.external_id and u.kind = 'person')),
    changed as (
      update users u set is_frontline = g.is_frontline, has_access = g.has_access,
        updated_at = greatest(${at}::timestamptz, u.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
      from given g where u.organisation_id = $1 and u.external_id = g.external_id and not exists (select from unknown) returning u.*),
    ${shown('changed')},
    event as (${emitted(userUpdated, 'shown', at)})
    select (select array_agg(n - 1 order by n) from unknown) as unknown,
      (select array_agg(id) from changed where not has_access) as ended,
      (select coalesce(json_agg(json_build_object('id', c.id, 'external_id', c.external_id, 'email', c.email, 'name', c.name, 'is_frontline', c.is_frontline,
        'has_access', c.has_access and c.is_active, 'permalink', o.web_url || '/directory/people/' || c.id) order by g.n), '[]')
       from changed c join given g on g.external_id = c.external_id join organisations o on o.id = c.organisation_id)::text as shown`);
};

/** Ids and external ids to ids, keeping the place of each, so that an unknown one can be named. */
export const resolveUsers = (tx: Tx, ids: readonly number[], external_ids: readonly string[]) =>
  tx.rows<{ by: 'id' | 'external_id'; n: number; id: number | null }>(sql`
    select 'id' as by, g.n - 1 as n, u.id from unnest(${ids}::bigint[]) with ordinality g(id, n) left join users u on u.organisation_id = $1 and u.id = g.id and u.kind = 'person'
    union all
    select 'external_id', g.n - 1, u.id from unnest(${external_ids}::text[]) with ordinality g(external_id, n)
      left join users u on u.organisation_id = $1 and u.external_id = g.external_id and u.kind = 'person'
    order by 1, 2`);
