// What a provider sent, in one form: names as the schemas write them, "True" as true, one value as a list of one, and
// nothing for "", null, [] and {}: RFC 7643 2.5 counts them as unassigned.
import {
  type Attribute,
  attributeOf,
  attributePath,
  isSame,
  type ResourceType,
  schemaById,
  schemaOf,
} from './attributes.ts';
import { assigned, booleanOf, type Document, fieldOf, isEmpty, isObject, objectIn, storable } from './document.ts';
import { refuse } from './errors.ts';
import { keptValue, undescribed } from './extensions.ts';

const TEXT_LENGTH_MAX = 8000;
export const VALUES_MAX = 1000;
const MEMBERS_MAX = 20_000;

function textOf(value: unknown, path: string): string {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string') return refuse('invalidValue', `${path} must be text.`);
  if (text.length > TEXT_LENGTH_MAX) refuse('invalidValue', `${path} has more than ${TEXT_LENGTH_MAX} characters.`);
  return storable(text) ? text : refuse('invalidValue', `${path} has null bytes or broken characters.`);
}

/** A whole attribute; undefined when it is unassigned. */
export function canonical(attribute: Attribute, value: unknown, path = attribute.name): unknown {
  const list = Array.isArray(value) ? value : [value];
  if (!attribute.multiValued) return canonicalEntry(attribute, list.length === 1 ? list[0] : value, path);
  const most = attribute.name === 'members' ? MEMBERS_MAX : VALUES_MAX;
  if (list.length > most) refuse('invalidValue', `${path} has more than ${most} values.`);
  const given = list.map((entry) => canonicalEntry(attribute, entry, path)).filter((entry) => entry !== undefined);
  const entries = distinct(attribute, given);
  if (entries.filter((entry) => isObject(entry) && entry.primary === true).length > 1)
    refuse('invalidValue', `${path} has more than one primary value.`);
  return entries.length > 0 ? entries : undefined;
}

/** RFC 7643 2.4: a type and value occur once; what is said of them later counts. */
export function distinct<Entry>({ subAttributes }: Attribute, entries: readonly Entry[]): Entry[] {
  const isExact = attributeOf(subAttributes, 'value')?.caseExact;
  const keyOf = (entry: unknown) => {
    if (!isObject(entry)) return entry;
    const { type, value } = entry;
    if (value === undefined) return JSON.stringify(Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return JSON.stringify([String(type).toLowerCase(), isExact ? value : String(value).toLowerCase()]);
  };
  const found = new Map<unknown, Entry>();
  for (const entry of entries) {
    const key = keyOf(entry);
    found.set(key, isObject(entry) ? { ...found.get(key), ...entry } : entry);
  }
  return [...found.values()];
}

/** One value, or one entry of a list. */
export function canonicalEntry(attribute: Attribute, value: unknown, path = attribute.name): unknown {
  if (isEmpty(value)) return undefined;
  if (attribute.type !== 'complex') {
    if (isObject(value) && 'value' in value) return canonicalEntry(attribute, value.value, path);
    if (attribute.type !== 'boolean') return textOf(value, path);
    return booleanOf(value) ?? refuse('invalidValue', `${path} must be true or false.`);
  }
  const { subAttributes = [] } = attribute;
  if (!isObject(value) && !attributeOf(subAttributes, 'value')) refuse('invalidValue', `${path} must be an object.`);
  const given = readAttributes(subAttributes, isObject(value) ? value : { value }, canonicalEntry, `${path}.`);
  return isEmpty(given) ? undefined : given;
}

/** What an object says of these attributes. Read-only and unknown ones are dropped: RFC 7644 3.3. */
function readAttributes(attributes: readonly Attribute[], fields: Document, read: typeof canonical, prefix = '') {
  const result: Document = {};
  for (const [name, value] of Object.entries(fields)) {
    const attribute = attributeOf(attributes, name);
    if (!attribute || attribute.mutability === 'readOnly') continue;
    const given = read(attribute, value, prefix + attribute.name);
    if (given !== undefined) result[attribute.name] = given;
  }
  return result;
}

/** The body of a create or a replacement. */
export function readDocument(type: ResourceType, body: unknown): Document {
  if (!isObject(body)) return refuse('invalidSyntax', 'The body must be an object.');
  const named = [fieldOf(body, 'schemas')].flat();
  if (!named.some((urn) => isSame(String(urn), type.core.id)))
    refuse('invalidSyntax', `schemas must name ${type.core.id}.`);
  const document: Document = {};
  for (const [name, value] of Object.entries(body)) {
    const path = attributePath(name);
    const whole = schemaById(type, name);
    const schema = whole ?? schemaOf(type, path);
    const fields = whole ? value : { [path.names.join('.')]: value };
    if (!schema) document[name] = keptValue(value, String(keptValue(name, 'The name of an extension')));
    else if (isObject(fields)) {
      const given = readAttributes(schema.attributes, fields, canonical);
      if (schema === type.core) Object.assign(document, given);
      else document[schema.id] = { ...objectIn(document[schema.id]), ...undescribed(schema, fields), ...given };
    } else if (schema !== type.core && !isEmpty(fields)) refuse('invalidValue', `${schema.id} must be an object.`);
  }
  return assigned(document);
}
