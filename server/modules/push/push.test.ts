import assert from 'node:assert/strict';
import { createECDH, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import ece from 'http_ece';
import jsonwebtoken from 'jsonwebtoken';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium({ env: 'development' });
await atrium.rows('delete from push_subscriptions');
// People are told of the badges that they have by rules.
await atrium.drain();
await atrium.drain();
const person = (name: string) => signIn(atrium, `${name}@northwind.example`);
const ada = await person('ada.okafor');
const emi = await person('emi.tanaka');

interface Pushed {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}
const HOUR_MS = 3_600_000;
const pushed: Pushed[] = [];
let status = 201;
const service = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  pushed.push({
    path: request.url ?? '',
    headers: request.headers as Record<string, string>,
    body: Buffer.concat(chunks),
  });
  response.writeHead(status).end();
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
after(() => service.close());
const origin = `http://127.0.0.1:${(service.address() as { port: number }).port}`;

/** A browser: it has the keys that the notification is encrypted for. */
const browser = async (who: typeof emi, path: string) => {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const auth = randomBytes(16);
  const json = {
    endpoint: `${origin}${path}`,
    keys: { p256dh: keys.getPublicKey('base64url'), auth: auth.toString('base64url') },
  };
  const reply = await who.call('POST', '/v1/push/subscriptions', { json });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return {
    id: reply.body.data.id as number,
    read: ({ body }: Pushed) =>
      JSON.parse(
        ece
          .decrypt(body, { version: 'aes128gcm', privateKey: keys, authSecret: auth.toString('base64url') })
          .toString(),
      ),
  };
};
const settings = (who: typeof emi, more: object = {}) =>
  who.call('PUT', '/v1/push/settings', {
    json: { from_people: true, from_bots: true, quiet_from: null, quiet_until: null, ...more },
  });
const botSays = (message: string, send_push?: boolean) =>
  atrium.call('POST', '/v1/chat/bots/message', {
    json: { bot_userid: 'bot_helpdesk', channel_url: 'demo-bot', type: 'message', message, send_push },
  });
const pushesOf = async (work: () => Promise<unknown>) => {
  const from = pushed.length;
  await work();
  await atrium.drain();
  return pushed.slice(from);
};

const phone = await browser(emi, '/emi-phone');

test('a message of a bot is encrypted for the browser alone and signed with the organisation’s key', async () => {
  const [notification, ...more] = await pushesOf(() => botSays('Your shift begins at nine.'));
  assert.ok(notification && more.length === 0);
  assert.deepEqual(
    [notification.path, notification.headers['content-encoding'], notification.headers.ttl],
    ['/emi-phone', 'aes128gcm', '14400'],
  );
  assert.ok(!notification.body.includes('shift'));
  const { title, body, channel_url, message_id } = phone.read(notification);
  assert.deepEqual(
    [title, body, channel_url, typeof message_id],
    ['Help desk', 'Your shift begins at nine.', 'demo-bot', 'number'],
  );
  const [, jwt = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(notification.headers.authorization ?? '') ?? [];
  assert.equal(key, (await emi.call('GET', '/v1/push/key')).body.data.public_key);
  assert.equal((jsonwebtoken.decode(jwt) as { aud: string }).aud, origin);
});

test('send_push=false stays silent, and so do my own messages', async () => {
  assert.deepEqual(await pushesOf(() => botSays('quiet', false)), []);
  assert.deepEqual(
    await pushesOf(() => emi.call('POST', '/v1/chat/channels/demo-bot/messages', { json: { message: 'me' } })),
    [],
  );
});

test('messages of people reach every browser of those who belong, and nobody else', async () => {
  const tablet = await browser(emi, '/emi-tablet');
  await browser(ada, '/ada');
  await browser(await person('carla.mendes'), '/carla');
  const { channel_url } = (
    await ada.call('POST', '/v1/chat/channels', { json: { type: 'direct', user_ids: [emi.user.id] } })
  ).body.data;
  const sent = await pushesOf(() =>
    ada.call('POST', `/v1/chat/channels/${channel_url}/messages`, { json: { message: 'Lunch?' } }),
  );
  assert.deepEqual(sent.map(({ path }) => path).toSorted(), ['/emi-phone', '/emi-tablet']);
  assert.equal(tablet.read(sent.find(({ path }) => path === '/emi-tablet') as Pushed).title, 'Ada Okafor');
  await emi.call('DELETE', `/v1/push/subscriptions/${tablet.id}`);
});

test('what a person switched off, and their quiet hours in their own time zone, are kept', async () => {
  await settings(emi, { from_bots: false });
  assert.equal((await pushesOf(() => botSays('off'))).length, 0);
  const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', hourCycle: 'h23' });
  const hour = Number(local.format(new Date(atrium.clock.micros() / 1000)));
  const at = (n: number) => `${String((n + 24) % 24).padStart(2, '0')}:00`;
  for (const [quiet_from, quiet_until, expected] of [
    [at(hour), at(hour + 1), 0],
    [at(hour - 1), at(hour + 12), 0],
    [at(hour + 1), at(hour), 1],
    [at(hour + 2), at(hour + 3), 1],
  ] as const) {
    await settings(emi, { quiet_from, quiet_until });
    assert.equal(
      (await pushesOf(() => botSays('hours'))).length,
      expected,
      `${quiet_from} to ${quiet_until} at ${hour}`,
    );
  }
  assert.equal((await settings(emi, { quiet_from: '22:00' })).status, 400);
  await settings(emi);
});

test('a push service that fails is asked again, and a browser that is gone is forgotten', async () => {
  status = 503;
  assert.equal((await pushesOf(() => botSays('again'))).length, 1);
  status = 201;
  atrium.clock.advance(61_000);
  assert.equal((await pushesOf(async () => {})).length, 1);
  assert.equal((await pushesOf(async () => atrium.clock.advance(3_600_000))).length, 0);
  const old = await browser(emi, '/emi-old');
  status = 410;
  await pushesOf(() => botSays('gone'));
  status = 201;
  const left = (await emi.call('GET', '/v1/push/subscriptions')).body.data;
  assert.ok(left.every(({ id }: { id: number }) => id !== old.id && id !== phone.id));
});

test('a subscription to a private address, or with a key that nothing can be encrypted for, is refused', async () => {
  const strict = await startAtrium();
  const session = await signIn(strict, 'ada.okafor@northwind.example');
  const keys = { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) };
  const subscribe = (endpoint: string) => session.call('POST', '/v1/push/subscriptions', { json: { endpoint, keys } });
  const [privately, wrongly] = [
    await subscribe('https://10.0.0.7/push'),
    await subscribe('https://push.example.net/send/abc'),
  ];
  assert.deepEqual([privately.status, privately.body.code], [400, 'url_refused']);
  assert.deepEqual([wrongly.status, wrongly.body.meta.errors[0].path], [400, 'keys.p256dh']);
});

test('a push service that hangs keeps nobody waiting, and gets one request at a time', async () => {
  let hung = 0;
  const tarpit = createServer(() => void hung++);
  await new Promise<void>((resolve) => tarpit.listen(0, '127.0.0.1', resolve));
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const endpoint = `http://127.0.0.1:${(tarpit.address() as { port: number }).port}/`;
  const json = {
    endpoint,
    keys: { p256dh: keys.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
  };
  assert.equal((await emi.call('POST', '/v1/push/subscriptions', { json })).status, 201);
  const quick = await browser(emi, '/emi-quick');
  const messages = ['one', 'two', 'three'];
  const began = performance.now();
  const sent = await pushesOf(async () => {
    for (const message of messages) await botSays(message);
  });
  assert.ok(performance.now() - began < 10_000, 'its three answers, 5 s each, are not waited for');
  assert.deepEqual(
    sent
      .filter(({ path }) => path === '/emi-quick')
      .map((each) => quick.read(each).body)
      .toSorted(),
    messages.toSorted(),
  );
  assert.equal(hung, 1);
  tarpit.closeAllConnections();
  tarpit.close();
  await emi.call('DELETE', `/v1/push/subscriptions/${quick.id}`);
});

test('a browser that subscribes as somebody else is theirs alone from then on', async () => {
  await browser(ada, '/shared');
  await browser(emi, '/shared');
  const endpoints = async (who: typeof emi) =>
    (await who.call('GET', '/v1/push/subscriptions')).body.data.map(({ endpoint }: { endpoint: string }) => endpoint);
  assert.ok(!(await endpoints(ada)).includes(`${origin}/shared`));
  assert.ok((await endpoints(emi)).includes(`${origin}/shared`));
});

test(`who made a webhook is told when it is suspended, once their quiet hours are over; \
without that person those who may resume it`, async () => {
  const failing = createServer((_request, response) => response.writeHead(500).end());
  await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
  after(() => failing.close());
  const url = `http://127.0.0.1:${(failing.address() as { port: number }).port}/`;
  const subscribe = async (call: typeof ada.call, name: string) =>
    assert.equal(
      (
        await call('POST', '/v1/admin/webhooks', {
          json: { name, url, events: ['page.created'], content_scope: 'all' },
        })
      ).status,
      201,
    );
  const createPage = () => atrium.call('POST', '/v1/pages', { json: { title: 'News', html_content: '<p>News</p>' } });
  const laptop = await browser(ada, '/ada-laptop');
  const toLaptop = async (work: () => Promise<unknown>) =>
    (await pushesOf(work)).filter(({ path }) => path === '/ada-laptop').map((each) => laptop.read(each));
  const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit', hourCycle: 'h23' });
  const hour = Number(local.format(new Date(atrium.clock.micros() / 1000)));
  const at = (n: number) => `${String(n % 24).padStart(2, '0')}:00`;
  await subscribe(ada.call, 'Search index');
  await subscribe(atrium.call, 'Made by an app');
  await settings(ada, { quiet_from: at(hour + 1), quiet_until: at(hour + 2) });
  await pushesOf(createPage);
  atrium.clock.advance(121 * HOUR_MS);
  assert.deepEqual(await toLaptop(createPage), [], 'an hour of quiet');
  const told = await toLaptop(async () => atrium.clock.advance(HOUR_MS));
  assert.deepEqual(told.map(({ title }) => title).toSorted(), ['Webhook Made by an app', 'Webhook Search index']);
  assert.match(told[0].body, /Suspended automatically/);
  assert.match(told[0].tag, /^webhook-\d+$/);
});

test('deactivating a person ends their subscriptions before the answer', async () => {
  await browser(emi, '/emi-last');
  await atrium.call('DELETE', `/v1/users/${emi.user.id}`);
  assert.deepEqual(await atrium.rows('select id from push_subscriptions where user_id = $1', [emi.user.id]), []);
  assert.deepEqual(await pushesOf(() => botSays('to nobody')), []);
});
