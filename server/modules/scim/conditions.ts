// Filters as SQL: a condition on one row of users or teams, which has the alias `t`.
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type AttributePath, attributeOf, type ResourceType, schemaOf } from './attributes.ts';
import { idIn } from './call.ts';
import { type Column, columnsOf, type Entries, emailColumn, entriesOf, kept, members } from './columns.ts';
import { booleanOf } from './document.ts';
import { refuse } from './errors.ts';
import type { Comparison, Filter, Operator, Value, ValuePath } from './filter.ts';
import { userType } from './schemas.ts';
import type { ManagerForm } from './user-document.ts';

/** `leaf` says what a comparison or a value path comes to. */
function combined(filter: Filter, leaf: (filter: Comparison | ValuePath) => Sql): Sql {
  if (filter.op === 'not') return sql`not coalesce(${combined(filter.filter, leaf)}, false)`;
  if (filter.op !== 'and' && filter.op !== 'or') return leaf(filter);
  const word = trusted(filter.op);
  const parts = filter.filters.map((each) => combined(each, leaf));
  return sql`(${parts.reduce((left, right) => sql`${left} ${word} ${right}`)})`;
}

export const conditionOf = (type: ResourceType, filter: Filter, form: ManagerForm): Sql =>
  combined(filter, (leaf) => {
    const { op, path } = leaf;
    if (op === 'valuePath') {
      const entries = entriesAt(type, path);
      return entries.exists(entryCondition(entries, leaf.filter));
    }
    // `name pr`: there is a value in any part.
    const isName = schemaOf(type, path) === userType.core && nameOf(path) === 'name';
    const column = columnOf(type, op === 'pr' && isName ? { ...path, names: ['name', 'formatted'] } : path, form);
    if (column) return comparison(column, leaf);
    const entries = entriesAt(type, path);
    const [, sub] = path.names;
    if (op === 'pr' && sub === undefined) return entries.exists(trusted('true'));
    return entries.exists(comparison(entryColumn(entries, sub ?? 'value'), leaf));
  });
const nameOf = ({ names }: AttributePath) => names.join('.').toLowerCase();

/** Which members a path selects: on `m` and its person `u`. */
export const memberCondition = (filter: Filter): Sql => entryCondition(members, filter);
const entryCondition = (entries: Entries, filter: Filter): Sql =>
  combined(filter, (leaf) => {
    if (leaf.op === 'valuePath') return refuse('invalidFilter', 'A filter within a filter selects nothing.');
    return comparison(entryColumn(entries, nameOf(leaf.path)), leaf);
  });

/** Clients choose the names: `constructor` is none. */
const at = <T>(record: Readonly<Record<string, T | undefined>>, name: string) =>
  Object.hasOwn(record, name) ? record[name] : undefined;
const entryColumn = ({ columns }: Entries, name: string): Column =>
  at(columns, name.toLowerCase()) ?? refuse('invalidFilter', `There is no sub-attribute ${name}.`);

/** What `sortBy` names; a list of values is ordered by its first. */
export function orderOf(type: ResourceType, path: AttributePath, form: ManagerForm): Sql {
  const isEmails = type === userType && path.names[0]?.toLowerCase() === 'emails';
  const column = isEmails ? emailColumn : columnOf(type, path, form);
  if (!column) return refuse('invalidValue', `The list cannot be sorted by ${path.names.join('.')}.`);
  return column.kind === 'text' ? sql`lower(${column.sql})` : column.sql;
}

/** Undefined for a list of values. */
function columnOf(type: ResourceType, path: AttributePath, form: ManagerForm): Column | undefined {
  const schema = schemaOf(type, path);
  const attribute = attributeOf(schema?.attributes, path.names[0]);
  if (attribute?.multiValued) return undefined;
  const column = at(columnsOf(schema?.id, form), nameOf(path));
  if (column) return column;
  const isKept = schema === userType.core && attribute?.returned === 'default' && attribute.type !== 'complex';
  if (isKept) return kept(attribute.name);
  if (type !== userType || path.schema === undefined || schema === type.core)
    return refuse('invalidFilter', `There is no attribute ${path.names.join('.')} to compare.`);
  return schema ? kept(schema.id, attribute?.name ?? path.names.join('.')) : kept(path.schema, ...path.names);
}

