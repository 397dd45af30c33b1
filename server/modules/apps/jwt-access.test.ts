import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import jsonwebtoken from 'jsonwebtoken';
import { createClock } from '../../kernel/clock.ts';
import { createEgress } from '../../kernel/delivery/egress.ts';
import { type CallOptions, signIn, startAtrium, world } from '../../testing/atrium.ts';
import { answering, startReceiver } from '../../testing/receiver.ts';
import { openTestSocket } from '../../testing/sockets.ts';
import { createPublishedKeys } from './jwt-keys.ts';

const atrium = await startAtrium();
const EMI = 5;
const app = 1;
const kinds = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
const jwks = {
  keys: Object.entries(kinds).map(([alg, { publicKey }]) => ({
    ...(publicKey.export({ format: 'jwk' }) as { kty: string }),
    kid: alg,
    alg,
    use: 'sig',
  })),
};
const put = (json: object, id = app, options: CallOptions = {}) =>
  atrium.call('PUT', `/v1/admin/apps/${id}/jwt-settings`, { json, ...options });
const scopes = ['*'];
assert.equal((await put({ jwks, scopes })).status, 200);

interface Claims {
  iss?: string;
  sub?: string;
  email?: string;
  jti?: string | null;
  exp?: number;
  nbf?: number;
  aud?: string | string[];
}
const seconds = () => Math.floor(atrium.clock.micros() / 1_000_000);
const sign = (claims: Claims = {}, alg: keyof typeof kinds = 'ES256', key = kinds[alg].privateKey) => {
  const { jti = randomUUID(), ...rest } = claims;
  const payload = {
    iss: String(app),
    exp: seconds() + 300,
    ...(claims.email ? {} : { sub: String(EMI) }),
    ...rest,
    ...(jti === null ? {} : { jti }),
  };
  return new SignJWT(payload).setProtectedHeader({ alg, typ: 'JWT' }).sign(key);
};
const headers = (jwt: string, kid = 'ES256') => ({ 'x-service-jwt': jwt, 'x-service-jwt-keyid': kid });
const call = (jwt: string, kid = 'ES256', options: CallOptions = {}) =>
  atrium.call('GET', '/v1/chat/channels', { key: null, headers: headers(jwt, kid), ...options });

for (const alg of ['RS256', 'ES256', 'EdDSA'] as const)
  test(`a JWT signed with ${alg} acts as the person, once`, async () => {
    const jwt = await sign({}, alg);
    const reply = await call(jwt, alg);
    assert.deepEqual([reply.status, reply.body.data[0].channel_url], [200, 'demo-bot']);
    assert.equal((await call(jwt, alg)).status, 401, 'its jti was seen');
  });

test('a JWT that is replayed by many at once is taken by one', async () => {
  const jwt = await sign();
  const statuses = (await Promise.all(Array.from({ length: 10 }, () => call(jwt)))).map(({ status }) => status);
  assert.deepEqual(
    [statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 401).length],
    [1, 9],
  );
});

test('the person may be named by e-mail', async () => {
  assert.equal((await call(await sign({ email: 'EMI.tanaka@northwind.example' }))).status, 200);
});

