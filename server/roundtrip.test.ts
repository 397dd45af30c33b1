// A client that knows only the interface carries one organisation into another, and reads there what it read here.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import sharp from 'sharp';
import { createOrganisation } from './setup.ts';
import { startAtrium, world } from './testing/atrium.ts';
import { Client } from './testing/client.ts';
import { exportAll } from './testing/export.ts';
import { findingsIn } from './testing/findings.ts';
import { importAll } from './testing/import.ts';
import { tell } from './testing/story.ts';
import { demo } from './world/northwind.ts';

const atrium = await startAtrium();

test(`a second export equals the first but for ids \
and addresses: people, teams, spaces, updates, kudos, articles, documents`, async () => {
  const { url, services } = atrium;
  const from = new Client({ url, ...world.northwind });
  const created = await createOrganisation(services.db, {
    name: 'Copy',
    domain: 'copy.localhost',
    admin: { email: demo.admin.email },
  });
  const to = new Client({ url, ...created });
  const png = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#7c3aed' } })
    .png()
    .toBuffer();
  const mp4 = Buffer.concat([
    Buffer.from('0000001c667479706d703432000000006d70343269736f6d', 'hex'),
    randomBytes(2000),
  ]);
  await tell(from, { spaces: 6, updates: 48, kudos: 12, articles: 18, documents: 9 }, { png, mp4 });

  const files = new Map<string, Buffer>();
  const first = await exportAll(from, files);
  await importAll(to, first, files);
  const second = await exportAll(to, new Map());
  for (const name of Object.keys(first) as (keyof typeof first)[]) {
    assert.ok(first[name].length > 0, name);
    assert.deepEqual(second[name], first[name], name);
  }
  assert.deepEqual(await findingsIn(atrium), [], 'it uses the interface as it is meant');
});
