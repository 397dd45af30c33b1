import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { signIn, startAtrium, type TestAtrium } from '../../testing/atrium.ts';
import { until } from '../../testing/processes.ts';
import { connectTestSocket, openTestSocket, type SocketEvent } from '../../testing/sockets.ts';
import { SOCKETS_A_PERSON_MAX } from './connections.ts';

const RESUMES = Number(process.env.ATRIUM_TEST_RESUMES ?? 60);
const atrium = await startAtrium();
const other = await atrium.secondNode();
const person = async (name: string) => {
  const email = `${name}@northwind.example`;
  const { cookie, call, user } = await signIn(atrium, email);
  return {
    cookie,
    call,
    user,
    socket: (node: TestAtrium = atrium, channels = []) => openTestSocket(node.url, { cookie }, channels),
  };
};
const ada = await person('ada.okafor');
const ben = await person('ben.lindqvist');
const carla = await person('carla.mendes');
const dmitri = await person('dmitri.petrov');
const emi = await person('emi.tanaka');
const group = async (...others: { user: { id: number } }[]) =>
  (
    await ada.call('POST', '/v1/chat/channels', {
      json: { type: 'group', user_ids: others.map(({ user }) => user.id) },
    })
  ).body.data.channel_url as string;
const say = async (from: typeof ada, channel_url: string, message: string) =>
  (await from.call('POST', `/v1/chat/channels/${channel_url}/messages`, { json: { message } })).body.data;
const textsOf = (events: readonly SocketEvent[], channel_url: string) =>
  events
    .filter((each) => each.event === 'message.created' && each.channel_url === channel_url)
    .map(({ message }) => message.text);
const hears = (text: string) => (event: SocketEvent) =>
  event.event === 'message.created' && event.message.text === text;

test('without a credential the upgrade is a 401 with an envelope, and a plain request a 426', async () => {
  const raw = await new Promise<string>((resolve) => {
    const { port } = new URL(atrium.url);
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(
        'GET /v1/chat/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
      ),
    );
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
  });
  assert.match(raw, /^HTTP\/1\.1 401 [\s\S]*"code":"unauthorized"/);
  const plain = await ada.call('GET', '/v1/chat/socket');
  assert.deepEqual([plain.status, plain.body.code], [426, 'upgrade_required']);
  assert.equal((await atrium.call('GET', '/v1/chat/socket')).status, 403, 'a key is no person');
});

test('a ticket opens one socket for who asked for it, from any page, and nothing else', async () => {
  const ask = async () => (await ben.call('POST', '/v1/chat/socket-tickets')).body.data.ticket as string;
  const open = (ticket: string) => openTestSocket(other.url, { origin: 'https://intranet.example' }, [], { ticket });
  const ticket = await ask();
  const socket = await open(ticket);
  assert.equal(
    (await socket.ask('send', { channel_url: 'demo-group', message: 'by ticket' })).data.user.id,
    ben.user.id,
  );
  const refused = async (used: string) => assert.rejects(open(used), /401/);
  await refused(ticket);
  await refused('1_unknown');
  await refused(`${await ask()}x`);
  const late = await ask();
  other.clock.advance(31_000);
  await refused(late);
  const elsewhere = await atrium.call('GET', '/v1/chat/channels', { key: await ask() });
  assert.equal(elsewhere.status, 401, 'a ticket is no key');
  await socket.close();
});

test('a ticket ends with the session that asked for it', async () => {
  const { call } = await signIn(atrium, 'ben.lindqvist@northwind.example');
  const { ticket } = (await call('POST', '/v1/chat/socket-tickets')).body.data;
  await call('DELETE', '/v1/sessions/current');
  await assert.rejects(openTestSocket(atrium.url, {}, [], { ticket }), /401/);
});

test('a page of another host gets no socket with somebody’s cookie', async () => {
  await assert.rejects(connectTestSocket(atrium.url, { cookie: ada.cookie, origin: 'https://evil.example' }), /403/);
  const own = await connectTestSocket(atrium.url, { cookie: ada.cookie, origin: atrium.url });
  await own.close();
});

