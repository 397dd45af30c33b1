// The SQL of attributes, over a row of users or teams (alias `t`) or over the entries of a list of values. What is
// unique (id, userName, externalId, e-mail addresses) is compared in the form that its index has.
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { roles } from '../users/contract.ts';
import type { Attribute } from './attributes.ts';
import { ATRIUM, ENTERPRISE, GROUP, USER } from './schemas.ts';
import { COST_CENTRE, DEPARTMENT, LOCATION, type ManagerForm } from './user-document.ts';
import { teamsOfPerson } from './user-queries.ts';

export type Column = { readonly sql: Sql; readonly kind: 'text' | 'exact' | 'id' | 'boolean' | 'time' };
/** By the attribute's name in lower case. */
export type Columns = Readonly<Record<string, Column | undefined>>;
/** A list of values: `exists` wraps a condition on the columns of its entries. */
export type Entries = { readonly columns: Columns; readonly exists: (condition: Sql) => Sql };

const as = (kind: Column['kind']) => (expression: string | Sql) => ({
  sql: typeof expression === 'string' ? trusted(expression) : expression,
  kind,
});
const [text, exact, id, time, boolean] = [as('text'), as('exact'), as('id'), as('time'), as('boolean')];

const ofScimUser = (expression: Sql) =>
  sql`(select ${expression} from scim_users s where s.organisation_id = $1 and s.user_id = t.id)`;
/** Where the path leads in what is kept of a person. */
export const kept = (...path: string[]) => text(ofScimUser(sql`s.attributes #>> ${path}::text[]`));
const keptEntries = (...path: string[]) =>
  sql`jsonb_array_elements(coalesce(${ofScimUser(sql`s.attributes #> ${path}::text[]`)}, '[]')) e`;
const teamOfType = (type: string) => sql`(
  select x.name from ${teamsOfPerson}
  where m.organisation_id = $1 and m.user_id = t.id and lower(y.name) = lower(${type})
  order by a.team_id is null, x.id limit 1)`;
const ofManager = (column: 'name' | 'email') =>
  sql`(select b.${trusted(column)} from users b where b.organisation_id = $1 and b.id = t.manager_id)`;

export const emailColumn = text('t.email');

const common = (type: string): Columns => ({
  id: id('t.id'),
  externalid: exact('t.external_id'),
  'meta.created': time('t.created_at'),
  'meta.lastmodified': time('t.updated_at'),
  'meta.resourcetype': exact(`'${type}'`),
});
const user: Columns = {
  ...common('User'),
  username: text('coalesce(t.user_name, t.email)'),
  'name.givenname': text(`nullif(t.first_name, '')`),
  'name.familyname': text(`nullif(t.last_name, '')`),
  'name.formatted': text(sql`coalesce(${kept('name', 'formatted').sql}, nullif(t.name, ''))`),
  'name.middlename': kept('name', 'middleName'),
  'name.honorificprefix': kept('name', 'honorificPrefix'),
  'name.honorificsuffix': kept('name', 'honorificSuffix'),
  displayname: text('coalesce(t.display_name, t.name)'),
  title: text(`nullif(t.job_title, '')`),
  locale: text(sql`coalesce(${kept('locale').sql}, t.locale)`),
  timezone: text(sql`coalesce(${kept('timezone').sql}, t.timezone)`),
  active: boolean('t.is_active'),
};
const enterprise = (form: ManagerForm): Columns => {
  const shown = form === 'email' ? ofManager('email') : sql`t.manager_id::text`;
  const manager = exact(sql`coalesce(${shown}, ${ofScimUser(sql`s.manager_reference`)})`);
  return {
    department: text(teamOfType(DEPARTMENT)),
    costcenter: text(teamOfType(COST_CENTRE)),
    ...{ manager, 'manager.value': manager, 'manager.displayname': text(ofManager('name')) },
  };
};
const atrium: Columns = { hiredate: exact('t.hire_date::text'), dateofbirth: exact('t.date_of_birth::text') };
const group: Columns = { ...common('Group'), displayname: text('t.name') };
export const columnsOf = (schema: string | undefined, form: ManagerForm): Columns =>
  ({ [USER]: user, [ENTERPRISE]: enterprise(form), [ATRIUM]: atrium, [GROUP]: group })[schema ?? ''] ?? {};

