import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const members = async (id: number) =>
  (await atrium.call('GET', `/v1/teams/${id}/users`)).body.data.map((user: { id: number }) => user.id);

test('a team has every field of the interface', async () => {
  const team = (await atrium.call('GET', '/v1/teams/by-external-id/T-SALES')).body.data;
  assert.deepEqual(
    { ...team, created_at: 0, updated_at: 0 },
    {
      id: 1,
      external_id: 'T-SALES',
      name: 'Sales',
      avatar_url: 'http://northwind.localhost/avatars/initials/53.png',
      permalink: 'http://northwind.localhost/teams/1',
      team_type: { id: 1, name: 'Department' },
      member_count: 3,
      created_at: 0,
      updated_at: 0,
    },
  );
});

test('PATCH by id as existing clients send it: multipart with ids_to_add[]', async () => {
  const form = new FormData();
  for (const id of [1, 2, 3]) form.append('ids_to_add[]', String(id));
  const reply = await atrium.call('PATCH', '/v1/teams/1/users', { form });
  assert.deepEqual(
    [reply.status, reply.body.meta, reply.body.data.member_count],
    [200, { users_added: 2, users_removed: 0 }, 5],
  );
  assert.deepEqual(await members(1), [1, 2, 3, 4, 5]);
});

test('PATCH by external id as existing clients send it: urlencoded with external_ids_to_add[n]', async () => {
  const reply = await atrium.call('PATCH', '/v1/teams/by-external-id/T-BERLIN/users', {
    urlencoded: 'external_ids_to_add[0]=E-1003&external_ids_to_add[1]=E-1005',
  });
  assert.deepEqual([reply.status, reply.body.meta], [200, { users_added: 2, users_removed: 0 }]);
  assert.equal('warnings' in reply.body.meta, false);
});

test('both remove forms work, together with adding', async () => {
  const reply = await atrium.call('PATCH', '/v1/teams/2/users', {
    json: { ids_to_remove: [3], external_ids_to_remove: ['E-1005', 'E-1001'], ids_to_add: [] },
  });
  assert.deepEqual(reply.body.meta, { users_added: 0, users_removed: 3 });
  assert.deepEqual(await members(2), [2, 4]);
});

test('unknown people and contradictions are named, and nothing is changed', async () => {
  const before = await members(1);
  const unknown = await atrium.call('PATCH', '/v1/teams/1/users', {
    json: { ids_to_remove: [1, 999], external_ids_to_add: ['E-1001', 'nobody'] },
  });
  assert.deepEqual(
    [unknown.status, unknown.body.meta.errors.map(({ path }: { path: string }) => path)],
    [400, ['external_ids_to_add[1]', 'ids_to_remove[1]']],
  );
  const both = await atrium.call('PATCH', '/v1/teams/1/users', {
    json: { ids_to_add: [2], external_ids_to_remove: ['E-1002'] },
  });
  assert.deepEqual([both.status, both.body.meta.errors[0].path], [400, 'ids_to_add']);
  const none = await atrium.call('PATCH', '/v1/teams/1/users', { json: {} });
  assert.deepEqual([none.status, none.body.meta.errors[0].path], [400, {}]);
  assert.deepEqual(await members(1), before);
});

test('names are unique within a type, in any case; types are made when they are missing', async () => {
  const create = (json: object) => atrium.call('POST', '/v1/teams', { json });
  assert.deepEqual([(await create({ name: 'SALES', team_type: 'department' })).body.code], ['name_taken']);
  const project = (await create({ name: 'Sales', team_type: 'Squad' })).body.data;
  assert.equal(project.team_type.name, 'Squad');
  assert.equal((await create({ name: 'X', team_type_id: 999 })).body.code, 'team_type_not_found');
  assert.equal((await create({ name: 'X', external_id: 'T-IT' })).body.code, 'external_id_taken');
  assert.equal((await atrium.call('DELETE', `/v1/teams/types/${project.team_type.id}`)).body.code, 'team_type_in_use');
  assert.equal((await atrium.call('DELETE', `/v1/teams/${project.id}`)).status, 200);
  assert.equal((await atrium.call('DELETE', `/v1/teams/types/${project.team_type.id}`)).status, 200);
});

test('PUT keeps the external id when it is omitted, and lists filter by type, name and people', async () => {
  await atrium.call('PUT', '/v1/teams/3', { json: { name: 'Information technology', team_type: 'Department' } });
  assert.equal((await atrium.call('GET', '/v1/teams/by-external-id/T-IT')).body.data.name, 'Information technology');
  const names = async (query: string) =>
    (await atrium.call('GET', `/v1/teams?${query}`)).body.data.map((team: { name: string }) => team.name);
  assert.deepEqual(await names('team_type_id=2'), ['Berlin']);
  assert.deepEqual(await names('name=information%20TECHNOLOGY'), ['Information technology']);
  assert.deepEqual(await names('user_ids=4'), ['Sales', 'Berlin']);
});

test('the same member added on two connections at once is one member and one count', async () => {
  const { id } = (await atrium.call('POST', '/v1/teams', { json: { name: 'Race' } })).body.data;
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => atrium.call('PATCH', `/v1/teams/${id}/users`, { json: { ids_to_add: [1, 2] } })),
  );
  assert.equal(
    replies.reduce((sum, reply) => sum + reply.body.meta.users_added, 0),
    2,
  );
  await atrium.drain();
  assert.equal((await atrium.call('GET', `/v1/teams/${id}`)).body.data.member_count, 2);
});
