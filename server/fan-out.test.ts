// Two nodes that hear of each other through PostgreSQL and through NATS, while either is killed and comes back.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pino } from 'pino';
import { createFanOut, type FanOut, nats } from './kernel/work/fan-out.ts';
import { signIn, startAtrium, type TestAtrium } from './testing/atrium.ts';
import { until } from './testing/processes.ts';
import { openTestSocket, type SocketEvent } from './testing/sockets.ts';

const KILLS = Number(process.env.ATRIUM_TEST_BROKER_KILLS ?? 8);
const MESSAGES_A_ROUND = 10;
const PATIENCE_MS = 120_000 + KILLS * 2000;

interface Engine {
  kill(): Promise<void>;
  revive(): Promise<void>;
}

/**
 * Messages of both people, written on both nodes while the engine comes and goes, are heard by both,
 * each channel in order.
 */
async function survives(one: TestAtrium, two: TestAtrium, engine: Engine) {
  const people = [];
  for (const [node, name] of [
    [one, 'ada.okafor'],
    [two, 'ben.lindqvist'],
  ] as const) {
    const email = `${name}@northwind.example`;
    const session = await signIn(node, email);
    people.push({ ...session, socket: await openTestSocket(node.url, { cookie: session.cookie }) });
  }
  const urls: string[] = [];
  for (const name of ['first', 'second'])
    urls.push(
      (await people[0]?.call('POST', '/v1/chat/channels', { json: { type: 'group', name, user_ids: [2] } }))?.body.data
        .channel_url,
    );
  let sent = 0;
  for (let round = 0; round < KILLS; round++) {
    const killing = engine.kill();
    const writing = people.map(async ({ socket }) => {
      for (let n = 0; n < MESSAGES_A_ROUND; n++) {
        const reply = await socket.ask('send', { channel_url: urls[n % 2], message: `${round}.${n}` });
        assert.ok(reply.data, JSON.stringify(reply));
        sent++;
      }
    });
    await killing;
    await engine.revive();
    await Promise.all(writing);
  }
  const heard = (events: readonly SocketEvent[], url: string | undefined) =>
    events
      .filter((each) => each.event === 'message.created' && each.channel_url === url)
      .map(({ sequence }) => sequence);
  for (const { socket } of people)
    await until(
      () => urls.reduce((sum, url) => sum + heard(socket.events, url).length, 0) >= sent,
      `${sent} messages are heard`,
    );
  for (const url of urls) {
    const stored = await one.rows<{ id: number }>(
      `select m.id from chat_messages m join chat_channels c on c.id = m.channel_id
       where c.channel_url = $1 order by m.id`,
      [url],
    );
    for (const { socket } of people)
      assert.deepEqual(
        heard(socket.events, url),
        stored.map(({ id }) => id),
      );
  }
  for (const { socket } of people) await socket.close();
}

describe('hints through LISTEN and NOTIFY', { timeout: PATIENCE_MS }, async () => {
  const one = await startAtrium();
  const two = await one.secondNode();
  test(`no message is lost, doubled or out of order \
when the listening connections are killed ${KILLS} times`, async () => {
    await survives(one, two, {
      async kill() {
        await one.rows(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid()
             and (query like 'listen %' or query like 'select pg_notify%')`,
        );
      },
      revive: async () => {},
    });
  });
});

const installed = spawnSync('nats-server', ['--version'], { encoding: 'utf8' });
const reason = installed.error ? 'nats-server is not installed (Debian: apt-get install nats-server)' : false;

describe('hints through NATS', { skip: reason, timeout: PATIENCE_MS }, async () => {
  if (reason) return;
  const folder = mkdtempSync(join(tmpdir(), 'atrium-nats-'));
  let server: ChildProcess | undefined;
  const start = async (port: number) => {
    const args = [
      '--addr',
      '127.0.0.1',
      '--port',
      String(port),
      '--ports_file_dir',
      folder,
      '--user',
      'atrium',
      '--pass',
      'p w',
    ];
    server = spawn('nats-server', args, { stdio: 'ignore' });
    const file = `nats-server_${server.pid}.ports`;
    await until(
      () => readdirSync(folder).includes(file) && readFileSync(join(folder, file), 'utf8').trim().endsWith('}'),
      'NATS has a port',
    );
    return Number(new URL(JSON.parse(readFileSync(join(folder, file), 'utf8')).nats[0]).port);
  };
  const kill = async () => {
    server?.kill('SIGKILL');
    if (server) await once(server, 'exit');
  };
  const port = await start(-1);
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const probe = connect(port, '127.0.0.1', () => resolve(true));
      probe.on('error', () => resolve(false)).on('connect', () => probe.destroy());
    });
  const revive = async () => {
    await start(port);
    await until(answers, 'NATS answers again');
  };
  after(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const nats_url = `nats://atrium:p%20w@127.0.0.1:${port}`;
  const one = await startAtrium({ nats_url });
  const two = await one.secondNode();

  test('PostgreSQL is not asked to notify', async () => {
    assert.deepEqual(
      await one.rows(`select query from pg_stat_activity where datname = current_database() and query like 'listen %'`),
      [],
    );
  });
  test(`no message is lost, doubled or out of order when the broker is killed \
and restarted ${KILLS} times`, async () => {
    await survives(one, two, { kill, revive });
  });
  test('a broker that dies before it confirms leaves no node mute', async () => {
    const nodes = [1, 2].map(() =>
      createFanOut({ connect: nats(nats_url), logger: pino({ level: 'silent' }), nodes: async () => [] }),
    );
    const [from, to] = nodes as [FanOut, FanOut];
    const heard: string[] = [];
    let connected = 0;
    to.hear('test', ({ key }) => void heard.push(key));
    for (const node of nodes) {
      node.afterGap(() => connected++);
      node.start();
    }
    await until(() => connected === 2, 'both are connected');
    server?.kill('SIGSTOP');
    from.tell({ organisation_id: 1, topic: 'test', key: 'unconfirmed' });
    await kill();
    await revive();
    await until(() => connected === 4, 'both are connected again');
    from.tell({ organisation_id: 1, topic: 'test', key: 'after' });
    await until(() => heard.includes('after'), 'the other one hears it');
    for (const node of nodes) await node.close();
  });
});

test('an engine that is away is in the log once, and then once a minute', async () => {
  const lines: string[] = [];
  const attempts = Promise.withResolvers<void>();
  let tried = 0;
  const away = createFanOut({
    connect: async () => {
      if (++tried === 4) attempts.resolve();
      throw new Error('away');
    },
    logger: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    nodes: async () => [],
  });
  away.start();
  await attempts.promise;
  await away.close();
  assert.equal(lines.length, 1, lines.join(''));
  assert.equal(away.isConnected(), false);
});
