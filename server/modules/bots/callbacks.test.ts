import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createBotHandler } from '@atrium/sdk/bot';
import { CallbackRefused, verifyCallback } from '@atrium/sdk/callback';
import express from 'express';
import Fastify from 'fastify';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import jsonwebtoken from 'jsonwebtoken';
import { JwksClient } from 'jwks-rsa';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { endAllAfterTests, run } from '../../testing/processes.ts';
import { answering, type Received, startReceiver } from '../../testing/receiver.ts';
import { openTestSocket } from '../../testing/sockets.ts';

endAllAfterTests();
const atrium = await startAtrium({ env: 'development', brand: 'Acme' });
await atrium.rows('update organisations set domain = $1, web_url = $2 where id = 1', [
  new URL(atrium.url).host,
  atrium.url,
]);
const emi = await signIn(atrium, 'emi.tanaka@northwind.example');
const ada = await signIn(atrium, 'ada.okafor@northwind.example');
const receiver = await startReceiver();

const makeBot = async (more: object = {}) => {
  const bot = {
    bot_nickname: 'Tester',
    bot_type: 'productivity',
    global_audience: 1,
    bot_webhook_url: receiver.url,
    ...more,
  };
  const { bot_userid } = (await atrium.call('POST', '/v1/chat/bots', { json: bot })).body.data;
  const { channel_url } = (await emi.call('POST', '/v1/chat/channels', { json: { type: 'bot', bot_userid } })).body
    .data;
  return { bot_userid: bot_userid as string, channel_url: channel_url as string };
};
const write = async (channel_url: string, message: string) =>
  (await emi.call('POST', `/v1/chat/channels/${channel_url}/messages`, { json: { message } })).body.data;
/** Writes to a new bot and returns what its server received. */
const calledBack = async (message = 'Hello bot', more: object = {}) => {
  const bot = await makeBot(more);
  const from = receiver.received.length;
  const sent = await write(bot.channel_url, message);
  await atrium.drain();
  return { bot, sent, received: receiver.received.slice(from) };
};
const only = <T>(list: readonly T[]): T => {
  assert.equal(list.length, 1);
  return list[0] as T;
};
const jwtOf = ({ headers }: Received) => headers['x-service-jwt'] ?? '';
const verifying = (bot_userid: string) => ({ baseUrl: atrium.url, botUserId: bot_userid });
const jwksUri = `${atrium.url}/.well-known/jwks.json`;

test('the callback has exactly the documented fields, and the JWT in both header names', async () => {
  const { bot, sent, received } = await calledBack();
  const { json, headers } = only(received);
  assert.deepEqual(json, {
    action: 'chat_bot_message_sent',
    message: {
      message_type: 'MESG',
      bot_userid: bot.bot_userid,
      channel_url: bot.channel_url,
      message: 'Hello bot',
      user_id: emi.user.id,
      user_email: 'emi.tanaka@northwind.example',
      message_id: sent.message_id,
      text: 'Hello bot',
    },
    meta: { id: json.meta.id, attempt: 1, timestamp: json.meta.timestamp },
  });
  assert.match(json.meta.id, /^[0-9a-f-]{36}$/);
  assert.ok(Math.abs(json.meta.timestamp - atrium.clock.micros() / 1_000_000) < 20);
  assert.equal(headers['x-acme-jwt'], headers['x-service-jwt']);
});

