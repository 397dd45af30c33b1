// `npm test`: one real PostgreSQL for the run, a migrated template with the named world, then node's test runner.
//   npm test                 everything
//   npm test -- pages spaces only files whose path contains one of the words
import { randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { createClock } from '../kernel/clock.ts';
import { openDb } from '../kernel/db.ts';
import { startEmbedded } from '../kernel/embedded-postgres.ts';
import { migrate } from '../kernel/migrate.ts';
import { createSealing } from '../kernel/sealing.ts';
import { localStorage } from '../kernel/storage.ts';
import { createTestWorld } from './world.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'atrium-test-'));
/** Every server of the run opens what the world sealed. */
const secret_key = randomBytes(32).toString('base64');
const words = process.argv.slice(2);
const files = globSync(['server/**/*.test.ts', 'tools/**/*.test.ts', 'sdk/**/*.test.ts'], { cwd: root, exclude: ['**/node_modules/**'] })
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  // Those of the whole system take longest: they begin first, so that none is left running alone at the end.
  .sort((a, b) => a.split('/').length - b.split('/').length);

// A crash of the test database loses nothing that matters, and nothing runs in it on the side.
const postgres = await startEmbedded({
  data_dir: folder,
  port: 5599,
  settings: {
    ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0' },
    ...{ autovacuum: 'off', max_connections: '300', shared_buffers: '128MB' },
    // Plans as connections have them that have run for a while; short tests would make a new one for nearly every call.
    plan_cache_mode: 'force_generic_plan',
  },
});
let failed = true;
try {
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
  });
  // Twice the cores: half of the files wait for a process, a lease or a browser.
  // A large young generation: short processes have little else to collect.
  const execArgv = ['--max-semi-space-size=32'];
  const tests = run({ files, cwd: root, concurrency: 4, timeout: 120_000, forceExit: true, execArgv });
  let failures = 0;
  tests.on('test:fail', () => failures++);
  tests.compose(spec).pipe(process.stdout);
  await finished(tests);
  failed = failures > 0;
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
