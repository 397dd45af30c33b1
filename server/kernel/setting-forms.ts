// What settings with a grammar of their own may be: each throws, or says false, when a text is none of them.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { rangesOf } from './delivery/addresses.ts';

const entriesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean);

export const isHeaderWord = (text: string) => /^[A-Za-z][A-Za-z0-9-]{0,40}$/.test(text);
export const isKey = (text: string) => Buffer.from(text, 'base64').length === 32;
export const isUrl = (text: string) => URL.canParse(text);
export const isHttpUrl = (text: string) => /^https?:\/\/[^/]+\/?$/i.test(text) && URL.canParse(text);
export const areRanges = (text: string) => rangesOf(entriesOf(text)) !== undefined;
export const areSeconds = (text: string) => /^\d{1,7}(\.\d+)?( *, *\d{1,7}(\.\d+)?){0,3}$/.test(text);
export const areServers = (text: string) =>
  text.split(',').every((server) => URL.parse(server.includes('://') ? server : `nats://${server}`)?.host);
/** Addresses, with a port perhaps. */
export const areResolvers = (text: string) =>
  entriesOf(text).every((server) => isIP(server.replace(/^\[(.*)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3')) > 0);
export const isCertificateFile = (path: string) => new X509Certificate(readFileSync(path)).subject !== undefined;

/** A sentence for each variable that looks like a setting and is none. */
export function unknownSettings(env: Record<string, string | undefined>, known: readonly string[]): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('ATRIUM_') && !name.startsWith('ATRIUM_TEST_') && !known.includes(name))
    .map((name) => {
      const [nearest = ''] = known.toSorted((a, b) => distance(name, a) - distance(name, b));
      const hint = distance(name, nearest) <= 4 ? ` Is ${nearest} meant?` : '';
      return `${name} is not a setting of Atrium, and does nothing.${hint}`;
    });
}

/** Characters to insert, delete or replace (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries())
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}
