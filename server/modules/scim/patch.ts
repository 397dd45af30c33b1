// RFC 7644 3.5.2: PATCH on one document in memory.
//   read       operations in any case, paths as filter.ts reads them
//   locate     the document itself, an extension that a schema describes, or one that is kept as it came
//   apply      one attribute, a sub-attribute, or entries of a list: values.ts
import { type Attribute, attributeOf, attributePath, type ResourceType, schemaById, schemaOf } from './attributes.ts';
import { canonical, canonicalEntry } from './canonical.ts';
import { assigned, type Document, entriesIn, fieldOf, isEmpty, isObject, objectIn, set } from './document.ts';
import { refuse } from './errors.ts';
import { changeUndescribed } from './extensions.ts';
import { parseTarget, type Target } from './filter.ts';
import { changedEntries, changedTexts } from './values.ts';

type Op = 'add' | 'replace' | 'remove';
export type Operation = { readonly op: Op; readonly path: string | undefined; readonly value: unknown };
const isOp = (op: string): op is Op => op === 'add' || op === 'replace' || op === 'remove';
const OPERATIONS_MAX = 1000;

export function readOperations(body: unknown): Operation[] {
  const given = isObject(body) ? fieldOf(body, 'Operations') : undefined;
  if (!Array.isArray(given)) return refuse('invalidSyntax', 'The body needs a list of Operations.');
  if (given.length > OPERATIONS_MAX) refuse('tooMany', `At most ${OPERATIONS_MAX} operations at once.`);
  return given.map((each) => {
    if (!isObject(each)) return refuse('invalidSyntax', 'An operation must be an object.');
    const op = String(fieldOf(each, 'op')).toLowerCase();
    if (!isOp(op)) return refuse('invalidSyntax', 'op must be add, replace or remove.');
    const path = fieldOf(each, 'path') ?? undefined;
    if (path !== undefined && typeof path !== 'string') return refuse('invalidPath', 'path must be text.');
    const value = fieldOf(each, 'value');
    if (op !== 'remove' && value === undefined) return refuse('invalidValue', `${op} needs a value.`);
    if (op === 'remove' && !path) return refuse('noTarget', 'remove needs a path.');
    return { op, path: path === '' ? undefined : path, value };
  });
}

/** Applies the operations in their order; the given document stays as it is. */
export function patched(type: ResourceType, document: Document, operations: readonly Operation[]): Document {
  const result = structuredClone(document);
  for (const { op, path, value } of operations) {
    if (path !== undefined) applyPath(type, result, op, path, value);
    else if (isObject(value)) applyFields(type, result, op, value);
    else refuse('invalidValue', 'Without a path the value must be an object.');
  }
  return result;
}

/** Keys of a value without path are paths themselves: `name.givenName`, `urn:…:User:department`, `active`. */
function applyFields(type: ResourceType, document: Document, op: Op, fields: Document, prefix = '') {
  for (const [name, value] of Object.entries(fields)) {
    const isReadOnly = prefix === '' && attributeOf(type.core.attributes, name)?.mutability === 'readOnly';
    if (!isReadOnly) applyPath(type, document, op, prefix + name, value);
  }
}

function applyPath(type: ResourceType, document: Document, op: Op, text: string, value: unknown) {
  const whole = schemaById(type, text);
  if (whole) {
    if (op === 'remove' || isEmpty(value)) delete document[whole.id];
    else if (isObject(value)) applyFields(type, document, op, value, `${whole.id}:`);
    else refuse('invalidValue', `${whole.id} must be an object.`);
    return;
  }
  const { schema: urn, names } = attributePath(text);
  if (urn !== undefined && !isDescribed(type, urn, names[0])) {
    const id = schemaById(type, urn)?.id ?? urn;
    return changeUndescribed(document, id + text.slice(urn.length), op, value);
  }
  const target = parseTarget(text);
  const schema = schemaOf(type, target.path) ?? type.core;
  const attribute = attributeOf(schema.attributes, target.path.names[0]);
  if (!attribute) return;
  if (attribute.mutability === 'readOnly') refuse('mutability', `${attribute.name} is read-only.`);
  if (schema === type.core) return applyAttribute(document, attribute, op, target, value);
  const extension = { ...objectIn(document[schema.id]) };
  applyAttribute(extension, attribute, op, target, value);
  set(document, schema.id, extension);
}

/** Names of extensions may have spaces: what no schema has is not read as a path. */
function isDescribed(type: ResourceType, urn: string, name = '') {
  const schema = schemaById(type, urn);
  return schema === type.core || attributeOf(schema?.attributes, /^[^[]*/.exec(name)?.[0]) !== undefined;
}

function applyAttribute(holder: Document, attribute: Attribute, op: Op, target: Target, value: unknown) {
  const { name, type, multiValued, subAttributes } = attribute;
  const { filter } = target;
  const sub = attributeOf(subAttributes, target.sub);
  if (target.sub !== undefined && type !== 'complex') refuse('invalidPath', `${name} has no sub-attributes.`);
  if (filter && !multiValued) refuse('invalidPath', `${name} has one value: a filter cannot select.`);
  // manager.displayName is sent by providers, and follows from the rest here.
  if (target.sub !== undefined && (!sub || sub.mutability === 'readOnly')) return;
  if (op === 'remove' && !sub && attribute.required) refuse('mutability', `${name} is required and cannot be removed.`);
  if (multiValued) {
    const changed = type === 'complex' ? changedEntries : changedTexts;
    return set(holder, name, changed(attribute, entriesIn(holder[name]), { op, filter, sub, value }));
  }
  const wanted = op === 'remove' ? undefined : value;
  const given = sub ? { [sub.name]: canonicalEntry(sub, wanted, `${name}.${sub.name}`) } : canonical(attribute, wanted);
  // RFC 7644 3.5.2.3: sub-attributes that are not named stay.
  set(holder, name, isObject(given) ? assigned({ ...objectIn(holder[name]), ...given }) : given);
}
