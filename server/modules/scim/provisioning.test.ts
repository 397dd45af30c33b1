import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Call, signIn, startAtrium, world } from '../../testing/atrium.ts';
import { scimOf } from '../../testing/scim.ts';
import { PASSWORD } from '../../testing/world.ts';

const atrium = await startAtrium();
const scim = scimOf(atrium);
const create = async (userName: string, more: object = {}) =>
  (await scim('POST', '/Users', { body: { userName, ...more } })).body;
const patch = (...Operations: object[]) => ({ body: { Operations } });
const log = async (query: string) => (await atrium.call('GET', `/v1/admin/provisioning/requests?${query}`)).body;

test('a dry run answers with what would change, and stores, emits and ends nothing', async () => {
  const session = await signIn(atrium, 'ben.lindqvist@northwind.example', PASSWORD).catch(() => undefined);
  const stored = () =>
    atrium.rows(
      `select (select count(*) from outbox) as events,
         (select md5(string_agg(u::text, $1 order by id)) from users u) as users`,
      ['|'],
    );
  const before = await stored();
  const dry = { headers: { 'x-dry-run': 'true' } };
  const reply = await scim('PATCH', '/Users/2', {
    ...patch({ op: 'replace', path: 'active', value: false }, { op: 'replace', path: 'title', value: 'Gone' }),
    ...dry,
  });
  assert.deepEqual(
    [reply.status, reply.headers.get('x-dry-run'), reply.body.status, reply.body.resource.active],
    [200, 'true', 200, false],
  );
  assert.deepEqual(reply.body.changes, [
    { attribute: 'title', from: 'Head of sales', to: 'Gone' },
    { attribute: 'active', from: true, to: false },
  ]);
  assert.equal((await scim('POST', '/Users', { body: { userName: 'dry@x.example' }, ...dry })).body.status, 201);
  assert.equal(
    (await scim('POST', '/Users', { body: { userName: 'ada.okafor@northwind.example' }, ...dry })).status,
    409,
  );
  assert.equal((await scim('DELETE', '/Users/2', dry)).body.status, 204);
  assert.equal((await scim('POST', '/Bulk', { body: { Operations: [] }, ...dry })).status, 400);
  assert.deepEqual(await stored(), before);
  if (session) assert.equal((await session.call('GET', '/v1/sessions/current')).status, 200);
});
test(`the sync guard pauses a run at its share, says so, \
and is lifted by an admin`, async () => {
  const target = await startAtrium();
  // Nobody is new any more.
  target.clock.advance(2 * 3_600_000);
  const own = scimOf(target);
  const leave = (id: number) => own('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
  await target.call('PUT', '/v1/admin/provisioning', { json: { guard_percent: 40, guard_least: 0 } });
  const admins = await target.rows<{ id: number }>(
    `select id from users where organisation_id = 1 and kind = 'person' and is_active and 'admin' = any(roles)`,
  );
  assert.equal(admins.length, 1);
  assert.equal((await leave(admins[0]?.id ?? 0)).status, 409, 'the last admin stays whatever the guard says');
  const people = (
    await target.rows<{ id: number }>(
      `select id from users
       where organisation_id = 1 and kind = 'person' and is_active and not 'admin' = any(roles) order by id`,
    )
  ).map(({ id }) => id);
  const allowed = Math.floor((people.length + 1) * 0.4);
  for (const id of people.slice(0, allowed)) assert.equal((await leave(id)).status, 200);
  const next = people[allowed] ?? 0;
  const paused = await leave(next);
  assert.equal(paused.status, 503);
  assert.ok(Number(paused.headers.get('retry-after')) > 3500);
  assert.equal((await own('GET', `/Users/${next}`)).body.active, true);
  assert.equal(
    (await own('POST', '/Bulk', { body: { Operations: [{ method: 'DELETE', path: `/Users/${next}` }] } })).status,
    503,
  );
  const shown = (await target.call('GET', '/v1/admin/provisioning')).body.data;
  assert.match(shown.guard_notice, /more than 40 %/);
  assert.ok(shown.guard_paused_at);
  assert.equal((await target.call('POST', '/v1/admin/provisioning/guard/lift')).body.data.guard_notice, null);
  assert.equal((await leave(next)).status, 200);
  target.clock.advance(2 * 3_600_000);
  assert.equal((await leave(people[allowed + 1] ?? 0)).status, 503);
});
test(`a new organisation has the sync guard on: ten leavers pass, the next is held back, \
and what was made within the hour can be deleted`, async () => {
  const { contoso } = world;
  const own = scimOf(atrium, { secret: contoso.scim_secret });
  const options = { key: contoso.api_key, service_id: contoso.organisation_id };
  const { guard_percent, guard_least } = (await atrium.call('GET', '/v1/admin/provisioning', options)).body.data;
  assert.deepEqual([guard_percent, guard_least], [10, 10]);
  const ids = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      return (await own('POST', '/Users', { body: { userName: `new.${n}@contoso.example` } })).body.id as string;
    }),
  );
  const leave = async (id = '') =>
    (await own('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: 'False' }))).status;
  for (const id of ids.slice(0, 10)) assert.equal(await leave(id), 200);
  assert.equal(await leave(ids[10]), 503);
  assert.equal((await own('DELETE', `/Users/${ids[11]}`)).status, 204);
  await own('PATCH', `/Users/${ids[0]}`, patch({ op: 'replace', path: 'active', value: true }));
  assert.equal(await leave(ids[10]), 200, 'who is back does not count');
});
test('SCIM makes nobody an admin and sets no admin’s password, unless an admin says so of the provider', async () => {
  const rolesOf = async (id: string) => (await atrium.call('GET', `/v1/users/${id}`)).body.data.roles;
  const asked = { roles: [{ value: 'admin' }, { value: 'moderator' }], authRoles: 'admin' };
  const { id, roles } = await create('climber@northwind.example', asked);
  assert.deepEqual([await rolesOf(id), roles], [['moderator', 'user'], [{ value: 'moderator' }]]);
  const add = patch({ op: 'add', path: 'roles', value: [{ value: 'Admin' }] });
  const events = (await atrium.outbox()).length;
  assert.equal((await scim('PATCH', `/Users/${id}`, add)).status, 200);
  assert.equal(
    (await scim('PUT', `/Users/${id}`, { body: { userName: 'climber@northwind.example', ...asked } })).status,
    200,
  );
  assert.deepEqual(await rolesOf(id), ['moderator', 'user']);
  assert.equal((await atrium.outbox()).length, events, 'nothing changed');
  const password = patch({ op: 'replace', path: 'password', value: 'taken over by SCIM' });
  assert.equal((await scim('PATCH', '/Users/1', password)).status, 403);

  const put = (providers_granting_admin: string[], by = atrium.call) =>
    by('PUT', '/v1/admin/provisioning', { json: { providers_granting_admin, guard_percent: null } });
  const secretFor = (provider: string, by = atrium.call) =>
    by('POST', '/v1/admin/provisioning/secrets', { json: { provider } });
  const scopes = ['admin.provisioning.*'];
  const narrow = (await atrium.call('POST', '/v1/admin/apps/1/keys', { json: { name: 'Narrow', scopes } })).body.data;
  const { id: itId, userName } = await create('it.admin@northwind.example', { password: PASSWORD });
  await atrium.call('PUT', `/v1/admin/users/${itId}/roles`, { json: { roles: ['it_admin'] } });
  const { call } = await signIn(atrium, userName, PASSWORD);
  const limited: Call[] = [
    (...[method, path, more]) => atrium.call(method, path, { ...more, key: narrow.api_key }),
    call,
  ];
  for (const by of limited) {
    const { status, body } = await put(['idp-a'], by);
    assert.deepEqual([status, body.code, body.meta.errors[0].path], [403, 'forbidden', 'providers_granting_admin']);
  }
  assert.equal((await put(['idp-z'])).status, 400);
  assert.deepEqual((await put(['idp-a'])).body.data.providers_granting_admin, ['idp-a']);
  for (const by of limited) {
    assert.equal((await secretFor('idp-a', by)).status, 403);
    assert.equal((await put(['idp-a'], by)).status, 200, 'what an admin has turned on can be sent back');
  }
  assert.equal((await scim('PATCH', `/Users/${id}`, add)).status, 200);
  assert.deepEqual(await rolesOf(id), ['moderator', 'user'], 'a secret of another provider grants as little as before');
  const { scim_secret: secret } = (await secretFor('idp-a')).body.data;
  assert.equal((await scim('PATCH', `/Users/${id}`, { ...add, secret })).status, 200);
  assert.deepEqual(await rolesOf(id), ['admin', 'moderator', 'user']);
  assert.equal((await scim('PATCH', `/Users/${id}`, { ...password, secret })).status, 200);
});
test(`the log has every request with outcome and changes, found by person, outcome and time, \
and hides values by setting`, async () => {
  const { id } = await create('logged@northwind.example', { title: 'Secret title', password: 'top secret words' });
  await scim(
    'PATCH',
    `/Users/${id}`,
    patch(
      { op: 'replace', path: 'title', value: 'Other secret' },
      { op: 'replace', path: 'password', value: 'top secret words' },
    ),
  );
  await scim('PATCH', `/Users/${id}`, patch({ op: 'remove', path: 'userName' }));
  await scim('GET', '/Users?filter=userName eq "logged@northwind.example"');
  const own = await log(`user_id=${id}`);
  assert.deepEqual(
    own.data.map(({ method, status, scim_type }: Record<string, unknown>) => [method, status, scim_type]),
    [
      ['PATCH', 400, 'mutability'],
      ['PATCH', 200, null],
      ['POST', 201, null],
    ],
  );
  assert.equal(own.meta.pagination.total_records, 3);
  assert.equal((await log(`user_id=${id}&outcome=failed`)).data.length, 1);
  assert.equal((await log(`user_id=${id}&from=2999-01-01T00:00:00Z`)).data.length, 0);
  const text = JSON.stringify((await log('take=5')).data);
  assert.doesNotMatch(text, /Secret title|Other secret|logged@|top secret/);
  assert.match(text, /"attribute":"title"/);
  await atrium.call('PUT', '/v1/admin/provisioning', { json: { log_values: 'full' } });
  await scim(
    'PATCH',
    `/Users/${id}`,
    patch(
      { op: 'replace', path: 'title', value: 'Shown title' },
      { op: 'replace', path: 'password', value: 'top secret words' },
    ),
  );
  const shown = JSON.stringify((await log(`user_id=${id}&take=1`)).data);
  assert.match(shown, /Shown title/);
  assert.doesNotMatch(shown, /top secret words/);
  await atrium.call('PUT', '/v1/admin/provisioning', { json: { log_days: 1 } });
  const { total_records } = (await log('take=1')).meta.pagination;
  assert.ok(total_records >= 8);
  atrium.clock.advance(2 * 86_400_000);
  await atrium.drain();
  assert.equal((await log('take=1')).meta.pagination.total_records, 0);
});
test('the log shows who still uses a secret that ended, and whom a refused create was about', async () => {
  const { id, scim_secret } = (
    await atrium.call('POST', '/v1/admin/provisioning/secrets', { json: { provider: 'idp-b' } })
  ).body.data;
  await atrium.call('DELETE', `/v1/admin/provisioning/secrets/${id}`);
  assert.equal((await scim('GET', '/Users/1', { secret: scim_secret })).status, 401);
  assert.equal(
    (await scim('GET', '/Users/1', { secret: world.northwind.scim_secret.replace(/.{4}$/, 'AAAA') })).status,
    401,
  );
  const [ended] = (await log('outcome=failed&take=1')).data;
  assert.deepEqual([ended.status, ended.secret_id, ended.path], [401, id, '/scim/v2/scim/Users/1']);
  const { id: taken } = await create('taken@northwind.example');
  assert.equal((await scim('POST', '/Users', { body: { userName: 'TAKEN@northwind.example' } })).status, 409);
  const [refused] = (await log(`user_id=${taken}&outcome=failed`)).data;
  assert.deepEqual([refused.status, refused.method, refused.scim_type], [409, 'POST', 'uniqueness']);
});
test('each operation of a bulk request is found by its person, also when the guard ends the request', async () => {
  const { id } = await create('bulky@northwind.example');
  const [retitle, leave] = [
    { op: 'replace', path: 'title', value: 'Bulky' },
    { op: 'replace', path: 'active', value: false },
  ].map((operation) => ({
    method: 'PATCH',
    path: `/Users/${id}`,
    data: { Operations: [operation] },
  }));
  await atrium.call('PUT', '/v1/admin/provisioning', { json: { guard_percent: 1, guard_least: 0 } });
  assert.equal((await scim('POST', '/Bulk', { body: { Operations: [retitle, leave] } })).status, 503);
  await atrium.call('PUT', '/v1/admin/provisioning', { json: {} });
  const entries = (await log(`user_id=${id}`)).data as {
    method: string;
    status: number;
    changes: { attribute: string }[];
  }[];
  assert.deepEqual(
    entries.map(({ method, status, changes }) => [method, status, changes.map(({ attribute }) => attribute)]),
    [
      ['PATCH', 503, []],
      ['PATCH', 200, ['title']],
      ['POST', 201, ['userName']],
    ],
  );
  assert.doesNotMatch(JSON.stringify(entries), /Bulky|bulky@/);
});
test('a new password ends the sessions; the same one again does not', async () => {
  const { id, userName } = await create('signed.in@northwind.example', { password: PASSWORD });
  const session = await signIn(atrium, userName, PASSWORD);
  const set = (password: string) =>
    scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'password', value: password }));
  assert.equal((await set(PASSWORD)).status, 200);
  assert.equal((await session.call('GET', '/v1/sessions/current')).status, 200);
  const { status, body } = await set('1qaz2wsx3edc');
  assert.deepEqual([status, body.scimType], [400, 'invalidValue'], 'a usual one');
  assert.equal((await set('another long password')).body.password, undefined);
  assert.equal((await session.call('GET', '/v1/sessions/current')).status, 401);
  await signIn(atrium, userName, 'another long password');
  assert.equal((await set('x'.repeat(1025))).body.scimType, 'invalidValue');
  const [changed] = (await log(`user_id=${id}&take=2`)).data.slice(1);
  assert.deepEqual(changed.changes, [{ attribute: 'password' }]);
});
