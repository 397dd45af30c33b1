// Rows as requests write them. A family lists its columns once; inserting and replacing follow from the list.
import { all, joined, nothing, parameter, type Sql, sql, trusted } from './sql.ts';

export interface Column {
  /** As PostgreSQL calls it. */
  readonly type: string;
  /** What a new row has, and a replaced one unless the column is kept, when the request does not say. */
  readonly otherwise: unknown;
  /** A PUT that omits it leaves it as it is. */
  readonly isKept: boolean;
  /** No reply shows it. */
  readonly isHidden?: boolean;
}
export type Columns = Readonly<Record<string, Column>>;
/** A PUT that omits it sets `otherwise`. */
export const cleared = (type: string, otherwise: unknown = null): Column => ({ type, otherwise, isKept: false });
export const kept = (type: string, otherwise: unknown = null): Column => ({ type, otherwise, isKept: true });

export const hidden = <C extends Column>(column: C): C => ({ ...column, isHidden: true });

export interface Table {
  readonly name: string;
  readonly columns: Columns;
}
/** By column. SQL is taken as it is; in an update it may speak of the row `was`. */
export type Values = Readonly<Record<string, unknown>>;

const isSql = (value: unknown): value is Sql => typeof value === 'object' && value !== null && 'parts' in value;
const namesOf = (names: readonly string[], alias = '') => names.map((name) => alias + name).join(', ');

/**
 * What the column holds afterwards; a value that is not said stays as it is in the row `from`, if the column is kept.
 */
function columnValue(name: string, { type, otherwise, isKept }: Column, values: Values, from?: string): Sql {
  const value = values[name];
  if (isSql(value)) return sql`(${value})::${trusted(type)}`;
  return isKept && from
    ? parameter(value ?? null, 'coalesce(', `::${type}, ${from}.${name})`)
    : parameter(value ?? otherwise, '', `::${type}`);
}

/** Assignments that mark a row as changed: later than before, even within one microsecond. */
export const touched = (now: string, alias = 't'): Sql =>
  sql`updated_at = greatest(${now}::timestamptz, ${trusted(alias)}.updated_at + interval '1 microsecond'),
    sequence = nextval('content_sequence')`;

/** CTE body: the new row. `more` are columns that no request writes later. */
export function inserted({ name, columns }: Table, values: Values, more: Values = {}, returning = '*'): Sql {
  const own = Object.keys(columns).map((column) => columnValue(column, columns[column] as Column, values));
  const others = Object.values(more).map((value) => (isSql(value) ? value : parameter(value, '', '')));
  const names = namesOf([...Object.keys(columns), ...Object.keys(more)]);
  return sql`${trusted(`insert into ${name} (organisation_id, ${names}) values ($1, `)}${joined([...own, ...others])})
    returning ${trusted(returning)}`;
}

/** Assignments of what a request replaces, on the row `alias`. */
export const assigned = (columns: Columns, values: Values, alias: string): Sql =>
  joined(
    Object.keys(columns).map(
      (column) => sql`${trusted(column)} = ${columnValue(column, columns[column] as Column, values, alias)}`,
    ),
  );

export interface Change {
  /** Further assignments, on `t`; `w` is the row as it is wanted. */
  set?: Sql;
  /** Written even when the row has these values already. */
  always?: boolean;
  /** Which row `t` it must be beside its id. */
  where?: readonly Sql[];
}
/** CTEs `was`, `wanted` and `changed`: the row before, as it is asked for, and after. What is equal is not changed. */
export function replaced({ name, columns }: Table, id: number, values: Values, change: Change = {}): Sql {
  const { set, always = false, where = [] } = change;
  const names = Object.keys(columns);
  const wanted = names.map(
    (column) => sql`${columnValue(column, columns[column] as Column, values, 'was')} as ${trusted(column)}`,
  );
  const [own, asked] = [trusted(namesOf(names, 't.')), trusted(namesOf(names, 'w.'))];
  return sql`
    was as (
      select * from ${trusted(name)} t
      where t.organisation_id = $1 and t.id = ${id} and ${all(where)} for update),
    wanted as (select was.id, ${joined(wanted)} from was),
    changed as (
      update ${trusted(name)} t set (${trusted(namesOf(names))}) = row(${asked})${set ? sql`, ${set}` : nothing}
      from wanted w where t.organisation_id = $1 and t.id = w.id
        ${always ? nothing : sql`and (${own}) is distinct from (${asked})`}
      returning t.*)`;
}

/** CTE body: a counter that rows `t` keep of what hangs on them goes up or down. Returns their ids and counters. */
export const counting = (table: string, counter: string, change: Sql, which: Sql): Sql => sql`
  update ${trusted(`${table} t set ${counter} = t.${counter}`)} + ${change}
  where t.organisation_id = $1 and ${which} returning t.id, t.${trusted(counter)}`;
