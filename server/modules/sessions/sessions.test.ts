import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { verifyPassword } from '../../kernel/people/secrets.ts';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';
import { PASSWORD } from '../../testing/world.ts';

const atrium = await startAtrium();
const ada = 'ada.okafor@northwind.example';
/** Behind a proxy, for tests of guessing. */
const guessed = await startAtrium({ trust_proxy: 1 });
const nobodyHasGuessed = () => guessed.clock.advance(16 * 60_000);

test('signing in sets an HttpOnly cookie, and the person can be read with it', async () => {
  const reply = await atrium.call('POST', '/v1/sessions', {
    key: null,
    json: { email: ada.toUpperCase(), password: PASSWORD },
  });
  assert.equal(reply.status, 201);
  assert.match(
    reply.headers.getSetCookie()[0] ?? '',
    /^atrium_session=1\.[\w-]+; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  assert.equal(reply.body.data.user.has_logged_in, true);
  const { call } = await signIn(atrium, ada, PASSWORD);
  assert.equal((await call('GET', '/v1/sessions/current')).body.data.user.email, ada);
});

test('a hundred and twenty wrong passwords at once, on two nodes: ten are looked at', async () => {
  const nodes = [guessed, await guessed.secondNode()];
  const wrong = { key: null, json: { email: ada, password: 'wrong' } };
  const calls = Array.from({ length: 60 }, () => nodes.map((node) => node.call('POST', '/v1/sessions', wrong)));
  const statuses = (await Promise.all(calls.flat())).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 401).length, 10);
  assert.equal(statuses.filter((status) => status === 429).length, 110);
});

/** What each of so many wrong passwords is answered, as far as a client can see. */
async function answersTo(email: string, times: number) {
  const answers = [];
  for (let i = 0; i < times; i++) {
    const { status, body, headers } = await attempt(email, 'wrong');
    const { code, message, meta } = body;
    const seen = [...headers.keys()].filter((name) => name !== 'x-request-id');
    answers.push({ status, code, message, errors: meta.errors, seen });
  }
  return answers;
}
const attempt = (email: string, password: string, headers: Record<string, string> = {}) =>
  guessed.call('POST', '/v1/sessions', { key: null, headers, json: { email, password } });

test('an address that nobody has is answered and locked like one that somebody has', async () => {
  nobodyHasGuessed();
  const known = await answersTo(ada, 11);
  assert.deepEqual(
    known.map(({ status }) => status),
    [...Array(10).fill(401), 429],
  );
  assert.deepEqual(await answersTo('nobody@northwind.example', 11), known);
});

test('guesses of a stranger end neither for a device that signed in before nor in another network', async () => {
  nobodyHasGuessed();
  const from = (ip: string, password: string, cookie = '') => attempt(ada, password, { 'x-forwarded-for': ip, cookie });
  const first = await from('192.0.2.7', PASSWORD);
  const [device = ''] = first.headers.getSetCookie().filter((cookie) => cookie.startsWith('atrium_device='));
  assert.match(device, /; Path=\/v1\/sessions; HttpOnly; SameSite=Lax$/);
  const cookie = device.split(';')[0] ?? '';
  for (let i = 0; i < 10; i++) assert.equal((await from('198.51.100.3', 'wrong')).status, 401);
  assert.equal((await from('198.51.100.200', PASSWORD)).status, 429, 'the same network');
  assert.equal((await from('198.51.100.3', PASSWORD, cookie)).status, 201, 'a device that is known');
  assert.equal((await from('203.0.113.9', PASSWORD)).status, 201, 'another network');
  const forged = `${cookie.slice(0, -4)}AAAA`;
  assert.equal((await from('198.51.100.3', PASSWORD, forged)).status, 429, 'a device that is made up');
  for (let i = 0; i < 10; i++) assert.equal((await from('203.0.113.9', 'wrong', cookie)).status, 401);
  assert.equal((await from('203.0.113.9', PASSWORD, cookie)).status, 429, 'a device that guesses');
});

test('an address and a network that guess at many accounts are stopped', async () => {
  nobodyHasGuessed();
  let account = 0;
  const from = async (ip: string) =>
    (await attempt(`nobody.${account++}@northwind.example`, 'wrong', { 'x-forwarded-for': ip })).status;
  const have = (attempts: number) => guessed.rows('update sign_in_attempts set attempts = $1', [attempts]);
  assert.equal(await from('2001:db8:1:2::3'), 401);
  await have(200);
  assert.equal(await from('2001:db8:1:2:ffff::9'), 429, 'the same line');
  assert.equal(await from('2001:db8:1:3::3'), 401, 'the next line');
  await have(2000);
  assert.equal(await from('2001:db8:1:4::3'), 429, 'the same site');
  assert.equal(await from('2001:db8:2:2::3'), 401, 'another site');
});

