// Messages a second to every open socket of one channel: Atrium beside a bare `ws` broadcast, in one run, as ratios.
// Atrium stores, orders and checks what it sends; the peer only sends.
//   node server/bin/launch.mjs bench/sockets.ts [sockets, default 5000]
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../server/kernel/clock.ts';
import { openDb, type Tx } from '../server/kernel/data/db.ts';
import { migrate } from '../server/kernel/data/migrate.ts';
import { sql } from '../server/kernel/data/sql.ts';
import { openOnce } from '../server/modules/chat/channels.ts';
import { startEmbedded } from '../server/postgres/embedded.ts';
import { createOrganisation } from '../server/setup.ts';

const SOCKETS = Number(process.argv[2] ?? 5000);
const ROUNDS = 5;
const SINGLES = 200;
const BACKLOG = 200;
/** To a ping without a payload, which is the only kind that is sent. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);
/** As many people write. */
const SENDERS = 10;
const CHANNEL = 'bench';
/** What an event has beside the message's text: author, times, names of fields. */
const EVENT_BYTES = 480;
const root = join(import.meta.dirname, '..');

interface Peer {
  name: string;
  child: ChildProcess;
  port: number;
  clients: Socket[];
  /** Frames that all clients received together. */
  received: () => number;
  idle_kib: number;
  /** Client number n says it. */
  say(text: string, n: number): void;
}

