import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/eL9GtQAAAABJRU5ErkJggg==',
  'base64',
);

test('a goal is created with a picture, replaced and deleted', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ title: 'Courage', description: 'We try.', colour: '#be123c' }))
    form.append(name, value);
  form.append('image', new Blob([png]), 'icon.png');
  const made = (await atrium.call('POST', '/v1/goals', { form })).body.data;
  assert.deepEqual(
    { ...made, image: 0, created_at: 0, updated_at: 0 },
    {
      id: made.id,
      title: 'Courage',
      description: 'We try.',
      colour: '#be123c',
      image: 0,
      is_active: true,
      created_at: 0,
      updated_at: 0,
      permalink: `http://northwind.localhost/goals/${made.id}`,
    },
  );
  assert.equal((await fetch(atrium.url + new URL(made.image).pathname)).headers.get('content-type'), 'image/png');
  const changed = (await atrium.call('PUT', `/v1/goals/${made.id}`, { json: { title: 'Courage', is_active: false } }))
    .body.data;
  assert.deepEqual(
    [changed.description, changed.colour, changed.image, changed.is_active],
    ['', null, made.image, false],
  );
  assert.ok(changed.updated_at > made.updated_at);
  assert.equal((await atrium.call('DELETE', `/v1/goals/${made.id}`)).status, 200);
  assert.equal((await atrium.call('DELETE', `/v1/goals/${made.id}`)).status, 404);
  await atrium.drain();
  assert.equal((await fetch(atrium.url + new URL(made.image).pathname)).status, 404, 'its picture is gone');
});

test('a colour that could be anything else in a style is refused', async () => {
  for (const colour of ['url(https://example.org)', '#12345', 'red;position:fixed']) {
    const reply = await atrium.call('POST', '/v1/goals', { json: { title: 'X', colour } });
    assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'colour']);
  }
});

test('lists filter by is_active, with exact totals', async () => {
  await atrium.call('POST', '/v1/goals', { json: { title: 'Former', is_active: false } });
  const listed = async (query: string) => (await atrium.call('GET', `/v1/goals${query}`)).body;
  const former = await listed('?is_active=0');
  assert.deepEqual(
    [former.data.map(({ title }: { title: string }) => title), former.meta.pagination.total_records],
    [['Former'], 1],
  );
  assert.equal((await listed('')).meta.pagination.total_records, 2);
});
