// GET /v1/changes: one loop keeps a copy equal, whatever happens meanwhile.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
// @ts-expect-error: the example is plain JavaScript.
import { follow } from '../../../sdk/examples/copy.js';
import { startAtrium, type TestAtrium } from '../../testing/atrium.ts';
import { randomOf } from '../../testing/random.ts';

const atrium = await startAtrium();
const KINDS = ['pages', 'articles', 'updates', 'kudos', 'events', 'documents', 'teams', 'users'];
const reads = [...KINDS.map((kind) => `${kind}.*.read`), 'spaces.public.read'];
const everything = await atrium.keyWith([...reads, 'spaces.private.read', 'spaces.hidden.read']);
const openOnly = await atrium.keyWith(reads);

type Row = Record<string, unknown> & { id: number };
interface Change {
  sequence: number;
  type: string;
  id: number;
  change: string;
  resource: Row | null;
}
const call = async (method: string, path: string, json?: object) => {
  const { status, body } = await atrium.call(method, `/v1${path}`, json ? { json } : {});
  assert.ok(status < 300, `${method} ${path}: ${JSON.stringify(body)}`);
  return body.data;
};
const since = async (after: number, query = '', key = everything) =>
  (await atrium.call('GET', `/v1/changes?take=500&after=${after}${query}`, { key })).body as {
    data: Change[];
    meta: { next: number; has_more: boolean };
  };
const newCopy = () => ({ after: 0, rows: {} as Record<string, Row> });
const followed = async (key: string, copy = newCopy(), at: TestAtrium = atrium) => {
  await follow(copy, { url: at.url, service_id: 1, api_key: key });
  return copy;
};
const end = async () => (await followed(everything)).after;
const article = (more: object = {}) => call('POST', '/articles', { title: 'T', html_content: '<p>x</p>', ...more });
const told = ({ data }: { data: Change[] }) => data.map(({ type, id, change }) => [type, id, change]);

test('what was created, changed, archived and deleted is listed once each, in order', async () => {
  const from = await end();
  const [first, second, third] = [await article(), await article(), await call('POST', '/updates', { text: 'x' })];
  await call('PUT', `/articles/${first.id}`, { title: 'New', html_content: '<p>x</p>' });
  await call('DELETE', `/articles/${second.id}`);
  await call('DELETE', `/updates/${third.id}`);
  const page = await call('POST', '/pages', { title: 'P', html_content: '<p>p</p>' });
  const found = await since(from);
  assert.deepEqual(told(found), [
    ['article', first.id, 'changed'],
    ['article', second.id, 'archived'],
    ['update', third.id, 'deleted'],
    ['page', page.id, 'created'],
  ]);
  const sequences = found.data.map(({ sequence }) => sequence);
  assert.deepEqual(
    sequences,
    [...sequences].sort((a, b) => a - b),
  );
  assert.deepEqual(found.data.at(-1)?.resource, page, 'in the shape of its own endpoint');
  assert.deepEqual(told(await since(found.meta.next)), []);
});

test('what is committed late is waited for, and never passed by', async () => {
  const from = await end();
  const late = await atrium.services.db.connect();
  await late.query('begin');
  const { rows } = await late.query<{ id: number }>(
    `insert into pages (organisation_id, title, html_content, slug, creator_id, created_at, updated_at)
     values (1, 'Late', '', 'late', 1, now(), now()) returning id`,
  );
  const page = await call('POST', '/pages', { title: 'Early', html_content: '' });
  const other = await since(from, '&types=team');
  assert.deepEqual(
    [other.data, other.meta.has_more],
    [[], false],
    'who writes pages holds up nobody who asks for teams',
  );
  const stuck = await since(from, '&types=page');
  assert.deepEqual(stuck, { data: [], status: 'success', meta: { next: from, has_more: true } });
  const asked = since(from, '&types=page');
  await late.query('commit');
  late.release();
  assert.deepEqual(told(await asked), [
    ['page', rows[0]?.id, 'created'],
    ['page', page.id, 'created'],
  ]);
});

test('a key is told of what it may read, and of what it may not see any more', async () => {
  const { id: space } = await call('POST', '/spaces', { name: 'Open', visibility: 'public' });
  const audience = { type: 'spaces', spaces: [space] };
  const { id } = await article({ audience });
  const page = await call('POST', '/pages', { title: 'P', html_content: '', space_id: space });
  const from = await end();
  const told_ = async (after: number) => told(await since(after, '', openOnly)).sort();
  await call('PUT', `/spaces/${space}`, { name: 'Closed', visibility: 'private' });
  assert.deepEqual(await told_(from), [
    ['article', id, 'deleted'],
    ['page', page.id, 'deleted'],
    ['space', space, 'deleted'],
  ]);
  const closed = await end();
  await article({ audience });
  assert.deepEqual(await told_(closed), [], 'what it never saw is not told');
  await call('PUT', `/articles/${id}`, { title: 'Here', html_content: '', audience: { type: 'Global' } });
  assert.equal((await told_(closed)).at(0)?.[1], id);
  const pagesOnly = await atrium.keyWith(['pages.*.read']);
  assert.deepEqual([...new Set((await since(0, '', pagesOnly)).data.map(({ type }) => type))], ['page']);
  const refused = await atrium.call('GET', '/v1/changes?types=page,article', { key: pagesOnly });
  assert.deepEqual([refused.status, refused.body.meta.required_scopes], [403, ['articles.*.read']]);
});

