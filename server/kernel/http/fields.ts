// Forms and query strings write trees as flat names: `ids[]`, `ids[0]`, `audience[spaces][]`. One reader for all.
//
// What a form costs is bounded before it is read: it has so many fields at most, and of names that its endpoint does
// not have only that they are there is kept, for the warning.
import { refuse, refuseInvalid } from '../contract/errors.ts';

const FIELDS_MAX = 5000;
const UNKNOWN_MAX = 200;
const DEPTH_MAX = 6;

/** A tree from outside: objects have no prototype, so a field may carry any name. */
export type Tree = { [name: string]: unknown };
/** Names before the first bracket that the endpoint has. */
export type Known = ReadonlySet<string>;

/** Keys by their order; without a name (`x[]`) an entry takes the next number. A list is one with numbers only. */
class Branch extends Map<string, unknown> {
  next = 0;
  /** All keys so far are numbers. */
  isList = true;
}

/** Takes the names of a form as they come. Says whether a field is read; throws when there are too many. */
export function countFields(known: Known | undefined) {
  const unknown = new Set<string>();
  let fields = 0;
  return (name: string): boolean => {
    if (++fields > FIELDS_MAX) refuse('payload_too_large', `A form may have at most ${FIELDS_MAX} fields.`);
    const first = firstKey(name);
    if (known === undefined || known.has(first)) return true;
    unknown.add(first);
    if (unknown.size > UNKNOWN_MAX)
      refuse('payload_too_large', `This form has more than ${UNKNOWN_MAX} fields that its endpoint does not have.`);
    return false;
  };
}

export function firstKey(name: string): string {
  const open = name.indexOf('[');
  return open > 0 ? name.slice(0, open) : name;
}

export function treeOf(fields: readonly (readonly [name: string, value: unknown])[]): Tree {
  const root = new Branch();
  for (const [name, value] of fields) put(root, pathOf(name), value);
  return objectOf(root);
}

function pathOf(name: string): string[] {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [name];
  const keys = name.slice(open + 1, -1).split('][', DEPTH_MAX);
  if (keys.length >= DEPTH_MAX) refuse('malformed_body', `The field name "${name.slice(0, 80)}" is nested too deeply.`);
  return [name.slice(0, open), ...keys];
}

const NUMBER = /^\d{1,9}$/;

function put(root: Branch, path: readonly string[], value: unknown) {
  let branch = root;
  for (const [depth, name] of path.entries()) {
    const key = name === '' && depth > 0 ? String(branch.next) : name;
    if (!NUMBER.test(key)) branch.isList = false;
    else branch.next = Math.max(branch.next, Number(key) + 1);
    const there = branch.get(key);
    if (depth < path.length - 1) {
      const inner = there instanceof Branch ? there : new Branch();
      if (inner !== there) branch.set(key, inner);
      branch = inner;
    } else if (Array.isArray(there)) {
      there.push(value);
    } else {
      // A name that is repeated without brackets is a list too.
      branch.set(key, there === undefined || there instanceof Branch ? value : [there, value]);
    }
  }
}

const objectOf = (branch: Branch): Tree => {
  const tree: Tree = Object.create(null);
  for (const [key, node] of branch) tree[key] = settled(node);
  return tree;
};

function settled(node: unknown): unknown {
  if (!(node instanceof Branch)) return node;
  if (!node.isList) return objectOf(node);
  return [...node].sort(([a], [b]) => Number(a) - Number(b)).map(([, entry]) => settled(entry));
}

const [PLUS, SPACE] = [0x2b, 0x20];
/** Over its bytes: the engine's replaceAll takes fifty times as long with megabytes of them. */
function withSpaces(part: string): string {
  if (!part.includes('+')) return part;
  const bytes = Buffer.from(part);
  for (let at = bytes.indexOf(PLUS); at < bytes.length; at++) if (bytes[at] === PLUS) bytes[at] = SPACE;
  return bytes.toString();
}

/** `name` is named where it cannot be read. */
function decoded(part: string, name: string): string {
  try {
    return decodeURIComponent(withSpaces(part));
  } catch {
    return refuseInvalid(name.slice(0, 80), 'must be percent-encoded UTF-8');
  }
}

/** `application/x-www-form-urlencoded` and query strings: UTF-8, percent-encoded. */
export function parseUrlencoded(written: string, known?: Known): Tree {
  const text = written.replace(/&{2,}/g, '&').replace(/^&/, '');
  const isRead = countFields(known);
  const fields: [name: string, value: string][] = [];
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('&', start);
    const end = next < 0 ? text.length : next;
    const pair = text.slice(start, end);
    const equals = pair.indexOf('=');
    const before = equals < 0 ? pair : pair.slice(0, equals);
    const name = decoded(before, before);
    const isKnown = isRead(name);
    if (isKnown) fields.push([name, equals < 0 ? '' : decoded(pair.slice(equals + 1), name)]);
    else fields.push([firstKey(name), '']);
    start = end + 1;
  }
  return treeOf(fields);
}
