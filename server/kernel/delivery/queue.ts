// What a node has in flight for one organisation and one destination, and how much more it may have.
//
// A target has a window of requests that may be in flight: it doubles with every success and halves with every
// failure, so a server that hangs soon holds one connection, and nobody waits for it; one that fails at once holds
// its connections so shortly that it keeps a few. It is as wide as four thousand requests a second need, and no
// wider: each further connection costs all of them a share of the processor's cache.
import type { Destination } from './destination.ts';
import type { OrganisationWork } from './organisation.ts';
import type { Answer } from './send.ts';
import type { Settled } from './settle.ts';

/**
 * Whether a queue may claim, or why not: as much is in flight as may be; too much is answered and not written; the last
 * claim found nothing.
 */
export type QueueState = 'open' | 'full' | 'unsettled' | 'empty';
export class Target {
  in_flight = 0;
  window = WINDOW_FIRST;
  /** First attempts that there is no room for yet. */
  waiting: { batch: object; send(): void }[] = [];
  /** First attempts that take longer than their batch waited. */
  overdue = 0;
}

const [WINDOW_FIRST, WINDOW_FAST, WINDOW_MAX] = [4, 8, 128];
const REQUESTS_A_MS = 4;
const FAILED_FAST_MS = 100;
/** In flight at once. */
const [NODE_MAX, ORGANISATION_MAX, CLAIM_MAX] = [1024, 512, 256];
/** Answered, but not written down yet: then nothing more is taken up. */
const UNSETTLED_MAX = 2048;

export class Queue {
  readonly work: OrganisationWork;
  readonly destination: Destination;
  readonly targets = new Map<number, Target>();
  in_flight = 0;
  /** Claimed rows that have no outcome. */
  claimed = 0;
  /** `performance.now()` before which there is nothing to claim. */
  empty_until = 0;
  claiming: NodeJS.Timeout | undefined;
  /** To be written; `unsettled` counts what is being written as well. */
  outcomes: Settled[] = [];
  unsettled = 0;
  settling: NodeJS.Timeout | undefined;
  /** Batches of first attempts that are not written, and how many of these have no answer. */
  batches = 0;
  unanswered = 0;

  constructor(work: OrganisationWork, destination: Destination) {
    this.work = work;
    this.destination = destination;
  }

  get state(): QueueState {
    if (this.room <= 0) return 'full';
    if (this.unsettled > UNSETTLED_MAX) return 'unsettled';
    return performance.now() < this.empty_until ? 'empty' : 'open';
  }
  get room() {
    return Math.min(ORGANISATION_MAX - this.in_flight, NODE_MAX - this.work.engine.in_flight);
  }
  get isIdle() {
    return this.in_flight === 0 && this.unsettled === 0 && this.batches === 0;
  }
  /** How many rows may be claimed, and of which target how many. */
  get capacity() {
    const free = [...this.targets].map(([id, { window, in_flight }]) => [id, Math.max(0, window - in_flight)] as const);
    return { most: Math.min(CLAIM_MAX, this.room), free: new Map(free), otherwise: WINDOW_FIRST };
  }

  targetOf(id: number): Target {
    const target = this.targets.get(id) ?? new Target();
    this.targets.set(id, target);
    return target;
  }
  begin(target_id: number) {
    this.targetOf(target_id).in_flight++;
    this.in_flight++;
    this.work.engine.in_flight++;
  }
  /** With its answer, when it was sent. Who waited for the room that this makes is sent. */
  end(target_id: number, answer?: Answer) {
    const wasFull = this.room <= 0;
    const target = this.targetOf(target_id);
    if (answer) target.window = windowAfter(answer, target.window);
    target.in_flight--;
    this.in_flight--;
    this.work.engine.in_flight--;
    if (target.in_flight === 0 && target.window === WINDOW_FIRST && target.waiting.length === 0)
      this.targets.delete(target_id);
    if (wasFull) for (const each of this.targets.values()) this.sendWaiting(each);
    else this.sendWaiting(target);
    if (this.isIdle) this.work.proceed();
  }
  sendWaiting(target: Target) {
    while (target.waiting.length > 0 && target.in_flight < target.window && this.room > 0)
      target.waiting.shift()?.send();
  }
}

function windowAfter({ failure, latency_ms }: Answer, window: number): number {
  if (failure !== null) return Math.max(latency_ms < FAILED_FAST_MS ? WINDOW_FIRST : 1, window >> 1);
  return Math.min(Math.max(WINDOW_FAST, latency_ms * REQUESTS_A_MS), WINDOW_MAX, window * 2);
}
