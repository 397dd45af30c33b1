import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';
import { PASSWORD } from '../../testing/world.ts';

const atrium = await startAtrium();
const ada = 'ada.okafor@northwind.example';

test('signing in sets an HttpOnly cookie, and the person can be read with it', async () => {
  const reply = await atrium.call('POST', '/v1/sessions', {
    key: null,
    json: { email: ada.toUpperCase(), password: PASSWORD },
  });
  assert.equal(reply.status, 201);
  assert.match(
    reply.headers.get('set-cookie') ?? '',
    /^atrium_session=1\.[\w-]+; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  assert.equal(reply.body.data.user.has_logged_in, true);
  const { call } = await signIn(atrium, ada, PASSWORD);
  assert.equal((await call('GET', '/v1/sessions/current')).body.data.user.email, ada);
});

test('a wrong password and an unknown person get the same answer', async () => {
  const wrong = await atrium.call('POST', '/v1/sessions', { key: null, json: { email: ada, password: 'wrong' } });
  const unknown = await atrium.call('POST', '/v1/sessions', {
    key: null,
    json: { email: 'nobody@northwind.example', password: 'wrong' },
  });
  assert.deepEqual([wrong.status, wrong.body.code, wrong.body.message], [401, unknown.body.code, unknown.body.message]);
});

test('the host names the organisation when no Service-Id does', async () => {
  await atrium.rows('update organisations set domain = $1 where id = 1', [new URL(atrium.url).host]);
  const reply = await atrium.call('POST', '/v1/sessions', {
    key: null,
    service_id: null,
    json: { email: ada, password: PASSWORD },
  });
  assert.equal(reply.status, 201);
});

test('a write with the cookie but without its CSRF token is refused', async () => {
  const { cookie } = await signIn(atrium, ada, PASSWORD);
  const reply = await atrium.call('POST', '/v1/spaces', {
    key: null,
    service_id: null,
    headers: { cookie },
    json: { name: 'Forged' },
  });
  assert.deepEqual([reply.status, reply.body.code], [403, 'csrf_token_required']);
});

test('signing out ends the session at once', async () => {
  const { call } = await signIn(atrium, ada, PASSWORD);
  assert.equal((await call('DELETE', '/v1/sessions/current')).status, 200);
  assert.equal((await call('GET', '/v1/sessions/current')).status, 401);
});

test('another person’s session can be neither seen nor ended', async () => {
  const mine = await signIn(atrium, ada, PASSWORD);
  const [other] = await atrium.rows<{ id: number }>(
    `insert into sessions (
       organisation_id, user_id, secret_sha256, csrf_token, ip_address, user_agent, created_at, last_seen_at)
     values (1, 2, 'x', 'y', '', '', now(), now()) returning id`,
  );
  assert.equal((await mine.call('DELETE', `/v1/sessions/${other?.id}`)).status, 404);
  const listed = (await mine.call('GET', '/v1/sessions')).body.data;
  assert.ok(listed.length > 0 && listed.every((session: { user_id: number }) => session.user_id === mine.user.id));
});

test('a session ends after fourteen days without use', async () => {
  const { call } = await signIn(atrium, ada, PASSWORD);
  atrium.clock.advance(13 * 86_400_000);
  assert.equal((await call('GET', '/v1/sessions/current')).status, 200);
  atrium.clock.advance(13 * 86_400_000);
  assert.equal((await call('GET', '/v1/sessions/current')).status, 200);
  atrium.clock.advance(15 * 86_400_000);
  assert.equal((await call('GET', '/v1/sessions/current')).status, 401);
  await atrium.drain();
  assert.deepEqual(await atrium.rows('select from sessions where organisation_id = 1'), []);
});

test('changing the password ends every other session', async () => {
  const [first, second] = [await signIn(atrium, ada, PASSWORD), await signIn(atrium, ada, PASSWORD)];
  const body = { current_password: PASSWORD, new_password: 'twelve letters and more' };
  assert.equal(
    (await first.call('PUT', '/v1/sessions/current/password', { json: { ...body, current_password: 'wrong' } })).status,
    401,
  );
  assert.equal((await first.call('PUT', '/v1/sessions/current/password', { json: body })).status, 200);
  assert.equal((await first.call('GET', '/v1/sessions/current')).status, 200);
  assert.equal((await second.call('GET', '/v1/sessions/current')).status, 401);
  await signIn(atrium, ada, body.new_password);
});

test('ten wrong passwords lock the sign-in for fifteen minutes', async () => {
  const target = await startAtrium();
  const attempt = (password: string) =>
    target.call('POST', '/v1/sessions', { key: null, json: { email: ada, password } });
  for (let i = 0; i < 10; i++) assert.equal((await attempt('wrong')).status, 401);
  const locked = await attempt(PASSWORD);
  assert.deepEqual([locked.status, locked.headers.get('retry-after')], [429, '900']);
  target.clock.advance(15 * 60_000 + 1000);
  assert.equal((await attempt(PASSWORD)).status, 201);
});

test('a cookie of one organisation opens no other', async () => {
  const { cookie } = await signIn(atrium, ada, 'twelve letters and more');
  const forged = cookie.replace('=1.', `=${world.contoso.organisation_id}.`);
  assert.equal(
    (await atrium.call('GET', '/v1/sessions/current', { key: null, service_id: null, headers: { cookie: forged } }))
      .status,
    401,
  );
});
