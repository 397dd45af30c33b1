import type { Static } from 'typebox';
import type { Key, Paging } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { counted, type Listing, listRows, recounted } from '../../kernel/data/listing.ts';
import type { PointRead } from '../../kernel/data/point-reads.ts';
import { assigned, cleared, inserted, kept, touched } from '../../kernel/data/rows.ts';
import { given, jsonOf, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { NewUser, UserReplacement } from './contract.ts';
import { userCreated, userDeactivated, userReactivated, userUpdated } from './events.ts';
import { type Expansion, userExpansions, userFilters } from './expansions.ts';

/** Classes: 0 active person, 1 deactivated person, 2 service account, 3 deactivated by a delete through SCIM. */
export const usersList: Listing = { table: 'users', at: null, id: 'id', newestFirst: false };

/** Of the person `u` and their organisation `o`. */
const columnsOf = (u: string) => `${u}.id, ${u}.external_id, ${u}.email, ${u}.name, ${u}.first_name, ${u}.last_name,
  ${u}.display_name, avatar_url(o.web_url, ${u}.photo_key, ${u}.name) as avatar_url, ${u}.job_title, ${u}.timezone,
  ${u}.locale, ${u}.hire_date, ${u}.manager_id, ${u}.date_of_birth, ${u}.mobile_phone, ${u}.direct_dial,
  ${u}.has_logged_in, iso(${u}.created_at) as created_at, o.web_url || '/directory/people/' || ${u}.id as permalink,
  ${u}.is_frontline, ${u}.has_access and ${u}.is_active as has_access, ${u}.is_active, ${u}.roles,
  iso(${u}.updated_at) as updated_at`;
const columns = columnsOf('u');
/** Columns of a user (docs/interface.md); needs `u` and its organisation `o`. */
export const userColumns = trusted(columns);
/** Columns of a person inside other resources (docs/interface.md); needs `u` and its organisation `o`. */
export const personColumns = `u.id, u.external_id, u.email, u.name, u.first_name, u.last_name,
  avatar_url(o.web_url, u.photo_key, u.name) as avatar_url, u.job_title, u.timezone, u.locale, u.hire_date,
  u.date_of_birth, u.mobile_phone, u.direct_dial`;
/** Scalar: the person with this id; null for none. */
export const personOf = (id: string) => `(
  select row_to_json(p) from (
    select ${personColumns} from users u join organisations o on o.id = u.organisation_id
    where u.organisation_id = $1 and u.id = ${id}) p)`;
/** The same as a table `author(external_id, person)`, for what shows the person more than once. */
export const authorOf = (id: string) => `(
    select p.external_id, row_to_json(p) as person from (
      select ${personColumns} from users u join organisations o on o.id = u.organisation_id
      where u.organisation_id = $1 and u.id = ${id} offset 0) p offset 0) author`;
const organisation = trusted('join organisations o on o.id = u.organisation_id');
/** The person with this id, as everybody sees them. */
export const shownUser = (id: Sql) =>
  jsonOf(sql`
    select ${userColumns} from users u ${organisation}
    where u.organisation_id = $1 and u.kind = 'person' and u.id = ${id}`);

const read = (keyType: PointRead['keyType'], condition: string): PointRead => ({
  keyType,
  text: `
    select row_to_json(r) from (
      select ${columns} from users u join organisations o on o.id = u.organisation_id
      where u.organisation_id = $1 and u.kind = 'person' and ${condition}) r`,
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

const manager = trusted(`(
  select row_to_json(m) from (
    select ${columnsOf('b')} from users b where b.organisation_id = $1 and b.id = u.manager_id) m)`);
/** Further columns of `u`, as `expand` asks for them. */
const expanded = (actor: Actor, expand: readonly Expansion[]): Sql =>
  expand.reduce((text, name) => {
    const value = userExpansions.all.find((expansion) => expansion.name === name)?.value(actor) ?? manager;
    return sql`${text}, ${value} as ${trusted(name)}`;
  }, nothing);

export interface UserFilter extends Paging {
  classes: readonly number[];
  in_spaces?: readonly number[] | undefined;
  in_teams?: readonly number[] | undefined;
  email?: string | undefined;
  expand: readonly Expansion[];
}
export function listUsers(
  tx: Tx,
  actor: Actor,
  { skip, take, updated_after, classes, email, expand, ...filter }: UserFilter,
) {
  const where = [
    ...given(email, (address) => sql`lower(t.email) = lower(${address})`),
    ...userFilters.all.flatMap(({ name, condition }) => given(filter[name], (ids) => condition(actor, ids))),
  ];
  const shown = jsonOf(sql`
    select ${userColumns}${expanded(actor, expand)} from users u ${organisation}
    where u.organisation_id = $1 and u.id = listed.id`);
  return listRows(tx, usersList, { skip, take, updated_after, bucket: 0, classes, where }, shown);
}

export const findExpandedUser = (tx: Tx, actor: Actor, key: UserKey, expand: readonly Expansion[]) => {
  const isNamed = (): Sql => {
    if (typeof key === 'number') return sql`u.id = ${key}`;
    return 'email' in key ? sql`lower(u.email) = lower(${key.email})` : sql`u.external_id = ${key.external_id}`;
  };
  return tx.json(
    jsonOf(sql`
      select ${userColumns}${expanded(actor, expand)} from users u ${organisation}
      where u.organisation_id = $1 and u.kind = 'person' and ${isNamed()}`),
  );
};

/** CTE `shown` with the user as the interface shows it, from a CTE of user rows. */
export const shown = (source: string) => sql`
  shown as (
    select (select row_to_json(r) from (select ${userColumns} from organisations o where o.id = $1) r) as json,
      true as is_public, null::bigint as space_id
    from ${trusted(source)} u)`;

/** What a request writes of a person. */
const written = {
  name: 'users',
  columns: {
    external_id: kept('text'),
    email: cleared('text'),
    user_name: kept('text'),
    first_name: cleared('text'),
    last_name: cleared('text'),
    display_name: cleared('text'),
    job_title: cleared('text', ''),
    timezone: cleared('text'),
    locale: cleared('text'),
    hire_date: cleared('date'),
    manager_id: cleared('bigint'),
    date_of_birth: cleared('date'),
    mobile_phone: cleared('text'),
    direct_dial: cleared('text'),
    is_frontline: kept('boolean', false),
    has_access: kept('boolean', true),
  },
};
type NewUserRow = Omit<Static<typeof NewUser>, 'manager_external_id'> & {
  user_name?: string | null;
  roles?: readonly string[];
};
export const insertUser = (tx: Tx, user: NewUserRow, at = tx.now()) => {
  const roles = sql`${user.roles ?? ['user']}::text[]`;
  return tx.json(sql`
    with added as (${inserted(written, user, { roles, created_at: at, updated_at: at })}),
    ${shown('added')},
    event as (${emitted(userCreated, 'shown', at)}),
    change as (${counted(usersList, 'added', 1)})
    select json::text from shown`) as Promise<Json>;
};

/** CTEs: `account`, in whose name an app writes. */
export const insertedServiceAccount = (name: string, now: string): Sql => sql`
  account as (
    insert into users (organisation_id, email, first_name, last_name, kind, has_access, created_at, updated_at)
    values ($1, 'app-' || gen_random_uuid() || '@service.invalid', ${name}, '', 'service', false, ${now}, ${now})
    returning *),
  account_count as (${counted(usersList, 'account', 1)})`;

type Replacement = Omit<Static<typeof UserReplacement>, 'manager_external_id' | 'is_active'>;
export const updateUser = (tx: Tx, id: number, user: Replacement) =>
  changeUser(tx, id, userUpdated, assigned(written.columns, user, 'u'));

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
      update users u set ${assignments}, ${touched(at, 'u')}
      from was where u.organisation_id = $1 and u.id = was.id returning u.*),
    ${shown('changed')},
    event as (${emitted(event, 'shown', at)}),
    ${recounted(usersList)}
    select json::text from shown`);
};

/** They get this manager. */
export const setManager = (tx: Tx, ids: readonly number[], manager_id: number) => {
  const at = tx.now();
  return tx.rows(sql`
    with changed as (
      update users u set manager_id = ${manager_id}, ${touched(at, 'u')}
      where u.organisation_id = $1 and u.id = any(${ids}::bigint[]) returning u.*),
    ${shown('changed')}
    ${emitted(userUpdated, 'shown', at)}`);
};
/** Whether SCIM shows a deactivated person. Returns whether that changed. */
export const setWithdrawn = (tx: Tx, id: number, is_withdrawn: boolean) =>
  tx.any(sql`
    with was as (
      select * from users
      where organisation_id = $1 and id = ${id} and is_withdrawn <> ${is_withdrawn} for update),
    changed as (
      update users u set is_withdrawn = ${is_withdrawn}
      from was where u.organisation_id = $1 and u.id = was.id returning u.*),
    ${recounted(usersList)}
    select id from changed`);

export const lockUser = (tx: Tx, id: number) =>
  tx.row<{ id: number; is_active: boolean; photo_key: string | null; roles: string[] }>(sql`
    select id, is_active, photo_key, roles from users
    where organisation_id = $1 and id = ${id} and kind = 'person' for update`);
export const findUserId = (tx: Tx, external_id: string) =>
  tx.value<number>(sql`
    select id from users where organisation_id = $1 and external_id = ${external_id} and kind = 'person'`);

/** Ids and external ids to ids, keeping the place of each, so that an unknown one can be named. */
export const resolveUsers = (tx: Tx, ids: readonly number[], external_ids: readonly string[]) =>
  tx.rows<{ by: 'id' | 'external_id'; n: number; id: number | null }>(sql`
    select 'id' as by, g.n - 1 as n, u.id from unnest(${ids}::bigint[]) with ordinality g(id, n)
    left join users u on u.organisation_id = $1 and u.id = g.id and u.kind = 'person'
    union all
    select 'external_id', g.n - 1, u.id from unnest(${external_ids}::text[]) with ordinality g(external_id, n)
    left join users u on u.organisation_id = $1 and u.external_id = g.external_id and u.kind = 'person'
    order by 1, 2`);
