// The sync guard: a broken rule at the identity provider must not empty the organisation. Off by default.
import type { Tx } from '../../kernel/data/db.ts';
import type { ScimCall } from './call.ts';
import { ScimError } from './errors.ts';
import { lockGuardState } from './queries.ts';

const HOUR_S = 3600;

/** The guard holds a request back; the notice is stored when the transaction has been rolled back. */
export class GuardPause extends ScimError {
  constructor(detail: string, retry_after_s: number) {
    super(503, undefined, detail, { 'retry-after': String(retry_after_s) });
  }
}

/** Throws when deactivating this person now would be more than the organisation allows within an hour. */
export async function guardLeaving(tx: Tx, { settings, services }: ScimCall, user_id: number): Promise<void> {
  if (settings.guard_percent === null) return;
  const { people, left, oldest_ms, is_lifted, other_admins, is_admin } = await lockGuardState(tx, user_id);
  if (is_lifted) return;
  if (is_admin && other_admins === 0)
    throw new GuardPause(
      'The sync guard paused this run: it would deactivate the last admin. An administrator can let it through.',
      HOUR_S,
    );
  if ((left + 1) * 100 <= settings.guard_percent * people) return;
  const wait_s = oldest_ms === null ? HOUR_S : Math.ceil((oldest_ms - services.clock.micros() / 1000) / 1000) + HOUR_S;
  throw new GuardPause(
    `The sync guard paused this run: it would deactivate ${left + 1} of ${people} people within an hour, more than ${settings.guard_percent} %. An administrator can let it through.`,
    Math.max(wait_s, 1),
  );
}