test('the JWT carries what docs/interface.md says, and jose and jwks-rsa with jsonwebtoken accept it', async () => {
  const { bot, received } = await calledBack();
  const request = only(received);
  const jwt = jwtOf(request);
  const { kid, ...header } = decodeProtectedHeader(jwt);
  assert.deepEqual(header, { alg: 'RS256', typ: 'JWT' });
  const claims = decodeJwt(jwt);
  assert.deepEqual(
    [
      claims.iss,
      claims.aud,
      claims.sub,
      claims.publicKeyUrl,
      (claims.exp ?? 0) - (claims.iat ?? 0),
      claims.body_sha256,
    ],
    [
      atrium.url,
      bot.bot_userid,
      String(emi.user.id),
      jwksUri,
      300,
      createHash('sha256').update(request.body).digest('hex'),
    ],
  );
  const byJose = await jwtVerify(jwt, createRemoteJWKSet(new URL(jwksUri)), {
    issuer: atrium.url,
    audience: bot.bot_userid,
    algorithms: ['RS256'],
  });
  const key = await new JwksClient({ jwksUri: String(claims.publicKeyUrl) }).getSigningKey(kid);
  const byJsonwebtoken = jsonwebtoken.verify(jwt, key.getPublicKey(), {
    algorithms: ['RS256'],
    audience: bot.bot_userid,
  });
  assert.deepEqual([byJose.payload, byJsonwebtoken], [claims, claims]);
  assert.deepEqual(await verifyCallback(jwt, request.body, verifying(bot.bot_userid)), claims);
});

test('a callback key is published as PEM by its id as well', async () => {
  const { bot, received } = await calledBack();
  const jwt = jwtOf(only(received));
  const pem = (keyid: string) => fetch(`${atrium.url}/.well-known/public-keys${keyid}`);
  const found = await pem(`?keyid=${decodeProtectedHeader(jwt).kid}`);
  assert.deepEqual([found.status, found.headers.get('cache-control')], [200, 'public, max-age=300']);
  const text = await found.text();
  assert.match(text, /^-----BEGIN PUBLIC KEY-----\n[\w+/=\n]+-----END PUBLIC KEY-----\n$/);
  const claims = jsonwebtoken.verify(jwt, text, { algorithms: ['RS256'], audience: bot.bot_userid });
  assert.deepEqual(claims, decodeJwt(jwt));
  assert.deepEqual([(await pem('?keyid=none')).status, (await pem('')).status], [404, 400]);
});

test('the published keys are public, cacheable, and hold no private part', async () => {
  const response = await fetch(jwksUri);
  assert.deepEqual([response.status, response.headers.get('cache-control')], [200, 'public, max-age=300']);
  for (const key of ((await response.json()) as { keys: object[] }).keys)
    assert.deepEqual(Object.keys(key), ['kty', 'use', 'alg', 'kid', 'n', 'e']);
  const [row] = await atrium.rows<{ sealed: string }>('select private_key_sealed as sealed from callback_keys');
  assert.match(row?.sealed ?? '', /^v1\./);
});

test(`the verifier of the sdk refuses what is forged, expired, for somebody else, about another body, \
or confuses algorithms`, async () => {
  const { bot, received } = await calledBack();
  const request = only(received);
  const jwt = jwtOf(request);
  const { kid } = decodeProtectedHeader(jwt);
  const claims = decodeJwt(jwt);
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const forged = (changes: JWTPayload, header: object = {}, key: Parameters<SignJWT['sign']>[0] = foreign) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'RS256', kid, ...header } as never).sign(key);
  const { keys } = (await (await fetch(jwksUri)).json()) as { keys: { kid: string }[] };
  const publicPem = createPublicKey({ key: keys.find((each) => each.kid === kid) as never, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  });
  const [head, payload, signature] = jwt.split('.');
  const recoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const cases: Record<string, [reason: string, jwt: string | undefined, options?: object, body?: string]> = {
    none: ['missing', undefined],
    'not a JWT': ['malformed', 'abc'],
    'signed with another key': ['signature', await forged({})],
    'another key id': ['unknown_key', await forged({}, { kid: randomUUID() })],
    'keys of the attacker': [
      'key_address',
      await forged({ publicKeyUrl: 'https://evil.example/.well-known/jwks.json' }),
    ],
    'changed claims': ['signature', [head, recoded({ ...claims, sub: '1' }), signature].join('.')],
    'no algorithm': ['algorithm', [recoded({ alg: 'none', kid }), payload, 'x'].join('.')],
    'the public key as a secret': ['algorithm', await forged({}, { alg: 'HS256' }, Buffer.from(publicPem))],
    'an extension that must be understood': [
      'extension',
      [recoded({ alg: 'RS256', kid, crit: ['b64'], b64: false }), payload, signature].join('.'),
    ],
    expired: ['expired', jwt, { now: () => Date.now() + 400_000 }],
    early: ['not_yet_valid', jwt, { now: () => Date.now() - 400_000 }],
    'for another bot': ['audience', jwt, { botUserId: 'bot_other' }],
    'of another organisation': ['key_address', jwt, { baseUrl: 'https://other.example' }],
    'about another body': ['body', jwt, {}, `${request.body} `],
  };
  for (const [name, [reason, token, options = {}, body = request.body]] of Object.entries(cases))
    await assert.rejects(
      verifyCallback(token, body, { ...verifying(bot.bot_userid), ...options }),
      (error) => error instanceof CallbackRefused && error.reason === reason,
      name,
    );
});

