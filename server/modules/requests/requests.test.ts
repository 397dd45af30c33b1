// The request log: what programs asked for, who reads it, and what is never in it.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { request as rawRequest } from 'node:http';
import { describe, test } from 'node:test';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';
import { endAllAfterTests, entries, run } from '../../testing/processes.ts';
import { scimOf } from '../../testing/scim.ts';
import { settled } from './log.ts';

endAllAfterTests();
const atrium = await startAtrium();
const key = await atrium.keyWith(['*']);
const read = async (query = '', options: object = { key }) =>
  (await atrium.call('GET', `/v1/requests?${query}`, options)).body;
const last = async (query = '') => (await read(`take=1&${query}`)).data[0];
const logged = async (reply: { headers: Headers }) => last(`request_id=${reply.headers.get('x-request-id')}`);
const call = (method: string, path: string, options: object = {}) => atrium.call(method, path, { key, ...options });

describe('a call', () => {
  test('is kept with what was asked, what was answered, and how long it took', async () => {
    const reply = await call('POST', '/v1/pages?language=de', {
      json: { title: 'Plan', html_content: `<p>${'long '.repeat(100)}</p>`, is_drafts: 1 },
    });
    const entry = await logged(reply);
    assert.deepEqual(
      [entry.method, entry.path, entry.operation, entry.status, entry.code, entry.kind],
      ['POST', '/v1/pages?language=•••', 'createPage', 201, null, 'key'],
    );
    assert.ok(entry.ms > 0 && entry.request_bytes > 500 && entry.answer_bytes > 500);
    assert.ok(Math.abs(Date.parse(entry.at) - Date.now()) < 60_000);
    assert.deepEqual(entry.ignored_fields, ['language', 'is_drafts']);
    assert.deepEqual([entry.request.title, entry.request.is_drafts], ['Plan', '•••']);
    assert.match(entry.request.html_content, /^<p>long .*… \(507 characters\)$/);
    assert.equal(entry.answer.id, reply.body.data.id);
  });
  test('that is refused says why, also when the scope is missing', async () => {
    const refused = await logged(await call('POST', '/v1/pages', { json: { html_content: '' } }));
    assert.deepEqual([refused.status, refused.code], [400, 'invalid_request']);
    assert.equal(refused.answer.meta.errors[0].path, 'title');
    const narrow = await atrium.keyWith(['pages.*.read']);
    const reply = await atrium.call('GET', '/v1/users', { key: narrow });
    const [entry] = (await read(`request_id=${reply.headers.get('x-request-id')}`, { key: narrow })).data;
    assert.deepEqual([entry.status, entry.code, entry.operation], [403, 'forbidden', 'listUsers']);
  });
  test('of a method or path that is not there is kept as well', async () => {
    const invented = await logged(await call('PATCH', '/v1/pages/1', { json: {} }));
    assert.deepEqual([invented.status, invented.method, invented.operation], [405, 'PATCH', null]);
    assert.equal((await logged(await call('GET', '/v1/nothing/here'))).status, 404);
  });
  test('that is read keeps no answer, which can be read again, and no address of a person', async () => {
    const entry = await logged(await call('GET', '/v1/users/by-email/ada.okafor@northwind.example'));
    assert.deepEqual([entry.path, entry.answer, entry.status], ['/v1/users/by-email/•••', null, 200]);
  });
  test('of a client that went away before the answer is a 499', async () => {
    const { db } = atrium.services;
    const locking = await db.connect();
    await locking.query('begin; lock table goals in access exclusive mode');
    const gone = new Promise((resolve) =>
      atrium.http.server.once('connection', (socket) => socket.once('close', resolve)),
    );
    const sent = rawRequest(`${atrium.url}/v1/goals`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'service-id': world.northwind.organisation_id,
        'content-type': 'application/json',
      },
    });
    sent.on('error', () => {});
    sent.end('{"title":"Gone"}');
    const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%goals%'`;
    while ((await atrium.rows(waits)).length === 0);
    sent.destroy();
    await gone;
    await locking.query('commit');
    locking.release();
    let entry: { status: number; path: string } | undefined;
    for (let n = 0; !entry && n < 50; n++) entry = await last('status=499');
    assert.equal(entry?.path, '/v1/goals');
    assert.equal((await read('operation=createGoal')).meta.pagination.total_records, 1);
  });
});

