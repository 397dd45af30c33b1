// Work that no request waits for, and the first file of this room.
//
//   job     one thing to do for one organisation: a row, written by the statement that makes it necessary (`queued`),
//           claimed with `skip locked`, run, deleted. A failure leaves the row; its date says when it is tried again
//           (1, 2, 4 … minutes, ten times), and its last error stays readable.
//   chore   regular upkeep of one organisation: archive what is due, sum up counts, delete what is old. A chore that
//           knows when it has something to do next says so (`due`), and is woken then.
//
// Workers look where something was written (`touched`, after every request that is no GET), where something is due, and
// once a minute everywhere. A claim is a date in a row: a worker that dies gives its jobs back when the date passes
// again, so a job may run twice and never not at all. Deliveries to other people's servers have an engine of their own
// (kernel/delivery).
//
// fan-out.ts tells the other nodes where to look: hints, never contents, over PostgreSQL's NOTIFY or NATS.
import type { FastifyBaseLogger } from 'fastify';
import type { Db, Tx } from '../data/db.ts';
import { literal, type Sql, sql } from '../data/sql.ts';
import type { Deliveries } from '../delivery/engine.ts';
import { originOfWork } from '../http/origin.ts';
import type { Services } from '../http/routes.ts';

export interface Job<Payload = never> {
  readonly kind: string;
  readonly run: (tx: Tx, payload: Payload, services: Services) => Promise<void>;
}
export const job = <Payload>(kind: string, run: Job<Payload>['run']): Job<Payload> => ({ kind, run });

/** CTE body that queues one job for each row of `source`, which has the columns payload (jsonb) and run_at. */
export const queued = (kind: Job<never>, source: Sql): Sql => sql`
  insert into jobs (organisation_id, kind, payload, run_at)
  select $1, ${literal(kind.kind)}, q.payload, q.run_at
  from ${source} as q`;

/** Jobs that act for a person name them as user_id. Returns how many were taken away. */
export const deleteJobsOf = async (tx: Tx, user_ids: readonly number[]) =>
  (
    await tx.rows(sql`
    delete from jobs
    where organisation_id = $1 and payload->>'user_id' = any(${user_ids.map(String)}::text[]) returning id`)
  ).length;

/** Regular upkeep of one organisation. */
export type Chore = (tx: Tx, services: Services) => Promise<unknown>;

export interface Workers {
  /** Tells the workers that an organisation was written to, so that they look there within a second. */
  touched(organisation_id: number): void;
  /** Runs until nothing is due. For tests and shutdown. */
  drain(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const CLAIM_MAX = 20;
const ATTEMPTS_MAX = 10;
const TICK_MS = 1000;
/** Organisations nobody touched on this node, and in which nothing is known to be due, are looked at this often. */
const ROUND_MS = 60_000;

export function createWorkers({
  jobs,
  chores,
  dueTimes,
  services,
  logger,
  deliveries,
}: {
  jobs: readonly Job<never>[];
  chores: readonly Chore[];
  /** Scalars: the earliest moment at which a chore has something to do, or null. */
  dueTimes: readonly Sql[];
  services: Services;
  logger: FastifyBaseLogger;
  deliveries: Deliveries;
}): Workers {
  const byKind = new Map(jobs.map((declared) => [declared.kind, declared]));
  const active = new Set<number>();
  /**
   * When an organisation has to be looked at next, as far as this node knows:
   * a new date is written by a request, which touches.
   */
  const wakes = new Map<number, string>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let lastRound = 0;

  const visit = async (organisation_id: number) => {
    const tx = services.db.inOrganisation(organisation_id);
    // A job may queue others.
    while ((await runDue(tx, byKind, services, logger)) > 0);
    await eachOf(chores, (chore) => chore(tx, services));
    deliveries.touched(organisation_id);
    const next_at = await findNextDue(tx, dueTimes);
    if (next_at === null) wakes.delete(organisation_id);
    else wakes.set(organisation_id, next_at);
  };
  const round = async (everybody: boolean) => {
    const now = services.clock.now();
    for (const [id, next_at] of wakes) if (next_at <= now) active.add(id);
    const ids = everybody ? await organisationIds(services.db) : [...active];
    active.clear();
    await eachOf(ids, (id) =>
      visit(id).catch((err) => {
        active.add(id);
        logger.warn({ err, organisation_id: id }, 'background work failed and is tried again');
        throw err;
      }),
    );
  };
  const tick = async () => {
    const everybody = Date.now() - lastRound >= ROUND_MS;
    if (everybody) lastRound = Date.now();
    await round(everybody).catch((err) => logger.warn({ err }, 'background work paused'));
  };

  return {
    touched(organisation_id) {
      active.add(organisation_id);
      deliveries.touched(organisation_id);
    },
    async drain() {
      await round(true);
      await deliveries.drain();
    },
    start() {
      deliveries.start();
      const next = () => {
        timer = setTimeout(() => {
          running = tick().finally(() => timer && next());
        }, TICK_MS);
      };
      next();
    },
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await running;
      await deliveries.stop();
    },
  };
}

/** One after the other; a failure keeps none of the others from its turn, and is thrown at the end. */
async function eachOf<T>(list: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const one of list) await work(one).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function organisationIds(db: Db): Promise<number[]> {
  return (await db.installation.rows<{ id: number }>('select id from organisations order by id')).map(({ id }) => id);
}

/** ISO 8601, never in the past. */
async function findNextDue(tx: Tx, dueTimes: readonly Sql[]): Promise<string | null> {
  const first = sql`(select min(run_at) from jobs where organisation_id = $1 and attempts < ${ATTEMPTS_MAX})`;
  const earliest = dueTimes.reduce((times, time) => sql`${times}, ${time}`, first);
  const next_at = await tx.value<string | null>(sql`
    select case when d.at is not null then iso(greatest(d.at, ${tx.now()}::timestamptz)) end
    from (select least(${earliest}) as at) d`);
  return next_at ?? null;
}

/** A claim is a date in the row: a worker that dies gives its jobs back when `run_at` passes again. */
async function runDue(
  tx: Tx,
  byKind: ReadonlyMap<string, Job<never>>,
  services: Services,
  logger: FastifyBaseLogger,
): Promise<number> {
  const due = await tx.rows<{ id: number; kind: string; payload: never; attempts: number }>(sql`
    update jobs set attempts = attempts + 1,
      run_at = ${tx.now()}::timestamptz + interval '1 minute' * power(2, attempts)
    where organisation_id = $1 and id in (
      select id from jobs
      where organisation_id = $1 and run_at <= ${tx.now()}::timestamptz and attempts < ${ATTEMPTS_MAX}
      order by run_at limit ${CLAIM_MAX} for update skip locked)
    returning id, kind, payload, attempts`);
  for (const { id, kind, payload, attempts } of due) {
    try {
      const own = services.db.inOrganisation(tx.organisation_id, originOfWork(kind, services.clock.micros));
      await byKind.get(kind)?.run(own, payload, services);
      await tx.rows(sql`delete from jobs where organisation_id = $1 and id = ${id}`);
    } catch (err) {
      logger.error({ err, job: kind, job_id: id, attempts, organisation_id: tx.organisation_id }, 'a job failed');
      await tx.rows(sql`
        update jobs set last_error = ${(err as Error).message.slice(0, 1000)}
        where organisation_id = $1 and id = ${id}`);
    }
  }
  return due.length;
}
