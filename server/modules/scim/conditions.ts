// Filters as SQL. Each attribute is an expression over a row of users or teams (alias `t`), or a set of entries; what is
// unique (id, userName, externalId, e-mail addresses) is compared in the form that its index has.
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { booleanText } from './document.ts';
import { bad } from './errors.ts';
import type { Filter, Operator, Path, Value } from './filter.ts';
import type { ManagerForm } from './people.ts';
import { ATRIUM, type Attribute, attributeOf, coreAttributes, ENTERPRISE, type ResourceType } from './schemas.ts';

type Kind = 'text' | 'exact' | 'id' | 'boolean' | 'time';
interface Column {
  readonly sql: Sql;
  readonly kind: Kind;
}
/** Entries of a list of values: `exists` wraps a condition on them. */
interface Entries {
  readonly columns: Readonly<Record<string, Column>>;
  readonly exists: (condition: Sql) => Sql;
}

/** Clients choose the names: `constructor` is none. */
const at = <Value>(record: Readonly<Record<string, Value | undefined>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

const text = (expression: string): Column => ({ sql: trusted(expression), kind: 'text' });
const exact = (expression: string): Column => ({ sql: trusted(expression), kind: 'exact' });
const id = (expression: string): Column => ({ sql: trusted(expression), kind: 'id' });
const time = (expression: string): Column => ({ sql: trusted(expression), kind: 'time' });
const boolean = (expression: string): Column => ({ sql: trusted(expression), kind: 'boolean' });

const kept = (path: string) =>
  `(select s.attributes #>> '{${path}}' from scim_users s where s.organisation_id = $1 and s.user_id = t.id)`;
const keptEntries = (name: string) =>
  `jsonb_array_elements(coalesce((select s.attributes -> '${name}' from scim_users s where s.organisation_id = $1 and s.user_id = t.id), '[]'))`;
const teamOfType = (
  type: string,
) => `(select x.name from team_members m join teams x on x.organisation_id = $1 and x.id = m.team_id
  join team_types y on y.organisation_id = $1 and y.id = x.team_type_id
  left join scim_assignments a on a.organisation_id = $1 and a.user_id = m.user_id and a.team_type_id = y.id and a.team_id = x.id
  where m.organisation_id = $1 and m.user_id = t.id and lower(y.name) = lower('${type}') order by a.team_id is null, x.id limit 1)`;
const managerColumn = (column: string) =>
  `(select b.${column} from users b where b.organisation_id = $1 and b.id = t.manager_id)`;
const reference = '(select s.manager_reference from scim_users s where s.organisation_id = $1 and s.user_id = t.id)';

const meta = (type: string): Record<string, Column> => ({
  id: id('t.id'),
  externalid: exact('t.external_id'),
  'meta.created': time('t.created_at'),
  'meta.lastmodified': time('t.updated_at'),
  'meta.resourcetype': exact(`'${type}'`),
});

const userColumns: Record<string, Column> = {
  ...meta('User'),
  username: text('t.email'),
  'name.givenname': text(`nullif(t.first_name, '')`),
  'name.familyname': text(`nullif(t.last_name, '')`),
  'name.formatted': text(`nullif(t.name, '')`),
  'name.middlename': text(kept('name,middleName')),
  'name.honorificprefix': text(kept('name,honorificPrefix')),
  'name.honorificsuffix': text(kept('name,honorificSuffix')),
  displayname: text('coalesce(t.display_name, t.name)'),
  title: text(`nullif(t.job_title, '')`),
  locale: text(`coalesce(${kept('locale')}, t.locale)`),
  timezone: text(`coalesce(${kept('timezone')}, t.timezone)`),
  active: boolean('t.is_active'),
};
const enterpriseColumns = (form: ManagerForm): Record<string, Column> => ({
  department: text(teamOfType('Department')),
  costcenter: text(teamOfType('Cost centre')),
  'manager.value': {
    sql: trusted(`coalesce(${form === 'email' ? managerColumn('email') : 't.manager_id::text'}, ${reference})`),
    kind: 'exact',
  },
  'manager.displayname': text(managerColumn('name')),
});
const atriumColumns: Record<string, Column> = {
  hiredate: exact('t.hire_date::text'),
  dateofbirth: exact('t.date_of_birth::text'),
};
const groupColumns: Record<string, Column> = { ...meta('Group'), displayname: text('t.name') };

const column = (alias: string, names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name.toLowerCase(),
      name === 'primary' ? boolean(`${alias}.is_primary`) : text(`${alias}.${name}`),
    ]),
  );
