// Somebody leaves in the middle of everything they can do, on two nodes. Nothing of theirs may succeed after the
// answer: no reply, no frame of a socket, no row.
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import pg from 'pg';
import { signIn, startAtrium, type TestAtrium } from '../../testing/atrium.ts';
import { everythingOf, type Leaver, personWithPassword, trustedApp } from '../../testing/leavers.ts';
import { scimOf } from '../../testing/scim.ts';
import { openTestSocket } from '../../testing/sockets.ts';
import { PASSWORD } from '../../testing/world.ts';

const TURNS = Number(process.env.ATRIUM_TEST_LEAVERS ?? 10);
const atrium = await startAtrium();
const other = await atrium.secondNode();
const nodes = [atrium, other];
const scim = scimOf(atrium);
const setActive = async (id: number, value: boolean) => {
  const body = { Operations: [{ op: 'replace', path: 'active', value }] };
  assert.equal((await scim('PATCH', `/Users/${id}`, { body })).status, 200);
};

/** The order in which the servers hand bytes to their connections: what a client reads first is the network's doing. */
const handed: { what: string; status: number }[] = [];
for (const { http } of nodes) {
  http.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const end = response.end.bind(response) as (...parts: unknown[]) => ServerResponse;
    response.end = ((...parts: unknown[]) => {
      handed.push({ what: request.url ?? '', status: response.statusCode });
      return end(...parts);
    }) as typeof response.end;
  });
  http.server.prependListener('upgrade', (_request: IncomingMessage, stream: Socket) => {
    const write = stream.write.bind(stream) as (...parts: unknown[]) => boolean;
    stream.write = ((...parts: unknown[]) => {
      handed.push({ what: 'frame', status: 200 });
      return write(...parts);
    }) as typeof stream.write;
  });
}

interface Asking {
  running: boolean;
}
/** Goes on asking until told to stop; a connection that is closed ends it, too. */
const keepAsking = async (asking: Asking, request: () => Promise<unknown>) => {
  while (asking.running) if ((await request().catch(() => 'closed')) === 'closed') return;
};

async function everywhere(node: TestAtrium, person: Leaver, asking: Asking, channel_url: string) {
  const { session, key } = await everythingOf(node, person);
  const socket = await openTestSocket(node.url, { cookie: session.cookie });
  const json = { message: 'by request' };
  const requests = [
    () => session.call('GET', '/v1/sessions/current'),
    () => session.call('POST', `/v1/chat/channels/${channel_url}/messages`, { json }),
    () => node.call('GET', '/v1/pages', { key }),
    async () => node.call('GET', '/v1/chat/channels', { key: null, headers: await jwtFor(person) }),
    () => socket.ask('send', { channel_url, message: 'by socket' }),
  ];
  return { socket, work: requests.map((request) => keepAsking(asking, request)) };
}
const jwtFor = await trustedApp(atrium);

test(`${TURNS} times, on two nodes: with session, key, JWT and sockets at work, nothing succeeds after the answer`, {
  timeout: 60_000 + TURNS * 2000,
}, async () => {
  const person = await personWithPassword(atrium, 0);
  const leaving = `/scim/v2/scim/Users/${person.id}`;
  const messages = async () =>
    (await atrium.rows<{ count: string }>('select count(*) from chat_messages where user_id = $1', [person.id]))[0]
      ?.count;
  const colleague = await signIn(atrium, 'ada.okafor@northwind.example', PASSWORD);
  const opened = await colleague.call('POST', '/v1/chat/channels', { json: { type: 'direct', user_ids: [person.id] } });
  const { channel_url } = opened.body.data;
  let [before, refused, frames] = [0, 0, 0];
  for (let turn = 0; turn < TURNS; turn++) {
    const asking = { running: true };
    const there = await Promise.all(nodes.map((node) => everywhere(node, person, asking, channel_url)));
    await Promise.all(there.map(({ socket }) => socket.next((event) => event.event === 'reply' && event.data)));
    handed.length = 0;
    await setActive(person.id, false);
    const stored = await messages();
    asking.running = false;
    assert.deepEqual(await Promise.all(there.map(({ socket }) => socket.closed)), [4401, 4401]);
    await Promise.all(there.flatMap(({ work }) => work));
    const answered = handed.findIndex(({ what }) => what === leaving);
    assert.ok(answered >= 0);
    assert.deepEqual(
      handed.slice(answered + 1).filter(({ status }) => status < 400),
      [],
      `turn ${turn}`,
    );
    assert.equal(await messages(), stored, `turn ${turn}: a message was stored after the answer`);
    before += handed.slice(0, answered).filter(({ status }) => status < 400).length;
    frames += handed.slice(0, answered).filter(({ what }) => what === 'frame').length;
    refused += handed.filter(({ status }) => status === 401).length;
    await setActive(person.id, true);
  }
  assert.ok(
    before > TURNS && refused > TURNS && frames >= 2 * TURNS,
    `${before} before, ${refused} refused, ${frames} frames`,
  );
});

/** A person with a socket on the other node leaves; whether it was closed before the answer, and how long that took. */
async function leaveFromAfar(n: number) {
  const person = await personWithPassword(atrium, n);
  const { session } = await everythingOf(other, person);
  const socket = await openTestSocket(other.url, { cookie: session.cookie });
  handed.length = 0;
  const began = performance.now();
  await setActive(person.id, false);
  const ms = performance.now() - began;
  const answered = handed.findIndex(({ what }) => what.endsWith(`/Users/${person.id}`));
  const wasFirst = handed.slice(0, answered).some(({ what }) => what === 'frame');
  assert.equal(await socket.closed, 4401);
  return { wasFirst, ms };
}

test('nodes whose connections to one another are cut are told again before the answer', async () => {
  await atrium.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and (query like 'listen %' or query like 'select pg_notify%')`,
  );
  assert.equal((await leaveFromAfar(1)).wasFirst, true);
});

test('a node that does not answer is waited for once, for three seconds', async () => {
  const hanging = new pg.Client({ connectionString: atrium.database_url, application_name: 'atrium node hanging' });
  await hanging.connect();
  const [first, second] = [await leaveFromAfar(2), await leaveFromAfar(3)];
  await hanging.end();
  assert.ok(first.wasFirst && second.wasFirst);
  assert.ok(first.ms > 2900 && second.ms < 2900, `${first.ms} ms, then ${second.ms} ms`);
});
