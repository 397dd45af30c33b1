import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { deprecationHeaders } from '../../kernel/http/links.ts';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { readEntries } from './entries.ts';

const atrium = await startAtrium();
const entries = readEntries();
const get = async (path: string, accept: string) => {
  const { status, headers, body } = await atrium.call('GET', path, { key: null, headers: { accept } });
  assert.equal(status, 200);
  return { type: headers.get('content-type'), body };
};

describe('the history', () => {
  test('is a page for browsers and JSON for everything else, without a credential', async () => {
    const page = await get('/changelog', 'text/html,application/xhtml+xml');
    assert.match(String(page.type), /^text\/html/);
    for (const { id, title } of entries) {
      assert.ok(page.body.includes(`id="${id}"`), id);
      assert.ok(page.body.includes(title), title);
    }
    const { body } = await get('/changelog', '*/*');
    assert.deepEqual(
      body.changes.map(({ id }: { id: string }) => id),
      entries.map(({ id }) => id),
    );
  });

  const hasFeedparser = spawnSync('python3', ['-c', 'import feedparser']).status === 0;
  const skip = hasFeedparser ? false : 'needs Python with feedparser: apt-get install python3-feedparser';
  test('is a feed that a reader of others reads without a complaint', { skip }, async () => {
    const script =
      'import feedparser, json, sys\nf = feedparser.parse(sys.argv[1])\n' +
      'of = lambda e: [e.id, e.title, e.updated, e.link, e.content[0].type]\n' +
      'print(json.dumps([f.bozo, f.version, f.feed.id, [of(e) for e in f.entries]]))';
    const { stdout } = await promisify(execFile)('python3', ['-c', script, `${atrium.url}/changelog.atom`]);
    const [bozo, version, id, read] = JSON.parse(stdout);
    assert.deepEqual([bozo, version], [false, 'atom10']);
    assert.match(id, /^urn:uuid:/);
    assert.deepEqual(
      read.map(([, title, updated, link, type]: string[]) => [title, updated, link, type]),
      entries.map(({ id, title, date }) => [title, `${date}T00:00:00Z`, `${atrium.url}/changelog#${id}`, 'text/html']),
    );
    assert.equal(new Set(read.map(([own]: string[]) => own)).size, entries.length);
  });
});

describe('GET /v1/changelog', () => {
  const ids = async (query: string, key?: string) =>
    (await atrium.call('GET', `/v1/changelog?take=500&${query}`, key ? { key } : {})).body.data.map(
      ({ id }: { id: string }) => id,
    );
  test('names the operations that each entry touches', async () => {
    const { body } = await atrium.call('GET', '/v1/changelog?take=500');
    assert.equal(body.meta.pagination.total_records, entries.length);
    const summaries = body.data.find(({ title }: { title: string }) => title === 'Summaries');
    assert.ok(summaries.changed.includes('replacePageByExternalId') && !summaries.changed.includes('createUpdate'));
    assert.deepEqual(summaries.used, []);
    assert.deepEqual(await ids('since=2090-01-01'), []);
  });
  test('tells a key what changed of what it used', async () => {
    const key = await atrium.keyWith(['pages.*.read']);
    assert.deepEqual(await ids('used_by_me=1', key), []);
    await atrium.call('GET', '/v1/pages', { key });
    const { body } = await atrium.call('GET', '/v1/changelog?used_by_me=1&take=500', { key });
    const summaries = body.data.find(({ title }: { title: string }) => title === 'Summaries');
    assert.deepEqual(summaries.used, ['listPages']);
    assert.ok(!body.data.some(({ title }: { title: string }) => title === 'Quotas'), 'it writes nothing');
  });
  test('tells of a key to whoever made it, and to admins', async () => {
    await atrium.call('PUT', '/v1/admin/users/5/roles', { json: { roles: ['developer'] } });
    const { call } = await signIn(atrium, 'emi.tanaka@northwind.example');
    const app = (await call('POST', '/v1/admin/apps', { json: { name: 'Own app' } })).body.data.id;
    const made = (await call('POST', `/v1/admin/apps/${app}/keys`, { json: { name: 'Own', scopes: ['goals.*.read'] } }))
      .body.data;
    await atrium.call('GET', '/v1/goals', { key: made.api_key });
    for (const asking of [call, atrium.call])
      assert.ok((await asking('GET', `/v1/changelog?used_by_key=${made.id}`)).body.data.length > 0);
    assert.equal((await call('GET', '/v1/changelog?used_by_key=1')).status, 403);
    const narrow = await atrium.keyWith(['goals.*.read']);
    assert.equal((await atrium.call('GET', `/v1/changelog?used_by_key=${made.id}`, { key: narrow })).status, 403);
    assert.equal((await call('GET', '/v1/changelog?used_by_me=1')).status, 400);
  });
});

test('what is going to be taken away says so in the headers of RFC 9745 and RFC 8594', () => {
  const headers = deprecationHeaders({
    since: '2026-11-22T00:00:00Z',
    sunset: '2027-05-22T00:00:00Z',
    about: '/changelog#x',
  });
  assert.deepEqual(headers, {
    deprecation: '@1795305600',
    sunset: 'Sat, 22 May 2027 00:00:00 GMT',
    link: '</changelog#x>; rel="deprecation"',
  });
});
