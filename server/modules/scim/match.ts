// Whether an entry of a list of values satisfies a filter: for the paths of PATCH, which work on one resource in memory.
// Lists of resources are filtered by PostgreSQL: conditions.ts.
import { isObject } from './document.ts';
import { bad } from './errors.ts';
import type { Filter, Operator, Value } from './filter.ts';
import { type Attribute, attributeOf } from './schemas.ts';

export function matches(filter: Filter, entry: unknown, attribute: Attribute): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((each) => matches(each, entry, attribute));
    case 'or':
      return filter.filters.some((each) => matches(each, entry, attribute));
    case 'not':
      return !matches(filter.filter, entry, attribute);
    case 'has':
      return bad('invalidPath', 'A filter within a filter selects nothing.');
    default: {
      const sub =
        attributeOf(attribute.subAttributes, filter.path.names.join('.')) ??
        bad('invalidPath', `${attribute.name} has no ${filter.path.names.join('.')}.`);
      const value = isObject(entry) ? entry[sub.name] : undefined;
      if (filter.op === 'pr') return value !== undefined;
      return compare(filter.op, value, filter.value, sub);
    }
  }
}

function compare(op: Operator, given: unknown, wanted: Value, { type, caseExact }: Attribute): boolean {
  if (type === 'boolean') {
    const same = (given === true) === (String(wanted).toLowerCase() === 'true');
    return op === 'eq' ? same : op === 'ne' ? !same : bad('invalidFilter', `${op} does not fit a boolean.`);
  }
  const text = (value: unknown) => (caseExact ? String(value) : String(value).toLowerCase());
  if (given === undefined || wanted === null) return (op === 'ne') !== (given === undefined && wanted === null);
  const [left, right] = [text(given), text(wanted)];
  const results: Record<Operator, boolean> = {
    eq: left === right,
    ne: left !== right,
    co: left.includes(right),
    sw: left.startsWith(right),
    ew: left.endsWith(right),
    gt: left > right,
    ge: left >= right,
    lt: left < right,
    le: left <= right,
  };
  return results[op];
}

/** `type eq "work" and primary eq true` says what an entry that is missing would be; other filters do not. */
export function entryFor(filter: Filter, attribute: Attribute): Record<string, unknown> | undefined {
  if (filter.op === 'eq') {
    const sub = attributeOf(attribute.subAttributes, filter.path.names.join('.'));
    if (!sub || filter.value === null) return undefined;
    return { [sub.name]: sub.type === 'boolean' ? String(filter.value).toLowerCase() === 'true' : filter.value };
  }
  if (filter.op !== 'and') return undefined;
  const parts = filter.filters.map((each) => entryFor(each, attribute));
  return parts.every((part) => part !== undefined) ? Object.assign({}, ...parts) : undefined;
}
