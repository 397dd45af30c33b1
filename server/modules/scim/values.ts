// Lists of values under PATCH: which entries a filter selects, and what an operation makes of them.
// Providers patch what is not there yet (`replace addresses[type eq "work"].locality`): where the filter says what the
// entry would be, it is made; else it is noTarget. Lists of resources are filtered by PostgreSQL: conditions.ts.
import { isDeepStrictEqual } from 'node:util';
import { type Attribute, attributeOf } from './attributes.ts';
import { canonical, canonicalEntry, distinct, VALUES_MAX } from './canonical.ts';
import { assigned, booleanOf, type Document, isEmpty } from './document.ts';
import { refuse } from './errors.ts';
import type { Filter, Operator, Value } from './filter.ts';
import type { Operation } from './patch.ts';

type Change = { op: Operation['op']; filter: Filter | undefined; sub: Attribute | undefined; value: unknown };

/** The entries after the operation. */
export function changedEntries(attribute: Attribute, before: readonly Document[], change: Change): Document[] {
  const after = distinct(
    attribute,
    (change.filter || change.sub ? changedSome : changedAll)(attribute, before, change),
  );
  if (after.length > VALUES_MAX) refuse('invalidValue', `${attribute.name} has more than ${VALUES_MAX} values.`);
  // RFC 7644 3.5.2: a value that becomes primary takes that from the former one.
  const primaries = after.filter(({ primary }) => primary === true);
  if (primaries.length < 2) return after;
  const isNew = (entry: Document) => !before.some((former) => isDeepStrictEqual(former, entry));
  const chosen = primaries.findLast(isNew) ?? primaries[0];
  return after.map((entry) => (entry.primary === true && entry !== chosen ? { ...entry, primary: false } : entry));
}

function changedAll(attribute: Attribute, before: readonly Document[], { op, value }: Change): Document[] {
  const given = canonical(attribute, value) as Document[] | undefined;
  if (op === 'replace') return given ?? [];
  if (op === 'remove') {
    const named = new Set(given?.map((entry) => entry.value));
    return given ? before.filter((entry) => !named.has(entry.value)) : [];
  }
  return [...before, ...(given ?? [])];
}

/** A list of texts, as a list of entries that have only a value. */
export function changedTexts(attribute: Attribute, before: readonly unknown[], change: Change): unknown[] {
  const value = { ...attribute, name: 'value', multiValued: false };
  const complex = { ...attribute, type: 'complex', subAttributes: [value] } as const;
  const entries = before.map((text) => ({ value: text }));
  return changedEntries(complex, entries, change).map((entry) => entry.value);
}

function changedSome(attribute: Attribute, before: readonly Document[], change: Change): Document[] {
  const { op, filter, sub, value } = change;
  const selected = new Set(filter ? before.filter((entry) => matches(filter, entry, attribute)) : before);
  if (op === 'remove' && !sub) return before.filter((entry) => !selected.has(entry));
  const one = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const given = op === 'remove' ? undefined : canonicalEntry(sub ?? attribute, one, attribute.name);
  const fields = sub ? { [sub.name]: given } : (given as Document | undefined);
  if (selected.size === 0) {
    const entry = filter ? entryFor(filter, attribute) : {};
    if (!entry && op !== 'remove') refuse('noTarget', `No entry of ${attribute.name} is selected.`);
    return !entry || isEmpty(given) ? [...before] : [...before, { ...entry, ...fields }];
  }
  return before
    .map((entry) => (selected.has(entry) ? assigned({ ...entry, ...fields }) : entry))
    .filter((entry) => Object.keys(entry).some((name) => name !== 'type' && name !== 'primary'));
}

/** `type eq "work" and primary eq true` says what an entry that is missing would be; other filters do not. */
function entryFor(filter: Filter, attribute: Attribute): Document | undefined {
  if (filter.op === 'eq') {
    const sub = attributeOf(attribute.subAttributes, filter.path.names.join('.'));
    if (!sub || filter.value === null) return undefined;
    return { [sub.name]: sub.type === 'boolean' ? booleanOf(filter.value) === true : filter.value };
  }
  if (filter.op !== 'and') return undefined;
  const parts = filter.filters.map((each) => entryFor(each, attribute));
  return parts.every((part) => part !== undefined) ? Object.assign({}, ...parts) : undefined;
}

function matches(filter: Filter, entry: Document, attribute: Attribute): boolean {
  if (filter.op === 'and') return filter.filters.every((each) => matches(each, entry, attribute));
  if (filter.op === 'or') return filter.filters.some((each) => matches(each, entry, attribute));
  if (filter.op === 'not') return !matches(filter.filter, entry, attribute);
  if (filter.op === 'valuePath') return refuse('invalidPath', 'A filter within a filter selects nothing.');
  const name = filter.path.names.join('.');
  const sub = attributeOf(attribute.subAttributes, name) ?? refuse('invalidPath', `${attribute.name} has no ${name}.`);
  const value = entry[sub.name];
  return filter.op === 'pr' ? value !== undefined : compare(filter.op, value, filter.value, sub);
}

function compare(op: Operator, given: unknown, wanted: Value, { type, caseExact }: Attribute): boolean {
  if (type === 'boolean') {
    if (op !== 'eq' && op !== 'ne') return refuse('invalidFilter', `${op} does not fit a boolean.`);
    return (op === 'eq') === ((given === true) === (booleanOf(wanted) === true));
  }
  if (given === undefined || wanted === null) return (op === 'ne') !== (given === undefined && wanted === null);
  const text = (value: unknown) => (caseExact ? String(value) : String(value).toLowerCase());
  const [left, right] = [text(given), text(wanted)];
  return comparisons[op](left, right);
}
const comparisons: Record<Operator, (left: string, right: string) => boolean> = {
  eq: (left, right) => left === right,
  ne: (left, right) => left !== right,
  co: (left, right) => left.includes(right),
  sw: (left, right) => left.startsWith(right),
  ew: (left, right) => left.endsWith(right),
  gt: (left, right) => left > right,
  ge: (left, right) => left >= right,
  lt: (left, right) => left < right,
  le: (left, right) => left <= right,
};
