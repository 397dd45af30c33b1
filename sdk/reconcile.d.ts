import type { Settings } from './client.d.ts';

export type Outcome<Data> = { happened: true; data: Data } | { happened: false };
/**
 * After a create whose outcome is uncertain (`error.isUncertain`): reads by your own id whether it had happened. Looks
 * several times, since what was cut off may still be on its way; after `happened: false` it may be repeated.
 */
export function reconcile<Id extends string | number, Data>(
  read: (request: { external_id: Id }, settings?: Settings) => Promise<{ data: Data }>,
  external_id: Id,
  options?: Settings & { /** How long to look; default 2 s. */ settledMs?: number },
): Promise<Outcome<Data>>;
