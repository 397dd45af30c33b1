// `npm test`: one real PostgreSQL for the run, a migrated template with the named world, then node's test runner.
//   npm test                 everything but the pages
//   npm run test:web         the pages, in a browser
//   npm test -- pages spaces only files whose path contains one of the words
import { randomBytes } from 'node:crypto';
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { createClock } from '../kernel/clock.ts';
import { openDb } from '../kernel/data/db.ts';
import { migrate } from '../kernel/data/migrate.ts';
import { localStorage } from '../kernel/files/storage.ts';
import { createSealing } from '../kernel/people/sealing.ts';
import { startEmbedded } from '../postgres/embedded.ts';
import { ROLE } from '../postgres/role.ts';
import { createTestWorld } from './world.ts';

const root = join(import.meta.dirname, '..', '..');
/** A database for each file is thousands of files made and removed: in memory, where there is room for them. */
const ROOM_BYTES = 4 * 1024 ** 3;
const folder = mkdtempSync(join(roomIn('/dev/shm') ? '/dev/shm' : tmpdir(), 'atrium-test-'));
/** What tests write; some of them run programs as other users. */
const temporary = join(folder, 'tmp');
mkdirSync(temporary);
chmodSync(folder, 0o755);
/** Every server of the run opens what the world sealed. */
const secret_key = randomBytes(32).toString('base64');
/** Twice the cores: half of the processes wait for another one, a lease or a browser. */
const CONCURRENCY = 4;
const words = process.argv.slice(2);
const files = globSync(['server/**/*.test.ts', 'web/**/*.test.ts', 'tools/**/*.test.ts', '{sdk,cli}/**/*.test.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
})
  .filter((file) =>
    words.length === 0 ? !/^web\/|^sdk\/testing\//.test(file) : words.some((word) => file.includes(word)),
  )
  .sort();

// A crash of the test database loses nothing that matters, and nothing runs in it on the side.
const postgres = await startEmbedded({
  data_dir: folder,
  port: 5599,
  settings: {
    ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0' },
    ...{ autovacuum: 'off', max_connections: '600', shared_buffers: '128MB' },
    // Plans as connections have them that have run for a while; short tests would make a new one for nearly every call.
    plan_cache_mode: 'force_generic_plan',
  },
});
let failed = true;
try {
  await allowCloning(postgres.superuser_url);
  const db = openDb({ url: postgres.url, clock: createClock(), connections: 2, onIdleError: () => {} });
  await migrate(db);
  const world = await createTestWorld(db, {
    storage: localStorage(join(folder, 'files')),
    sealing: createSealing({ secret_key, data_dir: folder }),
  });
  await db.close();
  Object.assign(process.env, {
    ATRIUM_TEST_DATABASE: postgres.url,
    ATRIUM_TEST_WORLD: JSON.stringify(world),
    ATRIUM_TEST_SECRET_KEY: secret_key,
    NODE_ENV: 'test',
    TMPDIR: temporary,
  });
  // Compiled once, not by every process that starts before the first one ends.
  await import('../app.ts');
  flushCompileCache();
  // A large young generation: short processes have little else to collect.
  const execArgv = ['--max-semi-space-size=32'];
  const tests = run({
    files: processes(),
    cwd: root,
    concurrency: CONCURRENCY,
    timeout: 300_000,
    forceExit: true,

    execArgv,
  });
  let failures = 0;
  tests.on('test:fail', () => failures++);
  const notRun: string[] = [];
  tests.on('test:pass', ({ name, skip }) => void (typeof skip === 'string' && notRun.push(`  ${name}: ${skip}\n`)));
  tests.compose(spec).pipe(process.stdout);
  await finished(tests);
  if (notRun.length > 0) process.stdout.write(`\nDid not run here, and why:\n${notRun.join('')}`);
  failed = failures > 0;
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

/**
 * Files of modules share a few processes, each file a suite: to load the server and warm it up costs more than most of
 * them. Those of the whole system have one each and begin first, so that none is left running alone at the end.
 */
function processes(): string[] {
  const [ofModules = [], whole = []] = [true, false].map((mine) =>
    files.filter((file) => file.includes('/modules/') === mine),
  );
  const shared = Array.from({ length: CONCURRENCY }, (_, n) => ofModules.filter((_file, i) => i % CONCURRENCY === n));
  const entries = shared.map((together, n) => {
    const entry = join(folder, `modules-${n + 1}.mjs`);
    const suites = together.map(
      (file) => `describe('${file}', () => import(${JSON.stringify(pathToFileURL(join(root, file)))}));\n`,
    );
    writeFileSync(entry, `import { describe } from 'node:test';\n${suites.join('')}`);
    return entry;
  });
  return [...whole, ...entries.filter((_, n) => shared[n]?.length)];
}

/** Every test file has a database of its own, which the role of requests makes. */
async function allowCloning(superuser_url: string) {
  const client = new pg.Client({ connectionString: superuser_url });
  await client.connect();
  await client.query(`alter role ${ROLE} createdb`);
  await client.end();
}

function roomIn(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}
