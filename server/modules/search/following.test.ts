// The index follows what changed, whoever wrote it and whenever it was committed, and can be built anew meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium, type TestAtrium } from '../../testing/atrium.ts';
import { follow, howFar, rebuild } from './following.ts';

const atrium = await startAtrium();
const tx = atrium.services.db.inOrganisation(1);
const create = async (text: string): Promise<number> =>
  (await atrium.call('POST', '/v1/updates', { json: { text } })).body.data.id;
const found = async (q: string, by: TestAtrium = atrium) => {
  const { status, body } = await by.call('GET', `/v1/search?types=update&take=300&q=${q}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as { data: { id: number }[]; meta: { warnings?: string[]; pagination: { total_records: number } } };
};
const idsOf = async (q: string, by?: TestAtrium) => (await found(q, by)).data.map(({ id }) => id);

test('what is committed late is found, also when later changes were taken up before', async () => {
  await atrium.drain();
  const late = await atrium.services.db.connect();
  await late.query('begin');
  const { rows } = await late.query(
    `insert into updates (organisation_id, text, html, creator_id, created_at, updated_at, list_class)
     values (1, 'tamarin late', '', 1, now(), now(), 0) returning id`,
  );
  const early = await create('tamarin early');
  const before = await idsOf('tamarin');
  const background = follow(tx, 0);
  await late.query('commit');
  late.release();
  await background;
  assert.deepEqual(before, [early]);
  assert.deepEqual((await idsOf('tamarin')).sort(), [rows[0]?.id, early].sort());
});

test('with more changes than a search waits for it says so, and the background takes them up', async () => {
  await atrium.rows(
    `insert into updates (organisation_id, text, html, creator_id, created_at, updated_at, list_class)
     select 1, 'gibbon ' || n, '', 1, now(), now(), 0 from generate_series(1, 700) n`,
  );
  const before = await found('gibbon');
  assert.match(before.meta.warnings?.[0] ?? '', /brought up to date/);
  await atrium.drain();
  const after = await found('gibbon');
  assert.deepEqual([after.meta.warnings, after.meta.pagination.total_records], [undefined, 300]);
});

test('it is built anew while searches and writes go on, stopped and continued on another node', async () => {
  const other = await atrium.secondNode();
  const one = await create('siamang one');
  await atrium.drain();
  const items = async () =>
    (await atrium.rows('select type, id, keys from search_items order by type, id')) as object[];
  const before = await items();
  await atrium.rows(`update search_items set keys = keys || 1 where id = ${one}`);
  await atrium.rows(
    `insert into search_items (organisation_id, type, id, sequence, generation, block, at, reach, places, keys)
     select organisation_id, type, id + 1000000, sequence, generation, block, at, reach, places, keys
     from search_items where type = 4 and organisation_id = 1 limit 5`,
  );
  await rebuild(tx);
  const begun = await howFar(tx);
  assert.ok(begun.total > 700 && begun.done === 0 && !begun.isDone);
  await follow(tx, 0);
  const halfway = await howFar(tx);
  assert.ok(halfway.done > 0 && halfway.done < halfway.total, JSON.stringify(halfway));
  assert.deepEqual(await idsOf('siamang', other), [one], 'found as it was');
  const two = await create('siamang two');
  assert.deepEqual((await idsOf('siamang')).sort(), [one, two], 'what is written meanwhile is found');
  await atrium.call('DELETE', `/v1/updates/${one}`);
  assert.deepEqual(await idsOf('siamang', other), [two]);
  const elsewhere = other.services.db.inOrganisation(1);
  await Promise.all([follow(tx), follow(elsewhere)]);
  while (!(await howFar(tx)).isDone) await follow(elsewhere);
  const after = await items();
  assert.equal(after.length, before.length, 'one is gone, one has come, what never was is gone');
});

test('an installation that had no index builds it by itself', async () => {
  for (const table of ['search_items', 'search_terms', 'search_blocks', 'search_state'])
    await atrium.rows(`delete from ${table}`);
  await atrium.drain();
  assert.equal((await found('gibbon')).meta.pagination.total_records, 300);
  const [{ due_at, built } = {}] = await atrium.rows(
    'select due_at, built from search_state where organisation_id = 1',
  );
  assert.deepEqual([due_at, built], [null, null]);
});