// ---- Lists of values ---------------------------------------------------------------------------------------------

const emails: Entries = {
  columns: {
    value: text('x.value'),
    type: text('x.type'),
    primary: boolean('x.is_primary'),
    display: text('x.display'),
  },
  // Each branch can use its index: the stored addresses, those that are userName by a row, and those without a row.
  exists: (condition) => sql`t.id in (
    select x.user_id from (
      select user_id, type, value, is_primary, display from scim_emails
      where organisation_id = $1 and value is not null
      union all
      select u.id, e.type, u.email, e.is_primary, e.display
      from users u join scim_emails e on e.organisation_id = $1 and e.user_id = u.id and e.value is null
      where u.organisation_id = $1
      union all
      select u.id, 'work', u.email, true, null from users u
      where u.organisation_id = $1
        and not exists (select from scim_emails e where e.organisation_id = $1 and e.user_id = u.id)) x
    where ${condition})`,
};
const groups: Entries = {
  columns: { value: id('m.team_id'), display: text('x.name'), type: text(`'direct'`) },
  exists: (condition) => sql`exists (
    select from team_members m join teams x on x.organisation_id = $1 and x.id = m.team_id
    where m.organisation_id = $1 and m.user_id = t.id and ${condition})`,
};
/** Members `m`, who are the people `u`. */
export const members: Entries = {
  columns: { value: id('m.user_id'), display: text('u.name'), type: text(`'User'`) },
  exists: (condition) => sql`t.id in (
    select m.team_id from team_members m join users u on u.organisation_id = $1 and u.id = m.user_id
    where m.organisation_id = $1 and ${condition})`,
};

/** Entries `e` of lists of which a part is in columns or teams. */
const sources: Readonly<Record<string, Sql>> = {
  phoneNumbers: sql`
    select jsonb_build_object('type', 'work', 'value', t.direct_dial) where t.direct_dial is not null
    union all
    select jsonb_build_object('type', 'mobile', 'value', t.mobile_phone) where t.mobile_phone is not null
    union all
    select e from ${keptEntries('phoneNumbers')} where e ? 'value'`,
  addresses: sql`
    select e from ${keptEntries('addresses')}
    union all
    select jsonb_build_object('type', 'work')
    where ${teamOfType(LOCATION)} is not null
      and not exists (select from ${keptEntries('addresses')} where lower(e ->> 'type') = 'work')`,
  roles: sql`
    select jsonb_build_object('value', r) from unnest(t.roles) r where r <> 'user'
    union all
    select e from ${keptEntries('roles')}
    where lower(e ->> 'value') <> all (${roles.filter((role) => role !== 'user')}::text[])`,
};
const locality = sql`coalesce(
  e ->> 'locality', case when lower(e ->> 'type') = 'work' then ${teamOfType(LOCATION)} end)`;

/** `extension` is the one that the attribute is of. */
export function entriesOf({ name, type, subAttributes = [] }: Attribute, extension: string | undefined): Entries {
  const stored = { emails, groups, members }[name];
  if (stored) return stored;
  const path = extension === undefined ? [name] : [extension, name];
  const source = sources[name] ?? sql`select e from ${keptEntries(...path)}`;
  const exists = (condition: Sql) => sql`exists (select from (${source}) as x(e) where ${condition})`;
  if (type !== 'complex') return { columns: { value: text(`e #>> '{}'`) }, exists };
  const columnOf = ({ name: sub, type: subType }: Attribute): Column => {
    if (name === 'addresses' && sub === 'locality') return text(locality);
    return subType === 'boolean' ? boolean(`coalesce((e ->> '${sub}')::boolean, false)`) : text(`e ->> '${sub}'`);
  };
  return { columns: Object.fromEntries(subAttributes.map((sub) => [sub.name.toLowerCase(), columnOf(sub)])), exists };
}
