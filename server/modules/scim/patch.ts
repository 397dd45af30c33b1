// RFC 7644 3.5.2: PATCH on one document in memory.
//   read       operations in any case, paths as filter.ts reads them
//   locate     the document itself, an extension that a schema describes, or one that is kept as it came
//   apply      one attribute, a sub-attribute, or entries of a list that a filter selects
// Providers patch what is not there yet (`replace addresses[type eq "work"].locality`): where the filter says what the
// entry would be, it is made; else it is noTarget.
import { isDeepStrictEqual } from 'node:util';
import {
  assignExtension,
  canonical,
  canonicalOne,
  type Document,
  extensionOf,
  isEmpty,
  isObject,
  isUrn,
  keptValue,
  VALUES_MAX,
} from './document.ts';
import { bad } from './errors.ts';
import { parseTarget, pathOf, type Target } from './filter.ts';
import { entryFor, matches } from './match.ts';
import { type Attribute, attributeOf, bareExtensionOf, coreAttributes, type ResourceType } from './schemas.ts';

export interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string | undefined;
  readonly value: unknown;
}
type Op = Operation['op'];
const OPERATIONS_MAX = 1000;

export function readOperations(body: unknown): Operation[] {
  const given = isObject(body) ? ofAnyCase(body, 'Operations') : undefined;
  if (!Array.isArray(given)) return bad('invalidSyntax', 'The body needs a list of Operations.');
  if (given.length > OPERATIONS_MAX) bad('tooMany', `At most ${OPERATIONS_MAX} operations at once.`);
  return given.map((each) => {
    if (!isObject(each)) return bad('invalidSyntax', 'An operation must be an object.');
    const op = String(ofAnyCase(each, 'op')).toLowerCase();
    if (op !== 'add' && op !== 'replace' && op !== 'remove')
      return bad('invalidSyntax', 'op must be add, replace or remove.');
    const path = ofAnyCase(each, 'path') ?? undefined;
    if (path !== undefined && typeof path !== 'string') return bad('invalidPath', 'path must be text.');
    const value = ofAnyCase(each, 'value');
    if (op !== 'remove' && value === undefined) return bad('invalidValue', `${op} needs a value.`);
    if (op === 'remove' && !path) return bad('noTarget', 'remove needs a path.');
    return { op, path: path === '' ? undefined : path, value };
  });
}
const ofAnyCase = (object: Document, name: string) =>
  object[name] ?? Object.entries(object).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

/** Applies the operations in their order; the given document stays as it is. */
export function patched(type: ResourceType, document: Document, operations: readonly Operation[]): Document {
  const result = structuredClone(document);
  for (const { op, path, value } of operations) {
    if (path !== undefined) applyPath(type, result, op, path, value);
    else if (isObject(value)) applyFields(type, result, op, value);
    else bad('invalidValue', 'Without a path the value must be an object.');
  }
  return result;
}

/** Keys of a value without path are paths themselves: `name.givenName`, `urn:…:User:department`, `active`. */
function applyFields(type: ResourceType, document: Document, op: Op, fields: Document, urn = '') {
  for (const [key, value] of Object.entries(fields)) {
    if (urn === '' && attributeOf(coreAttributes(type), key)?.mutability === 'readOnly') continue;
    if (key.toLowerCase() === 'schemas') continue;
    applyPath(type, document, op, urn === '' ? key : `${urn}:${key}`, value);
  }
}

function applyPath(type: ResourceType, document: Document, op: Op, text: string, value: unknown) {
  const extension = extensionOf(type, text);
  if (extension) {
    if (op === 'remove' || isEmpty(value)) delete document[extension.id];
    else if (isObject(value)) applyFields(type, document, op, value, extension.id);
    else bad('invalidValue', `${extension.id} must be an object.`);
    return;
  }
  const { schema } = pathOf(text);
  const own = schema === undefined || schema.toLowerCase() === type.core.id.toLowerCase();
  if (!own && !extensionOf(type, schema)) return applyKept(document, op, text, value);
  const target = parseTarget(text);
  const described = own ? bareExtensionOf(type, target.path.names[0] ?? '') : extensionOf(type, schema ?? '');
  const attribute = attributeOf(described ? described.attributes : coreAttributes(type), target.path.names[0] ?? '');
  if (!attribute || attribute.name === 'schemas') return;
  if (attribute.mutability === 'readOnly') bad('mutability', `${attribute.name} is read-only.`);
  if (!described) return applyAttribute(document, attribute, op, target, value);
  const holder = { ...(document[described.id] as Document | undefined) };
  applyAttribute(holder, attribute, op, target, value);
  delete document[described.id];
  assignExtension(document, described, holder);
}

