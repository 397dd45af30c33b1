// The composition root, the same for the server and for tests.
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { type Clock, createClock } from './kernel/clock.ts';
import type { Config } from './kernel/config.ts';
import { type Db, openDb, type Tx } from './kernel/data/db.ts';
import { forgetDeletions } from './kernel/data/deletion.ts';
import { sumUpChanges } from './kernel/data/list-blocks.ts';
import { createEgress } from './kernel/delivery/egress.ts';
import { createDeliveries } from './kernel/delivery/engine.ts';
import { storageFor } from './kernel/files/s3-storage.ts';
import { createBaseUrl } from './kernel/http/base-url.ts';
import { createOrigins } from './kernel/http/cross-origin.ts';
import { refuseTheRest } from './kernel/http/methods.ts';
import { createMetrics } from './kernel/http/metrics.ts';
import { mount, type Services } from './kernel/http/routes.ts';
import { createHttp } from './kernel/http/server.ts';
import type { Module } from './kernel/module.ts';
import { createAuthentication } from './kernel/people/auth.ts';
import { createInFlight, PEOPLE_ENDED, peopleIn } from './kernel/people/in-flight.ts';
import { createSealing, FILE_KEY } from './kernel/people/sealing.ts';
import { createFanOut, listenNotify, nats } from './kernel/work/fan-out.ts';
import { createWorkers, type Workers } from './kernel/work/jobs.ts';
import type { Gateway } from './modules/chat/gateway.ts';
import { lists, modules, routes } from './modules.ts';

export interface Atrium {
  readonly http: FastifyInstance;
  readonly services: Services;
  readonly workers: Workers;
  /** Open sockets of this node. */
  readonly gateway: Gateway;
  close(): Promise<void>;
}

export interface AppOptions {
  config: Config;
  database_url: string;
  clock?: Clock;
  logger?: Logger;
  /** What the database needs before it can be used; runs while the routes are built. */
  prepare?: (services: Services) => Promise<unknown>;
}

export async function buildApp({
  config,
  database_url,
  clock = createClock(),
  logger = pino({ level: config.log_level }, pino.destination({ sync: false, minLength: 4096, periodicFlush: 100 })),
  prepare,
}: AppOptions): Promise<Atrium> {
  const connect = config.nats_url ? nats(config.nats_url) : listenNotify(database_url);
  const fanOut = createFanOut({ connect, logger, nodes: () => db.nodes() });
  const sealing = createSealing(config);
  const db: Db = openDb({
    url: database_url,
    clock,
    connections: config.connections,
    onIdleError: (err) => logger.warn({ err }, 'a database connection was lost'),
    fileKey: sealing.keyFor(FILE_KEY),
    fanOut,
  });
  const services: Services = {
    config,
    clock,
    db,
    storage: await storageFor(config),
    sealing,
    egress: createEgress(config),
    inFlight: createInFlight(clock),
    baseUrl: createBaseUrl(db),
  };
  const prepared = prepare?.(services);
  // Awaited below; a failure while routes are built is no unhandled one.
  prepared?.catch(() => {});
  const metrics = createMetrics();
  const { destinations, relays, jobs, chores, authenticators } = declaredBy(modules, services);
  const deliveries = createDeliveries({ destinations, relays, services, logger });
  const dueTimes = modules.flatMap(({ due }) => due ?? []);
  const workers = createWorkers({ jobs, chores, dueTimes, services, logger, deliveries });
  const authentication = createAuthentication(db, config.brand, authenticators);
  const origins = createOrigins(db, authentication.organisationOf);
  const http = await createHttp({ config, logger, clock, metrics, origins });

  http.addHook('onResponse', (request, _reply, done) => {
    if (request.tx && request.method !== 'GET') workers.touched(request.tx.organisation_id);
    done();
  });
  fanOut.hear(PEOPLE_ENDED, async ({ organisation_id, key }) => {
    await Promise.all(peopleIn(key).map((user_id) => services.inFlight.refuse(organisation_id, user_id)));
  });
  for (const family of routes) mount(http, family, authentication, services);
  const endpoints = routes.flatMap(({ family }) => Object.values(family.endpoints));
  refuseTheRest(http, [...endpoints, ...modules.flatMap(({ alsoMounted = [] }) => alsoMounted)]);
  const node = { fanOut, authentication, metrics, touched: workers.touched };
  for (const module of modules) await module.mount?.(http, services, node);
  http.addHook('onListen', async () => fanOut.start());
  await prepared;

  return {
    http,
    services,
    workers,
    gateway: http.gateway,
    async close() {
      await http.close();
      await workers.stop();
      await fanOut.close();
      await services.egress.close();
      await db.close();
    },
  };
}

/** What the modules bring to the background of a node. */
function declaredBy(modules: readonly Module[], services: Services) {
  const all = <T>(of: (module: Module) => readonly T[] | undefined): T[] => modules.flatMap((one) => of(one) ?? []);
  return {
    destinations: all((module) => module.destinations),
    relays: all((module) => module.relays),
    jobs: all((module) => module.jobs),
    chores: [...all((module) => module.chores), (tx: Tx) => sumUpChanges(tx, lists), forgetDeletions],
    authenticators: all((module) => module.authenticators?.(services)),
  };
}