const from = (source: string) => (condition: Sql) => sql`exists (select from ${trusted(source)} where ${condition})`;
const jsonEntries = (source: string, { subAttributes = [] }: Attribute): Entries => ({
  columns: Object.fromEntries(
    subAttributes.map(({ name, type }) => [
      name.toLowerCase(),
      type === 'boolean' ? boolean(`coalesce((e ->> '${name}')::boolean, false)`) : text(`e ->> '${name}'`),
    ]),
  ),
  exists: from(`(${source}) as x(e)`),
});

// Each branch can use its index: the stored addresses, those that are userName by a row, and those that are it without one.
const ADDRESSES = `(select user_id, type, value, is_primary, display from scim_emails where organisation_id = $1 and value is not null
  union all select u.id, e.type, u.email, e.is_primary, e.display from users u join scim_emails e on e.organisation_id = $1 and e.user_id = u.id and e.value is null where u.organisation_id = $1
  union all select u.id, 'work', u.email, true, null from users u where u.organisation_id = $1 and not exists (select from scim_emails e where e.organisation_id = $1 and e.user_id = u.id)) x`;
const userEntries = (attribute: Attribute): Entries => {
  switch (attribute.name) {
    case 'emails':
      return {
        columns: column('x', ['value', 'type', 'primary', 'display']),
        exists: (condition) => sql`t.id in (select x.user_id from ${trusted(ADDRESSES)} where ${condition})`,
      };
    case 'phoneNumbers':
      return jsonEntries(
        `select jsonb_build_object('type', 'work', 'value', t.direct_dial) where t.direct_dial is not null
         union all select jsonb_build_object('type', 'mobile', 'value', t.mobile_phone) where t.mobile_phone is not null
         union all select e from ${keptEntries('phoneNumbers')} e where e ? 'value'`,
        attribute,
      );
    case 'addresses':
      return jsonEntries(
        `select case when lower(e ->> 'type') = 'work' and not e ? 'locality' then e || jsonb_build_object('locality', ${teamOfType('Location')}) else e end from ${keptEntries('addresses')} e
         union all select jsonb_build_object('type', 'work', 'locality', l.name) from (select ${teamOfType('Location')} as name) l
         where l.name is not null and not exists (select from ${keptEntries('addresses')} e where lower(e ->> 'type') = 'work')`,
        attribute,
      );
    case 'roles':
      return jsonEntries(
        `select jsonb_build_object('value', r) from unnest(t.roles) r where r <> 'user'
         union all select e from ${keptEntries('roles')} e where lower(e ->> 'value') <> all (array['moderator', 'admin', 'developer', 'it_admin'])`,
        attribute,
      );
    case 'groups':
      return {
        columns: { value: id('m.team_id'), display: text('x.name'), type: text(`'direct'`) },
        exists: from(
          '(select m.team_id, m.user_id from team_members m where m.organisation_id = $1) m join teams x on x.organisation_id = $1 and x.id = m.team_id and m.user_id = t.id',
        ),
      };
    default:
      return jsonEntries(`select e from ${keptEntries(attribute.name)} e`, attribute);
  }
};
const members: Entries = {
  columns: { value: id('m.user_id'), display: text('u.name'), type: text(`'User'`) },
  exists: (condition) =>
    sql`t.id in (select m.team_id from team_members m join users u on u.organisation_id = $1 and u.id = m.user_id where m.organisation_id = $1 and ${condition})`,
};

/** A condition on one row of the type's table, which has the alias `t`. */
export function conditionOf(type: ResourceType, filter: Filter, form: ManagerForm): Sql {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const word = trusted(filter.op);
      const [first, ...more] = filter.filters.map((each) => conditionOf(type, each, form));
      return sql`(${more.reduce((left, right) => sql`${left} ${word} ${right}`, first as Sql)})`;
    }
    case 'not':
      return sql`not coalesce(${conditionOf(type, filter.filter, form)}, false)`;
    case 'has': {
      const { entries } = entriesOf(type, filter.path);
      return entries.exists(entryCondition(entries, filter.filter));
    }
    default: {
      if (filter.op === 'pr' && isWhole(type, filter.path))
        return sql`${(userColumns['name.formatted'] as Column).sql} is not null`;
      const single = columnOf(type, filter.path, form);
      if (single) return comparison(single, filter);
      const { entries, sub } = entriesOf(type, filter.path);
      return entries.exists(
        filter.op === 'pr' && sub === undefined
          ? trusted('true')
          : comparison(entryColumn(entries, sub ?? 'value'), filter),
      );
    }
  }
}

