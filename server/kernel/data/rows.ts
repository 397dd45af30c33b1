// Rows as requests write them. A family lists its columns once; inserting and replacing follow from the list.
import { all, nothing, type Sql, sql, trusted } from './sql.ts';

export interface Column {
  /** As PostgreSQL calls it. */
  readonly type: string;
  /** What a new row has, and a replaced one unless the column is kept, when the request does not say. */
  readonly otherwise: unknown;
  /** A PUT that omits it leaves it as it is. */
  readonly isKept: boolean;
}
export type Columns = Readonly<Record<string, Column>>;
/** A PUT that omits it sets `otherwise`. */
export const cleared = (type: string, otherwise: unknown = null): Column => ({ type, otherwise, isKept: false });
export const kept = (type: string, otherwise: unknown = null): Column => ({ type, otherwise, isKept: true });

export interface Table {
  readonly name: string;
  readonly columns: Columns;
}
/** By column. SQL is taken as it is; in an update it may speak of the row `was`. */
export type Values = Readonly<Record<string, unknown>>;

const isSql = (value: unknown): value is Sql => typeof value === 'object' && value !== null && 'parts' in value;
const listed = (parts: readonly Sql[]): Sql => parts.reduce((left, right) => sql`${left}, ${right}`);
const namesOf = (names: readonly string[], alias = '') => trusted(names.map((name) => alias + name).join(', '));

/** Assignments that mark a row as changed: later than before, even within one microsecond. */
export const touched = (now: string, alias = 't'): Sql =>
  sql`updated_at = greatest(${now}::timestamptz, ${trusted(alias)}.updated_at + interval '1 microsecond'),
    sequence = nextval('content_sequence')`;

/** CTE body: the new row. `more` are columns that no request writes later. */
export function inserted({ name, columns }: Table, values: Values, more: Values = {}, returning = '*'): Sql {
  const own = Object.entries(columns).map(([column, { type, otherwise }]): [string, Sql] => {
    const value = values[column];
    return [column, isSql(value) ? value : sql`${value ?? otherwise}::${trusted(type)}`];
  });
  const others = Object.entries(more).map(([column, value]): [string, Sql] => [
    column,
    isSql(value) ? value : sql`${value}`,
  ]);
  const all = [...own, ...others];
  return sql`
    insert into ${trusted(name)} (organisation_id, ${namesOf(all.map(([column]) => column))})
    values ($1, ${listed(all.map(([, value]) => value))}) returning ${trusted(returning)}`;
}

/** Assignments of what a request replaces, on the row `alias`. */
export function assigned(columns: Columns, values: Values, alias: string): Sql {
  return listed(
    Object.entries(columns).map(([column, { type, otherwise, isKept }]) => {
      const value = isKept
        ? sql`coalesce(${values[column] ?? null}::${trusted(`${type}, ${alias}.${column})`)}`
        : sql`${values[column] ?? otherwise}::${trusted(type)}`;
      return sql`${trusted(column)} = ${value}`;
    }),
  );
}

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
  const wanted = names.map((column) => {
    const value = values[column];
    const { type, otherwise, isKept } = columns[column] as Column;
    if (isSql(value)) return sql`(${value})::${trusted(`${type} as ${column}`)}`;
    if (!isKept) return sql`${value ?? otherwise}::${trusted(`${type} as ${column}`)}`;
    return sql`coalesce(${value ?? null}::${trusted(`${type}, was.${column}) as ${column}`)}`;
  });
  const [own, asked] = [namesOf(names, 't.'), namesOf(names, 'w.')];
  return sql`
    was as (
      select * from ${trusted(name)} t
      where t.organisation_id = $1 and t.id = ${id} and ${all(where)} for update),
    wanted as (select was.id, ${listed(wanted)} from was),
    changed as (
      update ${trusted(name)} t set (${namesOf(names)}) = row(${asked})${set ? sql`, ${set}` : nothing}
      from wanted w where t.organisation_id = $1 and t.id = w.id
        ${always ? nothing : sql`and (${own}) is distinct from (${asked})`}
      returning t.*)`;
}

/** CTE body: a counter that rows `t` keep of what hangs on them goes up or down. Returns their ids and counters. */
export const counting = (table: string, counter: string, change: Sql, which: Sql): Sql => sql`
  update ${trusted(`${table} t set ${counter} = t.${counter}`)} + ${change}
  where t.organisation_id = $1 and ${which} returning t.id, t.${trusted(counter)}`;
