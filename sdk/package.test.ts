// The package as others get it: how large, how typed, and that it works far from this repository.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { bundled } from './testing/bundled.ts';

test('a bundle takes of it what it uses, and a browser’s nothing of Node', async () => {
  const client = await bundled(`export { createClient, AtriumError } from '@atrium/sdk';`);
  const whole = await bundled(
    `export { createClient, signIn, each, changes, reconcile, uploadFile, openChat } from '@atrium/sdk';`,
  );
  const verify = await bundled(`export { verifyWebhook } from '@atrium/sdk';`);
  assert.ok(client.gzip_bytes <= 30_000, `client ${client.gzip_bytes}`);
  assert.ok(verify.gzip_bytes <= 3000, `verifyWebhook ${verify.gzip_bytes}`);
  assert.doesNotMatch(whole.code, /node:/);
});

test('a strict program elsewhere compiles against its declarations, and so do they', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-consumer-'));
  after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules', '@atrium'), { recursive: true });
  symlinkSync(import.meta.dirname, join(folder, 'node_modules', '@atrium', 'sdk'));
  cpSync(join(import.meta.dirname, 'testing', 'consumer.ts'), join(folder, 'consumer.ts'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const lib = ['esnext', 'dom', 'dom.iterable'];
  const compilerOptions = { strict: true, noEmit: true, lib, module: 'nodenext', types: [], skipLibCheck: false };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['consumer.ts'] }));
  const tsc = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});