test('a refused JWT says which check failed, and nothing about apps before its signature is good', async () => {
  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const rsaPublic = kinds.RS256.publicKey.export({ type: 'spki', format: 'pem' });
  const parts = (await sign()).split('.');
  const encoded = (object: object) => Buffer.from(JSON.stringify(object)).toString('base64url');
  const changed = encoded({ iss: '1', sub: '1', jti: 'd', exp: seconds() + 60 });
  const asSecret = new SignJWT({ iss: '1', sub: '5', jti: 'c' })
    .setExpirationTime(seconds() + 60)
    .setProtectedHeader({ alg: 'HS256' });
  const wrong: Record<string, [code: string, jwt: string, kid?: string]> = {
    expired: ['jwt_expired', await sign({ exp: seconds() - 10 })],
    'valid for too long': ['jwt_lifetime_too_long', await sign({ exp: seconds() + 3700 })],
    'not yet valid': ['jwt_not_yet_valid', await sign({ nbf: seconds() + 60 })],
    'of another app': ['jwt_key_unknown', await sign({ iss: '2' })],
    'of no app': ['jwt_key_unknown', await sign({ iss: 'https://elsewhere.example' })],
    'unknown kid': ['jwt_key_unknown', await sign(), 'none'],
    'another kid': ['jwt_signature_invalid', await sign(), 'RS256'],
    'signed with a foreign key': ['jwt_signature_invalid', await sign({}, 'ES256', foreign)],
    'foreign key, and expired': ['jwt_signature_invalid', await sign({ exp: 1 }, 'ES256', foreign)],
    'a changed payload': ['jwt_signature_invalid', [parts[0], changed, parts[2]].join('.')],
    'for nobody': ['jwt_person_unknown', await sign({ sub: '999999' })],
    'for an app’s service account': ['jwt_person_unknown', await sign({ sub: '6' })],
    'for a name': ['jwt_claim_missing', await sign({ sub: 'emi' })],
    'an empty jti': ['jwt_claim_missing', await sign({ jti: '' })],
    'for another organisation': ['jwt_audience_wrong', await sign({ aud: '2' })],
    'for another product': ['jwt_audience_wrong', await sign({ aud: ['https://elsewhere.example'] })],
    'algorithm none': ['jwt_algorithm_refused', `${encoded({ alg: 'none' })}.${parts[1]}.`],
    'a public key used as a secret': ['jwt_algorithm_refused', await asSecret.sign(Buffer.from(rsaPublic)), 'RS256'],
    'no JWT at all': ['jwt_malformed', 'nonsense'],
  };
  for (const [why, [code, jwt, kid]] of Object.entries(wrong)) {
    const reply = await call(jwt, kid);
    assert.deepEqual([reply.status, reply.body.code], [401, code], why);
    assert.match(reply.body.message, /^[A-Z‘x].{15,}\.$|^exp |^sub |^aud /, why);
  }
  const elsewhere = await call(await sign(), 'ES256', { service_id: world.contoso.organisation_id });
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [401, 'jwt_key_unknown']);
});

test('without a jti a JWT is good for up to an hour, unless the app demands more', async () => {
  const lasting = await sign({ jti: null, exp: seconds() + 3590 });
  assert.deepEqual([(await call(lasting)).status, (await call(lasting)).status], [200, 200]);
  await put({ jwks, scopes, requires_jti: true, lifetime_seconds_max: 120 }, 2);
  const strict = async (claims: Claims) => (await call(await sign({ iss: '2', ...claims }))).body.code;
  assert.equal(await strict({ jti: null, exp: seconds() + 60 }), 'jwt_claim_missing');
  assert.equal(await strict({ exp: seconds() + 200 }), 'jwt_lifetime_too_long');
  assert.equal(await strict({ exp: seconds() + 60 }), undefined);
  await atrium.call('DELETE', '/v1/admin/apps/2/jwt-settings');
});

test('aud may be the base URL or the Service-Id', async () => {
  const { api_base_url } = (await atrium.call('GET', '/v1/admin/organisation')).body.data;
  for (const aud of ['1', api_base_url, `${api_base_url}/`, ['other', '1']])
    assert.equal((await call(await sign({ aud }))).status, 200, String(aud));
});

