// The command line as its users run it: a process of its own, against a real Atrium.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startAtrium, world } from '../server/testing/atrium.ts';
import { endAllAfterTests, run } from '../server/testing/processes.ts';
import { startReceiver } from '../server/testing/receiver.ts';

const atrium = await startAtrium({ env: 'development' });
const receiver = await startReceiver();
await atrium.rows('update organisations set web_url = $1 where id = 1', [atrium.url]);
endAllAfterTests();
const folder = mkdtempSync(join(tmpdir(), 'atrium-cli-'));
after(() => rmSync(folder, { recursive: true }));
const program = join(import.meta.dirname, 'bin', 'atrium.js');
const { organisation_id, api_key } = world.northwind;
const connection = {
  ATRIUM_URL: atrium.url,
  ATRIUM_SERVICE_ID: String(organisation_id),
  ATRIUM_API_KEY: api_key,
  XDG_CONFIG_HOME: folder,
};
const ran = async (args: string[], env: Record<string, string> = connection) => {
  const process = run([program, ...args], { env });
  return { code: await process.exit, stdout: process.stdout(), stderr: process.stderr() };
};
const answered = async (args: string[]) => {
  const { code, stdout, stderr } = await ran(args);
  assert.equal(code, 0, stderr);
  return stdout;
};
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const fileOf = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('atrium call', () => {
  test('sends fields as what they are: numbers, lists, objects, files, and a body from a file', async () => {
    const picture = join(import.meta.dirname, '..', 'docs', 'examples', 'storefront.png');
    const audience = '{"type":"spaces","spaces":[1]}';
    const fields = ['--text', 'From a\nshell', '--audience', audience, '--gallery', picture];
    const update = JSON.parse(await answered(['call', 'createUpdate', ...fields]));
    assert.deepEqual([update.text, update.audience.spaces[0].id, update.gallery.length], ['From a\nshell', 1, 1]);
    const body = fileOf('page.json', JSON.stringify({ title: 'Nobody reads this', html_content: '<p>Hello</p>' }));
    const page = JSON.parse(await answered(['call', 'createPage', '--json', `@${body}`, '--title', 'From a file']));
    assert.deepEqual([page.title, page.html_content], ['From a file', '<p>Hello</p>']);
    const again = JSON.parse(await answered(['call', 'getPage', '--id', String(page.id)]));
    assert.equal(again.id, page.id);
  });
  test('prints a refusal with its code, fields and request, and never the key', async () => {
    const { code, stdout, stderr } = await ran(['call', 'createGoal', '--title', '']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^createGoal: 400 invalid_request: .*\n {2}title .*\n {2}request [0-9a-f-]{36}\n$/);
    const wrong = await ran(['--key', 'wrong_key', 'call', 'listGoals']);
    assert.deepEqual([wrong.code, /wrong_key/.test(wrong.stderr)], [1, false]);
    assert.match(wrong.stderr, /401 unauthorized/);
  });
  test('says what an operation takes, and what was meant', async () => {
    assert.match(await answered(['call', 'createPage', '--help']), /--title <string> {2}required/);
    assert.match(await answered(['operations', 'redeliver']), /redeliverWebhook\n/);
    for (const [args, said] of [
      [['call', 'createPge'], /There is no operation "createPge"/],
      [['call', 'page'], /Did you mean /],
      [['call', 'getPage'], /needs --id/],
      [['call', 'getPage', '--id', 'seven'], /--id must be of type integer/],
      [['call', 'getPage', '--id', '7', '--colour', 'red'], /Unknown option '--colour'/],
      [['list', 'createPage'], /is no list/],
    ] as const) {
      const { code, stderr } = await ran([...args]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, said);
    }
  });
});

describe('lists and files', () => {
  test('a list and what changed are a line of JSON for each row', async () => {
    const users = linesOf(await answered(['list', 'listUsers', '--take', '2']));
    assert.ok(users.length > 4 && users.every(({ email }) => email.includes('@')));
    assert.equal(linesOf(await answered(['list', 'listUsers', '--limit', '3'])).length, 3);
    const changed = linesOf(await answered(['changes', '--types', 'page,space']));
    assert.deepEqual([...new Set(changed.map(({ type }) => type))].sort(), ['page', 'space']);
  });
  test('changes are followed until Ctrl-C', async () => {
    const following = run([program, 'changes', '--types', 'goal,team', '--follow'], { env: connection });
    assert.equal(await following.exit, 1, 'goals are no type of change');
    const teams = run([program, 'changes', '--types', 'team', '--follow'], { env: connection });
    await teams.printed(/"type":"team"/);
    teams.kill('SIGINT');
    assert.equal(await teams.exit, 130);
  });
  test('a file becomes an asset; what was announced is kept until it is there', async () => {
    const state = join(folder, 'upload.json');
    const asset = JSON.parse(await answered(['upload', fileOf('hours.txt', '9 to 20'), '--state', state]));
    assert.deepEqual([asset.file_name, asset.byte_size, asset.state], ['hours.txt', 7, 'ready']);
    assert.equal(existsSync(state), false);
  });
});

test('deliveries of a webhook are listed and sent again', async () => {
  const json = { name: 'Shell', url: receiver.url, events: ['page.created'] };
  const webhook = (await atrium.call('POST', '/v1/admin/webhooks', { json })).body.data;
  await atrium.call('POST', '/v1/pages', { json: { title: 'Delivered', html_content: '' } });
  await atrium.drain();
  const [delivery] = linesOf(await answered(['webhooks', 'deliveries', String(webhook.id), '--state', 'delivered']));
  const again = JSON.parse(await answered(['webhooks', 'redeliver', String(webhook.id), String(delivery.id)]));
  assert.deepEqual([again.id, again.state], [delivery.id, 'pending']);
});

describe('where and with which key', () => {
  const path = join(folder, 'atrium', 'config.json');
  const configure = ['--url', atrium.url, '--service-id', '1', 'configure'];
  test('is kept in a file for its user alone, unless the key is wrong', async () => {
    const only = { XDG_CONFIG_HOME: folder };
    assert.equal((await ran(configure, { ...only, ATRIUM_API_KEY: 'wrong' })).code, 1);
    assert.equal(existsSync(path), false);
    assert.equal((await ran(configure, { ...only, ATRIUM_API_KEY: api_key })).code, 0);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(linesOf((await ran(['list', 'listUsers', '--limit', '1'], only)).stdout).length, 1);
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).profiles.default.url, atrium.url);
  });
  test('is refused when it is missing, or when others may read the file', async () => {
    const nothing = await ran(['list', 'listUsers'], { XDG_CONFIG_HOME: join(folder, 'none') });
    assert.deepEqual([nothing.code, /atrium configure/.test(nothing.stderr)], [2, true]);
    const config = fileOf('open.json', '{}');
    const open = await ran(['list', 'listUsers'], { ATRIUM_CONFIG: config });
    assert.deepEqual([open.code, /chmod 600/.test(open.stderr)], [2, true]);
  });
});

test('commands of operators are the server’s, where it is installed', async () => {
  const { code, stdout } = await ran(['org', '--help'], { ATRIUM_DATA: folder });
  assert.deepEqual([code, /atrium org create/.test(stdout)], [0, true]);
});