/** `name pr`: there is a value in any part. */
const isWhole = (type: ResourceType, { schema, names }: Path) =>
  type.name === 'User' &&
  names.join('.').toLowerCase() === 'name' &&
  (schema === undefined || schema.toLowerCase() === type.core.id.toLowerCase());

/** Which members a path selects: on `m` and its person `u`. */
export const memberCondition = (filter: Filter): Sql => entryCondition(members, filter);

function entryCondition(entries: Entries, filter: Filter): Sql {
  switch (filter.op) {
    case 'and':
    case 'or': {
      const word = trusted(filter.op);
      const [first, ...more] = filter.filters.map((each) => entryCondition(entries, each));
      return sql`(${more.reduce((left, right) => sql`${left} ${word} ${right}`, first as Sql)})`;
    }
    case 'not':
      return sql`not coalesce(${entryCondition(entries, filter.filter)}, false)`;
    case 'has':
      return bad('invalidFilter', 'A filter within a filter selects nothing.');
    default:
      return comparison(entryColumn(entries, filter.path.names.join('.')), filter);
  }
}

const entryColumn = ({ columns }: Entries, name: string): Column =>
  at(columns, name.toLowerCase()) ?? bad('invalidFilter', `There is no sub-attribute ${name}.`);

/** What `sortBy` names; a list of values is ordered by its first. */
export const orderOf = (type: ResourceType, path: Path, form: ManagerForm): Sql => {
  const found =
    columnOf(type, path, form) ?? (path.names[0]?.toLowerCase() === 'emails' ? userColumns.username : undefined);
  if (!found) return bad('invalidValue', `The list cannot be sorted by ${path.names.join('.')}.`);
  return found.kind === 'text' ? sql`lower(${found.sql})` : found.sql;
};

function columnOf(type: ResourceType, { schema, names }: Path, form: ManagerForm): Column | undefined {
  const name = names.join('.').toLowerCase();
  const urn = schema?.toLowerCase();
  const inCore = urn === undefined || urn === type.core.id.toLowerCase();
  if (type.name === 'Group') {
    if (inCore && (at(groupColumns, name) || name.split('.')[0] === 'members')) return at(groupColumns, name);
    return bad('invalidFilter', `There is no attribute ${names.join('.')}.`);
  }
  const enterprise = { ...enterpriseColumns(form), manager: enterpriseColumns(form)['manager.value'] };
  if (inCore) {
    const attribute = attributeOf(coreAttributes(type), names[0] ?? '');
    if (attribute?.multiValued) return undefined;
    const found = at(userColumns, name) ?? (attribute ? undefined : (at(enterprise, name) ?? at(atriumColumns, name)));
    if (found) return found;
    if (attribute && attribute.returned !== 'never' && attribute.type !== 'complex') return text(kept(attribute.name));
    return bad('invalidFilter', `There is no attribute ${names.join('.')} to compare.`);
  }
  const known =
    urn === ENTERPRISE.toLowerCase()
      ? at(enterprise, name)
      : urn === ATRIUM.toLowerCase()
        ? at(atriumColumns, name)
        : undefined;
  if (known) return known;
  const extension = type.extensions.find(({ id: each }) => each.toLowerCase() === urn);
  const path = [
    extension?.id ?? schema ?? '',
    ...(extension ? [attributeOf(extension.attributes, names[0] ?? '')?.name ?? ''] : names),
  ];
  return {
    sql: sql`(select s.attributes #>> ${path}::text[] from scim_users s where s.organisation_id = $1 and s.user_id = t.id)`,
    kind: 'text',
  };
}

