// First attempts, straight from a batch of events: what its first request delivers is written once, with its record.
//
//   claim     a batch is a lease, and counts the attempt of all that comes of it
//   send      as far as the windows of targets reach
//   close     when all are answered, and after CLOSE_MS at the latest
//   write     the end of the batch and a row a delivery, in one statement: delivered, withheld, due (its turn did not come),
//             or held (it failed, or its answer is awaited still); what is held is settled as every other row
//
// Before that nothing is written, so a batch whose worker died is made again as a whole, with the next attempt. A target
// that let a batch wait for it gets rows alone, until it has answered: it holds up no second one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Tx } from '../data/db.ts';
import type { Services } from '../http/routes.ts';
import type { Answer, Outgoing, Withheld } from './attempt.ts';
import { ATTEMPTS_MAX, LEASE_S } from './deliveries.ts';
import { hasRoom, isFull, type Lane, learn, type Occupied, occupy, targetOf, vacate } from './lanes.ts';

export interface Batch {
  readonly id: number;
  /** From 1. */
  readonly attempt: number;
}
export interface First {
  readonly target_id: number;
  readonly outbox_id: number;
  /** Made when its turn comes. `due`: the target is not written to now. */
  readonly outgoing: (() => Outgoing) | Withheld | 'due';
}
/** A row to write. */
export interface Made {
  readonly first: First;
  /** `delivered`, `due`, `held`, `interrupted`, or why it is withheld. */
  readonly outcome: string;
  /** Of what was delivered. */
  readonly sent?: { outgoing: Outgoing; answer: Answer };
}
export interface EventBatches {
  claim(tx: Tx): Promise<Batch | undefined>;
  giveBack(tx: Tx, batch: Batch): Promise<unknown>;
  prepare(tx: Tx, batch: Batch, services: Services): Promise<First[]>;
  /** Ids of the rows that are held, by their place in `made`. Writes nothing when the batch has another worker by now. */
  write(tx: Tx, batch: Batch, made: readonly Made[]): Promise<ReadonlyMap<number, number>>;
}

interface Running {
  readonly tx: Tx;
  readonly lane: Lane;
  readonly batches: EventBatches;
  readonly batch: Batch;
  readonly turns: Turn[];
  left: number;
  closed: boolean;
  closing: NodeJS.Timeout | undefined;
}
/** One delivery of a running batch. */
export interface Turn {
  readonly first: First;
  readonly running: Running;
  /** Set when it was sent. */
  outgoing?: Outgoing;
  answer?: Answer;
  /** Of the row that is held. */
  id?: number;
}

/** Content that was public when it was looked at is sent within this time. */
const CLOSE_MS = 500;
const [UNANSWERED_MAX, BATCHES_MAX] = [1000, 32];
const RETRY_MS = 1000;

export interface FirstAttemptOptions {
  node: Occupied;
  services: Services;
  logger: FastifyBaseLogger;
  attempt: (outgoing: Outgoing) => Promise<Answer>;
  /** A held row has its outcome. */
  settle: (
    running: { tx: Tx; lane: Lane },
    row: { id: number; target_id: number; attempt: number },
    outgoing: Outgoing,
    answer: Answer,
  ) => void;
  /** Something was delivered to these targets. */
  reached: (tx: Tx, lane: Lane, target_ids: readonly number[]) => Promise<void>;
  /** There is room for another batch, or something to claim. */
  proceed: (tx: Tx) => void;
  stopped: () => boolean;
}

