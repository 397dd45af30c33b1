// What people keep: theirs alone, as they see it now, and in the order in which they kept it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { contentNouns, plurals } from '../content/contract.ts';
import { SAVED_MAX } from './contract.ts';

const atrium = await startAtrium();
const emi = await signIn(atrium, 'emi.tanaka@northwind.example');
const dmitri = await signIn(atrium, 'dmitri.petrov@northwind.example');
// biome-ignore lint/suspicious/noExplicitAny: rows of every family.
type Row = any;
const data = async (call: typeof atrium.call, method: string, path: string, json?: object): Promise<Row> =>
  (await call(method, path, json ? { json } : {})).body.data;
const names = async (query = '') =>
  (await data(emi.call, 'GET', `/v1/saved${query}`)).map(({ type, id }: Row) => `${type} ${id}`);

test('each kind is kept once, listed newest first as its own endpoint shows it, and kept no longer', async () => {
  for (const noun of contentNouns)
    for (const _ of [1, 2]) assert.equal((await emi.call('PUT', `/v1/saved/${noun}/1`)).status, 200);
  const { body } = await emi.call('GET', '/v1/saved');
  assert.deepEqual([body.data.length, body.meta.pagination.total_records], [5, 5]);
  for (const { type, id, resource } of body.data) {
    const own = await data(emi.call, 'GET', `/v1/${plurals[type as 'update']}/${id}`);
    assert.deepEqual([resource.id, resource.viewer, own.viewer.saved_by_me], [own.id, own.viewer, true]);
  }
  assert.deepEqual(await names(), contentNouns.map((noun) => `${noun} 1`).reverse());
  assert.deepEqual(await names('?skip=1&take=2'), ['kudos 1', 'update 1']);
  assert.deepEqual(await data(dmitri.call, 'GET', '/v1/saved'), []);
  for (const noun of contentNouns)
    for (const _ of [1, 2]) assert.equal((await emi.call('DELETE', `/v1/saved/${noun}/1`)).status, 200);
  assert.deepEqual(await names(), []);
});

test('what its reader does not see any more is not shown or counted, and is there again when they do', async () => {
  const { id: space } = await data(atrium.call, 'POST', '/v1/spaces', { name: 'For a while', visibility: 'public' });
  const audience = { type: 'spaces', spaces: [space] };
  const { id } = await data(atrium.call, 'POST', '/v1/updates', { text: 'x', audience });
  await emi.call('PUT', `/v1/saved/update/${id}`);
  const total = async () => (await emi.call('GET', '/v1/saved')).body.meta.pagination.total_records;
  const turn = (visibility: string) =>
    atrium.call('PUT', `/v1/spaces/${space}`, { json: { name: 'For a while', visibility } });
  assert.deepEqual([await names(), await total()], [[`update ${id}`], 1]);
  await turn('hidden');
  assert.deepEqual([await names(), await total()], [[], 0]);
  assert.equal((await emi.call('PUT', `/v1/saved/update/${id}`)).status, 404);
  await turn('public');
  assert.deepEqual(await names(), [`update ${id}`]);
  await atrium.call('DELETE', `/v1/updates/${id}`);
  const rows = await atrium.rows('select 1 from saved_items where kind = $1 and content_id = $2', ['update', id]);
  assert.deepEqual([await names(), rows], [[], []]);
});

test('a person keeps so many, and those that are kept can be kept again', async () => {
  await atrium.rows(
    `insert into saved_items (organisation_id, user_id, kind, content_id, created_at)
     select 1, $1, 'update', 1000000 + g, now() from generate_series(1, $2::integer) g`,
    [emi.user.id, SAVED_MAX - 1],
  );
  assert.equal((await emi.call('PUT', '/v1/saved/update/1')).status, 200);
  assert.equal((await emi.call('PUT', '/v1/saved/update/1')).status, 200);
  const refused = await emi.call('PUT', '/v1/saved/kudos/1');
  assert.deepEqual([refused.status, refused.body.code], [409, 'too_many_saved']);
});