function entriesOf(type: ResourceType, { names }: Path): { entries: Entries; sub: string | undefined } {
  const [name = '', sub] = names;
  if (type.name === 'Group') {
    if (name.toLowerCase() !== 'members') bad('invalidFilter', `${name} has no entries.`);
    return { entries: members, sub };
  }
  const attribute = attributeOf(coreAttributes(type), name);
  if (!attribute?.multiValued || attribute.name === 'schemas')
    return bad('invalidFilter', `${name} has no entries to compare.`);
  return { entries: userEntries(attribute), sub };
}

type Comparison = Extract<Filter, { op: Operator | 'pr' }>;
const symbols = { gt: trusted('>'), ge: trusted('>='), lt: trusted('<'), le: trusted('<=') };

function comparison({ sql: expression, kind }: Column, filter: Comparison): Sql {
  if (filter.op === 'pr') return sql`${expression} is not null`;
  const { op, value } = filter;
  if (value === null)
    return op === 'ne' ? sql`${expression} is not null` : op === 'eq' ? sql`${expression} is null` : unfit(op, 'null');
  if (kind === 'boolean') return compareBoolean(expression, op, value);
  if (kind === 'time') return compareTime(expression, op, value);
  if (kind === 'id' && (op === 'eq' || op === 'ne')) {
    const same = /^[1-9]\d{0,15}$/.test(String(value))
      ? sql`${expression} = ${Number(value)}::bigint`
      : trusted('false');
    return op === 'eq' ? same : sql`not (${same})`;
  }
  const shown = kind === 'id' ? sql`${expression}::text` : expression;
  return kind === 'text'
    ? compareText(sql`lower(${shown})`, op, sql`lower(${String(value)}::text)`)
    : compareText(shown, op, sql`${String(value)}::text`);
}

function compareText(left: Sql, op: Operator, right: Sql): Sql {
  switch (op) {
    case 'eq':
      return sql`${left} = ${right}`;
    case 'ne':
      return sql`${left} is distinct from ${right}`;
    case 'co':
      return sql`strpos(${left}, ${right}) > 0`;
    case 'sw':
      return sql`starts_with(${left}, ${right})`;
    case 'ew':
      return sql`right(${left}, length(${right})) = ${right}`;
    default:
      return sql`${left} ${symbols[op]} ${right}`;
  }
}

function compareBoolean(expression: Sql, op: Operator, value: Value): Sql {
  if (op !== 'eq' && op !== 'ne') return unfit(op, 'a boolean');
  const wanted = booleanText(value) ?? bad('invalidFilter', 'A boolean is true or false.');
  return sql`${expression} ${trusted(op === 'eq' ? '=' : '<>')} ${trusted(String(wanted))}`;
}

function compareTime(expression: Sql, op: Operator, value: Value): Sql {
  const moment = typeof value === 'string' ? value : '';
  if (
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i.test(moment) ||
    Number.isNaN(Date.parse(moment))
  )
    bad('invalidFilter', `${moment} is no ISO 8601 timestamp with a time zone.`);
  const right = sql`${moment}::text::timestamptz`;
  if (op === 'eq') return sql`${expression} = ${right}`;
  if (op === 'ne') return sql`${expression} <> ${right}`;
  return op === 'co' || op === 'sw' || op === 'ew'
    ? unfit(op, 'a timestamp')
    : sql`${expression} ${symbols[op]} ${right}`;
}

const unfit = (op: string, what: string): never => bad('invalidFilter', `${op} does not fit ${what}.`);

/** How many comparisons there are: one may keep its plan, more are one of a kind. */
export const comparisonsIn = (filter: Filter): number =>
  filter.op === 'and' || filter.op === 'or'
    ? filter.filters.reduce((sum, each) => sum + comparisonsIn(each), 0)
    : filter.op === 'not' || filter.op === 'has'
      ? comparisonsIn(filter.filter)
      : 1;

/** `active eq true` alone, in any of its forms: the list keeps totals of it. */
export function activeOnly(filter: Filter): boolean | undefined {
  if ((filter.op !== 'eq' && filter.op !== 'ne') || filter.path.names.join('.').toLowerCase() !== 'active')
    return undefined;
  if (
    filter.path.schema !== undefined &&
    filter.path.schema.toLowerCase() !== 'urn:ietf:params:scim:schemas:core:2.0:user'
  )
    return undefined;
  const value = booleanText(filter.value);
  return value === undefined ? undefined : filter.op === 'eq' ? value : !value;
}