test('what is sent, edited and deleted arrives in order on both nodes, with the same numbers', async () => {
  const url = await group(ben);
  const [here, there] = [await ada.socket(), await ben.socket(other)];
  // A node that is late tells what a message has become, once; so each step is awaited.
  const both = (event: Parameters<typeof here.next>[0]) => Promise.all([here.next(event), there.next(event)]);
  const sent = await here.ask('send', { channel_url: url, message: 'hello' });
  await both(hears('hello'));
  await say(ben, url, 'hello yourself');
  await both(hears('hello yourself'));
  await ada.call('PUT', `/v1/chat/channels/${url}/messages/${sent.data.message_id}`, { json: { message: 'hello!' } });
  await both('message.updated');
  await ada.call('DELETE', `/v1/chat/channels/${url}/messages/${sent.data.message_id}`);
  await both('message.deleted');
  const seen = (socket: typeof here) =>
    socket.events
      .filter(({ channel_url }) => channel_url === url)
      .map(({ event, sequence, message }) => [event, sequence, message?.text]);
  assert.deepEqual(seen(here), seen(there));
  assert.equal(seen(here).at(0)?.[2], 'hello');
  const numbers = seen(here).map(([, sequence]) => sequence as number);
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
  await Promise.all([here.close(), there.close()]);
});

test('an action that breaks its contract is answered with the field and leaves the socket open', async () => {
  const socket = await ada.socket();
  const wrong = await socket.ask('send', { channel_url: 'demo-group', message: '' });
  assert.deepEqual([wrong.code, wrong.errors[0].path], ['invalid_request', 'message']);
  assert.equal((await socket.ask('send', { channel_url: 'no-such-channel', message: 'x' })).code, 'not_found');
  assert.equal((await socket.ask('dance')).code, 'invalid_request');
  assert.equal(
    (await socket.ask('history', { channel_url: 'demo-group', before: 6, take: 1 })).data[0].text,
    'The team in Berlin knows.',
  );
  await socket.close();
  const silent = await connectTestSocket(atrium.url, { cookie: ada.cookie });
  silent.send('send', { channel_url: 'demo-group', message: 'x' });
  assert.equal(await silent.closed, 1003, 'hello comes first');
});

test('typing and presence reach the others, across nodes', async () => {
  const url = await group(ben);
  const watching = await ben.socket(other);
  // Sockets of other tests that were closed a moment ago may still be shown.
  await until(
    async () => (await watching.ask('watch', { user_ids: [ada.user.id] })).data[0].is_online === false,
    'nobody is online',
  );
  const socket = await ada.socket();
  assert.equal((await watching.next('presence')).is_online, true);
  socket.send('typing', { channel_url: url });
  assert.deepEqual(await watching.next('typing'), { event: 'typing', channel_url: url, user_id: ada.user.id });
  assert.deepEqual((await ben.call('GET', '/v1/chat/presence?user_ids=1,3')).body.data, [
    { user_id: 1, is_online: true },
    { user_id: 3, is_online: false },
  ]);
  await socket.close();
  assert.equal((await watching.next('presence')).is_online, false);
  await watching.close();
});

test('reading on one device is known on the others of that person, and on nobody else’s', async () => {
  const url = await group(ben);
  const [mine, bens] = [await ada.socket(other), await ben.socket()];
  await say(ben, url, 'read me');
  await ada.call('POST', `/v1/chat/channels/${url}/read`, { json: {} });
  assert.equal((await mine.next('channel.read')).channel_url, url);
  await say(ben, url, 'after');
  await bens.next(hears('after'));
  assert.ok(bens.events.every(({ event }) => event !== 'channel.read'));
  await Promise.all([mine.close(), bens.close()]);
});

test('who is added hears the channel at once; who is removed hears nothing that was said afterwards', async () => {
  const url = await group(ben);
  const socket = await dmitri.socket(other);
  await ada.call('PATCH', `/v1/chat/channels/${url}/members`, { json: { ids_to_add: [dmitri.user.id] } });
  await socket.next((event) => event.event === 'channel.joined' && event.channel_url === url);
  await say(ada, url, 'welcome');
  await socket.next(hears('welcome'));
  await ada.call('PATCH', `/v1/chat/channels/${url}/members`, { json: { ids_to_remove: [dmitri.user.id] } });
  await say(ada, url, 'he is gone');
  await socket.next('channel.left');
  const { channel_url } = (
    await ada.call('POST', '/v1/chat/channels', { json: { type: 'direct', user_ids: [dmitri.user.id] } })
  ).body.data;
  await say(ada, channel_url, 'goodbye');
  await socket.next(hears('goodbye'));
  assert.deepEqual(textsOf(socket.events, url), ['welcome']);
  await socket.close();
});

