// The delivery engine: takes events from the outbox to rows, and rows to other people's servers. At least once, from rows
// and never from memory, on any number of nodes.
//
//   relay     outbox rows become delivery rows                                    kernel/outbox.ts
//   claim     what is due, some of every target; a claim is a lease               kernel/deliveries.ts
//   prepare   one look at the targets of a batch: address, headers, body, or a reason to withhold
//   send      every row by itself, through the guard                              kernel/egress.ts
//   settle    outcomes and log of a moment in one statement
//
// A target has a window of requests that may be on their way: it doubles with every success and halves with every failure,
// so a server that hangs soon holds one place, and nobody waits for it. Organisations take turns.
//
// To add a kind of destination: a table of deliveries and a log (`DeliveryTables`), an object of the type `Destination`,
// and its name in `destinations` of server/modules.ts. Whoever has something to say inserts a row with state 'pending' and
// next_attempt_at now, in the transaction that makes it true (or through a `Relay`, for what is in the outbox).
import type { FastifyBaseLogger } from 'fastify';
import type { Db, Tx } from './db.ts';
import { ATTEMPTS_MAX, type Claimed, claimDeliveries, type DeliveryTables, type Settled, settleDeliveries } from './deliveries.ts';
import { EgressFailure, listOf } from './egress.ts';
import { type Relay, relayOutbox } from './outbox.ts';
import type { Services } from './routes.ts';
import type { Sql } from './sql.ts';

