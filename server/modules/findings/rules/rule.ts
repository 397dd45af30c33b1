// A rule looks at the calls of one credential, oldest first, and says what it has seen.
import type { Call } from '../../requests/log.ts';
import type { Knowledge } from '../known.ts';

export interface Seen {
  /** Of several, what tells them apart: an operation, a path. */
  readonly subject: string;
  /** One sentence with names and numbers. */
  readonly seen: string;
  readonly calls: readonly Pick<Call, 'request_id' | 'at'>[];
}
export interface Advice {
  readonly rule: string;
  readonly why: string;
  readonly advice: string;
  /** Of docs/guides. */
  readonly chapter: string;
}
export interface Rule extends Advice {
  judge(calls: readonly Call[], known: Knowledge): Seen[];
}

export const SECOND = 1_000_000;
export const MINUTE = 60 * SECOND;

/** Calls by what `name` says of them; those of which it says nothing are left out. */
export const grouped = (calls: readonly Call[], name: (call: Call) => string | undefined): [string, Call[]][] =>
  [...Map.groupBy(calls, name)].flatMap(([key, group]) => (key === undefined ? [] : [[key, group]]));
export const isDone = ({ status }: Call) => status < 400;
export const pathOf = ({ path }: Call) => path.split('?', 1)[0] ?? '';
/** The path with a word in the place of each id. */
export const placeOf = (call: Call) =>
  `${call.method} ${pathOf(call)
    .replaceAll(/\/by-external-id\/[^/]+/g, '/by-external-id/{external_id}')
    .replaceAll(/\/\d+(?=\/|$)/g, '/{id}')}`;
export const queryOf = ({ path }: Call) => new URLSearchParams(path.split('?')[1] ?? '');
/** The same list, whatever part of it. */
export function listName(call: Call): string {
  const query = queryOf(call);
  query.delete('skip');
  query.delete('take');
  query.sort();
  return `${call.method} ${pathOf(call)}?${query}`;
}
