// A resource as JSON, and what is asked of such objects.

export type Document = Record<string, unknown>;

export const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** RFC 7643 2.5: unassigned. */
export const isEmpty = (value: unknown): boolean =>
  value == null ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every((inner) => inner === undefined));
/** Only what is assigned. */
export const assigned = (fields: Document): Document =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
export const only = (fields: Document, names: readonly string[]): Document =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]));
export const without = (fields: Document, ...names: readonly string[]): Document =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
export const objectIn = (value: unknown): Document => (isObject(value) ? value : {});
export const entriesIn = (value: unknown): Document[] => (Array.isArray(value) ? (value as Document[]) : []);
export const storable = (text: string) => !text.includes('\0') && text.isWellFormed();
/** A field by its name in any case: providers write startIndex and startindex. */
export const fieldOf = (object: Readonly<Document>, name: string): unknown =>
  object[name] ?? Object.entries(object).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

export function set(holder: Document, name: string, value: unknown) {
  if (isEmpty(value)) delete holder[name];
  else holder[name] = value;
}

/** Entra ID sends "True" and "False". */
export function booleanOf(value: unknown): boolean | undefined {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text === true || text === 'true' || text === 1 || text === '1') return true;
  return text === false || text === 'false' || text === 0 || text === '0' ? false : undefined;
}
