// Rows that are due: claimed by the windows of targets, made requests of, and sent.
import type { Tx } from '../data/db.ts';
import { literal, type Sql, sql, trusted } from '../data/sql.ts';
import { ATTEMPTS_MAX, type Claimed, type DeliveryTables, LEASE_S } from './destination.ts';
import type { Queue } from './queue.ts';
import type { Answer, Outgoing, Withheld } from './send.ts';
import { type Outcome, outcomeOf, record } from './settle.ts';

/** A claim that finds nothing is not repeated sooner, unless something was written. */
const EMPTY_MS = 20;
const PAUSE_S = 1;

/** True: there may be more at once. */
export async function claim(queue: Queue): Promise<boolean> {
  const { state, work, destination } = queue;
  if (state === 'empty')
    queue.claiming ??= setTimeout(() => {
      queue.claiming = undefined;
      work.proceed();
    }, queue.empty_until - performance.now()).unref();
  if (state !== 'open') return false;
  const claimed = await claimDeliveries(work.tx, destination, destination.open, queue.capacity);
  queue.claimed += claimed.length;
  if (queue.claimed === 0) queue.empty_until = performance.now() + EMPTY_MS;
  for (const { target_id } of claimed) queue.begin(target_id);
  if (claimed.length > 0) void deliver(queue, claimed);
  return claimed.length > 0;
}

async function deliver(queue: Queue, claimed: readonly Claimed[]) {
  const { work, destination } = queue;
  try {
    const prepared = await destination.prepare(work.tx, claimed, work.services);
    for (const row of claimed) void attempt(queue, row, prepared.get(row.id) ?? { withheld: 'gone' });
  } catch (err) {
    work.logger.warn({ err }, 'deliveries could not be prepared yet');
    for (const row of claimed) finish(queue, row, { state: 'pending', failure: null, delay_s: PAUSE_S });
  }
}

async function attempt(queue: Queue, row: Claimed, outgoing: Outgoing | Withheld) {
  if ('withheld' in outgoing) return finish(queue, row, { state: 'withheld', failure: outgoing.withheld });
  // The worker that had the last attempt died, and nobody knows how that ended.
  if (row.attempt > ATTEMPTS_MAX) return finish(queue, row, { state: 'failed', failure: 'interrupted' });
  const answer = await queue.work.send(outgoing);
  finish(queue, row, outcomeOf(queue, row.attempt, outgoing, answer), answer);
}

function finish(queue: Queue, row: Claimed, outcome: Outcome, answer?: Answer) {
  queue.claimed--;
  queue.end(row.target_id, answer);
  record(queue, row, outcome);
}

/**
 * A row of every target before the second of any. `free` says how many a target may have; targets that are not named
 * may have `otherwise`. `open` is a condition on the target `o`. A claim counts the attempt and takes a lease.
 */
export function claimDeliveries(
  tx: Tx,
  tables: DeliveryTables,
  open: Sql,
  { free, otherwise, most }: Queue['capacity'],
): Promise<Claimed[]> {
  const [deliveries, target_id, now] = [
    trusted(tables.deliveries),
    trusted(tables.target_id),
    sql`${tx.now()}::timestamptz`,
  ];
  return tx.rows(sql`
    with due as (
      select d.id, row_number() over (partition by o.id order by d.next_attempt_at, d.id) as n
      from (
        select o.id, coalesce(f.free, ${otherwise}::int) as free
        from ${trusted(tables.targets)} o
        left join unnest(${[...free.keys()]}::bigint[], ${[...free.values()]}::int[]) as f(id, free) on f.id = o.id
        where o.organisation_id = $1 and ${open}) o
      cross join lateral (
        select d.id, d.next_attempt_at from ${deliveries} d
        where d.organisation_id = $1 and d.${target_id} = o.id and d.state = 'pending' and d.next_attempt_at <= ${now}
          and (d.leased_until is null or d.leased_until <= ${now})
        order by d.next_attempt_at, d.id limit o.free for update skip locked) d
      where o.free > 0)
    update ${deliveries} d
    set attempts = d.attempts + 1, leased_until = ${now} + interval '${literal(LEASE_S)} seconds'
    where d.organisation_id = $1 and d.id = any (array(select id from due order by n limit ${most}))
    returning d.id, d.${target_id} as target_id, d.attempts as attempt,
      d.attempts_before + d.attempts as attempt_shown`);
}
