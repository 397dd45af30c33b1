import { type Sql, sql, trusted } from '../data/sql.ts';

type Scalar = string | number | boolean | null | undefined;

/**
 * Rows of the program's own as a table: `unnest` of an array for each column. `columns` are the names by type. The
 * arrays are written here, because the driver quotes every element, numbers too, which costs as much as the request
 * it is about.
 */
export function recordset<Column extends string>(
  alias: string,
  columns: Readonly<Record<string, readonly Column[]>>,
  rows: readonly Readonly<Partial<Record<Column, Scalar>>>[],
): Sql {
  const typed = Object.entries(columns).flatMap(([type, names]) => names.map((name) => ({ type, name })));
  const arrays = typed.map(({ type, name }) => {
    const elements = rows.map((row) => elementOf(row[name]));
    return sql`${`{${elements.join(',')}}`}::${trusted(`${type}[]`)}`;
  });
  const names = typed.map(({ name }) => name).join(', ');
  return sql`unnest(${arrays.reduce((left, right) => sql`${left}, ${right}`)}) as ${trusted(`${alias}(${names})`)}`;
}

function elementOf(value: Scalar) {
  if (value == null) return 'null';
  if (typeof value !== 'string') return value;
  return `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
}