test('joining a space brings its channel to the open socket, leaving it ends with the next message', async () => {
  const { channel_url } = (await ada.call('POST', '/v1/chat/channels', { json: { type: 'space', space_id: 4 } })).body
    .data;
  const socket = await emi.socket();
  await atrium.call('PATCH', '/v1/spaces/4/users', { json: { ids_to_add: [emi.user.id] } });
  await atrium.gateway.sweep();
  await socket.next('channel.joined');
  await say(ada, channel_url, 'inside');
  await socket.next(hears('inside'));
  await atrium.call('PATCH', '/v1/spaces/4/users', { json: { ids_to_remove: [emi.user.id] } });
  await say(ada, channel_url, 'secret');
  await socket.next('channel.left');
  assert.deepEqual(textsOf(socket.events, channel_url), ['inside']);
  await socket.close();
});

test('a socket closes when its person is deactivated, on every node, and says nothing more', async () => {
  const [here, there] = [await carla.socket(), await carla.socket(other)];
  assert.equal((await atrium.call('DELETE', `/v1/users/${carla.user.id}`)).status, 200);
  assert.deepEqual(await Promise.all([here.closed, there.closed]), [4401, 4401]);
});

test('a socket closes when its person loses access, by either way', async () => {
  const user = (await atrium.call('GET', `/v1/users/${emi.user.id}`)).body.data;
  const give = (has_access: boolean) =>
    atrium.call('PUT', '/v1/users/frontline-status', {
      json: { users: [{ external_id: user.external_id, is_frontline: true, has_access }] },
    });
  const first = await emi.socket(other);
  assert.equal((await give(false)).status, 200);
  assert.equal(await first.closed, 4401);
  await give(true);
  const session = await signIn(atrium, user.email);
  const second = await openTestSocket(other.url, { cookie: session.cookie });
  const { email, first_name, last_name } = user;
  assert.equal(
    (await atrium.call('PUT', `/v1/users/${user.id}`, { json: { email, first_name, last_name, has_access: false } }))
      .status,
    200,
  );
  assert.equal(await second.closed, 4401);
  await give(true);
});

test(`a client that does not answer a ping is let go, however often gaps are looked after; \
the others stay`, async () => {
  const [dead, living] = [await ben.socket(), await ada.socket()];
  const ponged = new Promise((resolve) => living.ws.once('ping', resolve));
  dead.ws.pause();
  for (let n = 0; n < 9; n++) await atrium.gateway.sweep();
  const before = atrium.gateway.size();
  atrium.gateway.beat();
  await ponged;
  assert.ok((await living.ask('history', { channel_url: 'demo-group', before: 6, take: 1 })).data);
  assert.equal(atrium.gateway.size(), before);
  atrium.gateway.beat();
  await until(() => atrium.gateway.size() === before - 1, 'the dead one is let go');
  dead.ws.resume();
  assert.equal(await dead.closed, 1006);
  assert.ok((await living.ask('history', { channel_url: 'demo-group', before: 6, take: 1 })).data);
  await living.close();
});

test(`a person has at most ${SOCKETS_A_PERSON_MAX} sockets on a node`, async () => {
  const sockets = await Promise.all(Array.from({ length: SOCKETS_A_PERSON_MAX }, () => dmitri.socket()));
  const more = await connectTestSocket(atrium.url, { cookie: dmitri.cookie });
  more.send('hello');
  assert.equal(await more.closed, 1008);
  await (await dmitri.socket(other)).close();
  await Promise.all(sockets.map((socket) => socket.close()));
});

