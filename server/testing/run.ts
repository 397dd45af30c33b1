// `npm test`: one real PostgreSQL for the run, a migrated template with the named world, then node's test runner.
//   npm test                 everything
//   npm test -- pages spaces only files whose path contains one of the words
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  .sort();

// A crash of the test database loses nothing that matters.
const postgres = await startEmbedded({
  data_dir: folder,
  port: 5599,
  settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '128MB' },
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
  const runner = spawn(
    process.execPath,
    ['--test', '--test-reporter=spec', '--test-concurrency=3', '--test-timeout=120000', '--test-force-exit', ...files],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        ATRIUM_TEST_DATABASE: postgres.url,
        ATRIUM_TEST_WORLD: JSON.stringify(world),
        ATRIUM_TEST_SECRET_KEY: secret_key,
        NODE_ENV: 'test',
      },
    },
  );
  failed = (await new Promise<number>((resolve) => runner.once('exit', (code) => resolve(code ?? 1)))) !== 0;
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
