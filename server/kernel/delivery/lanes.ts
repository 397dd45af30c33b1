// What a node knows of one organisation and one destination: which requests are on their way to which target.
//
// A target has a window of requests that may be on their way: it doubles with every success and halves with every failure,
// so a server that hangs soon holds one place, and nobody waits for it; one that fails at once holds its places so shortly
// that it keeps a few. It is as wide as four thousand requests a second need, and no wider: each further connection costs
// all of them a share of the processor's cache.
import type { Answer } from './attempt.ts';
import type { Settled } from './deliveries.ts';
import type { Turn } from './first-attempts.ts';
import type { Destination } from './outgoing.ts';

export interface Target {
  busy: number;
  window: number;
  /** First attempts whose turn has not come. */
  readonly waiting: Turn[];
  /** First attempts that take longer than their batch waited. */
  slow: number;
}
export interface Lane {
  readonly destination: Destination;
  readonly targets: Map<number, Target>;
  readonly outcomes: (Settled & { target_id: number })[];
  busy: number;
  unsettled: number;
  settling: NodeJS.Timeout | undefined;
  /** Rows that are claimed and not done. */
  claimed: number;
  /** `performance.now()` before which there is nothing to claim. */
  claim_from: number;
  claiming: NodeJS.Timeout | undefined;
  /** Batches of first attempts that are not written, and how many of these have no answer. */
  batches: number;
  unanswered: number;
}
/** All lanes of a node. */
export interface Occupied {
  busy: number;
}

const [WINDOW_FIRST, WINDOW_FAST, WINDOW_MAX] = [4, 8, 128];
const REQUESTS_A_MS = 4;
const FAILED_FAST_MS = 100;
/** On their way at once. */
const [NODE_MAX, ORGANISATION_MAX, CLAIM_MAX] = [1024, 512, 256];

export const newLane = (destination: Destination): Lane => ({
  destination,
  targets: new Map(),
  outcomes: [],
  busy: 0,
  unsettled: 0,
  settling: undefined,
  claimed: 0,
  claim_from: 0,
  claiming: undefined,
  batches: 0,
  unanswered: 0,
});
export const isIdle = ({ busy, unsettled, batches }: Lane) => busy === 0 && unsettled === 0 && batches === 0;

export function targetOf(lane: Lane, id: number): Target {
  const known = lane.targets.get(id);
  if (known) return known;
  const target: Target = { busy: 0, window: WINDOW_FIRST, waiting: [], slow: 0 };
  lane.targets.set(id, target);
  return target;
}
export const isFull = (node: Occupied, lane: Lane) => lane.busy >= ORGANISATION_MAX || node.busy >= NODE_MAX;
export const hasRoom = (node: Occupied, lane: Lane, target: Target) =>
  target.busy < target.window && !isFull(node, lane);
/** How many rows may be claimed, and of which target how many. */
export const roomFor = (node: Occupied, lane: Lane) => ({
  most: Math.min(CLAIM_MAX, ORGANISATION_MAX - lane.busy, NODE_MAX - node.busy),
  free: new Map([...lane.targets].map(([id, target]) => [id, Math.max(0, target.window - target.busy)])),
  otherwise: WINDOW_FIRST,
});

export function occupy(node: Occupied, lane: Lane, id: number) {
  targetOf(lane, id).busy++;
  lane.busy++;
  node.busy++;
}
export function vacate(node: Occupied, lane: Lane, id: number) {
  const target = targetOf(lane, id);
  target.busy--;
  lane.busy--;
  node.busy--;
  if (target.busy === 0 && target.window === WINDOW_FIRST && target.waiting.length === 0) lane.targets.delete(id);
}
export function learn(lane: Lane, id: number, { failure, latency_ms }: Answer) {
  const target = targetOf(lane, id);
  const most = Math.min(WINDOW_MAX, Math.max(WINDOW_FAST, latency_ms * REQUESTS_A_MS));
  const least = latency_ms < FAILED_FAST_MS ? WINDOW_FIRST : 1;
  target.window = failure === null ? Math.min(most, target.window * 2) : Math.max(least, target.window >> 1);
}
