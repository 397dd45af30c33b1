import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import {
  authorised,
  type Credentials,
  credentialsOf,
  databaseOf,
  dataFolder,
  endAllAfterTests,
  killed,
  postmasterOf,
  serve,
} from './testing/processes.ts';

endAllAfterTests();

const ROUNDS = 10;
const CREATES = 200;
const FIRST_ID = 1_000_000;

test(`an acknowledged create survives kill -9 of server and database, once and with one event, \
${ROUNDS} times in a row`, async () => {
  const data = dataFolder();
  let server = await serve(data);
  const credentials = await credentialsOf(server);
  const acknowledged = new Set<number>();
  let unanswered = 0;

  for (let round = 0; round < ROUNDS; round++) {
    const database = postmasterOf(data) ?? 0;
    const kill = () => Promise.all([killed(server.pid), killed(database)]);
    // Each round is cut at another depth, so that commits, summing up and checkpoints are hit as well as inserts.
    const kept = await createUntil(10 + round * 18, kill, server.url, credentials, FIRST_ID + round * CREATES);
    for (const external_id of kept) acknowledged.add(external_id);
    unanswered += CREATES - kept.length;
    await server.exit;

    server = await serve(data);
    const { pages, orphans } = await stored(data);
    const ids = new Set(pages.map(({ external_id }) => external_id));
    assert.deepEqual([...acknowledged.difference(ids)], [], 'acknowledged, and gone');
    assert.equal(ids.size, pages.length, 'an external id twice');
    assert.equal(new Set(pages.map(({ title }) => title)).size, pages.length, 'a title twice');
    assert.deepEqual(
      pages.filter(({ events }) => events !== 1),
      [],
      'pages without exactly one event',
    );
    assert.equal(orphans, 0, 'events without their page');
    for (const space_id of [null, 1]) {
      const total = await totalRecords(server.url, credentials, space_id);
      assert.equal(
        total,
        pages.filter((page) => page.space_id === space_id).length,
        `total_records of space ${space_id}`,
      );
    }
  }
  assert.ok(unanswered > 5 * ROUNDS, `the kills came in the middle: ${unanswered} creates were not acknowledged`);
  server.kill('SIGTERM');
  assert.equal(await server.exit, 0);
});

/** Sends all creates at once, kills when so many are acknowledged, and returns the external ids of those that were. */
async function createUntil(
  enough: number,
  kill: () => Promise<unknown>,
  url: string,
  credentials: Credentials,
  first_id: number,
) {
  const acknowledged: number[] = [];
  let killing: Promise<unknown> | undefined;
  const create = async (external_id: number) => {
    // Global pages are one statement, those of a space one transaction of several.
    const page = {
      title: `Page ${external_id}`,
      html_content: '<p>…</p>',
      external_id,
      ...(external_id % 2 ? { space_id: 1 } : {}),
    };
    const headers = { ...authorised(credentials), 'content-type': 'application/json' };
    const reply = await fetch(`${url}/v1/pages`, { method: 'POST', headers, body: JSON.stringify(page) });
    const { data } = (await reply.json()) as { data: { external_id: number } | null };
    if (reply.status !== 201 || data?.external_id !== external_id) return;
    acknowledged.push(external_id);
    if (acknowledged.length >= enough) killing ??= kill();
  };
  await Promise.allSettled(Array.from({ length: CREATES }, (_, n) => create(first_id + n)));
  assert.ok(killing, `${acknowledged.length} creates were acknowledged, not ${enough}`);
  await killing;
  return acknowledged;
}

interface StoredPage {
  external_id: number;
  title: string;
  space_id: number | null;
  events: number;
}

/** Read from the tables, past everything that is under test. */
async function stored(data: string): Promise<{ pages: StoredPage[]; orphans: number }> {
  const client = new pg.Client({ connectionString: databaseOf(data) });
  await client.connect();
  try {
    const { rows } = await client.query<StoredPage & { exists: boolean }>(`
      with announced as (
        select (payload->'page'->>'id')::bigint as id, count(*) as events from outbox
        where action = 'page.created'
        group by 1)
      select p.id is not null as exists, p.external_id::float8 as external_id, p.title,
        p.space_id::float8 as space_id, coalesce(a.events, 0)::int as events
      from pages p full join announced a using (id)`);
    return { pages: rows.filter(({ exists }) => exists), orphans: rows.filter(({ exists }) => !exists).length };
  } finally {
    await client.end();
  }
}

async function totalRecords(url: string, credentials: Credentials, space_id: number | null): Promise<number> {
  const query = space_id === null ? '' : `&space_id=${space_id}`;
  const reply = await fetch(`${url}/v1/pages?take=1${query}`, { headers: authorised(credentials) });
  const { meta } = (await reply.json()) as { meta: { pagination: { total_records: number } } };
  return meta.pagination.total_records;
}
