// Two nodes, one database and a receiver, while one of the three is killed at a random moment again and again:
// every committed change arrives, nothing else does, and what arrives twice says so.
//   ATRIUM_CRASH_ROUNDS=300 node server/bin/launch.mjs server/delivery-crash.test.ts     the long form
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  authorised,
  type Credentials,
  credentialsOf,
  databaseOf,
  dataFolder,
  endAllAfterTests,
  isReady,
  killed,
  postmasterOf,
  type Server,
  serve,
  until,
} from './testing/processes.ts';
import { startReceiver } from './testing/receiver.ts';

endAllAfterTests();

const ROUNDS = Number(process.env.ATRIUM_CRASH_ROUNDS ?? 3);
const WRITES_A_SECOND = 100;
/** A claim of a worker that died is free again after 45 s; what it held may be held by the next that dies. */
const REST_MS = 110_000 + ROUNDS * 200;

test(`${ROUNDS} times kill -9 of a node or the database under ${WRITES_A_SECOND} writes a second: \
committed changes and received meta.id are the same set`, async () => {
  const receiver = await startReceiver();
  const data = dataFolder();
  const shared = { ATRIUM_SECRET_KEY: randomBytes(32).toString('base64'), ATRIUM_LOG: 'silent' };
  const startFirst = () => serve(data, { env: shared });
  const startSecond = () => serve(data, { env: { ...shared, DATABASE_URL: databaseOf(data) } });
  const nodes: [Server, Server] = [await startFirst(), {} as Server];
  const credentials = await credentialsOf(nodes[0]);
  nodes[1] = await startSecond();
  await subscribe(nodes[0], credentials, receiver.url);

  const writing = new AbortController();
  const writes = write(nodes, credentials, writing.signal);
  after(() => writing.abort());
  const kills = { first: 0, second: 0, database: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    await sleep(200 + Math.random() * 800);
    const victim = (['first', 'second', 'database'] as const)[round % 3] ?? 'first';
    kills[victim]++;
    if (victim === 'database') {
      const postmaster = postmasterOf(data) ?? 0;
      await killed(postmaster);
      await until(() => (postmasterOf(data) ?? postmaster) !== postmaster, 'the database is started again', REST_MS);
      await until(() => isReady(nodes[0].url), 'the database comes back', REST_MS);
    } else if (victim === 'first') {
      await killed(nodes[0].pid);
      nodes[0] = await startFirst();
    } else {
      await killed(nodes[1].pid);
      nodes[1] = await startSecond();
    }
  }
  await sleep(500);
  writing.abort();
  const sent = await writes;

  const received = () => new Set(receiver.received.map(({ json }) => json.meta.id as string));
  // A request that its client gave up can still be committed, so both sets are read again until they are the same.
  let changes = new Set<string>();
  const same = async () => {
    changes = await committed(data);
    return changes.symmetricDifference(received()).size === 0 && (await pending(data)) === 0;
  };
  await until(same, 'what was committed and what has arrived are the same set', REST_MS);
  const attempts = new Map<string, number[]>();
  for (const { json } of receiver.received)
    attempts.set(json.meta.id, [...(attempts.get(json.meta.id) ?? []), json.meta.attempt]);
  const doubled = [...attempts.values()].filter(({ length }) => length > 1);
  for (const numbers of doubled)
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
      'attempts rise',
    );
  for (const numbers of attempts.values()) assert.ok((numbers.at(-1) ?? 0) <= 5, 'never a sixth attempt');
  assert.ok(changes.size > ROUNDS * 10, `${changes.size} changes were committed`);
  process.stdout.write(
    `killed ${kills.first} + ${kills.second} nodes and ${kills.database} databases; ` +
      `${sent} writes sent, ${changes.size} committed, all received; ${doubled.length} more than once\n`,
  );
  for (const node of nodes.toReversed()) {
    node.kill('SIGTERM');
    await node.exit;
  }
});

async function subscribe(node: Server, credentials: Credentials, url: string) {
  const headers = { ...authorised(credentials), 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Receiver', url, events: ['page.created'], content_scope: 'all' });
  assert.equal((await fetch(`${node.url}/v1/admin/webhooks`, { method: 'POST', headers, body })).status, 201);
}

/** To either node, whether it lives or not. */
async function write(nodes: readonly Server[], credentials: Credentials, signal: AbortSignal): Promise<number> {
  const headers = { ...authorised(credentials), 'content-type': 'application/json' };
  const open = new Set<Promise<unknown>>();
  let sent = 0;
  for (const began = performance.now(); !signal.aborted; sent++) {
    const body = JSON.stringify({
      title: `Page ${sent}`,
      html_content: '<p>…</p>',
      ...(sent % 2 ? { space_id: 1 } : {}),
    });
    const url = `${nodes[sent % 2]?.url}/v1/pages`;
    const request = fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) })
      .then(
        (reply) => reply.arrayBuffer(),
        () => {},
      )
      .finally(() => open.delete(request));
    open.add(request);
    const ahead_ms = (sent * 1000) / WRITES_A_SECOND - (performance.now() - began);
    if (ahead_ms > 0) await sleep(ahead_ms);
  }
  await Promise.allSettled(open);
  return sent;
}

const query = async <Row extends object>(data: string, text: string) => {
  const client = new pg.Client({ connectionString: databaseOf(data) });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
};
/** Of pages that exist, not of what was meant to be written; the demo's own pages are older than the subscription. */
const committed = async (data: string) => {
  const pages = new Set(
    (await query<{ id: string }>(data, `select id::text from pages where title ~ '^Page [0-9]+$'`)).map(({ id }) => id),
  );
  const events = await query<{ event_id: string; page_id: string }>(
    data,
    `select event_id, payload->'page'->>'id' as page_id from outbox where action = 'page.created'`,
  );
  return new Set(events.filter(({ page_id }) => pages.has(page_id)).map(({ event_id }) => event_id));
};
const pending = async (data: string) =>
  (
    await query<object>(
      data,
      `select id from webhook_deliveries d
       where d.state = 'pending' and exists (select from webhooks w where w.id = d.webhook_id and w.active)`,
    )
  ).length;
