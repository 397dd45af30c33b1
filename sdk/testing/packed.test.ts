// Both packages as npm packs them, installed in an empty folder: what Node 20 and an older compiler make of them.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startAtrium, world } from '../../server/testing/atrium.ts';
import { run } from '../../server/testing/processes.ts';
import { runtimes } from './runtimes.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'atrium-packed-'));
after(() => rmSync(folder, { recursive: true }));
const npm = (args: string[], cwd: string) => execFileSync('npm', [...args, '--loglevel=error'], { cwd });
npm(['pack', '-w', 'sdk', '-w', 'cli', '--pack-destination', folder], root);
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
npm(['install', '--no-audit', '--no-fund', ...globSync('*.tgz', { cwd: folder }).map((file) => `./${file}`)], folder);
const installed = join(folder, 'node_modules', '@atrium');

test('nothing else is installed, and no tests', () => {
  assert.deepEqual(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@atrium'],
  );
  assert.deepEqual(globSync('**/*test*', { cwd: installed }), []);
});

test('the command line runs on the oldest Node', async () => {
  const atrium = await startAtrium();
  const [oldest] = runtimes();
  const env = {
    ATRIUM_URL: atrium.url,
    ATRIUM_SERVICE_ID: String(world.northwind.organisation_id),
    ATRIUM_API_KEY: world.northwind.api_key,
  };
  const listed = run([join(installed, 'cli', 'bin', 'atrium.js'), 'list', 'listGoals', '--limit', '1'], {
    ...{ env, node: oldest?.command?.[0] ?? process.execPath },
  });
  assert.equal(await listed.exit, 0, listed.stderr());
  assert.ok(JSON.parse(listed.stdout()).id > 0);
});

test('TypeScript 5 compiles a strict program against it, with and without the types of Node', () => {
  cpSync(join(import.meta.dirname, 'consumer.ts'), join(folder, 'consumer.ts'));
  const typeRoots = [join(root, 'node_modules', '@types')];
  const shared = { strict: true, noEmit: true, target: 'es2022', module: 'nodenext', skipLibCheck: false, typeRoots };
  for (const own of [
    { lib: ['es2022'], types: ['node'] },
    { lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
  ]) {
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...shared, ...own } }));
    const tsc = join(root, 'tools', 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  }
});
