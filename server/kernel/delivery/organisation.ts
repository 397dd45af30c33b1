// What a node does for one organisation: looks for events and for rows that are due, and works until there are none.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Tx } from '../data/db.ts';
import type { Services } from '../http/routes.ts';
import { claim } from './claim.ts';
import type { Engine } from './engine.ts';
import { takeBatch } from './first-attempts.ts';
import { relayOutbox } from './outbox.ts';
import { Queue } from './queue.ts';
import { type Answer, type Outgoing, send } from './send.ts';

/** Room that is made within this time is filled together. */
const FILL_MS = 2;
const PAUSE_MS = 1000;

export class OrganisationWork {
  readonly engine: Engine;
  readonly services: Services;
  readonly logger: FastifyBaseLogger;
  readonly tx: Tx;
  readonly queues: readonly Queue[];
  running: Promise<void> | undefined;
  #relaying = false;
  /** Something was written that has not been looked for in the outbox. */
  #written = false;
  /** Resolved when there may be more to do, or nothing any more. */
  #progress = Promise.withResolvers<void>();
  #waking: NodeJS.Timeout | undefined;
  #wakes_at = Number.POSITIVE_INFINITY;

  constructor(engine: Engine, organisation_id: number) {
    const { services, logger, destinations } = engine.options;
    this.engine = engine;
    this.services = services;
    this.logger = logger.child({ organisation_id });
    this.tx = services.db.inOrganisation(organisation_id);
    this.queues = destinations.map((destination) => new Queue(this, destination));
  }

  /** Something may be in the outbox, or due. */
  look() {
    this.#written = true;
    if (!this.#relaying) void this.#relay();
    this.expectRows();
    if (this.running) return;
    this.running = this.#run();
    this.running.catch((err) => {
      this.logger.warn({ err }, 'deliveries paused');
      this.lookIn(PAUSE_MS);
    });
  }
  /** Looks after so long, unless it does so sooner. */
  lookIn(ms: number) {
    const at = performance.now() + ms;
    if (this.engine.state !== 'running' || at >= this.#wakes_at) return;
    clearTimeout(this.#waking);
    this.#wakes_at = at;
    this.#waking = setTimeout(() => {
      this.#wakes_at = Number.POSITIVE_INFINITY;
      if (this.engine.state === 'running') this.look();
    }, ms).unref();
  }
  /** There is something to claim, or room for it. */
  proceed() {
    this.#progress.resolve();
  }
  expectRows() {
    for (const queue of this.queues) queue.empty_until = 0;
  }

  /** Never rejects. */
  send(outgoing: Outgoing): Promise<Answer> {
    return send(this.services.egress, outgoing, (err) =>
      this.logger.error({ err }, 'a delivery could not be attempted'),
    );
  }

  get #isIdle() {
    return !this.#relaying && this.queues.every(({ isIdle }) => isIdle);
  }
  /** Until nothing is due and nothing in flight. */
  async #run() {
    try {
      for (;;) {
        // Before the claim: what is settled during it makes room for rows that it could not take.
        this.#progress = Promise.withResolvers();
        const isIdle = this.#isIdle;
        if (isIdle) this.expectRows();
        if (await this.engine.inTurn(() => this.#takeUp())) continue;
        if (isIdle && this.#isIdle) return;
        await this.#progress.promise;
        await sleep(FILL_MS);
      }
    } finally {
      this.running = undefined;
    }
  }
  /** Batches and rows of every queue that has room. True: there may be more at once. */
  async #takeUp(): Promise<boolean> {
    if (this.engine.state === 'stopping') return false;
    const taken = this.queues.map(async (queue) => {
      const batch = await takeBatch(queue);
      return (await claim(queue)) || batch;
    });
    return (await Promise.all(taken)).includes(true);
  }

  /** Hands on every event of the outbox, those too that are written meanwhile. */
  async #relay() {
    this.#relaying = true;
    try {
      while (this.#written) {
        this.#written = false;
        while ((await relayOutbox(this.tx, this.engine.options.relays)) > 0) this.proceed();
      }
    } catch (err) {
      this.logger.warn({ err }, 'events could not be relayed yet');
      this.lookIn(PAUSE_MS);
    }
    this.#relaying = false;
    this.proceed();
  }
}
