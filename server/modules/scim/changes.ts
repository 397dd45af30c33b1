// What differs between two documents, and what of it and of a request may be shown: for the log and for dry runs.
import { isDeepStrictEqual } from 'node:util';
import { isUrn } from './attributes.ts';
import type { Change } from './call.ts';
import { assigned, type Document, isObject, objectIn } from './document.ts';

export function changesBetween(before: Document, after: Document, prefix = ''): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  names.delete('password');
  return [...names].flatMap((name) => {
    const [from, to] = [before[name], after[name]];
    if (isDeepStrictEqual(from, to)) return [];
    const attribute = prefix + name;
    const isWithin = [from, to].every((value) => value === undefined || isObject(value));
    if (!isWithin) return [{ attribute, ...assigned({ from, to }) }];
    return changesBetween(objectIn(from), objectIn(to), attribute + (isUrn(name) ? ':' : '.'));
  });
}

const SHOWN =
  'schemas op path type method bulkid attribute attributes excludedattributes sortby sortorder filter'.split(' ');
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const MASK = '•••';

/** Texts give way to a mask, structure stays; a password is never shown. */
export function masked(value: unknown, full: boolean, key = ''): unknown {
  const name = key.toLowerCase();
  if (name === 'password') return MASK;
  if (Array.isArray(value)) return value.map((entry) => masked(entry, full, key));
  if (isObject(value)) {
    const isPassword = typeof value.path === 'string' && /password$/i.test(value.path);
    const keyOf = (inner: string) => (isPassword && inner.toLowerCase() === 'value' ? 'password' : inner);
    return Object.fromEntries(Object.entries(value).map(([inner, one]) => [inner, masked(one, full, keyOf(inner))]));
  }
  if (typeof value !== 'string' || full || /^(true|false)$/i.test(value)) return value;
  // Quoted texts within filters and paths are values, too.
  const isUsual = (text: string) => /^"(work|home|mobile|other|true|false)"$/i.test(text);
  return SHOWN.includes(name) ? value.replaceAll(QUOTED, (text) => (isUsual(text) ? text : `"${MASK}"`)) : MASK;
}