describe('what is never kept', () => {
  test('secrets and what is about people', async () => {
    const email = 'brand.new@northwind.example';
    const person = { email, first_name: 'Brandy', last_name: 'Newcomer', mobile_phone: '+49 170 5550123' };
    await call('POST', '/v1/users', { json: person });
    const { body } = await call('POST', '/v1/admin/apps/2/keys', { json: { name: 'Test', scopes: ['*'] } });
    await call('POST', '/v1/admin/webhooks', {
      json: {
        ...{ name: 'Hook', url: 'https://hooks.example/path-secret', events: ['page.created'] },
        custom_headers: { 'X-Token': 'custom-secret' },
      },
    });
    await call('GET', `/v1/users?email=${email}`);
    await call('GET', '/v1/pages?api_key=query-secret');
    await read();
    const stored = JSON.stringify(await atrium.rows('select calls, bodies from request_chunks'));
    assert.ok(stored.includes('createUser') && stored.includes('createWebhook'));
    for (const text of [
      email,
      'Brandy',
      'Newcomer',
      '5550123',
      body.data.api_key,
      key,
      'path-secret',
      'custom-secret',
      'query-secret',
      'whsec_',
    ])
      assert.ok(!stored.includes(text), text);
  });
  test('calls of signed-in people, and of nobody', async () => {
    const ada = await signIn(atrium, 'ada.okafor@northwind.example');
    await ada.call('GET', '/v1/pages?skip=77');
    await atrium.call('GET', '/v1/pages?skip=77', { key: 'atr_unknown' });
    const { body } = await atrium.call('GET', '/v1/admin/requests?operation=listPages');
    assert.ok(body.data.every(({ path }: { path: string }) => !path.includes('77')));
  });
  test('bodies, where an organisation does not want them: those that were kept go as well', async () => {
    const settings = '/v1/admin/requests/settings';
    assert.equal((await call('PUT', settings, { json: { keeps_bodies: false } })).body.data.keeps_bodies, false);
    const entry = await logged(await call('POST', '/v1/goals', { json: { title: 'Unseen' } }));
    assert.deepEqual([entry.operation, entry.request, entry.answer], ['createGoal', null, null]);
    const bodies = await atrium.rows('select id from request_chunks where bodies is not null');
    assert.deepEqual(bodies, []);
    await call('PUT', settings, { json: { keeps_bodies: true } });
  });
});

