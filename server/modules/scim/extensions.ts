// Attributes of extensions that no schema describes: kept as they came, and patched by rules of their own.
import { attributeOf, attributePath, isSame, isUrn, type Schema } from './attributes.ts';
import { type Document, isEmpty, isObject, objectIn, set, storable } from './document.ts';
import { refuse } from './errors.ts';
import type { Operation } from './patch.ts';
import { ATRIUM, ENTERPRISE } from './schemas.ts';

type Extension = [urn: string, fields: Document];
export const extensionsOf = (document: Document) =>
  Object.entries(document).filter((one): one is Extension => isUrn(one[0]) && isObject(one[1]));
/** Those that no schema describes. */
export const customExtensions = (document: Document) =>
  extensionsOf(document).filter(([urn]) => urn !== ENTERPRISE && urn !== ATRIUM);

/** What is said in an extension beyond its schema. */
export const undescribed = ({ attributes }: Schema, fields: Document): Document =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !attributeOf(attributes, name.split('.')[0]))
      .map(([name, value]) => [keptValue(name, 'The name of an attribute') ?? '', keptValue(value, name)]),
  );

/** What is storable and assigned of it. */
export function keptValue(value: unknown, path: string): unknown {
  if (typeof value === 'string' && !storable(value))
    refuse('invalidValue', `${path} has null bytes or broken characters.`);
  if (typeof value !== 'object' || value === null) return isEmpty(value) ? undefined : value;
  const entries = Object.entries(value)
    .map(([name, inner]) => [keptValue(name, path) ?? '', keptValue(inner, path)])
    .filter(([, inner]) => inner !== undefined);
  if (entries.length === 0) return undefined;
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** PATCH of the whole, or of one attribute. */
export function changeUndescribed(document: Document, text: string, op: Operation['op'], value: unknown) {
  const { schema: urn = '', names } = attributePath(text);
  const isWhole = isUrn(urn) && (text in document || (isObject(value) && isSame(names[0] ?? '', 'user')));
  const holder = isWhole ? document : { ...objectIn(document[urn]) };
  const name = names.join('.');
  const key = isWhole ? text : (Object.keys(holder).find((each) => isSame(each, name)) ?? name);
  const former = holder[key];
  const given = op === 'remove' ? undefined : keptValue(value, text);
  set(holder, key, isObject(given) && isObject(former) ? { ...former, ...given } : given);
  if (!isWhole) set(document, urn, holder);
}
