import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { verifyPassword } from '../../kernel/people/secrets.ts';
import { appJwt, provision } from '../../testing/app-jwt.ts';
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

const emi = 'emi.tanaka@northwind.example';
const EMI = 5;
const later = (minutes: number) => guessed.clock.advance(minutes * 60_000 + 1000);
const issue = async (email = emi, jwt: Parameters<typeof appJwt>[1] = {}) =>
  guessed.call('POST', '/v1/unwired/users/otp', { key: null, headers: await appJwt(guessed, jwt), json: { email } });
const passcodeOf = async () => (await issue()).body.data.one_time_passcode as string;
const redeem = (one_time_passcode: string, new_password?: string, email = emi) =>
  guessed.call('POST', '/v1/sessions', { key: null, json: { email, one_time_passcode, new_password } });
const allowed = { authMode: 'password', allowOtpPasswordReset: true };

test('a passcode signs in once, sets a password and ends other sessions; the database does not have it', async () => {
  later(1440);
  await provision(guessed, EMI, allowed);
  const before = await signIn(guessed, emi, PASSWORD);
  const { status, body } = await issue(emi.toUpperCase());
  const { one_time_passcode: code, expires_at, login_url, ...rest } = body.data;
  assert.deepEqual([status, rest], [201, { email: emi, service_user_id: EMI, organisation_id: 1 }]);
  assert.match(code, /^[0-9A-Z]{6}$/);
  const life_s = expires_at - guessed.clock.micros() / 1_000_000;
  assert.ok(life_s > 590 && life_s <= 600, `${life_s} seconds`);
  assert.ok(URL.canParse(login_url) && body.message);
  const rows = await guessed.rows<{ row: string }>('select c::text as row from one_time_passcodes c');
  assert.ok(rows.length === 1 && !rows[0]?.row.includes(code));

  for (const [password, path] of [
    [undefined, 'new_password'],
    ['eleven char', 'new_password'],
  ] as const) {
    const refused = await redeem(code, password);
    assert.deepEqual([refused.status, refused.body.meta.errors[0].path], [400, path]);
  }
  const both = { email: emi, password: PASSWORD, one_time_passcode: code };
  assert.equal((await guessed.call('POST', '/v1/sessions', { key: null, json: both })).status, 400);
  assert.equal((await redeem('AAAAAA', 'a password of Emi')).status, 401);
  assert.equal((await redeem(code, 'a password of Emi', 'ada.okafor@northwind.example')).status, 401, 'of another');
  const typed = `${code.slice(0, 3).toLowerCase()} ${code.slice(3)}`;
  const at_once = await Promise.all(Array.from({ length: 4 }, () => redeem(typed, 'a password of Emi')));
  assert.deepEqual(at_once.map((reply) => reply.status).sort(), [201, 401, 401, 401]);
  assert.equal((await before.call('GET', '/v1/sessions/current')).status, 401);
  assert.equal((await attempt(emi, PASSWORD)).status, 401);
  await signIn(guessed, emi, 'a password of Emi');
});

test('a passcode ends after ten minutes, with a newer one, a password and a deactivation', async () => {
  const isGood = async (code: string) => (await redeem(code, 'another of Emi’s')).status === 201;
  later(10);
  const expired = await passcodeOf();
  later(10);
  assert.equal(await isGood(expired), false);
  const [former, newer] = [await passcodeOf(), await passcodeOf()];
  assert.deepEqual([await isGood(former), await isGood(newer)], [false, true]);
  later(16);
  const left = await passcodeOf();
  await guessed.call('DELETE', `/v1/users/${EMI}`);
  assert.equal((await issue()).status, 404);
  await guessed.rows('update users set is_active = true where organisation_id = 1 and id = $1', [EMI]);
  assert.equal(await isGood(left), false);
  const { call } = await signIn(guessed, emi, 'another of Emi’s');
  const promoted = await passcodeOf();
  await guessed.rows(`update users set roles = '{user,admin}' where organisation_id = 1 and id = $1`, [EMI]);
  assert.equal(await isGood(promoted), false, 'an admin by now');
  await guessed.rows(`update users set roles = '{user}' where organisation_id = 1 and id = $1`, [EMI]);
  const json = { current_password: 'another of Emi’s', new_password: PASSWORD };
  assert.equal((await call('PUT', '/v1/sessions/current/password', { json })).status, 200);
  assert.equal(await isGood(promoted), false, 'the password was changed');
});

