import type { Change, ListChangesRequest } from './api.d.ts';
import type { Client, List, Settings } from './client.d.ts';

type Lists = (request: never, settings?: Settings) => Promise<List<unknown>>;
/**
 * Every row of a list, once: `for await (const page of each(atrium.listPages, { space_id: 3 }))`. Skip is advanced by
 * take (100, if you say nothing).
 * When rows went away meanwhile, as many pages back are read again, so that those which moved up are not missed.
 * For an exact copy of what changes all the time use changes().
 */
export function each<Op extends Lists>(
  list: Op,
  ...call: Parameters<Op>
): AsyncGenerator<Awaited<ReturnType<Op>>['data'][number], void, undefined>;

export interface ChangesOptions extends ListChangesRequest {
  /** Wait for more; it then ends only by its signal. */
  follow?: boolean;
  /** How long until it looks again; default 5 s. */
  pollMs?: number;
}
/**
 * What changed, in order. Give the `sequence` of the last row that you have dealt with as `after`, and it goes on
 * there. Throws an AtriumError `changes_expired` to who was away for too long: begin a new copy.
 */
export function changes(
  atrium: Client,
  options?: ChangesOptions,
  settings?: Settings,
): AsyncGenerator<Change, void, undefined>;
