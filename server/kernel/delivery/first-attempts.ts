// First attempts, straight from a batch of events: what its first request delivers is written once, with its record.
//
//   claim     a batch is a lease, and counts the attempt of all that comes of it
//   send      as far as the windows of targets reach
//   close     when all are answered, and after CLOSE_MS at the latest
//   write     the end of the batch and a row a delivery, in one statement: delivered, withheld, due (it was not sent),
//             or leased (it failed, or has no answer yet); what is leased is settled as every other row
//
// Before that nothing is written, so a batch whose worker died is made again as a whole, with the next attempt. A
// target that let a batch wait for it gets rows alone, until it has answered: it holds up no second one.
import { setTimeout as sleep } from 'node:timers/promises';
import { ATTEMPTS_MAX, type Batch, type EventBatches, LEASE_S, type NewDelivery } from './destination.ts';
import type { Queue, Target } from './queue.ts';
import type { Answer, Outgoing, Withheld } from './send.ts';
import { outcomeOf, record, reportHealth } from './settle.ts';

/** Content that was public when it was looked at is sent within this time. */
const CLOSE_MS = 500;
const [UNANSWERED_MAX, BATCHES_MAX] = [1000, 32];
const RETRY_MS = 1000;

export interface FirstAttempt {
  readonly target_id: number;
  readonly outbox_id: number;
  /** Made when it is sent. `due`: the target is not written to now. */
  readonly message: (() => Outgoing) | Withheld | 'due';
}
/** Not sent, or in flight (it has `outgoing`), or answered. */
interface Attempt extends FirstAttempt {
  outgoing?: Outgoing;
  answer?: Answer;
  /** Of its row, when that is leased. */
  id?: number | undefined;
}
interface RunningBatch {
  readonly queue: Queue;
  readonly source: EventBatches;
  readonly batch: Batch;
  readonly attempts: Attempt[];
  unanswered: number;
  state: 'open' | 'closed';
  closing?: NodeJS.Timeout;
}

/** True: there was a batch. */
export async function takeBatch(queue: Queue): Promise<boolean> {
  const { batches: source } = queue.destination;
  if (!source || queue.unanswered > UNANSWERED_MAX || queue.batches >= BATCHES_MAX) return false;
  const batch = await source.claim(queue.work.tx);
  if (!batch) return false;
  queue.batches++;
  void run(queue, source, batch);
  return true;
}

async function run(queue: Queue, source: EventBatches, batch: Batch) {
  const { tx, services, logger } = queue.work;
  const running: RunningBatch = { queue, source, batch, attempts: [], unanswered: 0, state: 'open' };
  try {
    running.attempts.push(...(await source.prepare(tx, batch, services)));
  } catch (err) {
    logger.warn({ err }, 'first attempts could not be prepared yet');
    await sleep(RETRY_MS);
    await source.giveBack(tx, batch).catch(() => {});
    queue.batches--;
    return queue.work.proceed();
  }
  const targets = new Set<Target>();
  for (const attempt of running.attempts) {
    if (typeof attempt.message !== 'function' || batch.attempt > ATTEMPTS_MAX) continue;
    const target = queue.targetOf(attempt.target_id);
    if (target.overdue > 0) continue;
    target.waiting.push({ batch: running, send: () => send(running, attempt) });
    targets.add(target);
    running.unanswered++;
  }
  queue.unanswered += running.unanswered;
  if (running.unanswered === 0) return close(running);
  running.closing = setTimeout(() => close(running), CLOSE_MS);
  for (const target of targets) queue.sendWaiting(target);
}

async function send(running: RunningBatch, attempt: Attempt) {
  const { queue } = running;
  const { target_id, message } = attempt;
  queue.begin(target_id);
  attempt.outgoing = (message as () => Outgoing)();
  attempt.answer = await queue.work.send(attempt.outgoing);
  if (running.state === 'closed') queue.targetOf(target_id).overdue--;
  queue.end(target_id, attempt.answer);
  settle(running, attempt);
  if (running.state === 'closed') return;
  queue.unanswered--;
  if (--running.unanswered === 0) close(running);
}

function close(running: RunningBatch) {
  if (running.state === 'closed') return;
  running.state = 'closed';
  clearTimeout(running.closing);
  const { queue, attempts, unanswered } = running;
  queue.unanswered -= unanswered;
  if (unanswered > 0) {
    for (const target of queue.targets.values())
      target.waiting = target.waiting.filter(({ batch }) => batch !== running);
    for (const { target_id, outgoing, answer } of attempts)
      if (outgoing && !answer) queue.targetOf(target_id).overdue++;
  }
  queue.work.proceed();
  void write(running);
}

async function write(running: RunningBatch) {
  const { queue, source, batch, attempts } = running;
  const { work } = queue;
  const rows = attempts.map((attempt) => rowOf(attempt, batch));
  const keyOf = ({ target_id, outbox_id }: Pick<FirstAttempt, 'target_id' | 'outbox_id'>) =>
    `${target_id} ${outbox_id}`;
  const until = performance.now() + LEASE_S * 1000;
  let leased = new Map<string, number>();
  while (work.engine.state !== 'stopped' && performance.now() < until)
    try {
      leased = new Map((await source.write(work.tx, batch, rows)).map((row) => [keyOf(row), row.id]));
      break;
    } catch (err) {
      work.logger.warn({ err }, 'first attempts could not be written yet');
      await sleep(RETRY_MS);
    }
  for (const attempt of leased.size > 0 ? attempts : []) {
    attempt.id = leased.get(keyOf(attempt));
    settle(running, attempt);
  }
  await reportHealth(
    queue,
    rows.filter(({ state }) => state === 'delivered'),
  );
  queue.batches--;
  if (rows.some(({ state, leased }) => state === 'pending' && !leased)) queue.empty_until = 0;
  work.proceed();
}

/** Once it has both a row and an answer. */
function settle({ queue, batch: { attempt } }: RunningBatch, { id, target_id, outgoing, answer }: Attempt) {
  if (id === undefined || !outgoing || !answer) return;
  record(queue, { id, target_id, attempt, attempt_shown: attempt }, outcomeOf(queue, attempt, outgoing, answer));
}

function rowOf({ target_id, outbox_id, message, outgoing, answer }: Attempt, { attempt }: Batch): NewDelivery {
  const unsent = { target_id, outbox_id, attempts: attempt - 1, failure: null, leased: false };
  if (typeof message === 'object') return { ...unsent, state: 'withheld', failure: message.withheld };
  // The worker that had the last attempt died, and nobody knows how that ended.
  if (attempt > ATTEMPTS_MAX) return { ...unsent, state: 'failed', failure: 'interrupted' };
  if (!outgoing) return { ...unsent, state: 'pending' };
  if (answer?.failure !== null) return { ...unsent, state: 'pending', attempts: attempt, leased: true };
  return { ...unsent, state: 'delivered', attempts: attempt, sent: { outgoing, answer } };
}