const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'));
const postgres = await startEmbedded({
  data_dir: folder,
  port: 5899,
  settings: { max_connections: '50', shared_buffers: '256MB' },
});
const peers: Peer[] = [];
try {
  await prepare();
  const env = {
    DATABASE_URL: postgres.url,
    ATRIUM_ENV: 'production',
    ATRIUM_DATA: folder,
    ATRIUM_LOG: 'error',
    ATRIUM_PORT: '0',
  };
  const hello = masked('{"action":"hello"}');
  const atrium = await open(
    'atrium',
    'server/main.ts',
    env,
    (n) => `Cookie: atrium_session=1.${secretOf(n)}\r\n`,
    hello,
  );
  const raw = await open('ws', 'bench/peers/broadcast.ts', {}, () => '');
  atrium.say = (message, n) =>
    atrium.clients[n % SENDERS]?.write(masked(JSON.stringify({ action: 'send', channel_url: CHANNEL, message })));
  // The peer sends as many bytes as Atrium's event of this message has.
  raw.say = (message, n) => raw.clients[n % SENDERS]?.write(masked(message + 'x'.repeat(EVENT_BYTES)));
  print(
    `${SOCKETS} sockets; memory of an idle one: Atrium ${atrium.idle_kib.toFixed(1)} KiB, ` +
      `ws ${raw.idle_kib.toFixed(1)} KiB`,
  );
  await compare('single messages', SINGLES, 1);
  await compare(`a backlog of ${BACKLOG}`, ROUNDS, BACKLOG);
} finally {
  for (const { child, clients } of peers) {
    for (const client of clients) client.destroy();
    child.kill('SIGKILL');
  }
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

/** Median rates of both; they take turns, so that what else the machine does hits both alike. */
async function compare(what: string, turns: number, messages: number) {
  const times = new Map(peers.map(({ name }) => [name, [] as number[]]));
  for (let turn = 0; turn < turns; turn++) {
    for (const peer of turn % 2 === 0 ? peers : peers.toReversed()) {
      const began = performance.now();
      await heardByAll(peer, messages, () => {
        for (let n = 0; n < messages; n++) peer.say(`message ${n}`, n);
      });
      times.get(peer.name)?.push(performance.now() - began);
    }
  }
  const rate = (name: string) =>
    (messages * 1000) / ((times.get(name) ?? []).toSorted((a, b) => a - b)[Math.floor(turns / 2)] ?? Number.NaN);
  const [ours, theirs] = [rate('atrium'), rate('ws')];
  print(`${what} to all: Atrium ${ours.toFixed(1)}/s, ws ${theirs.toFixed(1)}/s, ratio ${(ours / theirs).toFixed(2)}`);
}
/** Atrium also answers the sender, once a message. */
async function heardByAll(peer: Peer, messages: number, say: () => void) {
  const target = peer.received() + messages * (SOCKETS + (peer.name === 'atrium' ? 1 : 0));
  say();
  await until(() => peer.received() >= target, `${messages} messages reach everybody`);
}

// ---- Setting up --------------------------------------------------------------------------------------------------

function secretOf(n: number) {
  return createHash('sha256').update(`bench ${n}`).digest('base64url');
}

/** People with a session each, all members of one space that has a channel. */
async function prepare() {
  const db = openDb({ url: postgres.url, clock: createClock(), connections: 2, onIdleError: () => {} });
  await migrate(db);
  const { organisation_id } = await createOrganisation(db, { name: 'Bench', domain: 'bench.localhost' });
  const tx: Tx = db.inOrganisation(organisation_id);
  const hashes = Array.from({ length: SOCKETS }, (_, n) => createHash('sha256').update(secretOf(n)).digest('hex'));
  await tx.rows(sql`
    with people as (
      insert into users (organisation_id, email, first_name, last_name, created_at, updated_at)
      select $1, 'p' || n || '@bench.localhost', 'Person', n::text, now(), now()
      from generate_series(1, ${SOCKETS}::int) n returning id),
    space as (
      insert into spaces (organisation_id, name, created_at, updated_at)
      values ($1, 'All', now(), now()) returning id),
    members as (
      insert into space_members (organisation_id, space_id, user_id, created_at)
      select $1, space.id, people.id, now() from space, people)
    insert into sessions (
      organisation_id, user_id, secret_sha256, csrf_token, ip_address, user_agent, created_at, last_seen_at)
    select $1, p.id, h.hash, '', '', '', now(), now()
    from (select id, row_number() over (order by id) as n from people) p
    join unnest(${hashes}::text[]) with ordinality h(hash, n) using (n)`);
  await openOnce(tx, { channel_url: CHANNEL, type: 'space', space_id: 1, created_by: 1, members: [] });
  await db.installation.rows('analyze');
  await db.close();
}

/** Opens the sockets; with `hello` each says it at once, and is answered. */
async function open(
  name: string,
  file: string,
  env: Record<string, string>,
  headers: (n: number) => string,
  hello?: Buffer,
): Promise<Peer> {
  const child = spawn(process.execPath, [join(root, file)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      const found = /serves on http:\/\/[^:]+:(\d+)/.exec(printed);
      if (found) resolve(Number(found[1]));
    });
    child.once('exit', () => reject(new Error(`${name} ended: ${printed}`)));
  });
  const before = rssKib(child);
  const counter = { frames: 0 };
  const clients: Socket[] = [];
  for (let n = 0; n < SOCKETS; n += 100) {
    const few = await Promise.all(
      Array.from({ length: Math.min(100, SOCKETS - n) }, (_, i) => joined(port, headers(n + i), counter)),
    );
    clients.push(...few);
    if (hello) for (const client of few) client.write(hello);
  }
  if (hello) await until(() => counter.frames >= SOCKETS, 'everybody is ready');
  const idle_kib = (rssKib(child) - before) / SOCKETS;
  const peer: Peer = { name, child, port, clients, received: () => counter.frames, idle_kib, say: () => {} };
  peers.push(peer);
  return peer;
}
function rssKib({ pid }: ChildProcess) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** A client that costs little: it counts frames by their heads (RFC 6455 5.2) and looks at nothing else. */
function joined(port: number, headers: string, counter: { frames: number }): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const key = randomBytes(16).toString('base64');
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `GET /v1/chat/socket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n${headers}\r\n`,
      ),
    );
    let greeted = false;
    let rest: Buffer = Buffer.alloc(0);
    let missing = 0;
    socket.setNoDelay(true);
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      rest = Buffer.alloc(0);
      if (!greeted) {
        const end = bytes.indexOf('\r\n\r\n');
        if (end < 0) {
          rest = bytes;
          return;
        }
        if (!bytes.toString('latin1', 0, 12).endsWith('101')) return reject(new Error(bytes.toString().slice(0, 500)));
        greeted = true;
        bytes = bytes.subarray(end + 4);
        resolve(socket);
      }
      let at = 0;
      for (;;) {
        const skipped = Math.min(missing, bytes.length - at);
        missing -= skipped;
        at += skipped;
        if (missing > 0 || at === bytes.length) return;
        const short = (bytes[at + 1] ?? 0) & 0x7f;
        const head = short < 126 ? 2 : short === 126 ? 4 : 10;
        if (bytes.length - at < head) {
          rest = bytes.subarray(at);
          return;
        }
        missing =
          short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
        if (bytes[at] === 0x81) counter.frames++;
        else if (bytes[at] === 0x89) socket.write(PONG);
        at += head;
      }
    });
  });
}

/** A client's frame: masked, here with zeros. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text);
  const head =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length])
      : Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}

function until(reached: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 120_000;
  return new Promise((resolve, reject) => {
    const look = () => {
      if (reached()) return resolve();
      if (performance.now() > deadline) return reject(new Error(`Not in time: ${what}`));
      setImmediate(look);
    };
    look();
  });
}
function print(line: string) {
  process.stdout.write(`${line}\n`);
}
