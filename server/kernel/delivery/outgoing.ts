// The delivery engine: takes events from the outbox to other people's servers. At least once, from rows and never from
// memory, on any number of nodes.
//
//   relay     outbox rows become batches, or rows of their own                    outbox.ts
//   first     a batch is sent as it comes; what succeeds is written once          first-attempts.ts
//   claim     what is due, some of every target; a claim is a lease               deliveries.ts
//   prepare   one look at the targets of a claim: address, headers, body, or a reason to withhold
//   send      every row by itself, through the guard                               attempt.ts, egress.ts
//   settle    outcomes and log of a moment in one statement
//
// Windows of targets are in lanes.ts. Organisations take turns.
//
// To add a kind of destination: a table of deliveries and a log (`DeliveryTables`), an object of the type `Destination`,
// and its name in `destinations` of server/modules.ts. Whoever has something to say inserts a row with state 'pending' and
// next_attempt_at now, in the transaction that makes it true (or through a `Relay`, for what is in the outbox).
import type { FastifyBaseLogger } from 'fastify';
import { isoOfMicros } from '../clock.ts';
import type { Db, Tx } from '../data/db.ts';
import type { Sql } from '../data/sql.ts';
import type { Services } from '../http/routes.ts';
import { type Answer, createAttempt, loggedHeaders, type Outgoing, type Withheld } from './attempt.ts';
import {
  ATTEMPTS_MAX,
  type Claimed,
  claimDeliveries,
  type DeliveryTables,
  type Settled,
  settleDeliveries,
} from './deliveries.ts';
import { listOf } from './egress.ts';
import { createFirstAttempts, type EventBatches } from './first-attempts.ts';
import { isIdle, type Lane, learn, newLane, occupy, roomFor, vacate } from './lanes.ts';
import { type Relay, relayOutbox } from './outbox.ts';

export interface Destination extends DeliveryTables {
  /** Condition on the target `o`: it is written to now. Rows of others wait. */
  open(now: string): Sql;
  /** By the id of the delivery. Rows without an entry are withheld as `gone`. */
  prepare(tx: Tx, claimed: readonly Claimed[], services: Services): Promise<ReadonlyMap<number, Outgoing | Withheld>>;
  /** Events that are tried before they have rows. */
  readonly batches?: EventBatches;
  /** Targets that something was delivered to, or that failed, at this moment. */
  settled?(
    tx: Tx,
    outcome: { delivered: readonly number[]; failed: readonly number[] },
    services: Services,
    logger: FastifyBaseLogger,
  ): Promise<void>;
}

export interface Deliveries {
  /** Something was written for this organisation. */
  touched(organisation_id: number): void;
  /** Delivers until nothing is due. For tests and commands. */
  drain(): Promise<void>;
  start(): void;
  /** Takes up nothing new, and waits for what is on its way. */
  stop(): Promise<void>;
}

/** Answered, but not written down yet: then nothing more is taken up. */
const UNSETTLED_MAX = 2048;
const VISITS_AT_ONCE = 3;
/** Outcomes that come within this time are written together; places that become free are filled together. */
const [SETTLE_MS, FILL_MS] = [5, 2];
/** A claim that finds nothing is not repeated sooner, unless something was written. */
const EMPTY_MS = 20;
/** Finds what another node left behind, and what was written outside of a server. */
const ROUND_MS = 5000;
const PAUSE_MS = 1000;
/** Writes that come within this time are looked at together. */
const TOUCHED_MS = 20;
const STOPPED_WITHIN_MS = 12_000;

type Held = Pick<Claimed, 'id' | 'target_id' | 'attempt' | 'attempt_shown'>;
type Outcome = Pick<Settled, 'state' | 'failure' | 'sent'> & { delay_s: number };

