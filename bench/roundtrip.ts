// `npm run bench:roundtrip`: carries an organisation of 2,000 updates, 300 articles, kudos and documents into another
// through the interface, reads it there again, and compares. Prints how many calls a second each stage made.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { buildApp } from '../server/app.ts';
import { createClock } from '../server/kernel/clock.ts';
import { readConfig } from '../server/kernel/config.ts';
import { openDb } from '../server/kernel/data/db.ts';
import { migrate } from '../server/kernel/data/migrate.ts';
import { localStorage } from '../server/kernel/files/storage.ts';
import { createSealing } from '../server/kernel/people/sealing.ts';
import { startEmbedded } from '../server/postgres/embedded.ts';
import { createOrganisation } from '../server/setup.ts';
import { Client } from '../server/testing/client.ts';
import { exportAll } from '../server/testing/export.ts';
import { importAll } from '../server/testing/import.ts';
import { tell } from '../server/testing/story.ts';
import { demo, fillDemo } from '../server/world/northwind.ts';

const scale = { spaces: 60, updates: 2000, kudos: 200, articles: 300, documents: 120 };
const folder = mkdtempSync(join(tmpdir(), 'atrium-roundtrip-'));
const postgres = await startEmbedded({ data_dir: folder, port: 5899 });
const config = { ...readConfig({ ATRIUM_ENV: 'test', ATRIUM_DATA: folder }), log_level: 'silent' as const };
const services = { storage: localStorage(join(folder, 'files')), sealing: createSealing(config) };
const db = openDb({ url: postgres.url, clock: createClock(), connections: 2, onIdleError: () => {} });
await migrate(db);
const fill = (tx: Parameters<typeof fillDemo>[0]) => fillDemo(tx, services);
const first = await createOrganisation(db, { name: demo.name, domain: 'first.localhost', admin: demo.admin, fill });
const second = await createOrganisation(db, { name: 'Copy', domain: 'second.localhost', admin: demo.admin });
const atrium = await buildApp({ config, database_url: postgres.url });
try {
  await atrium.http.listen({ host: '127.0.0.1', port: 0 });
  atrium.workers.start();
  const url = `http://127.0.0.1:${(atrium.http.server.address() as { port: number }).port}`;
  let calls = 0;
  const [from, to] = [new Client({ url, ...first }), new Client({ url, ...second })];
  for (const client of [from, to]) {
    const { call } = client;
    client.call = (...given) => {
      calls++;
      return call.apply(client, given);
    };
  }
  const timed = async <T>(stage: string, work: () => Promise<T>): Promise<T> => {
    const [began, before] = [performance.now(), calls];
    const result = await work();
    const seconds = (performance.now() - began) / 1000;
    process.stdout.write(
      `${stage}: ${calls - before} calls in ${seconds.toFixed(1)} s, ${Math.round((calls - before) / seconds)} a ` +
        `second\n`,
    );
    return result;
  };
  const png = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#7c3aed' } })
    .png()
    .toBuffer();
  const mp4 = Buffer.concat([
    Buffer.from('0000001c667479706d703432000000006d70343269736f6d', 'hex'),
    randomBytes(200_000),
  ]);
  await timed('telling the story', () => tell(from, scale, { png, mp4 }));
  const files = new Map<string, Buffer>();
  const exported = await timed('first export', () => exportAll(from, files));
  await timed('import', () => importAll(to, exported, files));
  const again = await timed('second export', () => exportAll(to, new Map()));
  assert.deepEqual(again, exported);
  const counts = Object.entries(exported).map(([name, rows]) => `${rows.length} ${name}`);
  process.stdout.write(`The second export equals the first: ${counts.join(', ')}; ${files.size} different files.\n`);
} finally {
  await atrium.close();
  await db.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
