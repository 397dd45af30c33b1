import { buildApp } from './app.ts';
import { readConfig } from './kernel/config.ts';
import { openDatabase } from './kernel/database.ts';
import { migrate } from './kernel/migrate.ts';
import { listOrganisations, updateDomain } from './modules/organisations/queries.ts';
import { createOrganisation } from './modules/organisations/setup.ts';
import { welcome } from './welcome.ts';
import { demo, fillDemo } from './world.ts';

const REVIVE_EVERY_MS = 2000;

try {
  await serve();
} catch (error) {
  process.stderr.write(`Atrium did not start. ${(error as Error).message}\n`);
  process.exit(1);
}

async function serve() {
  const config = readConfig(process.env);
  const database = await openDatabase(config, 'server');
  const atrium = await buildApp({ config, database_url: database.url }).catch(async (error) => {
    await database.close();
    throw error;
  });
  const { http, services, workers } = atrium;
  const close = async () => {
    await atrium.close();
    await database.close();
  };
  try {
    await migrate(services.db);
    await http.listen({ host: config.host, port: config.port });
  } catch (error) {
    await close();
    throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      ? new Error(`Port ${config.port} is taken by another program. Stop that program, or choose another port: ATRIUM_PORT=4001 npm start.`)
      : error;
  }
  workers.start();
  const revive = setInterval(
    () => database.embedded?.revive().catch((err) => http.log.error({ err }, 'the embedded database did not come back')),
    REVIVE_EVERY_MS,
  );

  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    clearInterval(revive);
    http.log.info({ signal }, 'stopping: answering what has begun');
    await close();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal));

  const { port } = http.server.address() as { port: number };
  await offerDemo(`${config.host}:${port}`);

  async function offerDemo(domain: string) {
    const organisations = await listOrganisations(services.db);
    const existing = organisations.find(({ is_demo }) => is_demo);
    if (existing) await updateDomain(services.db.inOrganisation(existing.id), domain);
    const created =
      organisations.length === 0 && config.env === 'development'
        ? await createOrganisation(services.db, services.clock, { ...demo, domain, is_demo: true, fill: fillDemo })
        : undefined;
    process.stdout.write(welcome(`http://${domain}`, created));
  }
}
