import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { buildApp } from './app.ts';
import { baseUrl, followBase, networkUrls } from './domains.ts';
import { readConfig, settingsWarnings } from './kernel/config.ts';
import type { Tx } from './kernel/data/db.ts';
import { migrate } from './kernel/data/migrate.ts';
import { discardStale, partsFolder } from './kernel/files/storage.ts';
import type { Services } from './kernel/http/routes.ts';
import { joinInstallation } from './kernel/installation.ts';
import { listOrganisations, updateAddress } from './modules/organisations/queries.ts';
import { PRIVATE_UMASK } from './postgres/data-permissions.ts';
import { checkVersion, openDatabase } from './postgres/database.ts';
import { createOrganisation } from './setup.ts';
import { welcome } from './welcome.ts';

process.umask(PRIVATE_UMASK);

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
  for (const sentence of settingsWarnings(process.env)) process.stderr.write(`${sentence}\n`);
  const database = await openDatabase(config);
  for (const folder of [config.upload_folder, partsFolder(config.files_folder)]) await discardStale(folder);
  const prepare = async (services: Services) => {
    const { db } = services;
    const warm = db.warmUp();
    if (config.database_url) await checkVersion((text) => warm.then(() => db.installation.rows(text)));
    await warm;
    await migrate(db);
    await joinInstallation(services);
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
    const url = baseUrl(config, port);
    const created = config.env === 'development' ? await offerDemo(services, url) : undefined;
    if (config.base_url) await followBase(services.db, url);
    const organisations = await listOrganisations(services.db);
    // What was logged before does not come between the credentials.
    await new Promise((logged) => (http.log as Logger).flush(logged));
    process.stdout.write(welcome({ url, others: networkUrls(config, port), created, organisations }));
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

/** A signal during the start is kept until the start is done: a database is never left half-started. */
function signalled() {
  return new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal));
  });
}

/** Of nodes that start together on an empty database, one makes the demo organisation. */
async function offerDemo(services: Services, url: string) {
  const { db } = services;
  const address = { domain: new URL(url).host, web_url: url };
  const turn = await db.connect();
  try {
    await turn.query(`select pg_advisory_lock(hashtext('atrium demo'))`);
    const organisations = await listOrganisations(db);
    if (organisations.length === 0) {
      const { demo, fillDemo } = await import('./world/northwind.ts');
      const fill = (tx: Tx) => fillDemo(tx, services);
      return await createOrganisation(db, { ...demo, domain: address, is_demo: true, fill });
    }
    const first = organisations.find(({ is_demo, has_own_domain }) => is_demo && !has_own_domain);
    if (first && !organisations.some(({ domain }) => domain === address.domain))
      await updateAddress(db.inOrganisation(first.id), address, false);
  } finally {
    turn.release(true);
  }
  return undefined;
}