function entriesAt(type: ResourceType, path: AttributePath): Entries {
  const [name = ''] = path.names;
  const schema = schemaOf(type, path);
  const attribute = attributeOf(schema?.attributes, name);
  if (!attribute?.multiValued) return refuse('invalidFilter', `${name} has no entries to compare.`);
  return entriesOf(attribute, schema === type.core ? undefined : schema?.id);
}

// ---- Comparisons -------------------------------------------------------------------------------------------------

const comparisons: Readonly<Record<Operator, (left: Sql, right: Sql) => Sql>> = {
  eq: (left, right) => sql`${left} = ${right}`,
  ne: (left, right) => sql`${left} is distinct from ${right}`,
  co: (left, right) => sql`strpos(${left}, ${right}) > 0`,
  sw: (left, right) => sql`starts_with(${left}, ${right})`,
  ew: (left, right) => sql`right(${left}, length(${right})) = ${right}`,
  gt: (left, right) => sql`${left} > ${right}`,
  ge: (left, right) => sql`${left} >= ${right}`,
  lt: (left, right) => sql`${left} < ${right}`,
  le: (left, right) => sql`${left} <= ${right}`,
};
function refuseOperator(op: string, what: string): never {
  refuse('invalidFilter', `${op} does not fit ${what}.`);
}

function comparison({ sql: expression, kind }: Column, filter: Comparison): Sql {
  if (filter.op === 'pr') return sql`${expression} is not null`;
  const { op, value } = filter;
  const isEquality = op === 'eq' || op === 'ne';
  if (value === null) {
    if (!isEquality) refuseOperator(op, 'null');
    return op === 'eq' ? sql`${expression} is null` : sql`${expression} is not null`;
  }
  if (kind === 'boolean') {
    if (!isEquality) refuseOperator(op, 'a boolean');
    const wanted = booleanOf(value) ?? refuse('invalidFilter', 'A boolean is true or false.');
    return sql`${expression} ${trusted(op === 'eq' ? '=' : '<>')} ${trusted(String(wanted))}`;
  }
  if (kind === 'time') return compareTime(expression, op, value);
  const given = sql`${String(value)}::text`;
  if (kind === 'id') {
    if (!isEquality) return comparisons[op](sql`${expression}::text`, given);
    const is = sql`${expression} = ${idIn(value)}::bigint`;
    return op === 'eq' ? is : sql`not (${is})`;
  }
  return kind === 'text'
    ? comparisons[op](sql`lower(${expression})`, sql`lower(${given})`)
    : comparisons[op](expression, given);
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;
function compareTime(expression: Sql, op: Operator, value: Value): Sql {
  const moment = typeof value === 'string' ? value : '';
  if (!TIMESTAMP.test(moment) || Number.isNaN(Date.parse(moment)))
    refuse('invalidFilter', `${moment} is no ISO 8601 timestamp with a time zone.`);
  if (op === 'co' || op === 'sw' || op === 'ew') refuseOperator(op, 'a timestamp');
  return comparisons[op](expression, sql`${moment}::text::timestamptz`);
}

/** `active eq true` alone, in any of its forms: the list keeps totals of it. */
export function activeOnly(filter: Filter): boolean | undefined {
  if (filter.op !== 'eq' && filter.op !== 'ne') return undefined;
  if (schemaOf(userType, filter.path) !== userType.core) return undefined;
  if (nameOf(filter.path) !== 'active') return undefined;
  const value = booleanOf(filter.value);
  return value === undefined ? undefined : (filter.op === 'eq') === value;
}
