// What a provider sent, in one form: names as the schemas write them, "True" as true, one value as a list of one, and
// nothing for "", null, [] and {}: RFC 7643 2.5 counts them as unassigned.
import { bad } from './errors.ts';
import {
  type Attribute,
  type AttributeType,
  attributeOf,
  bareExtensionOf,
  coreAttributes,
  type ResourceType,
  type Schema,
} from './schemas.ts';

export type Document = Record<string, unknown>;

const TEXT_LENGTH_MAX = 8000;
export const VALUES_MAX = 1000;
const MEMBERS_MAX = 20_000;
const DOCUMENT_LENGTH_MAX = 200_000;

export const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.values(value).every((inner) => inner === undefined));
export const isUrn = (name: string) => /^urn:/i.test(name);

const scalars: Record<Exclude<AttributeType, 'complex'>, (value: unknown, path: string) => unknown> = {
  boolean: (value, path) => booleanText(value) ?? bad('invalidValue', `${path} must be true or false.`),
  string: textOf,
  reference: textOf,
  binary: textOf,
  dateTime: textOf,
};

/** Entra ID sends "True" and "False". */
export function booleanText(value: unknown): boolean | undefined {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text === true || text === 'true' || text === 1 || text === '1') return true;
  return text === false || text === 'false' || text === 0 || text === '0' ? false : undefined;
}

function textOf(value: unknown, path: string): string {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string') return bad('invalidValue', `${path} must be text.`);
  if (text.length > TEXT_LENGTH_MAX) bad('invalidValue', `${path} has more than ${TEXT_LENGTH_MAX} characters.`);
  return storable(text) ? text : bad('invalidValue', `${path} has null bytes or broken characters.`);
}
export const storable = (text: string) => !text.includes('\0') && text.isWellFormed();

/** A whole attribute; undefined when it is unassigned. */
export function canonical(attribute: Attribute, value: unknown, path = attribute.name): unknown {
  if (!attribute.multiValued)
    return canonicalOne(attribute, Array.isArray(value) && value.length === 1 ? value[0] : value, path);
  const list = Array.isArray(value) ? value : [value];
  const most = attribute.name === 'members' ? MEMBERS_MAX : VALUES_MAX;
  if (list.length > most) bad('invalidValue', `${path} has more than ${most} values.`);
  const entries = list.map((entry) => canonicalOne(attribute, entry, path)).filter((entry) => entry !== undefined);
  if (entries.filter((entry) => isObject(entry) && entry.primary === true).length > 1)
    bad('invalidValue', `${path} has more than one primary value.`);
  return entries.length > 0 ? entries : undefined;
}

/** One value, or one entry of a list. */
export function canonicalOne(attribute: Attribute, value: unknown, path = attribute.name): unknown {
  if (isEmpty(value)) return undefined;
  if (attribute.type !== 'complex') {
    if (isObject(value) && 'value' in value) return canonicalOne(attribute, value.value, path);
    return scalars[attribute.type](value, path);
  }
  if (!isObject(value)) {
    const sub = attributeOf(attribute.subAttributes, 'value');
    const text = sub ? canonicalOne(sub, value, path) : bad('invalidValue', `${path} must be an object.`);
    return text === undefined ? undefined : { value: text };
  }
  const result: Document = {};
  for (const [name, inner] of Object.entries(value)) {
    const sub = attributeOf(attribute.subAttributes, name);
    if (!sub || sub.mutability === 'readOnly') continue;
    const given = canonicalOne(sub, inner, `${path}.${sub.name}`);
    if (given !== undefined) result[sub.name] = given;
  }
  return isEmpty(result) ? undefined : result;
}

/** An extension that no schema describes is kept as it came. */
export function keptValue(value: unknown, path: string): unknown {
  if (typeof value === 'string' && !storable(value))
    bad('invalidValue', `${path} has null bytes or broken characters.`);
  if (Array.isArray(value)) {
    const list = value.map((entry) => keptValue(entry, path)).filter((entry) => entry !== undefined);
    return list.length > 0 ? list : undefined;
  }
  if (isObject(value)) {
    const entries = Object.entries(value).flatMap(([name, inner]) => {
      const kept = keptValue(inner, path);
      return kept === undefined ? [] : [[keptValue(name, path) ?? '', kept]];
    });
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  }
  return isEmpty(value) ? undefined : value;
}

/** PATCH can make a person larger than any one request is. */
export function limited(document: Document): Document {
  if (JSON.stringify(document).length > DOCUMENT_LENGTH_MAX) bad('invalidValue', 'The user is too large.');
  return document;
}

/** The body of a create or a replacement. Read-only and unknown attributes are dropped: RFC 7644 3.3. */
export function readDocument(type: ResourceType, body: unknown): Document {
  if (!isObject(body)) return bad('invalidSyntax', 'The body must be an object.');
  const document: Document = {};
  for (const [given, value] of Object.entries(body)) {
    const { schema, name } = ownerOf(type, given);
    const extension = schema ?? bareExtensionOf(type, name);
    if (extension) assignExtension(document, extension, { [name]: value });
    else if (isUrn(name)) readExtension(document, type, name, value);
    else readAttribute(document, type, name, value);
  }
  return document;
}

/** `urn:…:User:department` is an attribute of that extension, `urn:…:core:2.0:User:title` one of the resource. */
function ownerOf(type: ResourceType, name: string): { schema?: Schema; name: string } {
  const end = isUrn(name) ? name.lastIndexOf(':') : -1;
  const [urn, rest] = [name.slice(0, Math.max(end, 0)), name.slice(end + 1)];
  const schema = extensionOf(type, urn);
  if (schema) return { schema, name: rest };
  return { name: urn.toLowerCase() === type.core.id.toLowerCase() ? rest : name };
}

function readAttribute(document: Document, type: ResourceType, name: string, value: unknown) {
  const attribute = attributeOf(coreAttributes(type), name);
  if (!attribute || attribute.mutability === 'readOnly' || attribute.name === 'schemas') return;
  const given = canonical(attribute, value);
  if (given !== undefined) document[attribute.name] = given;
}

export const extensionOf = (type: ResourceType, urn: string): Schema | undefined =>
  type.extensions.find(({ id }) => id.toLowerCase() === urn.toLowerCase());

function readExtension(document: Document, type: ResourceType, urn: string, value: unknown) {
  if (urn.toLowerCase() === type.core.id.toLowerCase()) {
    for (const [name, inner] of Object.entries(isObject(value) ? value : {}))
      readAttribute(document, type, name, inner);
    return;
  }
  const extension = extensionOf(type, urn);
  if (extension) return assignExtension(document, extension, value);
  const kept = keptValue(value, String(keptValue(urn, 'The name of an extension')));
  if (kept !== undefined) document[urn] = kept;
}

export function assignExtension(document: Document, { id, attributes }: Schema, value: unknown) {
  if (isEmpty(value)) return;
  if (!isObject(value)) return bad('invalidValue', `${id} must be an object.`);
  const result: Document = { ...(document[id] as Document | undefined) };
  for (const [name, inner] of Object.entries(value)) {
    const attribute = attributeOf(attributes, name);
    const given = attribute && canonical(attribute, inner);
    if (attribute && given !== undefined) result[attribute.name] = given;
  }
  if (!isEmpty(result)) document[id] = result;
}