test('an app reaches no chat as a person unless its ceiling says so, and never more than its ceiling', async () => {
  const status = async (path: string, method = 'GET') => {
    const jwt = await sign({ iss: '2' });
    const reply = await atrium.call(method, path, { key: null, headers: headers(jwt), json: undefined });
    return [reply.status, reply.body?.meta?.required_scopes?.[0]];
  };
  const chat: [path: string, method: string, scope: string][] = [
    ['/v1/chat/channels', 'GET', 'chats.channels.read'],
    ['/v1/chat/channels/demo-group/messages', 'POST', 'chats.message.write'],
    ['/v1/chat/presence?user_ids=1', 'GET', 'chats.channels.read'],
    ['/v1/push/key', 'GET', 'chats.messages.read'],
    ['/v1/chat/socket', 'GET', 'chats.messages.read'],
  ];
  assert.deepEqual((await put({ jwks }, 2)).body.data.scopes, null);
  assert.deepEqual(await status('/v1/pages'), [200, undefined]);
  for (const [path, method, scope] of chat) assert.deepEqual(await status(path, method), [403, scope], path);
  await put({ jwks, scopes: ['chats.*.read', 'goals.*.*'] }, 2);
  assert.deepEqual(await status('/v1/chat/channels'), [200, undefined]);
  assert.deepEqual(await status('/v1/chat/channels/demo-group/messages', 'POST'), [403, 'chats.message.write']);
  assert.deepEqual(await status('/v1/goals'), [200, undefined]);
  assert.deepEqual(await status('/v1/goals', 'POST'), [403, 'goals.*.write'], 'an ordinary person only reads them');
  assert.deepEqual(await status('/v1/pages'), [403, 'pages.*.read']);
  assert.equal((await put({ jwks, scopes: ['chat'] }, 2)).body.meta.errors[0].path, 'scopes[0]');
  await atrium.call('DELETE', '/v1/admin/apps/2/jwt-settings');
});

test('who sets the keys of an app can act as anybody: an admin may, or a key that holds all of that', async () => {
  const newKey = async (scopes: string[]) =>
    (await atrium.call('POST', '/v1/admin/apps/2/keys', { json: { name: 'Test', scopes } })).body.data.api_key;
  const refused = await put({ jwks }, 2, { key: await newKey(['admin.apps.write', 'pages.*.*', 'spaces.*.*']) });
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden']);
  assert.ok(refused.body.meta.required_scopes.includes('chats.*.read'));
  await atrium.call('PUT', '/v1/admin/users/5/roles', { json: { roles: ['developer'] } });
  const developer = await signIn(atrium, 'emi.tanaka@northwind.example');
  const reply = await developer.call('PUT', '/v1/admin/apps/2/jwt-settings', { json: { jwks } });
  assert.deepEqual([reply.status, reply.body.meta.required_roles], [403, ['admin']]);
  assert.equal((await atrium.call('GET', '/v1/admin/apps/2/jwt-settings')).status, 404, 'nothing was written');
  assert.equal((await put({ jwks }, 2, { key: await newKey(['*.*.*']) })).status, 200);
  await atrium.call('DELETE', '/v1/admin/apps/2/jwt-settings');
});

test('a token by another library (jsonwebtoken) is taken', async () => {
  const pem = kinds.RS256.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const jwt = jsonwebtoken.sign({ iss: '1', sub: '5', jti: randomUUID(), exp: seconds() + 60 }, pem, {
    algorithm: 'RS256',
  });
  assert.equal((await call(jwt, 'RS256')).status, 200);
});

test('nobody administers through an app, whatever roles they have', async () => {
  const reply = await atrium.call('GET', '/v1/admin/apps', { key: null, headers: headers(await sign({ sub: '1' })) });
  assert.equal(reply.status, 403);
});

test('a JWT of a person who was deactivated, and of an app whose settings were removed, is refused', async () => {
  await atrium.call('DELETE', '/v1/users/4');
  assert.equal((await call(await sign({ sub: '4' }))).status, 401);
  await put({ jwks, scopes }, 2);
  assert.equal((await call(await sign({ iss: '2' }))).status, 200);
  await atrium.call('DELETE', '/v1/admin/apps/2/jwt-settings');
  assert.equal((await call(await sign({ iss: '2' }))).status, 401);
});

test('a socket that was opened with a JWT ends with it', async () => {
  const socket = await openTestSocket(atrium.url, {
    ...headers(await sign({ exp: seconds() + 60 })),
    'service-id': '1',
  });
  assert.equal((await socket.ask('history', { channel_url: 'demo-bot', before: 100 })).data.length, 1);
  atrium.clock.advance(66_000);
  await atrium.gateway.sweep();
  assert.equal(await socket.closed, 4401);
});

test('used tokens are forgotten once they have expired', async () => {
  atrium.clock.advance(61 * 60_000);
  await atrium.drain();
  assert.deepEqual(await atrium.rows('select jti_sha256 from app_jwt_uses'), []);
});

