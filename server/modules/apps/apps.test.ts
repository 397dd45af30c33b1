import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';
import { scimOf } from '../../testing/scim.ts';

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

test('a developer asks for what is sensitive, and an admin decides', async () => {
  const person = async (id: number, roles: string[], email: string) => {
    await atrium.call('PUT', `/v1/admin/users/${id}/roles`, { json: { roles } });
    return signIn(atrium, email);
  };
  const developer = await person(5, ['developer'], 'emi.tanaka@northwind.example');
  const admin = await person(4, ['admin'], 'dmitri.petrov@northwind.example');
  await atrium.rows(`
    insert into push_subscriptions (
      organisation_id, user_id, endpoint, endpoint_sha256, p256dh, auth, user_agent, created_at)
    select 1, id, 'https://push.example', id::text, '', '', '', now() from unnest(array[4, 5]) id`);
  const told = async (user_id: number) =>
    (
      await atrium.rows<{ tag: string }>(
        `select payload ->> 'tag' as tag from jobs where kind = 'push_note' and payload ->> 'user_id' = $1`,
        [String(user_id)],
      )
    ).map(({ tag }) => tag);
  const ask = async (scopes: string[]) =>
    (await developer.call('POST', '/v1/admin/apps/2/keys', { json: { name: 'Asked', scopes } })).body.data;

  const everyday = ['pages.*.*', 'spaces.private.read', 'chats.bots.write', 'chats.message.write', 'users.*.read'];
  assert.equal((await ask(everyday)).status, 'active');
  const sensitive =
    'users.*.write users.*.* spaces.hidden.read spaces.*.read chats.messages.read chats.*.read siem.*.read';
  for (const scope of [...sensitive.split(' '), 'admin.apps.write', '*.*.write', '*'])
    assert.equal((await ask(['pages.*.read', scope])).status, 'pending', scope);

  const key = await ask(['users.*.read', 'users.*.write']);
  assert.deepEqual([key.status, key.decided_by], ['pending', null]);
  assert.ok((await told(4)).includes(`key-${key.id}`));
  const use = (api_key: string) => atrium.call('GET', '/v1/users/1', { key: api_key });
  const waiting = await use(key.api_key);
  assert.deepEqual([waiting.status, waiting.body.code], [403, 'pending_approval']);
  const listed = (await admin.call('GET', '/v1/admin/keys?status=pending&take=100')).body.data;
  assert.ok(listed.some(({ id }: { id: number }) => id === key.id));

  const own = await developer.call('POST', `/v1/admin/keys/${key.id}/approve`);
  assert.deepEqual([own.status, own.body.meta.required_roles], [403, ['admin']]);
  const narrow = (await newKey(['admin.approvals.write', 'users.*.read'])).api_key;
  const beyond = await atrium.call('POST', `/v1/admin/keys/${key.id}/approve`, { key: narrow });
  assert.deepEqual([beyond.status, beyond.body.meta.required_scopes], [403, ['users.*.write']]);

  const approved = (await admin.call('POST', `/v1/admin/keys/${key.id}/approve`)).body.data;
  assert.deepEqual([approved.status, approved.decided_by], ['active', admin.user.id]);
  assert.ok(approved.decided_at);
  assert.equal((await use(key.api_key)).status, 200);
  assert.deepEqual(await told(5), [`key-${key.id}`]);
  const again = await admin.call('POST', `/v1/admin/keys/${key.id}/refuse`);
  assert.deepEqual([again.status, again.body.code], [409, 'not_pending']);

  const other = await ask(['users.*.write']);
  assert.equal((await admin.call('POST', `/v1/admin/keys/${other.id}/refuse`)).body.data.status, 'refused');
  assert.deepEqual([(await use(other.api_key)).status, (await use(other.api_key)).body.code], [401, 'unauthorized']);
  const admins = await admin.call('POST', '/v1/admin/apps/2/keys', {
    json: { name: 'Own', scopes: ['users.*.write'] },
  });
  assert.equal(admins.body.data.status, 'active', 'nobody approves what an admin gives');
});

