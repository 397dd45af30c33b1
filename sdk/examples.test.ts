// The examples of README.md, one after the other, as one program far from this repository.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { startAtrium, world } from '../server/testing/atrium.ts';
import { findingsIn } from '../server/testing/findings.ts';
import { run } from '../server/testing/processes.ts';
import { PASSWORD } from '../server/testing/world.ts';

const atrium = await startAtrium();
const folder = mkdtempSync(join(tmpdir(), 'atrium-readme-'));
after(() => rmSync(folder, { recursive: true }));

test('the examples of README.md run as they are', async () => {
  const text = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const imports = new Set(blocks.flatMap((code) => code.match(/^import .*$/gm) ?? []));
  const program = blocks.map((code) => code.replaceAll(/^import .*\n/gm, '')).join('\n');
  const root = join(import.meta.dirname, '..');
  for (const [name, target] of [
    ['@atrium/sdk', import.meta.dirname],
    ['ws', join(root, 'node_modules', 'ws')],
    ['../docs', join(root, 'docs')],
  ] as const) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
  writeFileSync(join(folder, 'all.mjs'), `process.chdir(import.meta.dirname);\n${[...imports].join('\n')}\n${program}`);
  await atrium.rows('update organisations set web_url = $1 where id = 1', [atrium.url]);
  const env = {
    ATRIUM_URL: atrium.url,
    SERVICE_ID: String(world.northwind.organisation_id),
    API_KEY: world.northwind.api_key,
    EMAIL: 'ada.okafor@northwind.example',
    PASSWORD,
  };
  const example = run([join(folder, 'all.mjs')], { env });
  assert.equal(await example.exit, 0, example.stderr());
  const printed = example.stdout();
  assert.match(printed, /http.*opening-hours|http/);
  assert.match(printed, /^ada\.okafor@northwind\.example$/m);
  assert.match(printed, /^(created|changed) page \d+$/m);
  assert.match(printed, /^400 invalid_request title [0-9a-f-]{36}$/m);
  assert.match(printed, /^(\d+) of \1$/m);
  assert.match(printed, /^asset:\/\/\d+$/m);
  assert.match(printed, /^Who has the keys\?$/m);
});

test('the request log finds no fault with it', async () => assert.deepEqual(await findingsIn(atrium), []));
