import { createHash } from 'node:crypto';

/** SQL text with its values. `$1` is always the organisation; interpolated values are numbered from `$2`. */
export interface Sql {
  readonly parts: readonly string[];
  readonly values: readonly unknown[];
  /** One of a kind (a client's filter made it): sent without a name, so that no connection keeps its plan. */
  readonly adHoc?: boolean;
}

/**
 * The only way to write SQL. Interpolate a value and it becomes a parameter; interpolate `sql` and it becomes text.
 * Write `$1` for the organisation.
 */
export function sql(strings: TemplateStringsArray, ...inserts: unknown[]): Sql {
  const parts: string[] = [strings[0] ?? ''];
  const values: unknown[] = [];
  let adHoc = false;
  inserts.forEach((insert, i) => {
    const following = strings[i + 1] ?? '';
    if (isSql(insert)) {
      append(parts, insert.parts);
      values.push(...insert.values);
      adHoc ||= insert.adHoc === true;
      parts[parts.length - 1] += following;
    } else {
      values.push(insert);
      parts.push(following);
    }
  });
  return adHoc ? { parts, values, adHoc } : { parts, values };
}

function append(parts: string[], more: readonly string[]) {
  parts[parts.length - 1] += more[0] ?? '';
  for (let i = 1; i < more.length; i++) parts.push(more[i] ?? '');
}

const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'parts' in value && 'values' in value;

/**
 * Several in one, in place of many templates around one another: a separator between them, and nothing merged twice.
 */
export function joined(list: readonly Sql[], separator = ', '): Sql {
  const parts: string[] = [''];
  const values: unknown[] = [];
  let adHoc = false;
  list.forEach((one, i) => {
    if (i > 0) parts[parts.length - 1] += separator;
    append(parts, one.parts);
    values.push(...one.values);
    adHoc ||= one.adHoc === true;
  });
  return adHoc ? { parts, values, adHoc } : { parts, values };
}

/** A parameter of this type, with what stands around it. */
export const parameter = (value: unknown, before: string, after: string): Sql => ({
  parts: [before, after],
  values: [value],
});

/** Text that is trusted because the program wrote it: a column or table name, never anything a request brought. */
export const trusted = (text: string): Sql => ({ parts: [text], values: [] });
export const nothing = trusted('');
/** A constant of the program's own in the text itself, where the planner must see it. Texts have no quotes in them. */
export const literal = (value: string | number): Sql =>
  trusted(typeof value === 'number' ? String(value) : `'${value}'`);
/** The condition, or none when there is no value. */
export const given = <T>(value: T | undefined, condition: (value: T) => Sql): Sql[] =>
  value === undefined ? [] : [condition(value)];
/** `json`: each row of a `select` as JSON text, which is the reply. */
export const jsonOf = (select: Sql): Sql => sql`select row_to_json(r)::text as json from (${select}) r`;
export const all = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? trusted('true') : joined(conditions, ' and ');

const names = new Map<string, string>();

/** A named statement is parsed and planned once a connection; the name is derived from the text, so it cannot clash. */
export function prepared(statement: Sql): { name?: string; text: string; values: unknown[] } {
  let text = statement.parts[0] ?? '';
  for (let i = 1; i < statement.parts.length; i++) text += `$${i + 1}${statement.parts[i]}`;
  if (statement.adHoc) return { text, values: statement.values as unknown[] };
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url').slice(0, 20);
    names.set(text, name);
  }
  return { name, text, values: statement.values as unknown[] };
}
