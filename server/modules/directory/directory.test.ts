import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
interface Named {
  id: number;
  name: string;
  reports_count: number;
}
const get = async (path: string) => {
  const { status, body } = await atrium.call('GET', path);
  return { status, body, names: (body.data ?? []).map(({ name }: Named) => name) as string[] };
};

test('colleagues are found by the beginning of any name and by team, listed by name, with exact totals', async () => {
  const { names, body } = await get('/v1/directory?take=2&skip=1');
  assert.deepEqual(names, ['Ben Lindqvist', 'Carla Mendes']);
  assert.equal(body.meta.pagination.total_records, 5);
  assert.deepEqual(body.data[0].teams, [
    { id: 2, name: 'Berlin' },
    { id: 1, name: 'Sales' },
  ]);
  assert.deepEqual((await get('/v1/directory?q=PET')).names, ['Dmitri Petrov']);
  assert.deepEqual((await get('/v1/directory?q=emi%20ta')).names, ['Emi Tanaka']);
  assert.deepEqual((await get('/v1/directory?q=e&in_teams=2')).names, []);
  const sales = await get('/v1/directory?in_teams=1&take=1');
  assert.deepEqual([sales.names, sales.body.meta.pagination.total_records], [['Ben Lindqvist'], 3]);
  const past = await get('/v1/directory?in_teams=1&skip=50');
  assert.deepEqual([past.names, past.body.meta.pagination.total_records], [[], 3]);
});

test('the chart begins with who has no manager and leads others, and goes down level by level', async () => {
  const top = await get('/v1/directory/positions');
  assert.deepEqual(top.names, ['Ada Okafor']);
  assert.deepEqual([top.body.data[0].reports_count, top.body.meta.pagination.total_records], [2, 1]);
  assert.deepEqual((await get('/v1/directory/positions?manager_id=1')).names, ['Ben Lindqvist', 'Carla Mendes']);
  const above = ['Ada Okafor', 'Ben Lindqvist', 'Dmitri Petrov', 'Emi Tanaka'];
  assert.deepEqual((await get('/v1/directory/positions/5/managers')).names, above);
  assert.equal((await get('/v1/directory/positions/99/managers')).status, 404);
});

test('who has left stays in the chart while active people report to them, and managers in a ring end', async () => {
  await atrium.rows('update users set is_active = false where id = 4');
  assert.deepEqual((await get('/v1/directory/positions?manager_id=2')).names, ['Dmitri Petrov']);
  await atrium.rows('update users set is_active = false where id = 5');
  assert.deepEqual((await get('/v1/directory/positions?manager_id=2')).names, []);
  await atrium.rows('update users set is_active = true where id in (4, 5)');
  await atrium.rows('update users set manager_id = 5 where id = 1');
  assert.equal((await get('/v1/directory/positions/5/managers')).names.length, 4);
  await atrium.rows('update users set manager_id = null where id = 1');
});

test('people say of themselves how they are reached, and nothing that the organisation says of them', async () => {
  const { call } = await signIn(atrium, 'emi.tanaka@northwind.example');
  const json = { mobile_phone: '+49 151 1', locale: 'de', timezone: 'Europe/Berlin' };
  const { status, body } = await call('PUT', '/v1/me/profile', { json });
  const { mobile_phone, locale, display_name, job_title, manager_id } = body.data;
  assert.deepEqual(
    [status, mobile_phone, locale, display_name, job_title, manager_id],
    [200, '+49 151 1', 'de', null, 'Sales assistant', 4],
  );
  const refused = await call('PUT', '/v1/me/profile', { json: { ...json, timezone: 'Berlin' } });
  assert.equal(refused.status, 400);
  assert.equal((await atrium.call('PUT', '/v1/me/profile', { json })).status, 403);
});