interface Place {
  readonly tx: Tx;
  readonly lanes: Lane[];
  visited: Promise<boolean> | undefined;
  /** Something was written that has not been looked for in the outbox. */
  written: boolean;
  relaying: Promise<boolean> | undefined;
  filling: NodeJS.Timeout | undefined;
  retry: NodeJS.Timeout | undefined;
  retry_at: number;
}

export interface DeliveryOptions {
  destinations: readonly Destination[];
  relays: readonly Relay[];
  services: Services;
  logger: FastifyBaseLogger;
  /** Only this organisation; without it every one. */
  organisation_id?: number;
}

export function createDeliveries({
  destinations,
  relays,
  services,
  logger,
  organisation_id,
}: DeliveryOptions): Deliveries {
  const { db, clock, config, egress } = services;
  const attempt = createAttempt(egress, logger);
  const delays_s = listOf(config.webhook_retry_seconds).map(Number);
  const places = new Map<number, Place>();
  const ready = new Set<number>();
  let started = false;
  let stopped = false;
  let visiting = 0;
  const node = { busy: 0 };
  let round: NodeJS.Timeout | undefined;
  /** Resolved whenever there may be more to do, or nothing any more. */
  let progress = Promise.withResolvers<void>();

  const placeOf = (id: number): Place => {
    const known = places.get(id);
    if (known) return known;
    const lanes = destinations.map(newLane);
    const idle = {
      written: false,
      visited: undefined,
      relaying: undefined,
      filling: undefined,
      retry: undefined,
      retry_at: Number.POSITIVE_INFINITY,
    };
    const place: Place = { tx: db.inOrganisation(id), lanes, ...idle };
    places.set(id, place);
    return place;
  };

  const firsts = createFirstAttempts({
    node,
    services,
    logger,
    attempt,
    settle({ tx, lane }, row, outgoing, answer) {
      const held = { ...row, attempt_shown: row.attempt };
      record(placeOf(tx.organisation_id), lane, held, outcomeOf(held, outgoing, answer));
    },
    reached: (tx, lane, delivered) => reportHealth(tx, lane.destination, { delivered, failed: [] }),
    proceed: (tx) => proceed(placeOf(tx.organisation_id)),
    stopped: () => stopped,
  });

  const wake = (id: number) => {
    if (!started) return;
    ready.add(id);
    for (const next of ready) {
      if (visiting >= VISITS_AT_ONCE) return;
      const place = placeOf(next);
      if (place.visited) continue;
      ready.delete(next);
      visiting++;
      place.visited = claimAll(place).finally(() => {
        visiting--;
        place.visited = undefined;
      });
      place.visited
        .then(
          (more) => void (more && ready.add(next)),
          (err) => {
            logger.warn({ err, organisation_id: next }, 'deliveries paused');
            later(place, PAUSE_MS);
          },
        )
        .then(() => ready.size > 0 && wake(first(ready)));
    }
  };
  const later = (place: Place, ms: number) => {
    const at = performance.now() + ms;
    if (!started || at >= place.retry_at) return;
    clearTimeout(place.retry);
    place.retry_at = at;
    place.retry = setTimeout(() => {
      place.retry_at = Number.POSITIVE_INFINITY;
      attend(place);
    }, ms).unref();
  };

  const attend = (place: Place) => {
    look(place);
    wake(place.tx.organisation_id);
  };
  /** Something may be in the outbox, or due. */
  const look = (place: Place) => {
    place.written = true;
    place.relaying ??= relay(place);
    expectRows(place);
  };
  const expectRows = ({ lanes }: Place) => {
    for (const lane of lanes) lane.claim_from = 0;
  };
  /** True: there may be more at once. */
  const claimAll = async (place: Place): Promise<boolean> => {
    const visited = place.lanes.map(async (lane) => {
      const taken = await firsts.take(place.tx, lane);
      return (await claim(place, lane)) > 0 || taken;
    });
    return (await Promise.all(visited)).includes(true);
  };
  /** True: there were events. */
  const relay = async (place: Place): Promise<boolean> => {
    let found = false;
    try {
      while (place.written) {
        place.written = false;
        while ((await relayOutbox(place.tx, relays)) > 0) {
          found = true;
          proceed(place);
        }
      }
    } catch (err) {
      logger.warn({ err, organisation_id: place.tx.organisation_id }, 'events could not be relayed yet');
      later(place, PAUSE_MS);
    } finally {
      place.relaying = undefined;
      proceed(place);
    }
    return found;
  };
  /** There is something to claim, or room for it. */
  const proceed = (place: Place) => {
    place.filling ??= setTimeout(() => {
      place.filling = undefined;
      progress.resolve();
      progress = Promise.withResolvers();
      wake(place.tx.organisation_id);
    }, FILL_MS);
  };

  const claim = async (place: Place, lane: Lane): Promise<number> => {
    const room = roomFor(node, lane);
    if (room.most <= 0 || lane.unsettled > UNSETTLED_MAX) return 0;
    const early_ms = lane.claim_from - performance.now();
    if (early_ms > 0) {
      lane.claiming ??= setTimeout(() => {
        lane.claiming = undefined;
        proceed(place);
      }, early_ms).unref();
      return 0;
    }
    const { destination } = lane;
    const claimed = await claimDeliveries(place.tx, destination, destination.open(place.tx.now()), room);
    lane.claimed += claimed.length;
    if (lane.claimed === 0) lane.claim_from = performance.now() + EMPTY_MS;
    for (const { target_id } of claimed) occupy(node, lane, target_id);
    if (claimed.length > 0) void prepare(place, lane, claimed);
    return claimed.length;
  };
  const prepare = async (place: Place, lane: Lane, claimed: readonly Claimed[]) => {
    try {
      const prepared = await lane.destination.prepare(place.tx, claimed, services);
      for (const row of claimed) void deliver(place, lane, row, prepared.get(row.id) ?? { withheld: 'gone' });
    } catch (err) {
      logger.warn({ err, organisation_id: place.tx.organisation_id }, 'deliveries could not be prepared yet');
      for (const row of claimed)
        done(place, lane, row, { state: 'pending', failure: null, sent: null, delay_s: PAUSE_MS / 1000 });
    }
  };
  const done = (place: Place, lane: Lane, row: Claimed, outcome: Outcome) => {
    vacate(node, lane, row.target_id);
    lane.claimed--;
    firsts.next(lane, row.target_id);
    record(place, lane, row, outcome);
  };
  const record = (
    place: Place,
    lane: Lane,
    { id, target_id, attempt, attempt_shown }: Held,
    { delay_s, ...outcome }: Outcome,
  ) => {
    const next_attempt_at = new Date(clock.micros() / 1000 + delay_s * 1000).toISOString();
    lane.outcomes.push({ id, target_id, attempt, attempt_shown, next_attempt_at, ...outcome });
    lane.unsettled++;
    proceed(place);
    lane.settling ??= setTimeout(() => settle(place, lane), SETTLE_MS);
    if (outcome.state === 'pending') later(place, delay_s * 1000);
  };

  const deliver = async (place: Place, lane: Lane, row: Claimed, outgoing: Outgoing | Withheld) => {
    if ('withheld' in outgoing)
      return done(place, lane, row, { state: 'withheld', failure: outgoing.withheld, sent: null, delay_s: 0 });
    // The worker that had the last attempt died, and nobody knows how that ended.
    if (row.attempt > ATTEMPTS_MAX)
      return done(place, lane, row, { state: 'failed', failure: 'interrupted', sent: null, delay_s: 0 });
    const answer = await attempt(outgoing);
    learn(lane, row.target_id, answer);
    done(place, lane, row, outcomeOf(row, outgoing, answer));
  };
  const outcomeOf = (row: Held, outgoing: Outgoing, { status, failure, answer, latency_ms }: Answer): Outcome => {
    const request_headers = JSON.stringify(loggedHeaders(outgoing));
    const sent = { at: isoOfMicros(outgoing.at), latency_ms, status, answer, request_headers };
    const state = failure === null ? 'delivered' : row.attempt < ATTEMPTS_MAX ? 'pending' : 'failed';
    return { state, failure, sent, delay_s: state === 'pending' ? jittered(delays_s[row.attempt - 1] ?? 0) : 0 };
  };

  const settle = async (place: Place, lane: Lane): Promise<void> => {
    const outcomes = lane.outcomes.splice(0);
    try {
      await settleDeliveries(place.tx, lane.destination, outcomes);
    } catch (err) {
      logger.warn(
        { err, organisation_id: place.tx.organisation_id },
        'outcomes of deliveries could not be written yet',
      );
      if (stopped) return;
      lane.outcomes.unshift(...outcomes);
      lane.settling = setTimeout(() => settle(place, lane), PAUSE_MS);
      return;
    }
    lane.settling = lane.outcomes.length > 0 ? setTimeout(() => settle(place, lane), SETTLE_MS) : undefined;
    const targets = (pick: (one: Settled) => boolean) => [
      ...new Set(outcomes.filter(pick).map((one) => one.target_id)),
    ];
    const delivered = targets(({ state }) => state === 'delivered');
    const failed = targets(({ failure, state }) => failure !== null && state !== 'withheld');
    if (delivered.length + failed.length > 0) await reportHealth(place.tx, lane.destination, { delivered, failed });
    lane.unsettled -= outcomes.length;
    proceed(place);
  };
  const reportHealth = async (
    tx: Tx,
    destination: Destination,
    outcome: Parameters<NonNullable<Destination['settled']>>[1],
  ) => {
    try {
      await destination.settled?.(tx, outcome, services, logger);
    } catch (err) {
      logger.warn({ err }, 'the health of targets could not be written');
    }
  };

  const organisationsHere = () => (organisation_id === undefined ? organisationIds(db) : [organisation_id]);

  return {
    touched: (id) => later(placeOf(id), TOUCHED_MS),
    async drain() {
      for (const id of await organisationsHere()) {
        const place = placeOf(id);
        for (let relayed = true; relayed; ) {
          look(place);
          const relaying = place.relaying;
          for (;;) {
            await place.visited?.catch(() => {});
            // Before the claim: what is settled during it makes room for rows that it could not take.
            const [proceeded, idle] = [progress.promise, !place.relaying && place.lanes.every(isIdle)];
            if (idle) expectRows(place);
            if (await claimAll(place)) continue;
            if (idle) break;
            await proceeded;
          }
          relayed = (await relaying) ?? false;
        }
      }
    },
    start() {
      [started, stopped] = [true, false];
      const look = async () => {
        try {
          for (const id of await organisationsHere()) attend(placeOf(id));
        } catch (err) {
          logger.warn({ err }, 'deliveries paused');
        }
        if (started) round = setTimeout(look, ROUND_MS);
      };
      void look();
    },
    async stop() {
      started = false;
      clearTimeout(round);
      for (const place of places.values()) {
        clearTimeout(place.retry);
        await place.visited?.catch(() => {});
      }
      const patience = setTimeout(() => progress.resolve(), STOPPED_WITHIN_MS);
      const until = performance.now() + STOPPED_WITHIN_MS;
      const idle = () => [...places.values()].every((place) => !place.relaying && place.lanes.every(isIdle));
      while (!idle() && performance.now() < until) await progress.promise;
      clearTimeout(patience);
      stopped = true;
    },
  };
}

const first = (ids: ReadonlySet<number>) => ids.values().next().value as number;
/** ±20 %, so that what failed together does not come back together. */
const jittered = (seconds: number) => seconds * (0.8 + Math.random() * 0.4);

async function organisationIds(db: Db): Promise<number[]> {
  return (await db.installation.rows<{ id: number }>('select id from organisations order by id')).map(({ id }) => id);
}
