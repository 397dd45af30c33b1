import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const newKey = async (scopes: string[], more: object = {}) =>
  (await atrium.call('POST', '/v1/admin/apps/2/keys', { json: { name: 'Test', scopes, ...more } })).body.data;

test('a key is shown once and stored as its hash only', async () => {
  const { api_key, id } = await newKey(['pages.*.read']);
  assert.match(api_key, /^atr_[\w-]{43}$/);
  const listed = (await atrium.call('GET', '/v1/admin/apps/2/keys')).body.data.find(
    (key: { id: number }) => key.id === id,
  );
  assert.equal('api_key' in listed, false);
  assert.equal(
    (await atrium.rows('select from api_keys k where k::text like $1', [`%${api_key.slice(4)}%`])).length,
    0,
  );
});

test('a revoked key is refused at once, on every node', async () => {
  const other = await atrium.secondNode();
  const { api_key, id } = await newKey(['users.*.read']);
  assert.equal((await other.call('GET', '/v1/users/1', { key: api_key })).status, 200);
  assert.equal((await atrium.call('DELETE', `/v1/admin/keys/${id}`)).status, 200);
  assert.equal((await other.call('GET', '/v1/users/1', { key: api_key })).status, 401);
  assert.equal((await atrium.call('GET', '/v1/users/1', { key: api_key })).status, 401);
});

test('a key ends at expires_at', async () => {
  const { api_key } = await newKey(['users.*.read'], { expires_at: new Date(Date.now() + 60_000).toISOString() });
  assert.equal((await atrium.call('GET', '/v1/users/1', { key: api_key })).status, 200);
  atrium.clock.advance(61_000);
  assert.equal((await atrium.call('GET', '/v1/users/1', { key: api_key })).status, 401);
});

test('deleting an app refuses its keys at once', async () => {
  const app = (await atrium.call('POST', '/v1/admin/apps', { json: { name: 'Short-lived' } })).body.data;
  const { api_key } = (
    await atrium.call('POST', `/v1/admin/apps/${app.id}/keys`, { json: { name: 'K', scopes: ['users.*.read'] } })
  ).body.data;
  assert.equal((await atrium.call('DELETE', `/v1/admin/apps/${app.id}`)).status, 200);
  assert.equal((await atrium.call('GET', '/v1/users/1', { key: api_key })).status, 401);
});

test('last_used_at follows use, to the minute', async () => {
  const { api_key, id } = await newKey(['users.*.read']);
  await atrium.call('GET', '/v1/users/1', { key: api_key });
  const [row] = await atrium.rows<{ last_used_at: Date }>('select last_used_at from api_keys where id = $1', [id]);
  assert.ok(row?.last_used_at);
});

test('nobody grants a scope they do not hold', async () => {
  const { api_key } = await newKey(['admin.apps.write', 'pages.*.read']);
  const grant = (scopes: string[]) =>
    atrium.call('POST', '/v1/admin/apps/2/keys', { key: api_key, json: { name: 'More', scopes } });
  assert.equal((await grant(['pages.*.read'])).status, 201);
  for (const scope of ['*', 'users.*.read', 'pages.*.write', 'pages.*.*', 'admin.*.write']) {
    const reply = await grant([scope]);
    assert.deepEqual([reply.status, reply.body.meta.required_scopes], [403, [scope]], scope);
  }
});

test('a scope outside the grammar is a 400 with its place', async () => {
  const reply = await atrium.call('POST', '/v1/admin/apps/2/keys', {
    json: { name: 'Odd', scopes: ['pages.*.read', 'pages.all', 'unknown.*.read'] },
  });
  assert.deepEqual(
    [reply.status, reply.body.meta.errors.map((error: { path: string }) => error.path)],
    [400, ['scopes[1]', 'scopes[2]']],
  );
});

test('a person needs the developer role, and admin routes are closed to others', async () => {
  await atrium.call('PUT', '/v1/admin/users/1/roles', { json: { roles: ['admin'] } });
  assert.equal(
    (await (await signIn(atrium, 'ada.okafor@northwind.example')).call('GET', '/v1/admin/apps')).status,
    200,
  );
  await atrium.call('PUT', '/v1/admin/users/2/roles', { json: { roles: ['admin'] } });
  await atrium.call('PUT', '/v1/admin/users/1/roles', { json: { roles: ['moderator'] } });
  const reply = await (await signIn(atrium, 'ada.okafor@northwind.example')).call('GET', '/v1/admin/apps');
  assert.deepEqual([reply.status, reply.body.meta.required_roles], [403, ['developer', 'admin']]);
});

test('an ordinary person reads the directory but changes neither people nor teams', async () => {
  const target = await startAtrium();
  await target.call('PUT', '/v1/admin/users/2/roles', { json: { roles: ['admin'] } });
  await target.call('PUT', '/v1/admin/users/1/roles', { json: { roles: [] } });
  const { call } = await signIn(target, 'ada.okafor@northwind.example');
  for (const path of ['/v1/users', '/v1/teams', '/v1/spaces', '/v1/pages'])
    assert.equal((await call('GET', path)).status, 200, path);
  const person = { email: 'x@x.example', first_name: 'X', last_name: 'Y' };
  const attempts: [string, string, object][] = [
    ['POST', '/v1/users', person],
    ['PUT', '/v1/users/2', person],
    ['DELETE', '/v1/users/2', {}],
    ['PUT', '/v1/users/frontline-status', { users: [] }],
    ['POST', '/v1/teams', { name: 'Mine' }],
    ['PATCH', '/v1/teams/1/users', { ids_to_add: [1] }],
    ['DELETE', '/v1/teams/1', {}],
    ['PUT', '/v1/admin/users/1/roles', { roles: ['admin'] }],
    ['POST', '/v1/spaces/categories', { name: 'Mine' }],
  ];
  for (const [method, path, json] of attempts)
    assert.equal((await call(method, path, { json })).status, 403, `${method} ${path}`);
});

test('the last admin keeps the role', async () => {
  const target = await startAtrium();
  const reply = await target.call('PUT', '/v1/admin/users/1/roles', { json: { roles: [] } });
  assert.deepEqual([reply.status, reply.body.code], [409, 'last_admin']);
});

test('a service account is in no directory', async () => {
  const listed = (await atrium.call('GET', '/v1/users?is_active=all&take=100')).body.data;
  const apps = (await atrium.call('GET', '/v1/admin/apps')).body.data;
  for (const { service_user_id } of apps) {
    assert.ok(!listed.some(({ id }: { id: number }) => id === service_user_id));
    assert.equal((await atrium.call('GET', `/v1/users/${service_user_id}`)).status, 404);
  }
  assert.equal((await atrium.call('GET', '/v1/users', { key: world.powerless })).status, 403);
});
