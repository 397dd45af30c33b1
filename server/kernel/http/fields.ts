// Forms and query strings write trees as flat names: `ids[]`, `ids[0]`, `audience[spaces][]`. One reader for all.
import { Refusal } from '../contract/errors.ts';

const FIELDS_MAX = 10_000;
const DEPTH_MAX = 6;

/** A tree from outside: objects have no prototype, so a field may carry any name. */
export type Tree = { [name: string]: unknown };

export function treeOf(fields: Iterable<readonly [name: string, value: unknown]>): Tree {
  const tree: Tree = Object.create(null);
  let count = 0;
  for (const [name, value] of fields) {
    if (++count > FIELDS_MAX) throw new Refusal('payload_too_large', `A form may have at most ${FIELDS_MAX} fields.`);
    put(tree, pathOf(name), value);
  }
  return settle(tree) as Tree;
}

function pathOf(name: string): string[] {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [name];
  const path = [name.slice(0, open), ...name.slice(open + 1, -1).split('][')];
  if (path.length > DEPTH_MAX)
    throw new Refusal('malformed_body', `The field name "${name.slice(0, 80)}" is nested too deeply.`);
  return path;
}

/** While a tree grows, a list is a Map: `x[]` takes the next place and `x[7]` place 7, whatever the order. */
function put(tree: Tree, path: string[], value: unknown) {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    // A name that is repeated without brackets is a list too.
    tree[first] = first in tree && !(tree[first] instanceof Branch) ? append(tree[first], value) : value;
    return;
  }
  const branch = tree[first] instanceof Branch ? (tree[first] as Branch) : new Branch();
  tree[first] = branch;
  branch.put(rest, value);
}

const append = (earlier: unknown, value: unknown) =>
  new Repeated([...(earlier instanceof Repeated ? earlier.values : [earlier]), value]);

class Repeated {
  readonly values: unknown[];
  constructor(values: unknown[]) {
    this.values = values;
  }
}

class Branch {
  private readonly entries: Tree = Object.create(null);
  private next = 0;

  put([first = '', ...rest]: string[], value: unknown) {
    const key = first === '' ? String(this.next++) : first;
    if (/^\d+$/.test(key)) this.next = Math.max(this.next, Number(key) + 1);
    put(this.entries, [key, ...rest], value);
  }

  settled(): unknown {
    const keys = Object.keys(this.entries);
    if (keys.length > 0 && keys.every((key) => /^\d{1,9}$/.test(key))) {
      return keys.sort((a, b) => Number(a) - Number(b)).map((key) => settle(this.entries[key]));
    }
    return settle(this.entries);
  }
}

function settle(node: unknown): unknown {
  if (node instanceof Branch) return node.settled();
  if (node instanceof Repeated) return node.values;
  if (typeof node === 'object' && node !== null && Object.getPrototypeOf(node) === null) {
    for (const key of Object.keys(node)) (node as Tree)[key] = settle((node as Tree)[key]);
  }
  return node;
}

/** `application/x-www-form-urlencoded` and query strings: UTF-8, percent-encoded. */
export function parseUrlencoded(text: string): Tree {
  const decode = (part: string) => {
    try {
      return decodeURIComponent(part.replaceAll('+', ' '));
    } catch {
      throw new Refusal('malformed_body', 'The form is not percent-encoded UTF-8.');
    }
  };
  const fields = text === '' ? [] : text.split('&').filter((pair) => pair !== '');
  return treeOf(
    fields.map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0 ? [decode(pair), ''] : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))];
    }),
  );
}