test('a bot with the setting also gets the older form, as a second request with the same header', async () => {
  const { bot, sent, received } = await calledBack('Old and new', { engine_callback: true });
  assert.equal(received.length, 2);
  const older = received.find(({ json }) => json.category !== undefined);
  const created = Date.parse(sent.created_at);
  assert.deepEqual(older?.json, {
    category: 'bot_message_notification',
    app_id: '1',
    ts: created,
    bot: { bot_userid: bot.bot_userid, bot_nickname: 'Tester' },
    sender: { user_id: emi.user.id, nickname: 'Emi Tanaka' },
    message: { message_id: sent.message_id, text: 'Old and new', created_at: created, files: [] },
    channel: { channel_url: bot.channel_url, channel_type: 'bot' },
    mentioned: [],
  });
  await verifyCallback(jwtOf(older as Received), older?.body ?? '', verifying(bot.bot_userid));
  assert.equal(received.find(({ json }) => json.action)?.json.category, undefined);
});

test('files come with message null and their addresses', async () => {
  const bot = await makeBot();
  const form = new FormData();
  form.append('files[0]', new Blob(['a,b']), 'list.csv');
  await emi.call('POST', `/v1/chat/channels/${bot.channel_url}/messages`, { form });
  await atrium.drain();
  const { message } = receiver.received.at(-1)?.json ?? {};
  assert.deepEqual(
    [message.message_type, message.message, message.text, message.files[0].file_name],
    ['FILE', null, null, 'list.csv'],
  );
  assert.equal(await (await fetch(message.files[0].url)).text(), 'a,b');
});

test(`a bot hears nothing of itself, of people who left its audience, of deleted messages, \
nor once it is deleted`, async () => {
  const bot = await makeBot();
  const from = receiver.received.length;
  await atrium.call('POST', '/v1/chat/bots/message', { json: { ...bot, type: 'message', message: 'me' } });
  await atrium.drain();
  const replace = (audience: object) =>
    atrium.call('PUT', `/v1/chat/bots/${bot.bot_userid}`, {
      json: { bot_nickname: 'Tester', bot_type: 'productivity', ...audience },
    });
  await write(bot.channel_url, 'said before');
  await replace({ global_audience: 0, audience: { type: 'teams', teams: [3] } });
  await atrium.drain();
  await replace({ global_audience: 1 });
  const { message_id } = await write(bot.channel_url, 'taken back');
  await emi.call('DELETE', `/v1/chat/channels/${bot.channel_url}/messages/${message_id}`);
  await atrium.drain();
  await write(bot.channel_url, 'too late');
  await atrium.call('DELETE', `/v1/chat/bots/${bot.bot_userid}`);
  await atrium.drain();
  assert.equal(receiver.received.length, from);
  const states = await atrium.rows<{ state: string; last_failure: string }>(
    `select x.state, x.last_failure from bot_callbacks x join bots b on b.id = x.bot_id
     where b.bot_userid = $1 order by x.id`,
    [bot.bot_userid],
  );
  assert.deepEqual(
    states.map(({ state, last_failure }) => [state, last_failure]),
    [
      ['withheld', 'not_visible'],
      ['withheld', 'gone'],
      ['withheld', 'gone'],
    ],
  );
});

