// What became of attempts, written for all of a moment in one statement, with the log.
import { isoOfMicros } from '../clock.ts';
import type { Tx } from '../data/db.ts';
import { sql, trusted } from '../data/sql.ts';
import { ATTEMPTS_MAX, type Claimed, type DeliveryState, type DeliveryTables } from './destination.ts';
import { listOf } from './egress.ts';
import type { Queue } from './queue.ts';
import { recordset } from './recordset.ts';
import { type Answer, loggedHeaders, type Outgoing } from './send.ts';

/** Outcomes that come within this time are written together. */
const SETTLE_MS = 5;
const PAUSE_MS = 1000;

/** Without `sent_at` nothing was sent: there is nothing to log, and the attempt does not count. */
export interface Outcome extends Partial<Answer> {
  state: DeliveryState;
  failure: string | null;
  /** Until the next attempt. */
  delay_s?: number;
  sent_at?: string;
  request_headers?: string;
}
type Row = Pick<Claimed, 'id' | 'target_id' | 'attempt' | 'attempt_shown'>;
export type Settled = Row & Outcome & { next_attempt_at: string };
type TargetOutcome = Pick<Settled, 'target_id' | 'state' | 'failure'>;

export function outcomeOf(queue: Queue, attempt: number, outgoing: Outgoing, answer: Answer): Outcome {
  const sent = {
    ...answer,
    sent_at: isoOfMicros(outgoing.at),
    request_headers: JSON.stringify(loggedHeaders(outgoing)),
  };
  if (answer.failure === null) return { ...sent, state: 'delivered' };
  if (attempt >= ATTEMPTS_MAX) return { ...sent, state: 'failed' };
  const delays_s = listOf(queue.work.services.config.webhook_retry_seconds);
  // ±20 %, so that what failed together does not come back together.
  const delay_s = Number(delays_s[attempt - 1] ?? 0) * (0.8 + Math.random() * 0.4);
  return { ...sent, state: 'pending', delay_s };
}

export function record(queue: Queue, { id, target_id, attempt, attempt_shown }: Row, outcome: Outcome) {
  const { work } = queue;
  const delay_ms = (outcome.delay_s ?? 0) * 1000;
  const next_attempt_at = new Date(work.services.clock.micros() / 1000 + delay_ms).toISOString();
  queue.outcomes.push({ id, target_id, attempt, attempt_shown, next_attempt_at, ...outcome });
  queue.unsettled++;
  queue.settling ??= setTimeout(() => settle(queue), SETTLE_MS);
  work.proceed();
  if (outcome.state === 'pending') work.lookIn(delay_ms);
}

async function settle(queue: Queue): Promise<void> {
  const { work, outcomes } = queue;
  queue.outcomes = [];
  try {
    await settleDeliveries(work.tx, queue.destination, outcomes);
  } catch (err) {
    work.logger.warn({ err }, 'outcomes of deliveries could not be written yet');
    if (work.engine.state === 'stopped') return;
    queue.outcomes = [...outcomes, ...queue.outcomes];
    queue.settling = setTimeout(() => settle(queue), PAUSE_MS);
    return;
  }
  queue.settling = queue.outcomes.length > 0 ? setTimeout(() => settle(queue), SETTLE_MS) : undefined;
  await reportHealth(queue, outcomes);
  queue.unsettled -= outcomes.length;
  work.proceed();
}

export async function reportHealth({ work, destination }: Queue, outcomes: readonly TargetOutcome[]) {
  const targets = (rows: readonly TargetOutcome[]) => [...new Set(rows.map(({ target_id }) => target_id))];
  const delivered = targets(outcomes.filter(({ state }) => state === 'delivered'));
  const failed = targets(outcomes.filter(({ state, failure }) => failure !== null && state !== 'withheld'));
  if (delivered.length + failed.length === 0) return;
  try {
    await destination.settled?.(work.tx, { delivered, failed }, work.services, work.logger);
  } catch (err) {
    work.logger.warn({ err }, 'the health of targets could not be written');
  }
}

const columns = {
  bigint: ['id'],
  int: ['attempt', 'attempt_shown', 'latency_ms', 'status'],
  text: ['state', 'failure', 'answer'],
  timestamptz: ['next_attempt_at', 'sent_at'],
  json: ['request_headers'],
} as const;
/**
 * A worker that was away longer than its lease changes nothing that another one holds, unless it brings a success:
 * nothing is sent again after that. `state || ''` keeps the planner from walking the index of everything that is
 * pending instead of looking up these few, and `any` from comparing everything that the organisation has with each of
 * them, which looks cheap while statistics know of none.
 */
const settleDeliveries = (tx: Tx, { deliveries, log }: DeliveryTables, settled: readonly Settled[]) =>
  tx.rows(sql`
    with s as (select * from ${recordset('s', columns, settled)}),
    logged as (
      insert into ${trusted(log)}
        (organisation_id, delivery_id, attempt, sent_at, latency_ms, status, failure, request_headers, answer)
      select $1, id, attempt_shown, sent_at, latency_ms, status, failure, request_headers, answer
      from s where sent_at is not null
      on conflict do nothing)
    update ${trusted(deliveries)} d set
      state = s.state, next_attempt_at = s.next_attempt_at, leased_until = null,
      attempts = d.attempts - case when s.sent_at is null then 1 else 0 end,
      last_failure = case when s.sent_at is null and s.state = 'pending' then d.last_failure else s.failure end,
      last_status = case when s.sent_at is null and s.state = 'pending' then d.last_status else s.status end,
      last_attempt_at = coalesce(s.sent_at, d.last_attempt_at)
    from s
    where d.organisation_id = $1 and d.id = any(array(select id from s)) and d.id = s.id and d.state || '' = 'pending'
      and (s.state = 'delivered' or d.attempts = s.attempt)`);
