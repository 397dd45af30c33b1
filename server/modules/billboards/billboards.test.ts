import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
await atrium.rows(`update organisations set timezone = 'Asia/Tokyo' where id = 1`);
const dmitri = await signIn(atrium, 'dmitri.petrov@northwind.example');
const carla = await signIn(atrium, 'carla.mendes@northwind.example');
const ada = await signIn(atrium, 'ada.okafor@northwind.example');
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/eL9GtQAAAABJRU5ErkJggg==',
  'base64',
);
const create = (json: object) => atrium.call('POST', '/v1/billboards', { json: { title: 'Billboard', ...json } });
const titles = async (query: string, call = atrium.call) =>
  (await call('GET', `/v1/billboards?${query}`)).body.data.map(({ title }: { title: string }) => title);

test('a billboard keeps its picture, cleans its text, and leads to web addresses only', async () => {
  const form = new FormData();
  form.append('title', 'Party');
  form.append('html_content', '<p class="big">Come!<script>alert(1)</script></p>');
  form.append('link', 'https://northwind.example/party');
  form.append('audience[type]', 'teams');
  form.append('audience[teams][]', '1');
  form.append('image', new Blob([png]), 'party.png');
  const { data } = (await atrium.call('POST', '/v1/billboards', { form })).body;
  assert.deepEqual(
    [data.html_content, data.audience],
    ['<p class="big">Come!</p>', { type: 'teams', spaces: [], teams: [{ id: 1, name: 'Sales' }] }],
  );
  assert.equal((await fetch(atrium.url + new URL(data.image_url).pathname)).status, 200);
  const replaced = (await atrium.call('PUT', `/v1/billboards/${data.id}`, { json: { title: 'Party' } })).body.data;
  assert.deepEqual(
    [replaced.image_url, replaced.starts_at, replaced.audience, replaced.link, replaced.html_content],
    [data.image_url, data.starts_at, data.audience, null, ''],
  );
  for (const [body, path] of [
    [{ link: 'javascript:alert(1)' }, 'link'],
    [{ link: 'data:text/html,x' }, 'link'],
    [{ starts_at: '2026-01-02T00:00:00Z', ends_at: '2026-01-01T00:00:00Z' }, 'ends_at'],
    [{ audience: { type: 'spaces', spaces: [1, 999] } }, 'audience.spaces[1]'],
    [{ ends_at: '2001-01-01T00:00:00Z' }, 'ends_at'],
  ] as const) {
    const reply = await create(body);
    assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, path]);
  }
  assert.equal((await atrium.call('DELETE', `/v1/billboards/${data.id}`)).status, 200);
  await atrium.drain();
  assert.equal((await fetch(atrium.url + new URL(data.image_url).pathname)).status, 404);
});

test('days choose what is shown on one of them, inclusive, in the organisation’s time zone', async () => {
  // Tokyo is nine hours ahead: from the beginning of 10 June to the end of 11 June there.
  await create({ title: 'June', starts_at: '2020-06-09T15:00:00Z', ends_at: '2020-06-11T15:00:00Z' });
  await create({ title: 'Open', starts_at: '2020-06-20T00:00:00Z' });
  const listed = async (startDate: string, endDate: string) =>
    (await titles(`startDate=${startDate}&endDate=${endDate}`)).filter((title: string) =>
      ['June', 'Open'].includes(title),
    );
  assert.deepEqual(await listed('2020-06-09', '2020-06-09'), []);
  assert.deepEqual(await listed('2020-06-01', '2020-06-10'), ['June']);
  assert.deepEqual(await listed('2020-06-11', '2020-06-11'), ['June']);
  assert.deepEqual(await listed('2020-06-12', '2020-06-12'), []);
  assert.deepEqual(await listed('2020-06-11', '2030-01-01'), ['Open', 'June']);
  const reply = await atrium.call('GET', '/v1/billboards?startDate=2020-06-02&endDate=2020-06-01');
  assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'endDate']);
});

test('people see what is for them and has started; who manages billboards sees all', async () => {
  const tomorrow = new Date(Date.parse(atrium.clock.now()) + 86_400_000).toISOString();
  const { id } = (await create({ title: 'Secret', starts_at: tomorrow })).body.data;
  assert.deepEqual((await titles('', dmitri.call)).slice(0, 2), ['Stock-taking on Sunday', 'Four new stores']);
  assert.ok(!(await titles('', carla.call)).includes('Stock-taking on Sunday'));
  assert.equal((await carla.call('GET', '/v1/billboards/2')).status, 404);
  assert.ok((await titles('', ada.call)).includes('Secret'));
  assert.equal((await dmitri.call('GET', `/v1/billboards/${id}`)).status, 404);
  atrium.clock.advance(86_400_000);
  assert.equal((await dmitri.call('GET', `/v1/billboards/${id}`)).status, 200);
  assert.equal((await dmitri.call('DELETE', `/v1/billboards/${id}`)).status, 403);
});