test('a bot in a group hears and speaks while it is global and in the group, and no longer', async () => {
  const { bot_userid } = await makeBot();
  const { channel_url } = (await emi.call('POST', '/v1/chat/channels', { json: { type: 'group', user_ids: [2] } })).body
    .data;
  const patch = (json: object) => emi.call('PATCH', `/v1/chat/channels/${channel_url}/members`, { json });
  const replace = (audience: object) =>
    atrium.call('PUT', `/v1/chat/bots/${bot_userid}`, {
      json: { bot_nickname: 'Tester', bot_type: 'productivity', ...audience },
    });
  const heard = async (message: string, between = async () => {}) => {
    const from = receiver.received.length;
    await write(channel_url, message);
    await between();
    await atrium.drain();
    const speaking = { bot_userid, channel_url, type: 'message', message: 'hello' };
    const spoke = (await atrium.call('POST', '/v1/chat/bots/message', { json: speaking })).status === 200;
    return [receiver.received.slice(from).map(({ json }) => json.message.message), spoke];
  };
  await patch({ bot_userids_to_add: [bot_userid] });
  assert.deepEqual(await heard('together'), [['together'], true]);
  // Emi is in team 1, so that only the bot's being global is at stake.
  const ofEmi = { global_audience: 0, audience: { type: 'teams', teams: [1, 2, 3] } };
  await atrium.rows(
    `insert into team_members (organisation_id, team_id, user_id, created_at)
     values (1, 1, $1, now()) on conflict do nothing`,
    [emi.user.id],
  );
  await replace(ofEmi);
  assert.deepEqual(await heard('for some'), [[], false]);
  assert.deepEqual((await emi.call('GET', `/v1/chat/channels/${channel_url}`)).body.data.bots, []);
  await replace({ global_audience: 1 });
  assert.deepEqual(await heard('removed', async () => void (await patch({ bot_userids_to_remove: [bot_userid] }))), [
    [],
    false,
  ]);
});

test(`the playground shows the callback, its decoded JWT, the answer and what the bot said, \
and stores no message`, async () => {
  const bot = await makeBot();
  const path = `/v1/chat/bots/${bot.bot_userid}/playground`;
  receiver.answer = async (response, { json }) => {
    const { channel_url } = json.message;
    await atrium.call('POST', '/v1/chat/bots/message', {
      json: { ...bot, channel_url, type: 'message', message: 'heard' },
    });
    response.writeHead(204).end();
  };
  const tried = (await ada.call('POST', path, { json: { message: 'testing' } })).body.data;
  receiver.answer = answering(204);
  assert.deepEqual(
    [
      tried.callback.body.message.message,
      tried.jwt.payload.aud,
      tried.jwt.header.alg,
      tried.answer.status,
      tried.messages.map(({ text }: { text: string }) => text),
    ],
    ['testing', bot.bot_userid, 'RS256', 204, ['heard']],
  );
  assert.ok(tried.answer.latency_ms >= 0);
  assert.equal(tried.engine_callback, null, 'the bot did not ask for it');
  assert.equal((await atrium.rows(`select from chat_messages where text = 'testing'`)).length, 0);
  receiver.answer = answering(401, 'who are you');
  const refused = (await atrium.call('POST', path, { json: { message: 'x', user_id: emi.user.id } })).body.data;
  receiver.answer = answering(204);
  assert.deepEqual(
    [refused.answer.status, refused.answer.failure, refused.answer.body],
    [401, 'status_401', 'who are you'],
  );
  const older = `/v1/chat/bots/${(await makeBot({ engine_callback: true })).bot_userid}/playground`;
  const both = (await ada.call('POST', older, { json: { message: 'twice' } })).body.data;
  assert.deepEqual(
    [both.callback.body.action, both.engine_callback.callback.body.category, both.engine_callback.answer.status],
    ['chat_bot_message_sent', 'bot_message_notification', 204],
  );
  assert.equal(both.engine_callback.callback.body.message.text, 'twice');
  assert.equal((await emi.call('POST', path, { json: { message: 'x' } })).status, 403);
});

