import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { userUpdated } from '../users/events.ts';
import { changeUser, setManager, usersList } from '../users/queries.ts';
import { idIn } from './call.ts';
import { findResource, type ListOptions, listResources } from './list-queries.ts';
import type { EmailRow, UserRow } from './user-document.ts';

/** Teams `x` of a person `m.user_id`, their types `y`, and `a` where an attribute put the person there. */
export const teamsOfPerson = sql`
  team_members m
  join teams x on x.organisation_id = $1 and x.id = m.team_id
  join team_types y on y.organisation_id = $1 and y.id = x.team_type_id
  left join scim_assignments a on a.organisation_id = $1 and a.user_id = m.user_id
    and a.team_type_id = y.id and a.team_id = x.id`;

/** All that a SCIM user shows; `u` is the row of users. */
const userRow = (which: Sql) => sql`
  select
    u.id, u.external_id, u.email, u.user_name, u.first_name, u.last_name, u.name, u.display_name, u.job_title,
    u.timezone, u.locale, u.hire_date, u.date_of_birth, u.mobile_phone, u.direct_dial, u.is_active, u.roles,
    iso(u.created_at) as created_at, iso(u.updated_at) as updated_at, s.attributes, s.manager_reference, u.manager_id,
    b.email as manager_email,
    b.name as manager_name,
    (select json_agg(e) from (
      select type, value, is_primary, display from scim_emails
      where organisation_id = $1 and user_id = u.id order by n) e) as emails,
    (select json_agg(t) from (
      select x.id, x.name, y.name as type, a.team_id is not null as is_assigned from ${teamsOfPerson}
      where m.organisation_id = $1 and m.user_id = u.id order by x.id) t) as teams
  from users u
  left join scim_users s on s.organisation_id = $1 and s.user_id = u.id
  left join users b on b.organisation_id = $1 and b.id = u.manager_id
  where u.organisation_id = $1 and ${which}`;

export const findUserRow = (tx: Tx, id: number) =>
  findResource<UserRow>(tx, userRow(sql`u.id = ${id} and u.kind = 'person' and not u.is_withdrawn`));
/** Classes: 0 active, 1 deactivated. */
export const listUserRows = (tx: Tx, classes: readonly number[], options: ListOptions) =>
  listResources<UserRow>(tx, usersList, classes, options, userRow(sql`u.id = listed.id`));

type Identity = { email: string; user_name: string | null; external_id: string | null };
/** Everybody who has one of these, locked: two creates of one person decide one after the other. */
export const lockMatches = (tx: Tx, { email, user_name, external_id }: Identity) =>
  tx.rows<{ id: number; is_active: boolean; by_name: boolean; by_email: boolean }>(sql`
    select id, is_active, lower(email) = lower(${email}) as by_email,
      lower(coalesce(user_name, email)) = lower(${user_name ?? email}) as by_name
    from users
    where organisation_id = $1
      and (lower(email) = lower(${email}) or lower(user_name) = lower(${user_name}) or external_id = ${external_id})
    order by id for update`);

/** Columns of users by name. */
export function updateUser(tx: Tx, id: number, columns: object) {
  const assignments = Object.entries(columns).map(([column, value]) => sql`${trusted(column)} = ${value}`);
  const together = assignments.reduce((left, right) => sql`${left}, ${right}`);
  return changeUser(tx, id, userUpdated, together);
}

/** What a provider says of a person beyond the columns of users. */
export const upsertScimUser = (tx: Tx, id: number, attributes: object, manager_reference: string | null) =>
  tx.rows(sql`
    insert into scim_users (organisation_id, user_id, attributes, manager_reference)
    values ($1, ${id}, ${JSON.stringify(attributes)}::jsonb, ${manager_reference})
    on conflict (organisation_id, user_id) do update
    set attributes = excluded.attributes, manager_reference = excluded.manager_reference`);

export async function replaceEmails(tx: Tx, user_id: number, emails: readonly EmailRow[]) {
  await tx.rows(sql`delete from scim_emails where organisation_id = $1 and user_id = ${user_id}`);
  if (emails.length === 0) return;
  const rows = JSON.stringify(emails.map((email, i) => ({ n: i + 1, ...email })));
  await tx.rows(sql`
    insert into scim_emails (organisation_id, user_id, n, type, value, is_primary, display)
    select $1, ${user_id}, n, type, value, is_primary, display
    from jsonb_populate_recordset(null::scim_emails, ${rows}::jsonb)`);
}

/** Whether the provider still says that this is a photo of the person, who still is here. */
export const namesPhoto = (tx: Tx, user_id: number, url: string) =>
  tx.any(sql`
    select from scim_users s
    join users u on u.organisation_id = $1 and u.id = s.user_id and u.is_active
    where s.organisation_id = $1 and s.user_id = ${user_id}
      and s.attributes -> 'photos' @> ${JSON.stringify([{ value: url }])}::jsonb`);

/** The person's team of a type by attribute, or else the first they are in by hand. */
export const findTeamOfType = (tx: Tx, user_id: number, team_type_id: number) =>
  tx.value<number>(sql`
    select x.id from ${teamsOfPerson}
    where m.organisation_id = $1 and m.user_id = ${user_id} and y.id = ${team_type_id}
    order by a.team_id is null, x.id limit 1`);
export const upsertAssignment = (tx: Tx, user_id: number, team_type_id: number, team_id: number) =>
  tx.rows(sql`
    insert into scim_assignments (organisation_id, user_id, team_type_id, team_id)
    values ($1, ${user_id}, ${team_type_id}, ${team_id})
    on conflict (organisation_id, user_id, team_type_id) do update set team_id = excluded.team_id`);

/** Whom a provider names: text with @ is an address, a number an id, the rest and unknown numbers an external id. */
export function findManager(tx: Tx, reference: string) {
  const isNamed = reference.includes('@')
    ? sql`lower(email) = lower(${reference})`
    : sql`(external_id = ${reference} or id::text = ${reference} and id = ${idIn(reference)})`;
  return tx.value<number>(sql`
    select id from users where organisation_id = $1 and kind = 'person' and ${isNamed}
    order by (external_id = ${reference}) is true limit 1`);
}

/** Who waits for this person as their manager gets them. */
export async function adoptReports(tx: Tx, id: number): Promise<void> {
  const waiting = await tx.values<number>(sql`
    update scim_users s set manager_reference = null
    from users manager
    where manager.organisation_id = $1 and manager.id = ${id} and manager.kind = 'person'
      and s.organisation_id = $1 and s.user_id <> manager.id and s.manager_reference is not null
      and lower(s.manager_reference) in (lower(manager.email), lower(manager.external_id), manager.id::text)
      and (s.manager_reference not like '%@%' or lower(s.manager_reference) = lower(manager.email))
    returning s.user_id`);
  if (waiting.length > 0) await setManager(tx, waiting, id);
}

/** Condition: the provider says that passcodes are allowed, in whichever extension, and names no other way in. */
export const passcodesAllowed = sql`exists (
  select from scim_users s
  where s.organisation_id = $1 and s.user_id = u.id
    and s.attributes @? '$.*.allowOtpPasswordReset ? (@ == true || @ like_regex "^true$" flag "i")'
    and not s.attributes @? '$.*.authMode ? (!(@ like_regex "^password$" flag "i"))')`;