test('signing in takes JSON from pages of the organisation only', async () => {
  nobodyHasGuessed();
  const credentials = { email: ada, password: PASSWORD };
  const { status, body } = await atrium.call('POST', '/v1/sessions', { key: null, form: credentials });
  assert.deepEqual([status, body.code], [415, 'unsupported_media_type']);
  const signsIn = async (origin: string) => (await attempt(ada, PASSWORD, { origin })).status;
  assert.equal(await signsIn('https://evil.example'), 403);
  assert.equal(await signsIn('null'), 403);
  assert.equal(await signsIn(guessed.url), 201);
  assert.equal(await signsIn('http://northwind.localhost'), 201);
});

test('files do not wait for passwords', async () => {
  let looked = 0;
  const all = Array.from({ length: 12 }, () => verifyPassword('wrong', undefined).then(() => looked++));
  await stat(import.meta.filename);
  assert.ok(looked < 6, `${looked} of 12 passwords were looked at before one file`);
  await Promise.all(all);
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

test('the database has no CSRF token; one that a former version made goes on, and is kept as its hash', async () => {
  const { call, csrf, cookie } = await signIn(atrium, ada, PASSWORD);
  assert.equal((await call('GET', '/v1/sessions/current')).body.data.csrf_token, csrf);
  const kept = async () =>
    (await atrium.rows<{ csrf_token: string }>('select csrf_token from sessions order by id desc'))[0];
  const writes = async (token: string) =>
    (await call('PUT', '/v1/sessions/current/password', { json: {}, headers: { cookie, 'x-csrf-token': token } }))
      .status;
  const hash = (await kept())?.csrf_token ?? '';
  assert.match(hash, /^sha256:[0-9a-f]{64}$/);
  assert.deepEqual([await writes(csrf), await writes(hash), await writes('')], [400, 403, 403]);
  await atrium.rows(`update sessions set csrf_token = 'former-token'`);
  assert.equal(await writes('former-token'), 400);
  await atrium.drain();
  assert.match((await kept())?.csrf_token ?? '', /^sha256:/);
  assert.deepEqual([await writes('former-token'), await writes(csrf)], [400, 400]);
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

test('a session ends after ninety days, however much it is used', async () => {
  const { call } = await signIn(guessed, ada, PASSWORD);
  const after10Days = async () => {
    guessed.clock.advance(10 * 86_400_000 - 1000);
    return (await call('GET', '/v1/sessions/current')).status;
  };
  for (let i = 0; i < 9; i++) assert.equal(await after10Days(), 200);
  assert.equal(await after10Days(), 401);
  await guessed.drain();
  assert.deepEqual(await guessed.rows('select from sessions where organisation_id = 1'), []);
});

test('a new password is long, and none that is guessed first', async () => {
  const { call } = await signIn(atrium, ada, PASSWORD);
  const change = (new_password: string) =>
    call('PUT', '/v1/sessions/current/password', { json: { current_password: PASSWORD, new_password } });
  for (const weak of ['eleven char', 'Ada.Okafor@northwind.example', '1QAZ2wsx3edc', 'qwertyuiop123']) {
    const { status, body } = await change(weak);
    assert.deepEqual([status, body.meta.errors[0].path], [400, 'new_password'], weak);
  }
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

test('ten wrong passwords are the most in fifteen minutes', async () => {
  nobodyHasGuessed();
  for (let i = 0; i < 10; i++) assert.equal((await attempt(ada, 'wrong')).status, 401);
  guessed.clock.advance(10 * 60_000);
  const locked = await attempt(ada, PASSWORD);
  assert.equal(locked.status, 429);
  const wait_s = Number(locked.headers.get('retry-after'));
  assert.ok(wait_s > 290 && wait_s <= 300, `${wait_s} seconds`);
  guessed.clock.advance(wait_s * 1000);
  assert.equal((await attempt(ada, PASSWORD)).status, 201);
  guessed.clock.advance(16 * 60_000);
  await guessed.drain();
  assert.deepEqual(await guessed.rows('select from sign_in_attempts'), [], 'what is past is forgotten');
});

test('whoever holds a session has ten guesses at its password', async () => {
  nobodyHasGuessed();
  const { call } = await signIn(guessed, ada, PASSWORD);
  const change = async (current_password: string) =>
    (await call('PUT', '/v1/sessions/current/password', { json: { current_password, new_password: 'a new long one' } }))
      .status;
  for (let i = 0; i < 10; i++) assert.equal(await change('wrong'), 401);
  assert.equal(await change(PASSWORD), 429);
  guessed.clock.advance(15 * 60_000 + 1000);
  assert.equal(await change(PASSWORD), 200);
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