/** An extension that no schema describes: the whole, or one attribute of it. */
function applyKept(document: Document, op: Op, text: string, value: unknown) {
  const { schema = '', names } = pathOf(text);
  const isWhole = isObject(value) || text in document;
  const [urn, name] =
    isWhole && isUrn(schema) && (text in document || /^user$/i.test(names[0] ?? ''))
      ? [text, undefined]
      : [schema, names];
  const holder = name === undefined ? document : { ...(document[urn] as Document | undefined) };
  const key =
    name === undefined
      ? urn
      : (Object.keys(holder).find((each) => each.toLowerCase() === name.join('.').toLowerCase()) ?? name.join('.'));
  const kept = op === 'remove' ? undefined : keptValue(value, text);
  if (kept === undefined) delete holder[key];
  else holder[key] = isObject(kept) && isObject(holder[key]) ? { ...(holder[key] as Document), ...kept } : kept;
  if (name === undefined) return;
  if (isEmpty(holder)) delete document[urn];
  else document[urn] = holder;
}

function applyAttribute(holder: Document, attribute: Attribute, op: Op, target: Target, value: unknown) {
  const { path, filter } = target;
  const subName = target.sub ?? path.names[1];
  const sub = subName === undefined ? undefined : attributeOf(attribute.subAttributes, subName);
  if (subName !== undefined && attribute.type !== 'complex')
    bad('invalidPath', `${attribute.name} has no sub-attributes.`);
  if (filter && !attribute.multiValued) bad('invalidPath', `${attribute.name} has one value: a filter cannot select.`);
  // manager.displayName and name.formatted are sent by providers, and follow from the rest here.
  if (subName !== undefined && (!sub || sub.mutability === 'readOnly')) return;
  if (op === 'remove' && subName === undefined && attribute.required)
    bad('mutability', `${attribute.name} is required and cannot be removed.`);
  if (attribute.multiValued)
    applyToList(holder, attribute, op, { ...target, ...(sub ? { sub: sub.name } : {}) }, value);
  else if (sub) {
    const inner = { ...(holder[attribute.name] as Document | undefined) };
    set(inner, sub.name, op === 'remove' ? undefined : canonicalOne(sub, value, `${attribute.name}.${sub.name}`));
    set(holder, attribute.name, inner);
  } else {
    const given = op === 'remove' ? undefined : canonical(attribute, value);
    const former = holder[attribute.name];
    // RFC 7644 3.5.2.3: sub-attributes that are not named stay.
    set(holder, attribute.name, isObject(given) && isObject(former) ? { ...former, ...given } : given);
  }
}

const set = (holder: Document, name: string, value: unknown) => {
  if (isEmpty(value)) delete holder[name];
  else holder[name] = value;
};

function applyToList(holder: Document, attribute: Attribute, op: Op, { filter, sub }: Target, value: unknown) {
  const entries = ((holder[attribute.name] as Document[] | undefined) ?? []).map((entry) => ({ ...entry }));
  const selected = filter ? entries.filter((entry) => matches(filter, entry, attribute)) : entries;
  const keep = (result: Document[]) => set(holder, attribute.name, onePrimary(entries, result));
  if (sub === undefined && !filter) {
    const given = (value === undefined ? undefined : canonical(attribute, value)) as Document[] | undefined;
    if (op === 'remove') {
      const named = given && new Set(given.map((one) => one.value));
      return keep(named ? entries.filter((entry) => !named.has(entry.value)) : []);
    }
    if (op === 'replace') return keep(given ?? []);
    const there = new Set(entries.map(spelled));
    const all = [...entries, ...(given ?? []).filter((one) => !there.has(spelled(one)))];
    if (all.length > VALUES_MAX) bad('invalidValue', `${attribute.name} has more than ${VALUES_MAX} values.`);
    return keep(all);
  }
  if (op === 'remove' && sub === undefined) return keep(entries.filter((entry) => !selected.includes(entry)));
  const subAttribute = sub === undefined ? undefined : attributeOf(attribute.subAttributes, sub);
  const given = op === 'remove' ? undefined : canonicalOne(subAttribute ?? attribute, firstOf(value), attribute.name);
  const fields = sub === undefined ? (given as Document | undefined) : { [sub]: given };
  if (selected.length === 0) {
    const entry = filter ? entryFor(filter, attribute) : {};
    if (!entry && op !== 'remove') bad('noTarget', `No entry of ${attribute.name} is selected.`);
    return keep(entry && !isEmpty(given) ? [...entries, { ...entry, ...fields }] : entries);
  }
  const changed = entries.map((entry) => (selected.includes(entry) ? prune({ ...entry, ...fields }) : entry));
  return keep(changed.filter((entry) => Object.keys(entry).some((name) => name !== 'type' && name !== 'primary')));
}

/** Equal for entries that say the same in any order. */
const spelled = (entry: Document) => JSON.stringify(Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)));
const firstOf = (value: unknown) => (Array.isArray(value) && value.length === 1 ? value[0] : value);
const prune = (entry: Document) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));

/** RFC 7644 3.5.2: a value that becomes primary takes that from the former one. */
function onePrimary(before: readonly Document[], entries: Document[]): Document[] {
  const primaries = entries.filter(({ primary }) => primary === true);
  if (primaries.length < 2) return entries;
  const fresh = primaries.filter((entry) => !before.some((former) => isDeepStrictEqual(former, entry)));
  const chosen = fresh.at(-1) ?? primaries[0];
  return entries.map((entry) => (entry.primary === true && entry !== chosen ? { ...entry, primary: false } : entry));
}
