import type { Server } from 'node:http';
import { buildApp } from './app.ts';
import { readConfig } from './kernel/config.ts';
import type { Db } from './kernel/data/db.ts';
import { migrate } from './kernel/data/migrate.ts';
import { discardStale, partsFolder } from './kernel/files/storage.ts';
import type { Services } from './kernel/http/routes.ts';
import { listOrganisations, updateDomain } from './modules/organisations/queries.ts';
import { checkVersion, openDatabase } from './postgres/database.ts';
import { createOrganisation } from './setup.ts';
import { welcome } from './welcome.ts';

const REVIVE_EVERY_MS = 1000;
const ANSWERED_WITHIN_MS = 25_000;

try {
  await serve();
} catch (error) {
  process.stderr.write(`Atrium did not start. ${(error as Error).message}\n`);
  process.exit(1);
}

async function serve() {
  const stopping = signalled();
  const config = readConfig(process.env);
  const database = await openDatabase(config);
  for (const folder of [config.upload_folder, partsFolder(config.files_folder)]) await discardStale(folder);
  const prepare = async (db: Db) => {
    const warm = db.warmUp();
    if (config.database_url) await checkVersion((text) => warm.then(() => db.installation.rows(text)));
    await warm;
    await migrate(db);
  };
  const atrium = await buildApp({ config, database_url: database.url, prepare }).catch(async (error) => {
    await database.close();
    throw error;
  });
  const { http, services, workers } = atrium;
  let revive: NodeJS.Timeout | undefined;
  try {
    await http.listen({ host: config.host, port: config.port });
    workers.start();
    revive = setInterval(
      () =>
        database.embedded?.revive().catch((err) => http.log.error({ err }, 'the embedded database did not come back')),
      REVIVE_EVERY_MS,
    );
    const { port } = http.server.address() as { port: number };
    const domain = `${shownHost(config.host)}:${port}`;
    const created = config.env === 'development' ? await offerDemo(services, domain) : undefined;
    process.stdout.write(welcome(`http://${domain}`, created));
    const signal = await stopping;
    http.log.info({ signal }, 'stopping: answering what has begun');
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      ? new Error(
          `Port ${config.port} is taken by another program. Stop that program, or choose another port: ` +
            `ATRIUM_PORT=${config.port + 1} npm start.`,
        )
      : error;
  } finally {
    clearInterval(revive);
    endConnections(http.server);
    await atrium.close();
    await database.close();
  }
  process.exit(0);
}

/**
 * A connection that carries a request when the server begins to close turns idle later,
 * and would hold it up until its client lets go.
 */
function endConnections(server: Server) {
  setInterval(() => server.closeIdleConnections(), 100);
  setTimeout(() => server.closeAllConnections(), ANSWERED_WITHIN_MS);
}

/** A wildcard is an address to listen on, not one to open. */
function shownHost(host: string) {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** A signal during the start is kept until the start is done: a database is never left half-started. */
function signalled() {
  return new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal));
  });
}

/** Of nodes that start together on an empty database, one makes the demo organisation. */
async function offerDemo(services: Services, domain: string) {
  const { db } = services;
  const turn = await db.connect();
  try {
    await turn.query(`select pg_advisory_lock(hashtext('atrium demo'))`);
    const organisations = await listOrganisations(db);
    if (organisations.length === 0) {
      const { demo, fillDemo } = await import('./world/northwind.ts');
      return await createOrganisation(db, { ...demo, domain, is_demo: true, fill: (tx) => fillDemo(tx, services) });
    }
    const existing = organisations.find(({ is_demo }) => is_demo);
    if (existing && !organisations.some((one) => one.domain === domain))
      await updateDomain(db.inOrganisation(existing.id), domain);
  } finally {
    turn.release(true);
  }
  return undefined;
}