export interface Destination extends DeliveryTables {
  /** Condition on the target `o`: it is written to now. Rows of others wait. */
  open(now: string): Sql;
  /** By the id of the delivery. Rows without an entry are withheld as `gone`. */
  prepare(tx: Tx, claimed: readonly Claimed[], services: Services): Promise<ReadonlyMap<number, Outgoing | Withheld>>;
  /** After targets changed between well and failing; `failed` names targets of this moment's failures. */
  settled?(tx: Tx, outcome: { recovered: number[]; failed: number[] }, services: Services, logger: FastifyBaseLogger): Promise<void>;
}
/** Not sent, now or ever. */
export interface Withheld {
  withheld: string;
}
export interface Outgoing {
  /** Moment of the attempt, as headers and log show it. */
  at: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The same as sent, but with secrets masked. */
  logged_headers: Readonly<Record<string, string>>;
  /** The target has been failing up to now. */
  failing: boolean;
  /** Headers that cost a request of their own; `renew` after a 401, once. Throws a DeliveryFailure. */
  authorise?(renew: boolean): Promise<Record<string, string>>;
}
/** A failure to deliver that is no answer of the target. */
export class DeliveryFailure extends Error {
  readonly kind: string;
  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
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

const READ_BYTES_MAX = 64 * 1024;
const KEPT_BYTES_MAX = 4 * 1024;
/** On their way at once. */
const [NODE_MAX, ORGANISATION_MAX, CLAIM_MAX] = [1024, 512, 256];
/** Answered, but not written down yet: then nothing more is taken up. */
const UNSETTLED_MAX = 2048;
const [WINDOW_FIRST, WINDOW_MAX] = [4, 128];
const VISITS_AT_ONCE = 3;
/** Outcomes that come within this time are written together; places that become free are filled together. */
const [SETTLE_MS, FILL_MS] = [5, 2];
/** Finds what another node left behind, and what was written outside of a server. */
const ROUND_MS = 5000;
const PAUSE_MS = 1000;
/** Writes that come within this time are looked at together. */
const TOUCHED_MS = 20;
const STOPPED_WITHIN_MS = 12_000;

interface Target {
  busy: number;
  window: number;
}
/** What this node knows of one organisation and one destination. */
interface Lane {
  readonly destination: Destination;
  readonly targets: Map<number, Target>;
  readonly outcomes: (Settled & { target_id: number; failing: boolean })[];
  busy: number;
  unsettled: number;
  settling: NodeJS.Timeout | undefined;
}
interface Place {
  readonly tx: Tx;
  readonly lanes: Lane[];
  visited: Promise<boolean> | undefined;
  /** Something was written that has not been looked for in the outbox. */
  written: boolean;
  relaying: Promise<void> | undefined;
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

export function createDeliveries({ destinations, relays, services, logger, organisation_id }: DeliveryOptions): Deliveries {
  const { db, clock, config, egress } = services;
  const delays_s = listOf(config.webhook_retry_seconds).map(Number);
  const places = new Map<number, Place>();
  const ready = new Set<number>();
  let started = false;
  let stopped = false;
  let visiting = 0;
  let busy = 0;
  let round: NodeJS.Timeout | undefined;
  /** Resolved whenever there may be more to do, or nothing any more. */
  let progress = Promise.withResolvers<void>();

  const placeOf = (id: number): Place => {
    const known = places.get(id);
    if (known) return known;
    const lanes = destinations.map((destination) => ({
      destination,
      targets: new Map(),
      outcomes: [],
      busy: 0,
      unsettled: 0,
      settling: undefined,
    }));
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
    place.written = true;
    place.relaying ??= relay(place);
    wake(place.tx.organisation_id);
  };
  /** True: there may be more at once. */
  const claimAll = async (place: Place): Promise<boolean> => {
    const claimed = await Promise.all(place.lanes.map((lane) => claim(place, lane)));
    return claimed.some((count) => count > 0);
  };
  const relay = async (place: Place) => {
    try {
      while (place.written) {
        place.written = false;
        while ((await relayOutbox(place.tx, relays)) > 0) proceed(place);
      }
    } catch (err) {
      logger.warn({ err, organisation_id: place.tx.organisation_id }, 'events could not be relayed yet');
      later(place, PAUSE_MS);
    } finally {
      place.relaying = undefined;
      proceed(place);
    }
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
    const most = Math.min(CLAIM_MAX, ORGANISATION_MAX - lane.busy, NODE_MAX - busy);
    if (most <= 0 || lane.unsettled > UNSETTLED_MAX) return 0;
    const free = new Map([...lane.targets].map(([id, target]) => [id, Math.max(0, target.window - target.busy)]));
    const { destination } = lane;
    const claimed = await claimDeliveries(place.tx, destination, destination.open(place.tx.now()), { free, otherwise: WINDOW_FIRST, most });
    if (claimed.length === 0) return 0;
    for (const { target_id } of claimed) occupy(lane, target_id);
    void prepare(place, lane, claimed);
    return claimed.length;
  };
  const prepare = async (place: Place, lane: Lane, claimed: readonly Claimed[]) => {
    try {
      const prepared = await lane.destination.prepare(place.tx, claimed, services);
      for (const row of claimed) void deliver(place, lane, row, prepared.get(row.id) ?? { withheld: 'gone' });
    } catch (err) {
      logger.warn({ err, organisation_id: place.tx.organisation_id }, 'deliveries could not be prepared yet');
      const given_back = { state: 'pending', failure: null, sent: null } as const;
      for (const row of claimed) done(place, lane, row, given_back, false, PAUSE_MS / 1000);
    }
  };
  const occupy = (lane: Lane, id: number) => {
    const target = lane.targets.get(id) ?? { busy: 0, window: WINDOW_FIRST };
    lane.targets.set(id, target);
    target.busy++;
    lane.busy++;
    busy++;
  };
  const vacate = (lane: Lane, id: number) => {
    const target = lane.targets.get(id);
    if (target && --target.busy === 0 && target.window === WINDOW_FIRST) lane.targets.delete(id);
    lane.busy--;
    busy--;
  };

  /** `failing`: what the target was before. */
  const done = (
    place: Place,
    lane: Lane,
    { id, target_id, attempt, attempt_shown }: Claimed,
    outcome: Pick<Settled, 'state' | 'failure' | 'sent'>,
    failing: boolean,
    delay_s = 0,
  ) => {
    const next_attempt_at = new Date(clock.micros() / 1000 + delay_s * 1000).toISOString();
    lane.outcomes.push({ id, target_id, attempt, attempt_shown, next_attempt_at, failing, ...outcome });
    lane.unsettled++;
    vacate(lane, target_id);
    proceed(place);
    lane.settling ??= setTimeout(() => settle(place, lane), SETTLE_MS);
    if (outcome.state === 'pending') later(place, delay_s * 1000);
  };

  const deliver = async (place: Place, lane: Lane, row: Claimed, outgoing: Outgoing | Withheld) => {
    if ('withheld' in outgoing) return done(place, lane, row, { state: 'withheld', failure: outgoing.withheld, sent: null }, false);
    // The worker that had the last attempt died, and nobody knows how that ended.
    const interrupted = { state: 'failed', failure: 'interrupted', sent: null } as const;
    if (row.attempt > ATTEMPTS_MAX) return done(place, lane, row, interrupted, outgoing.failing);
    const began = performance.now();
    const { status, failure, answer } = await attempt(outgoing);
    const target = lane.targets.get(row.target_id);
    if (target) target.window = failure ? Math.max(1, target.window >> 1) : Math.min(WINDOW_MAX, target.window * 2);
    const latency_ms = Math.round(performance.now() - began);
    const sent = { at: outgoing.at, latency_ms, status, answer, request_headers: JSON.stringify(outgoing.logged_headers) };
    const state = !failure ? 'delivered' : row.attempt < ATTEMPTS_MAX ? 'pending' : 'failed';
    const delay_s = state === 'pending' ? jittered(delays_s[row.attempt - 1] ?? 0) : 0;
    done(place, lane, row, { state, failure, sent }, outgoing.failing, delay_s);
  };

  const attempt = async ({ url, headers, body, authorise }: Outgoing) => {
    const post = async (renew: boolean) =>
      egress.send({
        method: 'POST',
        url,
        headers: authorise ? { ...headers, ...(await authorise(renew)) } : headers,
        body,
        answer_bytes_max: READ_BYTES_MAX,
      });
    try {
      const first = await post(false);
      const { status, body: bytes } = authorise && first.status === 401 ? await post(true) : first;
      const failure = status >= 200 && status < 300 ? null : `status_${status}`;
      return { status, failure, answer: readable(bytes) };
    } catch (error) {
      if (error instanceof EgressFailure || error instanceof DeliveryFailure)
        return { status: null, failure: error.kind, answer: readable(Buffer.from(error.message)) };
      logger.error({ err: error }, 'a delivery could not be attempted');
      return { status: null, failure: 'internal_error', answer: null };
    }
  };

  const settle = async (place: Place, lane: Lane): Promise<void> => {
    const outcomes = lane.outcomes.splice(0);
    try {
      await settleDeliveries(place.tx, lane.destination, outcomes);
    } catch (err) {
      logger.warn({ err, organisation_id: place.tx.organisation_id }, 'outcomes of deliveries could not be written yet');
      if (stopped) return;
      lane.outcomes.unshift(...outcomes);
      lane.settling = setTimeout(() => settle(place, lane), PAUSE_MS);
      return;
    }
    lane.settling = lane.outcomes.length > 0 ? setTimeout(() => settle(place, lane), SETTLE_MS) : undefined;
    await reportHealth(place.tx, lane.destination, outcomes).catch((err) =>
      logger.warn({ err }, 'the health of targets could not be written'),
    );
    lane.unsettled -= outcomes.length;
    proceed(place);
  };
  const reportHealth = async (tx: Tx, destination: Destination, outcomes: Lane['outcomes']) => {
    const targets = (pick: (one: Lane['outcomes'][number]) => boolean) => [...new Set(outcomes.filter(pick).map((one) => one.target_id))];
    const recovered = targets(({ state, failing }) => state === 'delivered' && failing);
    const failed = targets(({ failure, state }) => failure !== null && state !== 'withheld');
    if (recovered.length + failed.length > 0) await destination.settled?.(tx, { recovered, failed }, services, logger);
  };

  const organisationsHere = () => (organisation_id === undefined ? organisationIds(db) : [organisation_id]);

  return {
    touched: (id) => later(placeOf(id), TOUCHED_MS),
    async drain() {
      for (const id of await organisationsHere()) {
        const place = placeOf(id);
        for (;;) {
          await Promise.all([place.visited?.catch(() => {}), place.relaying]);
          place.written = true;
          await relay(place);
          // Before the claim: what is settled during it makes room for rows that it could not take.
          const [proceeded, idle] = [progress.promise, place.lanes.every(isIdle)];
          if (await claimAll(place)) continue;
          if (idle) break;
          await proceeded;
        }
      }
    },
    start() {
      started = true;
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

const isIdle = ({ busy, unsettled }: Lane) => busy === 0 && unsettled === 0;
const first = (ids: ReadonlySet<number>) => ids.values().next().value as number;
/** ±20 %, so that what failed together does not come back together. */
const jittered = (seconds: number) => seconds * (0.8 + Math.random() * 0.4);
/** As text that PostgreSQL takes. */
const readable = (bytes: Buffer) => bytes.subarray(0, KEPT_BYTES_MAX).toString('utf8').replaceAll('\0', '\uFFFD');

async function organisationIds(db: Db): Promise<number[]> {
  return (await db.installation.rows<{ id: number }>('select id from organisations order by id')).map(({ id }) => id);
}
