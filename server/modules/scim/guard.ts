// The sync guard: a broken rule at the identity provider must not empty the organisation.
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import type { ScimCall } from './call.ts';
import { ScimError } from './errors.ts';

const HOUR_S = 3600;

/** The guard holds a request back; the notice is stored when the transaction has been rolled back. */
export class GuardPause extends ScimError {
  constructor(what: string, retry_after_s: number) {
    const detail = `The sync guard paused this run: it would deactivate ${what}. An administrator can let it through.`;
    super(503, undefined, detail, { headers: { 'retry-after': String(retry_after_s) } });
  }
}

/** Refuses when deactivating this person now would be more than the organisation allows within an hour. */
export async function refuseUnlessGuardAllows(
  tx: Tx,
  { settings, services, method }: ScimCall,
  user_id: number,
): Promise<void> {
  const { guard_percent, guard_least } = settings;
  if (guard_percent === null) return;
  const { people, left, oldest_ms, is_lifted, is_new } = await lockState(tx, user_id);
  if (is_lifted || (is_new && method === 'DELETE')) return;
  if (left < guard_least || (left + 1) * 100 <= guard_percent * people) return;
  const passed_s = oldest_ms === null ? 0 : (services.clock.micros() / 1000 - oldest_ms) / 1000;
  const share = `${left + 1} of ${people} people within an hour, more than ${guard_percent} %`;
  throw new GuardPause(share, Math.max(Math.ceil(HOUR_S - passed_s), 1));
}

type State = { people: number; left: number; oldest_ms: number | null; is_lifted: boolean; is_new: boolean };
/**
 * One deactivation of the organisation after the other. Who is back does not count, nor who was made and deleted within
 * an hour: that is a test or a correction.
 */
async function lockState(tx: Tx, user_id: number): Promise<State> {
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('scim guard', $1))`);
  const hour_ago = sql`${tx.now()}::timestamptz - interval '1 hour'`;
  return (await tx.row<State>(sql`
    with recent as (
      select count(distinct u.id) as left, (extract(epoch from min(d.created_at)) * 1000)::float8 as oldest_ms
      from deprovisioning_receipts d
      join users u on u.organisation_id = $1 and u.id = d.user_id and not u.is_active
        and not (u.is_withdrawn and d.created_at < u.created_at + interval '1 hour')
      where d.organisation_id = $1 and d.via = 'scim' and d.created_at > ${hour_ago}),
    active as (
      select count(*) as people from users where organisation_id = $1 and list_bucket = 0 and list_class = 0)
    select active.people + recent.left as people, recent.left, recent.oldest_ms,
      exists (
        select from scim_settings where organisation_id = $1 and guard_lifted_until > ${tx.now()}) as is_lifted,
      exists (
        select from users where organisation_id = $1 and id = ${user_id} and created_at > ${hour_ago}) as is_new
    from recent, active`)) as State;
}
export const pauseGuard = (tx: Tx, notice: string) =>
  tx.rows(sql`
    update scim_settings set guard_paused_at = ${tx.now()}, guard_notice = ${notice} where organisation_id = $1`);
/** Lets leavers through for an hour, and clears the notice. */
export const liftGuard = (tx: Tx) =>
  tx.rows(sql`
    update scim_settings
    set guard_paused_at = null, guard_notice = null, guard_lifted_until = ${tx.now()}::timestamptz + interval '1 hour'
    where organisation_id = $1`);