test('two passcodes in ten minutes and ten a day are the most for a person, also at once', async () => {
  later(1440);
  const statuses = (await Promise.all(Array.from({ length: 5 }, () => issue()))).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [201, 201, 429, 429, 429]);
  later(9);
  const early = await issue();
  const wait_s = Number(early.headers.get('retry-after'));
  assert.ok(early.status === 429 && wait_s > 50 && wait_s < 60, `${wait_s} seconds`);
  for (let n = 0; n < 4; n++) {
    later(10);
    assert.deepEqual([(await issue()).status, (await issue()).status], [201, 201]);
  }
  later(10);
  const tomorrow = await issue();
  assert.deepEqual([tomorrow.status, tomorrow.body.code], [429, 'too_many_requests']);
  guessed.clock.advance(Number(tomorrow.headers.get('retry-after')) * 1000);
  assert.equal((await issue()).status, 201);
  await guessed.drain();
  assert.ok((await guessed.rows('select from one_time_passcodes')).length <= 10, 'older ones are forgotten');
});

test('passcodes are guessed as often as passwords', async () => {
  later(1440);
  const code = await passcodeOf();
  for (let n = 0; n < 10; n++) assert.equal((await redeem('AAAAAA', 'a password of Emi')).status, 401);
  assert.equal((await redeem(code, 'a password of Emi')).status, 429);
});

test('a passcode is for whom provisioning allows it, and nobody who administers', async () => {
  later(1440);
  const answer = async (email = emi) => {
    const { status, body } = await issue(email);
    return [status, body.code];
  };
  const refused = [403, 'passcode_not_allowed'];
  assert.deepEqual(await answer('nobody@northwind.example'), [404, 'not_found']);
  assert.deepEqual(await answer(ada), refused, 'not provisioned');
  const fields = [{ ...allowed, authMode: 'saml' }, { authMode: 'password' }, { allowOtpPasswordReset: 'False' }];
  for (const said of fields) {
    await provision(guessed, EMI, said);
    assert.deepEqual(await answer(), refused, JSON.stringify(said));
  }
  await provision(guessed, EMI, { authMode: 'Password', allowOtpPasswordReset: 'True' });
  assert.equal((await issue()).status, 201);
  await guessed.rows(`update users set roles = '{user,it_admin}' where organisation_id = 1 and id = $1`, [EMI]);
  assert.deepEqual(await answer(), refused);
});

test('only an app’s own JWT issues passcodes, where its settings name that, and it does nothing else', async () => {
  const path = '/v1/unwired/users/otp';
  const missing = async (scopes: string[] | null) => (await issue(emi, { scopes })).body.meta.required_scopes;
  assert.deepEqual(await missing(null), ['users.passcodes.write']);
  assert.deepEqual(await missing(['users.*.read', 'chats.*.*']), ['users.passcodes.write']);
  assert.equal((await guessed.call('POST', path, { json: { email: emi } })).status, 403, 'an API key');
  assert.equal((await issue(emi, { scopes: ['*'], claims: { sub: '2', iss: '1' } })).status, 403, 'a person');
  assert.equal((await issue(emi, { claims: { app_id: 2 } })).body.code, 'jwt_key_unknown');
  const everything = await appJwt(guessed, { scopes: ['*'] });
  assert.equal((await guessed.call('GET', '/v1/users', { key: null, headers: everything })).status, 403);
  const again = await guessed.call('POST', path, { key: null, headers: everything, json: { email: emi } });
  assert.equal(again.body.code, 'jwt_replayed');
  const key = await guessed.keyWith(['admin.apps.write', 'pages.*.*']);
  const json = { jwks_url: 'https://keys.example/jwks', scopes: ['users.passcodes.write'] };
  const { status, body } = await guessed.call('PUT', '/v1/admin/apps/2/jwt-settings', { key, json });
  assert.ok(status === 403 && body.meta.required_scopes.includes('users.passcodes.write'));
});
