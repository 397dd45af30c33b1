// What differs between two documents, for the provisioning log and for dry runs.
import { isDeepStrictEqual } from 'node:util';
import type { Change } from './call.ts';
import { type Document, isObject, isUrn } from './document.ts';

export function changesBetween(before: Document, after: Document, prefix = ''): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => name !== 'password');
  return names.flatMap((name) => {
    const [from, to] = [before[name], after[name]];
    if (isDeepStrictEqual(from, to)) return [];
    const attribute = `${prefix}${name}`;
    if ((isObject(from) || from === undefined) && (isObject(to) || to === undefined))
      return changesBetween((from as Document) ?? {}, (to as Document) ?? {}, `${attribute}${isUrn(name) ? ':' : '.'}`);
    return [{ attribute, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
  });
}

const SHOWN = new Set([
  'schemas',
  'op',
  'path',
  'type',
  'method',
  'bulkid',
  'attribute',
  'attributes',
  'excludedattributes',
  'sortby',
  'sortorder',
]);
const MASK = '•••';

/** Texts give way to a mask, structure stays; a password is never shown. */
export function masked(value: unknown, full: boolean, key = ''): unknown {
  const name = key.toLowerCase();
  if (name === 'password') return MASK;
  if (Array.isArray(value)) return value.map((entry) => masked(entry, full, key));
  if (isObject(value)) {
    const secret = typeof value.path === 'string' && /password$/i.test(value.path);
    return Object.fromEntries(
      Object.entries(value).map(([inner, one]) => [
        inner,
        masked(one, full, secret && inner.toLowerCase() === 'value' ? 'password' : inner),
      ]),
    );
  }
  if (typeof value !== 'string' || full || /^(true|false)$/i.test(value)) return value;
  // Quoted texts within filters and paths are values, too.
  return SHOWN.has(name) || name === 'filter'
    ? value.replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) =>
        /^"(work|home|mobile|other|true|false)"$/i.test(text) ? text : `"${MASK}"`,
      )
    : MASK;
}