test('an address inside a private network is refused where it is set, in words that name it', async () => {
  const closed = await startAtrium();
  for (const url of [
    'http://127.0.0.1/',
    'https://10.0.0.1/hook',
    'https://169.254.169.254/latest',
    'http://bots.example/x',
  ]) {
    const json = { bot_nickname: 'x', bot_type: 'learning', global_audience: 1, bot_webhook_url: url };
    const reply = await closed.call('POST', '/v1/chat/bots', { json });
    assert.deepEqual(
      [reply.status, reply.body.code, reply.body.meta.errors[0].path],
      [400, 'url_refused', 'bot_webhook_url'],
      url,
    );
  }
});

test('the example bot answers text, quick replies and a card, in the channel and on the open socket', async () => {
  const { bot_userid, channel_url } = await makeBot();
  const { api_key } = (
    await ada.call('POST', '/v1/admin/apps/1/keys', { json: { name: 'Example bot', scopes: ['chats.message.write'] } })
  ).body.data;
  const bot = run([join(import.meta.dirname, '..', '..', '..', 'sdk', 'examples', 'bot.js')], {
    env: { ATRIUM_URL: atrium.url, SERVICE_ID: '1', API_KEY: api_key, BOT_USERID: bot_userid },
  });
  const [, bot_webhook_url] = await bot.printed(/listens on (http:\S+)/);
  const json = { bot_nickname: 'Example', bot_type: 'productivity', bot_webhook_url };
  assert.equal((await atrium.call('PUT', `/v1/chat/bots/${bot_userid}`, { json })).status, 200);
  atrium.workers.start();
  const socket = await openTestSocket(atrium.url, { cookie: emi.cookie });
  const answerTo = async (message: string) => {
    await socket.ask('send', { channel_url, message });
    return (
      await socket.next((event) => event.event === 'message.created' && event.message.bot?.bot_userid === bot_userid)
    ).message;
  };
  assert.equal((await answerTo('Good morning')).text, 'You said: Good morning');
  const offered = await answerTo('help');
  assert.deepEqual(offered.data.replies[0], { label: 'Show a card', message: 'card' });
  await emi.call('POST', `/v1/chat/channels/${channel_url}/messages/${offered.message_id}/press`, {
    json: { label: 'Show a card' },
  });
  const card = await socket.next((event) => event.event === 'message.created' && event.message.data?.type === 'card');
  assert.equal(card.message.data.cards[0].cardTitle, 'Opening hours');
  const stored = (await emi.call('GET', `/v1/chat/channels/${channel_url}/messages`)).body.data;
  assert.deepEqual(
    stored.map(({ bot, data, text }: { bot: object; data: { type: string }; text: string }) => [
      bot ? 'bot' : 'emi',
      data?.type ?? text,
    ]),
    [
      ['bot', 'card'],
      ['emi', 'card'],
      ['bot', 'quick_reply'],
      ['emi', 'help'],
      ['bot', 'You said: Good morning'],
      ['emi', 'Good morning'],
    ],
  );
  await socket.close();
  await atrium.workers.stop();
});