test('a developer changes nobody in person either', async () => {
  await atrium.call('PUT', '/v1/admin/users/5/roles', { json: { roles: ['developer'] } });
  const { call } = await signIn(atrium, 'emi.tanaka@northwind.example');
  const body = { email: 'emi.tanaka@northwind.example', first_name: 'E', last_name: 'T' };
  for (const [method, path] of [
    ['PUT', '/v1/users/1'],
    ['POST', '/v1/users'],
    ['DELETE', '/v1/users/1'],
  ] as const)
    assert.equal((await call(method, path, { json: body })).status, 403, `${method} ${path}`);
});

test('a key that ends makes none that ends later', async () => {
  const at = (seconds: number) => new Date(atrium.clock.micros() / 1000 + seconds * 1000).toISOString();
  const { api_key, expires_at } = await newKey(['admin.apps.write', 'pages.*.read'], { expires_at: at(600) });
  const make = (more: object) =>
    atrium.call('POST', '/v1/admin/apps/2/keys', {
      key: api_key,
      json: { name: 'More', scopes: ['pages.*.read'], ...more },
    });
  assert.equal((await make({})).body.data.expires_at, expires_at);
  assert.equal((await make({ expires_at: at(60) })).status, 201);
  assert.equal((await make({ expires_at: at(700) })).body.meta.errors[0].path, 'expires_at');
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

test('the last admin stays, whatever takes the role or the access away', async () => {
  const target = await startAtrium();
  const scim = scimOf(target);
  const person = { email: 'ada.okafor@northwind.example', first_name: 'Ada', last_name: 'Okafor' };
  const frontline = { external_id: 'E-1001', is_frontline: false, has_access: false };
  const patch = (path: string, value: unknown) => ({ body: { Operations: [{ op: 'replace', path, value }] } });
  const before = await target.rows('select * from users where id = 1');
  const replies = [
    await target.call('PUT', '/v1/admin/users/1/roles', { json: { roles: [] } }),
    await target.call('DELETE', '/v1/users/1'),
    await target.call('PUT', '/v1/users/1', { json: { ...person, is_active: false } }),
    await target.call('PUT', '/v1/users/1', { json: { ...person, has_access: false } }),
    await target.call('PUT', '/v1/users/frontline-status', { json: { users: [frontline] } }),
  ];
  for (const { status, body } of replies) assert.deepEqual([status, body.code], [409, 'last_admin']);
  const bulk = { Operations: [{ method: 'DELETE', path: '/Users/1' }] };
  for (const { status, body } of [
    await scim('PATCH', '/Users/1', patch('active', false)),
    await scim('PATCH', '/Users/1', patch('roles', [{ value: 'user' }])),
    await scim('DELETE', '/Users/1'),
    (await scim('POST', '/Bulk', { body: bulk })).body.Operations.map((one: { status: string; response: unknown }) => ({
      status: Number(one.status),
      body: one.response,
    }))[0],
  ]) {
    assert.deepEqual([status, body.scimType], [409, undefined], JSON.stringify(body));
    assert.match(body.detail, /last admin/);
  }
  assert.deepEqual(await target.rows('select * from users where id = 1'), before);
});
test('of two admins who are ended at the same moment, on two nodes and by two ways, one stays', async () => {
  const target = await startAtrium();
  const scim = scimOf(await target.secondNode());
  const roles = (id: number, ...named: string[]) =>
    target.call('PUT', `/v1/admin/users/${id}/roles`, { json: { roles: named } });
  const isRefused = ({ status }: { status: number }) => status === 409;
  for (let n = 0; n < 10; n++) {
    assert.equal((await roles(2, 'admin')).status, 200);
    const replies = await Promise.all([roles(1), scim('DELETE', '/Users/2')]);
    assert.equal(replies.filter(isRefused).length, 1, JSON.stringify(replies.map(({ body }) => body)));
    const admins = `select id from users where organisation_id = 1 and is_active and 'admin' = any(roles)`;
    assert.equal((await target.rows(admins)).length, 1);
    await target.rows(
      `update users set is_active = true, is_withdrawn = false, roles = '{admin}' where id = 1 or id = 2`,
    );
  }
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

test('requests with different keys in the same moment are each answered', async () => {
  const keys = await Promise.all(['goals.*.read', 'badges.*.read'].map((scope) => atrium.keyWith([scope])));
  const asked = Array.from({ length: 20 }, (_, n) => atrium.call('GET', '/v1/goals', { key: keys[n % 2] as string }));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.deepEqual([...new Set(statuses)].sort(), [200, 403]);
});
