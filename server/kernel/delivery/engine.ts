// The delivery engine: takes events from the outbox to other people's servers, at least once. Read this first.
//
// A *destination* is a kind of receiver (webhooks, bots), a *target* one of its kind, a *delivery* one event for one
// target, an *attempt* one request of it. What becomes of an event:
//
//   outbox ── relay ──> batch ── first attempt ──┬─ 2xx ────────────────────> delivered
//                                                ├─ not public any more ────> withheld
//                                                └─ failed, late, unsent ───> pending (callbacks of bots begin here)
//
//   pending:  due ── claim ──> leased ── prepare ──┬─> in flight ── settle ──┬─ 2xx ────────────> delivered
//              ^                 │                 └─> withheld              ├─ fifth attempt ──> failed
//              └── lease over ───┘                                           └─ else ───────────> pending, due later
//
//   relay     events of the outbox become batches, once each; who wants rows at once writes them        outbox.ts
//   first     a batch is sent as it comes; what succeeds is written once, with its record     first-attempts.ts
//   claim     rows that are due, one of every target before the second of any                          claim.ts
//   prepare   one look at the targets of a claim: address, headers, body, or why it is withheld  destination.ts
//   send      each by itself, through the guard                                             send.ts, egress.ts
//   settle    what became of the attempts of a moment, and their log, in one statement                settle.ts
//
// At least once: an event is marked as relayed in the commit that writes what comes of it. A claim counts the attempt
// and takes a lease, in the row or the batch: what a worker held that died is due again when the lease is over, and
// sent again with the next number, never with the same, and never a sixth time. All of this is in rows, so any number
// of nodes can work on one database.
//
// Each node has a queue (queue.ts) for each destination of each organisation (organisation.ts). It is open, full,
// unsettled or empty, and only an open one claims. Full is: the windows of targets, half of a node for one
// organisation, the node. So memory does not grow with the backlog, and a target that hangs holds up no other.
// Organisations claim in turns.
//
// To add a kind of destination: a table of deliveries and a log (`DeliveryTables`), an object of the type `Destination`
// in its module.ts. Whoever has something to say inserts a row with state 'pending' and next_attempt_at now, in the
// transaction that makes it true (or through a `Relay`, for what is in the outbox).
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Services } from '../http/routes.ts';
import type { Destination } from './destination.ts';
import { OrganisationWork } from './organisation.ts';
import type { Relay } from './outbox.ts';

export interface DeliveryOptions {
  destinations: readonly Destination[];
  relays: readonly Relay[];
  services: Services;
  logger: FastifyBaseLogger;
  /** Only this organisation; without it every one. */
  organisation_id?: number;
}
export type Deliveries = Pick<Engine, 'touched' | 'drain' | 'start' | 'stop'>;
export const createDeliveries = (options: DeliveryOptions): Deliveries => new Engine(options);

/** Organisations that claim at once. */
const TURNS_MAX = 3;
/** Finds what another node left behind, and what was written outside of a server. */
const ROUND_MS = 5000;
/** Writes that come within this time are looked at together. */
const TOUCHED_MS = 20;
const STOPPED_WITHIN_MS = 12_000;

export class Engine {
  readonly options: DeliveryOptions;
  /** Idle: only `drain` takes something up. Stopped: what is not written is given up. */
  state: 'idle' | 'running' | 'stopping' | 'stopped' = 'idle';
  /** Requests of all organisations. */
  in_flight = 0;
  readonly #known = new Map<number, OrganisationWork>();
  #turns = 0;
  readonly #waiting: (() => void)[] = [];
  #round: NodeJS.Timeout | undefined;

  constructor(options: DeliveryOptions) {
    this.options = options;
  }

  /** Something was written for this organisation. */
  touched(organisation_id: number) {
    this.#workOf(organisation_id).lookIn(TOUCHED_MS);
  }

  /** Delivers until nothing is due. For tests and commands. */
  async drain() {
    for (const work of await this.#organisations()) {
      work.look();
      await work.running;
    }
  }

  start() {
    this.state = 'running';
    const look = async () => {
      try {
        for (const work of await this.#organisations()) work.look();
      } catch (err) {
        this.options.logger.warn({ err }, 'deliveries paused');
      }
      if (this.state === 'running') this.#round = setTimeout(look, ROUND_MS);
    };
    void look();
  }

  /** Takes up nothing new, and waits for what is in flight. */
  async stop() {
    this.state = 'stopping';
    clearTimeout(this.#round);
    const until = performance.now() + STOPPED_WITHIN_MS;
    const known = [...this.#known.values()];
    while (known.some(({ running }) => running) && performance.now() < until) await sleep(20);
    this.state = 'stopped';
  }

  /** Organisations take turns. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#turns >= TURNS_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#turns++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#turns--;
    }
  }

  #workOf(id: number): OrganisationWork {
    const work = this.#known.get(id) ?? new OrganisationWork(this, id);
    this.#known.set(id, work);
    return work;
  }
  async #organisations(): Promise<OrganisationWork[]> {
    const { organisation_id, services } = this.options;
    if (organisation_id !== undefined) return [this.#workOf(organisation_id)];
    const rows = await services.db.installation.rows<{ id: number }>('select id from organisations order by id');
    return rows.map(({ id }) => this.#workOf(id));
  }
}