test('the handler of the sdk serves node:http, Express and Fastify, and answers 401, 400, 204 and 502', async () => {
  const { bot, received } = await calledBack();
  const { body, headers } = only(received);
  let heard: string[] = [];
  const refusals: string[] = [];
  const handler = createBotHandler({
    ...verifying(bot.bot_userid),
    onRefused: (error, status) => void refusals.push(`${status} ${(error as { reason?: string }).reason}`),
    botUserId: bot.bot_userid,
    organisationId: 1,
    apiKey: 'none',
    async onMessage({ message }, answer) {
      heard.push(message ?? '');
      if (heard.length === 1) await answer.text('refused, for the key is none');
    },
  });
  const listening = async (listener: RequestListener) => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    after(() => server.close());
    return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
  };
  const fastify = Fastify();
  after(() => fastify.close());
  await fastify.register(handler.fastify as never, { path: '/' });
  const urls = {
    http: await listening(handler),
    express: await listening(express().post('/', handler)),
    'express with its body read': await listening(express().post('/', express.raw({ type: '*/*' }), handler)),
    fastify: await fastify.listen({ port: 0, host: '127.0.0.1' }),
  };
  const jwt = { 'x-service-jwt': headers['x-service-jwt'] ?? '', 'content-type': 'application/json' };
  const post = async (url: string, sent: Record<string, string>, text = body) =>
    (await fetch(url, { method: 'POST', headers: sent, body: text })).status;
  assert.equal(await post(urls.http, jwt), 502, 'the answer failed, so the callback shall come again');
  for (const [name, url] of Object.entries(urls)) {
    heard = ['before'];
    assert.equal(await post(url, { 'content-type': 'application/json' }), 401, name);
    assert.equal(await post(url, jwt, `${body} `), 401, name);
    assert.equal(await post(url, jwt), 204, name);
  }
  assert.deepEqual(heard, ['before'], 'what was handled once is not handled again');
  assert.deepEqual([...new Set(refusals)], ['502 undefined', '401 missing', '401 body']);
  const { bot_userid } = bot;
  const nonsense = '{"action":"something_else"}';
  const [row] = await atrium.rows<{ kid: string }>('select kid from callback_keys order by signs_from desc limit 1');
  assert.ok(row);
  const { signingKey } = await import('./keys.ts');
  const { key, kid } = await signingKey(atrium.services.db.inOrganisation(1), atrium.services.sealing);
  const now = Math.floor(Date.now() / 1000);
  const token = await new SignJWT({
    publicKeyUrl: jwksUri,
    body_sha256: createHash('sha256').update(nonsense).digest('hex'),
  })
    .setProtectedHeader({ alg: 'RS256', kid })
    .setIssuer(atrium.url)
    .setAudience(bot_userid)
    .setExpirationTime(now + 60)
    .sign(key);
  assert.equal(await post(urls.http, { ...jwt, 'x-service-jwt': token }, nonsense), 400);
});

test('a callback that comes again while it is being handled is handled once', async () => {
  const { bot, received } = await calledBack();
  const { body, headers } = only(received);
  const working = Promise.withResolvers<void>();
  let [handled, fails] = [0, true];
  const handler = createBotHandler({
    ...verifying(bot.bot_userid),
    organisationId: 1,
    apiKey: 'none',
    header: 'X-Acme-JWT',
    async onMessage() {
      handled++;
      await working.promise;
      if (fails) throw new Error('not now');
    },
  });
  const handle = () => handler.handle(headers, Buffer.from(body));
  const both = [handle(), handle()];
  working.resolve();
  assert.deepEqual([await Promise.all(both), handled], [[502, 502], 1]);
  fails = false;
  assert.deepEqual(
    [await handle(), await handle(), handled],
    [204, 204, 2],
    'what failed is handled again, what did not is not',
  );
});

test('a bot answers with a file itself', async () => {
  const { bot, received } = await calledBack('The list, please');
  const { body, headers } = only(received);
  const { api_key } = (
    await ada.call('POST', '/v1/admin/apps/1/keys', { json: { name: 'Files', scopes: ['chats.message.write'] } })
  ).body.data;
  const handler = createBotHandler({
    ...verifying(bot.bot_userid),
    organisationId: 1,
    apiKey: api_key,
    onMessage: (_message, answer) => answer.file('file', new Blob(['a,b']), 'list.csv', 'Here it is.'),
  });
  assert.equal(await handler.handle(headers, Buffer.from(body)), 204);
  const [said] = (await emi.call('GET', `/v1/chat/channels/${bot.channel_url}/messages`)).body.data;
  assert.deepEqual(
    [said.type, said.text, said.files[0].file_name, said.bot.bot_userid],
    ['FILE', 'Here it is.', 'list.csv', bot.bot_userid],
  );
});