describe('the list', () => {
  test('has an exact total, any skip, and every filter', async () => {
    const own = await atrium.keyWith(['goals.*.*']);
    for (let n = 0; n < 30; n++) {
      await atrium.call('GET', `/v1/goals?skip=${n}`, { key: own });
      if (n % 3 === 0) await atrium.call('GET', '/v1/users', { key: own });
      if (n % 10 === 0) await read('', { key: own });
    }
    const of = (query: string) => read(query, { key: own });
    const whole = await of('take=100&operation=listGoals');
    assert.deepEqual([whole.data.length, whole.meta.pagination.total_records], [30, 30]);
    const paths = whole.data.map(({ path }: { path: string }) => path);
    assert.deepEqual(
      paths,
      Array.from({ length: 30 }, (_, n) => `/v1/goals?skip=${29 - n}`),
    );
    const paged = [];
    for (let skip = 0; skip < 30; skip += 7) paged.push(...(await of(`operation=listGoals&take=7&skip=${skip}`)).data);
    assert.deepEqual(paged, whole.data);
    for (const [query, count] of [
      ['status=4xx', 10],
      ['status=403', 10],
      ['status=404', 0],
      ['operation=listGoals&status=4xx', 0],
      [`to=${whole.data[0].at}&operation=listGoals`, 29],
      [`from=${whole.data[9].at}&operation=listGoals`, 10],
      [`request_id=${whole.data[3].request_id}`, 1],
      ['request_id=none', 0],
      ['from=2090-01-01T00:00:00Z', 0],
    ] as const)
      assert.equal((await of(query)).meta.pagination.total_records, count, query);
  });
  test('is of the credential that asks; of a person, of their own keys', async () => {
    const other = await atrium.keyWith(['pages.*.read']);
    await atrium.call('GET', '/v1/pages', { key: other });
    const seen = (await read('take=500', { key: other })).data;
    assert.equal(seen.at(-1).operation, 'listPages');
    assert.equal(new Set(seen.map(({ key_id }: { key_id: number }) => key_id)).size, 1);
    const ada = await signIn(atrium, 'ada.okafor@northwind.example');
    const mine = (await ada.call('POST', '/v1/keys', { json: { name: 'Mine', scopes: ['pages.*.read'] } })).body.data;
    await atrium.call('GET', '/v1/pages', { key: mine.api_key });
    const own = (await ada.call('GET', '/v1/requests')).body.data;
    assert.deepEqual(
      own.map(({ kind, key_id, operation }: Record<string, unknown>) => [kind, key_id, operation]),
      [['personal_key', mine.id, 'listPages']],
    );
  });
  test('shows a developer the calls of their own apps, and an admin all', async () => {
    await atrium.call('PUT', '/v1/admin/users/5/roles', { json: { roles: ['developer'] } });
    const { call: asDeveloper } = await signIn(atrium, 'emi.tanaka@northwind.example');
    const app = (await asDeveloper('POST', '/v1/admin/apps', { json: { name: 'Own app' } })).body.data;
    const made = await asDeveloper('POST', `/v1/admin/apps/${app.id}/keys`, {
      json: { name: 'Own', scopes: ['pages.*.read'] },
    });
    await atrium.call('GET', '/v1/pages', { key: made.body.data.api_key });
    const seen = (await asDeveloper('GET', '/v1/admin/requests?take=500')).body.data;
    assert.deepEqual([...new Set(seen.map(({ app_id }: { app_id: number }) => app_id))], [app.id]);
    const all = (await atrium.call('GET', '/v1/admin/requests?take=500')).body;
    assert.ok(all.meta.pagination.total_records > 50);
    const ofApp = (await atrium.call('GET', `/v1/admin/requests?app_id=${app.id}`)).body;
    assert.equal(ofApp.meta.pagination.total_records, 1);
    const ofKey = (await atrium.call('GET', `/v1/admin/requests?key_id=${made.body.data.id}`)).body;
    assert.equal(ofKey.meta.pagination.total_records, 1);
  });
  test('has what an app asks for as a person, a refused JWT, and what an identity provider sends', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] };
    await atrium.call('PUT', '/v1/admin/apps/1/jwt-settings', { json: { jwks } });
    const { SignJWT } = await import('jose');
    const as = async (exp: number) => ({
      'x-service-jwt': await new SignJWT({ iss: '1', sub: '2', exp })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(privateKey),
      'x-service-jwt-keyid': 'one',
    });
    const now = Math.floor(Date.now() / 1000);
    await atrium.call('GET', '/v1/goals', { key: null, headers: await as(now + 60) });
    await atrium.call('GET', '/v1/goals', { key: null, headers: await as(now - 60) });
    await scimOf(atrium)('GET', '/Users?count=1&filter=userName eq "a@b.example"', {});
    const { body } = await atrium.call('GET', '/v1/admin/requests?take=500');
    const of = (kind: string) => body.data.filter((one: { kind: string }) => one.kind === kind);
    assert.deepEqual(
      of('jwt').map(({ app_id, user_id, status, code }: Record<string, unknown>) => [app_id, user_id, status, code]),
      [
        [1, null, 401, 'jwt_expired'],
        [1, 2, 200, null],
      ],
    );
    const [scim] = of('scim');
    assert.deepEqual([scim.operation, scim.status, scim.key_id], ['scimGetUsers', 200, null]);
    assert.ok(scim.scim_secret_id > 0 && !scim.path.includes('b.example'));
  });
  test('ends after seven days; what was used on a day is kept for longer', async () => {
    await read();
    atrium.clock.advance(8 * 24 * 3_600_000);
    assert.equal((await read()).meta.pagination.total_records, 0);
    await atrium.drain();
    const [chunks] = await atrium.rows<{ n: number }>(
      `select count(*) as n from request_chunks where last_at < now() + interval '7 days'`,
    );
    assert.equal(chunks?.n, 0);
    const used = await atrium.rows<{ calls: number; scope: string }>(
      `select * from request_usage where operation = 'createGoal' order by calls desc`,
    );
    assert.ok((used[0]?.calls ?? 0) >= 2 && used[0]?.scope === 'goals.*.write');
  });
});

test('`atrium requests tail` shows the newest calls of a key, and goes on', async () => {
  const own = await atrium.keyWith(['goals.*.*']);
  await atrium.call('GET', '/v1/goals', { key: own });
  const [{ key_id }] = (await read('', { key: own })).data;
  const env = { DATABASE_URL: atrium.database_url };
  const tail = run([entries.cli, 'requests', 'tail', '--org', '1', '--key', String(key_id), '--follow'], { env });
  await tail.printed(/ 200 {2}GET {4}\/v1\/goals {2}[\d.]+ ms {2}key \d+ {2}[\w-]{36}\n/);
  await atrium.call('POST', '/v1/goals', { key: own, json: {} });
  await settled(atrium.services);
  await tail.printed(/ 400 {2}POST {3}\/v1\/goals .* invalid_request /);
  tail.kill('SIGINT');
  assert.equal(await tail.exit, 0);
});

test('when the database takes nothing, no request waits: what is beyond the limit is dropped and counted', async () => {
  const other = await startAtrium();
  await other.rows('alter table request_chunks rename to away');
  for (let n = 0; n < 3; n++) assert.equal((await other.call('GET', '/v1/pages')).status, 200);
  await settled(other.services);
  assert.match((await other.call('GET', '/metrics', { key: null })).body, /^atrium_request_log_dropped_total 3$/m);
  await other.rows('alter table away rename to request_chunks');
});