test('a private key, a weak key and a doubled kid are refused where they are set', async () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
  const exponent = (publicExponent: number) =>
    generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent }).publicKey.export({ format: 'jwk' });
  for (const keys of [
    [{ ...kinds.ES256.privateKey.export({ format: 'jwk' }), kid: 'a' }],
    [{ ...weak, kid: 'a' }],
    [{ ...exponent(3), kid: 'a' }],
    [jwks.keys[0] ?? {}, jwks.keys[0] ?? {}],
    [{ kty: 'oct', kid: 'a' }],
  ]) {
    const reply = await put({ jwks: { keys } });
    assert.deepEqual([reply.status, reply.body.code], [400, 'jwks_invalid']);
  }
});

test(`an app may publish its keys: a new one is found, one that is gone is not, \
and a dead address opens nothing`, async () => {
  const open = await startAtrium({ env: 'development' });
  const receiver = await startReceiver();
  const publish = (...algs: string[]) => {
    receiver.answer = (response) =>
      void response.end(JSON.stringify({ keys: jwks.keys.filter(({ kid }) => algs.includes(kid)) }));
  };
  publish('ES256');
  assert.equal(
    (await open.call('PUT', `/v1/admin/apps/${app}/jwt-settings`, { json: { jwks_url: receiver.url, scopes } })).status,
    200,
  );
  const status = async (alg: keyof typeof kinds) =>
    (
      await open.call('GET', '/v1/chat/channels', {
        key: null,
        headers: headers(await sign({ exp: Math.floor(Date.now() / 1000) + 60 }, alg), alg),
      })
    ).status;
  assert.deepEqual([await status('ES256'), await status('ES256'), await status('RS256')], [200, 200, 401]);
  assert.equal(receiver.received.length, 1, 'kept, and made-up keys are not looked for each time');
  const elsewhere = await open.secondNode();
  publish('RS256');
  const there = async (alg: keyof typeof kinds) =>
    (
      await elsewhere.call('GET', '/v1/chat/channels', {
        key: null,
        headers: headers(await sign({ exp: Math.floor(Date.now() / 1000) + 60 }, alg), alg),
      })
    ).status;
  assert.deepEqual([await there('RS256'), await there('ES256')], [200, 401]);
  receiver.answer = answering(500);
  const third = await open.secondNode();
  const dead = await third.call('GET', '/v1/chat/channels', {
    key: null,
    headers: headers(await sign({ exp: Math.floor(Date.now() / 1000) + 60 })),
  });
  assert.equal(dead.status, 401);
  const refused = await atrium.call('PUT', `/v1/admin/apps/${app}/jwt-settings`, {
    json: { jwks_url: 'https://10.0.0.1/keys' },
  });
  assert.deepEqual([refused.status, refused.body.code], [400, 'url_refused']);
  assert.equal((await atrium.call('PUT', `/v1/admin/apps/${app}/jwt-settings`, { json: {} })).status, 400);
});

test(`published keys: many that miss one at once cost one request, and an address \
that fails costs no keys until they are too old`, async () => {
  const receiver = await startReceiver();
  receiver.answer = (response) => void response.end(JSON.stringify(jwks));
  const egress = createEgress({
    env: 'development',
    egress_allow: undefined,
    egress_dns: undefined,
    egress_ca: undefined,
  });
  const clock = createClock({ movable: true });
  const publishedKey = createPublishedKeys(egress, clock);
  const found = async (...kids: string[]) =>
    (await Promise.all(kids.map((kid) => publishedKey(receiver.url, kid)))).filter(Boolean).length;
  try {
    assert.deepEqual([await found('ES256', 'RS256', 'x'), receiver.received.length], [2, 1]);
    clock.advance(60_000);
    const made_up = Array.from({ length: 50 }, (_, n) => `made-up-${n}`);
    assert.deepEqual([await found(...made_up), receiver.received.length], [0, 2]);
    receiver.answer = answering(500);
    clock.advance(60_000);
    assert.deepEqual([await found('y'), await found('z', 'ES256'), receiver.received.length], [0, 1, 3]);
    clock.advance(5 * 60_000);
    assert.deepEqual([await found('ES256'), receiver.received.length], [0, 4]);
  } finally {
    await egress.close();
  }
});