test('a failing bot is called five times with the same id and a fresh JWT each, then the log says so', async () => {
  const bot = await makeBot();
  const from = receiver.received.length;
  receiver.answer = answering(502, 'out of order');
  await write(bot.channel_url, 'Are you there?');
  for (let n = 0; n < 7; n++) {
    await atrium.drain();
    atrium.clock.advance(2 * 3_600_000);
  }
  receiver.answer = answering(204);
  const tries = receiver.received.slice(from);
  assert.deepEqual(
    tries.map(({ json }) => json.meta.attempt),
    [1, 2, 3, 4, 5],
  );
  assert.equal(new Set(tries.map(({ json }) => json.meta.id)).size, 1);
  assert.equal(new Set(tries.map((request) => decodeJwt(jwtOf(request)).jti)).size, 5);
  const logged = only(
    (await atrium.call('GET', `/v1/chat/bots/${bot.bot_userid}/callbacks?state=failed`)).body.data as never[],
  ) as never as {
    id: number;
    attempts: number;
    last_status: number;
    log: { answer: string; request_headers: Record<string, string> }[];
  };
  assert.deepEqual(
    [logged.attempts, logged.last_status, logged.log.length, logged.log[0]?.answer],
    [5, 502, 5, 'out of order'],
  );
  for (const { request_headers } of logged.log)
    assert.match(request_headers['x-service-jwt'] ?? '', /^[\w-]+\.[\w-]+\.…$/, 'no usable token is kept');

  assert.equal(
    (await atrium.call('POST', `/v1/chat/bots/${bot.bot_userid}/callbacks/${logged.id}/redeliver`)).status,
    200,
  );
  await atrium.drain();
  assert.deepEqual([receiver.received.at(-1)?.json.meta.attempt, receiver.received.length], [6, from + 6]);
});

test(`rotation: the new key is published before it signs, the former one stays for a day; \
a leaked one ends at once`, async () => {
  const published = async () =>
    ((await (await fetch(jwksUri)).json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  const signedWith = async () => decodeProtectedHeader(jwtOf(only((await calledBack()).received))).kid;
  const before = await signedWith();
  const rotated = await ada.call('POST', '/v1/chat/callback-keys', { json: {} });
  assert.deepEqual([rotated.status, rotated.body.data.length, (await published()).length], [201, 2, 2]);
  assert.equal(await signedWith(), before, 'announced, not used yet');
  atrium.clock.advance(11 * 60_000);
  const next = await signedWith();
  assert.notEqual(next, before);
  assert.ok((await published()).includes(before ?? ''));
  atrium.clock.advance(25 * 3_600_000);
  assert.deepEqual(await published(), [next]);
  await atrium.drain();
  assert.equal((await atrium.rows('select from callback_keys')).length, 1);
  await ada.call('POST', '/v1/chat/callback-keys', { json: { is_leaked: true } });
  assert.ok(!(await published()).includes(next ?? ''));
  assert.deepEqual(await published(), [await signedWith()]);
});

test('what is logged goes after its days, also of callbacks that went with their message before', async () => {
  const bot = await makeBot();
  await write(bot.channel_url, 'for the log');
  await atrium.drain();
  const count = async (table: string) => (await atrium.rows(`select from ${table}`)).length;
  await atrium.rows('delete from bot_callbacks where id in (select max(id) from bot_callbacks)');
  const [callbacks, attempts] = [await count('bot_callbacks'), await count('bot_callback_attempts')];
  assert.ok(callbacks > 0 && attempts > 0);
  await atrium.drain();
  assert.deepEqual([await count('bot_callbacks'), await count('bot_callback_attempts')], [callbacks, attempts]);
  atrium.clock.advance(31 * 24 * 3_600_000);
  await atrium.drain();
  assert.deepEqual([await count('bot_callbacks'), await count('bot_callback_attempts')], [0, 0]);
});