test('after 10,000 random changes with restarts, copies are equal to what the lists say', async () => {
  const random = randomOf(14);
  const spaces: number[] = [];
  for (const name of ['North', 'South', 'East'])
    spaces.push((await call('POST', '/spaces', { name, visibility: 'public' })).id);
  const place = () => ({ type: 'spaces', spaces: [random.pick(spaces)] });
  const bodies: Record<string, () => object> = {
    pages: () => ({
      title: 'P',
      html_content: '',
      space_id: random.pick([null, ...spaces]),
      is_draft: random.chance(0.1) ? 1 : 0,
    }),
    articles: () => ({ title: 'A', html_content: '', is_draft: random.chance(0.1), audience: place() }),
    updates: () => ({ text: `u${random.next()}`, audience: place() }),
    kudos: () => ({ text: `k${random.next()}`, recipients: { users: [2] }, audience: place() }),
    events: () => ({
      title: 'E',
      starts_at: '2090-01-01T10:00:00Z',
      ends_at: '2090-01-01T11:00:00Z',
      audience: place(),
    }),
    documents: () => ({ label: 'D', url: 'https://example.org/', space_id: random.pick([null, ...spaces]) }),
    teams: () => ({ name: `T${random.next()}`, team_type_id: 1 }),
  };
  const kinds = Object.keys(bodies);
  const made: [kind: string, id: number][] = [];
  const write = async () => {
    const kind = random.pick(kinds);
    const one = random.chance(0.5) ? random.pick(made) : undefined;
    if (!one) return void made.push([kind, (await call('POST', `/${kind}`, bodies[kind]?.())).id]);
    const [of, id] = one;
    const isDeleted = random.chance(0.2);
    await atrium.call(isDeleted ? 'DELETE' : 'PUT', `/v1/${of}/${id}`, isDeleted ? {} : { json: bodies[of]?.() });
  };
  const flip = async (n: number) => {
    const id = spaces[n % 3];
    const visibility = n % 2 ? 'public' : random.pick(['private', 'hidden']);
    await call('PUT', `/spaces/${id}`, { name: `S${n}`, visibility });
  };
  const last = async () => Number((await atrium.rows('select last_value as n from content_sequence'))[0]?.n);
  const before = await last();
  let writing = true;
  const copies = { everything: newCopy(), openOnly: newCopy() };
  /** Reads now here, now there; it forgets all but its file whenever it is restarted. */
  const reading = (async () => {
    const other = await atrium.secondNode();
    for (let n = 0; writing; n++) {
      const node = n % 2 ? other : atrium;
      copies.everything = await followed(everything, JSON.parse(JSON.stringify(copies.everything)), node);
      await followed(openOnly, copies.openOnly, node);
    }
  })();
  for (let n = 0; n < 35; n++) await Promise.all(Array.from({ length: 14 }, write));
  for (let n = 0; (await last()) - before < 10_000; n++) await Promise.all([flip(n), write()]);
  for (const id of spaces) await call('POST', `/spaces/${id}/archive`);
  writing = false;
  await reading;

  const lists: Record<string, string[]> = {
    page: ['pages?', 'pages?space_ids=all&'],
    article: ['articles?state=all&'],
    update: ['updates?'],
    kudos: ['kudos?'],
    event: ['events?state=all&'],
    document: ['documents?'],
    space: ['spaces?'],
    team: ['teams?'],
    user: ['users?is_active=all&'],
  };
  for (const [name, key] of Object.entries({ everything, openOnly })) {
    const { rows } = await followed(key, copies[name as keyof typeof copies]);
    for (const [type, paths] of Object.entries(lists)) {
      const listed: Row[] = [];
      for (const path of paths)
        for (let skip = 0, more = true; more; skip += 500) {
          const { data, meta } = (await atrium.call('GET', `/v1/${path}take=500&skip=${skip}`, { key })).body;
          listed.push(...data);
          more = meta.pagination.next_page !== null;
        }
      const bare = ({ member_count, likes_count, comments_count, creator, audience, ...row }: Row) => row;
      const byId = (one: Row, other: Row) => one.id - other.id;
      const copied = Object.keys(rows).filter((key) => key.startsWith(`${type} `));
      assert.deepEqual(
        copied.map((key) => bare(rows[key] as Row)).sort(byId),
        listed.map(bare).sort(byId),
        `${type} for ${name}`,
      );
    }
  }
});

test('the loop of the guide is the example, and after 30 days without it a copy begins anew', async () => {
  const guide = readFileSync(new URL('../../../docs/guides/copies.md', import.meta.url), 'utf8');
  const [, loop] = /```js\n([\s\S]*?)```/.exec(guide) ?? [];
  assert.equal(loop?.trim(), String(follow).trim());
  const copy = await followed(everything);
  const { id } = await call('POST', '/updates', { text: 'Soon gone' });
  await call('DELETE', `/updates/${id}`);
  atrium.clock.advance(31 * 24 * 3_600_000);
  await atrium.drain();
  const late = await atrium.call('GET', `/v1/changes?after=${copy.after}`, { key: everything });
  assert.deepEqual([late.status, late.body.code], [410, 'changes_expired']);
  copy.rows['update 999'] = { id: 999 };
  await followed(everything, copy);
  assert.deepEqual(copy, await followed(everything));
});
