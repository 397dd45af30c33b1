// The composition root, the same for the server and for tests.
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { type Clock, createClock } from './kernel/clock.ts';
import type { Config } from './kernel/config.ts';
import { type Db, openDb } from './kernel/data/db.ts';
import { createEgress } from './kernel/delivery/egress.ts';
import { createDeliveries } from './kernel/delivery/outgoing.ts';
import { storageFor } from './kernel/files/s3-storage.ts';
import { createMetrics } from './kernel/http/metrics.ts';
import { mount, type Services } from './kernel/http/routes.ts';
import { createHttp, refuseTheRest } from './kernel/http/server.ts';
import { createAuthentication } from './kernel/people/auth.ts';
import { createInFlight } from './kernel/people/in-flight.ts';
import { createSealing } from './kernel/people/sealing.ts';
import { createFanOut, listenNotify, nats } from './kernel/work/fan-out.ts';
import { createWorkers, type Workers } from './kernel/work/jobs.ts';
import { mountFiles } from './modules/assets/files.ts';
import { mountJwks } from './modules/bots/jwks.ts';
import { mountCalendarFeeds } from './modules/calendars/routes.ts';
import { PEOPLE_ENDED, peopleIn } from './modules/chat/events.ts';
import { type Gateway, mountGateway, openSocket } from './modules/chat/gateway.ts';
import { mountDocs } from './modules/docs/routes.ts';
import { mountHealth } from './modules/health/routes.ts';
import { mountPictures } from './modules/pictures/routes.ts';
import { mountScim } from './modules/scim/protocol.ts';
import { authenticators, chores, destinations, dueTimes, jobs, modules, relays } from './modules.ts';

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
  prepare?: (db: Db) => Promise<unknown>;
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
  const db: Db = openDb({
    url: database_url,
    clock,
    connections: config.connections,
    onIdleError: (err) => logger.warn({ err }, 'a database connection was lost'),
    fanOut,
  });
  const prepared = prepare?.(db);
  // Awaited below; a failure while routes are built is no unhandled one.
  prepared?.catch(() => {});
  const services: Services = {
    config,
    clock,
    db,
    storage: await storageFor(config),
    sealing: createSealing(config),
    egress: createEgress(config),
    inFlight: createInFlight(clock),
  };
  const metrics = createMetrics();
  const http = await createHttp({ config, logger, clock, metrics });
  const deliveries = createDeliveries({ destinations, relays, services, logger });
  const workers = createWorkers({ jobs, chores, dueTimes, services, logger, deliveries });
  const authentication = createAuthentication(db, config.brand, authenticators(services));

  http.addHook('onResponse', (request, _reply, done) => {
    if (request.tx && request.method !== 'GET') workers.touched(request.tx.organisation_id);
    done();
  });
  for (const family of modules) mount(http, family, authentication, services);
  fanOut.hear(PEOPLE_ENDED, async ({ organisation_id, key }) => {
    await Promise.all(peopleIn(key).map((user_id) => services.inFlight.refuse(organisation_id, user_id)));
  });
  const gateway = mountGateway({ http, services, fanOut, authentication, touched: workers.touched });
  refuseTheRest(http, [openSocket, ...modules.flatMap(({ family }) => Object.values(family.endpoints))]);
  mountHealth(http, services, metrics);
  mountPictures(http, services);
  mountCalendarFeeds(http, services);
  await mountScim(http, services);
  mountFiles(http, services);
  mountJwks(http, services);
  mountDocs(http);
  http.addHook('onListen', async () => fanOut.start());
  await prepared;

  return {
    http,
    services,
    workers,
    gateway,
    async close() {
      await http.close();
      await workers.stop();
      await fanOut.close();
      await services.egress.close();
      await db.close();
    },
  };
}