test('a socket closes when its session ends', async () => {
  const session = await signIn(atrium, 'ben.lindqvist@northwind.example');
  const socket = await openTestSocket(atrium.url, { cookie: session.cookie });
  await session.call('DELETE', '/v1/sessions/current');
  socket.send('send', { channel_url: 'demo-group', message: 'still me' });
  assert.equal(await socket.closed, 4401);
  const again = await signIn(atrium, 'ben.lindqvist@northwind.example');
  const silent = await openTestSocket(atrium.url, { cookie: again.cookie });
  await again.call('DELETE', '/v1/sessions/current');
  await atrium.gateway.sweep();
  assert.equal(await silent.closed, 4401);
  assert.equal((await atrium.rows(`select from chat_messages where text = 'still me'`)).length, 0);
});

test('a client that stops reading is dropped, the others go on, and it resumes without a gap', async () => {
  const url = await group(ben, dmitri);
  const [slow, quick] = [await ben.socket(), await dmitri.socket()];
  slow.ws.pause();
  // More bytes than the operating system buffers for a connection.
  const text = '語'.repeat(9900);
  const COUNT = 1000;
  const sizeBefore = atrium.gateway.size();
  for (let n = 0; n < COUNT; n += 50)
    await Promise.all(Array.from({ length: 50 }, (_, i) => say(ada, url, `${n + i} ${text}`)));
  await until(() => atrium.gateway.size() < sizeBefore, 'the slow client is dropped');
  await until(() => textsOf(quick.events, url).length === COUNT, 'the quick one hears everything');
  slow.ws.resume();
  await slow.closed;
  const heard = slow.events.filter(({ channel_url }) => channel_url === url);
  assert.ok(heard.length < COUNT);
  const again = await openTestSocket(atrium.url, { cookie: ben.cookie }, [
    {
      channel_url: url,
      last_sequence:
        heard.at(-1)?.sequence ??
        slow.events[0]?.channels.find((each: { channel_url: string }) => each.channel_url === url).last_sequence,
    },
  ]);
  await until(() => textsOf(again.events, url).length + textsOf(heard, url).length === COUNT, 'it has caught up');
  assert.deepEqual([...textsOf(heard, url), ...textsOf(again.events, url)], textsOf(quick.events, url));
  await Promise.all([again.close(), quick.close()]);
});

test(`a client that drops and resumes ${RESUMES} times under load has exactly the channel’s messages`, {
  timeout: 120_000 + RESUMES * 200,
}, async () => {
  const url = await group(ben, dmitri);
  const start = (await ben.call('GET', `/v1/chat/channels/${url}`)).body.data.last_sequence as number;
  let writing = true;
  let sent = 0;
  const write = async (from: typeof ada, node: TestAtrium) => {
    const socket = await from.socket(node);
    while (writing) {
      const { data, message } = await socket.ask('send', { channel_url: url, message: `m${sent++}` });
      assert.ok(data, message);
      if (sent % 7 === 0) assert.ok(await say(from, url, `m${sent++}`));
    }
    await socket.close();
  };
  const writers = [write(ada, atrium), write(dmitri, other)];
  const kept: SocketEvent[] = [];
  for (let n = 0; n < RESUMES; n++) {
    const last_sequence = kept.at(-1)?.sequence ?? start;
    const node = n % 2 === 0 ? atrium : other;
    const socket = await openTestSocket(node.url, { cookie: ben.cookie }, [{ channel_url: url, last_sequence }]);
    await socket.next('message.created');
    socket.ws.terminate();
    await socket.closed;
    kept.push(...socket.events.filter((each) => each.event === 'message.created' && each.channel_url === url));
  }
  writing = false;
  await Promise.all(writers);
  const socket = await openTestSocket(atrium.url, { cookie: ben.cookie }, [
    { channel_url: url, last_sequence: kept.at(-1)?.sequence },
  ]);
  await until(() => kept.length + textsOf(socket.events, url).length >= sent, `${sent} are here`);
  await socket.close();
  kept.push(...socket.events.filter((each) => each.event === 'message.created' && each.channel_url === url));
  const stored = await atrium.rows<{ id: number }>(
    `select m.id from chat_messages m join chat_channels c on c.id = m.channel_id
     where c.channel_url = $1 and m.type = 'MESG' order by m.id`,
    [url],
  );
  assert.equal(stored.length, sent);
  assert.deepEqual(
    kept.map(({ sequence }) => sequence),
    stored.map(({ id }) => id),
  );
});
