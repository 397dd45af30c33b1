// Forms and query strings write trees as flat names: `ids[]`, `ids[0]`, `audience[spaces][]`. One reader for all.
import { refuse } from '../contract/errors.ts';

const FIELDS_MAX = 10_000;
const DEPTH_MAX = 6;

/** A tree from outside: objects have no prototype, so a field may carry any name. */
export type Tree = { [name: string]: unknown };
/** Keys by their order; without a name (`x[]`) an entry takes the next number. A list is one with numbers only. */
class Branch extends Map<string, unknown> {
  next = 0;
}

export function treeOf(fields: readonly (readonly [name: string, value: unknown])[]): Tree {
  if (fields.length > FIELDS_MAX) refuse('payload_too_large', `A form may have at most ${FIELDS_MAX} fields.`);
  const root = new Branch();
  for (const [name, value] of fields) put(root, pathOf(name), value);
  return objectOf(root);
}

function pathOf(name: string): (string | undefined)[] {
  const open = name.indexOf('[');
  if (open <= 0 || !name.endsWith(']')) return [name];
  const keys = name.slice(open + 1, -1).split('][');
  if (keys.length >= DEPTH_MAX) refuse('malformed_body', `The field name "${name.slice(0, 80)}" is nested too deeply.`);
  return [name.slice(0, open), ...keys.map((key) => key || undefined)];
}

function put(branch: Branch, [first, ...rest]: (string | undefined)[], value: unknown) {
  const key = first ?? String(branch.next);
  if (/^\d+$/.test(key)) branch.next = Math.max(branch.next, Number(key) + 1);
  const there = branch.get(key);
  if (rest.length > 0) {
    const inner = there instanceof Branch ? there : new Branch();
    branch.set(key, inner);
    put(inner, rest, value);
  } else if (Array.isArray(there)) {
    there.push(value);
  } else {
    // A name that is repeated without brackets is a list too.
    branch.set(key, there === undefined || there instanceof Branch ? value : [there, value]);
  }
}

const objectOf = (branch: Branch): Tree => {
  const tree: Tree = Object.create(null);
  for (const [key, node] of branch) tree[key] = settled(node);
  return tree;
};

function settled(node: unknown): unknown {
  if (!(node instanceof Branch)) return node;
  const numbered = [...node].filter(([key]) => /^\d{1,9}$/.test(key));
  if (numbered.length < node.size) return objectOf(node);
  return numbered.sort(([a], [b]) => Number(a) - Number(b)).map(([, entry]) => settled(entry));
}

/** `application/x-www-form-urlencoded` and query strings: UTF-8, percent-encoded. */
export function parseUrlencoded(text: string): Tree {
  const decode = (part: string) => {
    try {
      return decodeURIComponent(part.replaceAll('+', ' '));
    } catch {
      return refuse('malformed_body', 'The form is not percent-encoded UTF-8.');
    }
  };
  const pairs = text.split('&').filter((pair) => pair !== '');
  return treeOf(
    pairs.map((pair) => {
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
      return [decode(name), decode(value)];
    }),
  );
}