export function createFirstAttempts({
  node,
  services,
  logger,
  attempt,
  settle,
  reached,
  proceed,
  stopped,
}: FirstAttemptOptions) {
  /** True: there was a batch. */
  const take = async (tx: Tx, lane: Lane): Promise<boolean> => {
    const { batches } = lane.destination;
    if (!batches || lane.unanswered > UNANSWERED_MAX || lane.batches >= BATCHES_MAX) return false;
    const batch = await batches.claim(tx);
    if (!batch) return false;
    lane.batches++;
    void run({ tx, lane, batches, batch, turns: [], left: 0, closed: false, closing: undefined });
    return true;
  };

  const run = async (running: Running) => {
    const { tx, lane, batches, batch, turns } = running;
    try {
      for (const first of await batches.prepare(tx, batch, services)) turns.push({ first, running });
    } catch (err) {
      logger.warn({ err, organisation_id: tx.organisation_id }, 'first attempts could not be prepared yet');
      await sleep(RETRY_MS);
      await batches.giveBack(tx, batch).catch(() => {});
      lane.batches--;
      return proceed(tx);
    }
    const asked = new Set<number>();
    if (batch.attempt <= ATTEMPTS_MAX)
      for (const turn of turns) {
        const { target_id, outgoing } = turn.first;
        const target = targetOf(lane, target_id);
        if (typeof outgoing !== 'function' || target.slow > 0) continue;
        target.waiting.push(turn);
        asked.add(target_id);
        running.left++;
      }
    lane.unanswered += running.left;
    if (running.left === 0) return close(running);
    running.closing = setTimeout(() => close(running), CLOSE_MS);
    for (const id of asked) next(lane, id);
  };

  const next = (lane: Lane, target_id: number) => {
    const target = lane.targets.get(target_id);
    while (target && target.waiting.length > 0 && hasRoom(node, lane, target)) send(target.waiting.shift() as Turn);
  };
  const send = (turn: Turn) => {
    const { first, running } = turn;
    const { lane } = running;
    occupy(node, lane, first.target_id);
    const outgoing = (first.outgoing as () => Outgoing)();
    turn.outgoing = outgoing;
    attempt(outgoing).then((answer) => {
      turn.answer = answer;
      learn(lane, first.target_id, answer);
      if (running.closed) targetOf(lane, first.target_id).slow--;
      const full = isFull(node, lane);
      vacate(node, lane, first.target_id);
      for (const id of full ? lane.targets.keys() : [first.target_id]) next(lane, id);
      if (turn.id !== undefined) settleHeld(turn);
      if (running.closed) return;
      lane.unanswered--;
      if (--running.left === 0) close(running);
    });
  };
  const settleHeld = ({ id, first, running, outgoing, answer }: Turn) => {
    if (id !== undefined && outgoing && answer)
      settle(running, { id, target_id: first.target_id, attempt: running.batch.attempt }, outgoing, answer);
  };

  const close = (running: Running) => {
    if (running.closed) return;
    running.closed = true;
    clearTimeout(running.closing);
    const { lane, turns } = running;
    lane.unanswered -= running.left;
    if (running.left > 0)
      for (const id of new Set(turns.map(({ first }) => first.target_id))) {
        const target = targetOf(lane, id);
        target.waiting.splice(0, target.waiting.length, ...target.waiting.filter((turn) => turn.running !== running));
        target.slow += turns.filter((turn) => turn.first.target_id === id && turn.outgoing && !turn.answer).length;
      }
    proceed(running.tx);
    void write(running);
  };
  const write = async ({ tx, lane, batches, batch, turns }: Running) => {
    const made = turns.map((turn) => madeOf(turn, batch));
    const until = performance.now() + LEASE_S * 1000;
    let held: ReadonlyMap<number, number> = new Map();
    while (!stopped() && performance.now() < until)
      try {
        held = await batches.write(tx, batch, made);
        break;
      } catch (err) {
        logger.warn({ err, organisation_id: tx.organisation_id }, 'first attempts could not be written yet');
        await sleep(RETRY_MS);
      }
    for (const [place, id] of held) {
      const turn = turns[place] as Turn;
      turn.id = id;
      settleHeld(turn);
    }
    const delivered = made.filter(({ outcome }) => outcome === 'delivered').map(({ first }) => first.target_id);
    if (delivered.length > 0) await reached(tx, lane, [...new Set(delivered)]);
    lane.batches--;
    if (made.some(({ outcome }) => outcome === 'due')) lane.claim_from = 0;
    proceed(tx);
  };

  return { take, next };
}

const madeOf = ({ first, outgoing, answer }: Turn, { attempt }: Batch): Made => {
  if (typeof first.outgoing === 'object') return { first, outcome: first.outgoing.withheld };
  // The worker that had the last attempt died, and nobody knows how that ended.
  if (attempt > ATTEMPTS_MAX) return { first, outcome: 'interrupted' };
  if (outgoing && answer?.failure === null) return { first, outcome: 'delivered', sent: { outgoing, answer } };
  return { first, outcome: outgoing ? 'held' : 'due' };
};
