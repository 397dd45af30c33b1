import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { BLOCK_ROWS } from './kernel/data/listing.ts';
import { seed } from './seed.ts';
import { startAtrium, world } from './testing/atrium.ts';
import { PASSWORD } from './testing/world.ts';

const atrium = await startAtrium();
const { organisation_id, api_key } = world.contoso;
const call = (method: string, path: string, json?: unknown) =>
  atrium.call(method, path, { key: api_key, service_id: organisation_id, ...(json === undefined ? {} : { json }) });
const seeded = (users: number, pages: number, more: object = {}) =>
  seed(atrium.services.db, atrium.clock, { organisation_id, users, pages, ...more });

const PEOPLE = 9000;
const GLOBAL = 'space_id is null order by created_at desc, id desc';
let busy_space = 0;

before(async () => {
  await seeded(PEOPLE, 24_000);
  // A second run goes on where the first one ended; its pages are nearly all in its one space.
  await seeded(200, 12_000, { global_share: 0.1, posts: 2000 });
  [{ id: busy_space }] = (await atrium.rows<{ id: number }>(
    'select max(id) as id from spaces where organisation_id = $1',
    [organisation_id],
  )) as [{ id: number }];
});

/** The same sequence in every run, so that a failure can be repeated. */
let state = 42;
const below = (bound: number) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state % bound;
};
const inTurns = async <T>(items: readonly T[], work: (item: T) => Promise<void>) => {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const item of queue) await work(item);
    }),
  );
};
const idsOf = async (table: string, condition: string) =>
  (
    await atrium.rows<{ id: number }>(`select id from ${table} where organisation_id = $1 and ${condition}`, [
      organisation_id,
    ])
  ).map(({ id }) => id);

/** Slices at the ends, around every block's edge and at random offsets are the rows that OFFSET gives. */
async function assertSlices(path: string, table: string, condition: string, read = call) {
  const expected = await idsOf(table, condition);
  const blocks = await atrium.rows<{ rows: number }>(
    `select sum(c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7) over (order by from_at desc, from_id desc)::int as rows
     from list_blocks where organisation_id = $1 and list = $2 and bucket = $3`,
    [organisation_id, table, Number(/space_id = (\d+)/.exec(condition)?.[1] ?? 0)],
  );
  const edges = blocks.flatMap(({ rows }) => [rows - 1, rows, rows + 1]).filter((skip) => skip >= 0 && below(4) === 0);
  const random = Array.from({ length: 10 }, () => below(expected.length));
  await inTurns(
    [0, expected.length - 1, expected.length, expected.length + 5000, Number.MAX_SAFE_INTEGER, ...edges, ...random],
    async (skip) => {
      const { body } = await read('GET', `${path}${path.includes('?') ? '&' : '?'}skip=${skip}&take=9`);
      assert.equal(body.meta.pagination.total_records, expected.length, `${path} total at ${skip}`);
      assert.deepEqual(
        body.data.map(({ id }: { id: number }) => id),
        expected.slice(skip, skip + 9),
        `${path} skip=${skip}`,
      );
    },
  );
  return expected;
}
const busy = () => `space_id = ${busy_space} order by created_at desc, id desc`;
async function assertPages() {
  await assertSlices(`/v1/pages?space_id=${busy_space}`, 'pages', busy());
  await assertSlices('/v1/pages?page_edition=classic', 'pages', `page_edition = 'classic' and ${GLOBAL}`);
  return assertSlices('/v1/pages', 'pages', GLOBAL);
}
const create = async (fields: object) => {
  const reply = await call('POST', '/v1/pages', { title: 'New', html_content: '<p>n</p>', ...fields });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
};
const remove = async (id: number) => assert.equal((await call('DELETE', `/v1/pages/${id}`)).status, 200);

test(`a seeded organisation has as many people, teams, spaces and pages as asked for, \
and every list ends where it should`, async () => {
  const counts = { people: PEOPLE + 200, teams: PEOPLE / 50 + 4, spaces: PEOPLE / 200 + 1 };
  const people = await assertSlices('/v1/users?is_active=all', 'users', `kind = 'person' order by id`);
  assert.equal(people.length, counts.people + 1, 'the admin was there before');
  const active = await assertSlices('/v1/users', 'users', `kind = 'person' and is_active order by id`);
  assert.ok(active.length < people.length && active.length > 4 * BLOCK_ROWS);
  assert.equal((await assertSlices('/v1/teams', 'teams', 'true order by id')).length, counts.teams);
  assert.equal((await assertSlices('/v1/spaces', 'spaces', 'true order by id')).length, counts.spaces);
  const [pages] = await atrium.rows(
    'select count(*)::int as count, count(distinct external_id)::int as numbers from pages where organisation_id = $1',
    [organisation_id],
  );
  assert.deepEqual(pages, { count: 36_000, numbers: 36_000 });
  const members = await call('GET', `/v1/spaces/${busy_space}/users`);
  assert.equal(members.body.meta.pagination.total_records, 196, 'active members');
  const [orphans] = await atrium.rows(
    'select count(*)::int as count from users where organisation_id = $1 and manager_id is null',
    [organisation_id],
  );
  assert.equal(orphans?.count, 4, 'admin, service account and the top of each run');
});

test('posts have authors, answers and likes, and every list and counter agrees', async () => {
  const total = async (path: string) => (await call('GET', path)).body.meta.pagination.total_records;
  const counts = { updates: 800, articles: 400, kudos: 400, events: 400 };
  for (const [table, count] of Object.entries(counts)) {
    assert.equal(await total(`/v1/${table}?take=1`), count, table);
    const [busy] = await atrium.rows<{ id: number; likes_count: number; comments_count: number }>(
      `select id, likes_count, comments_count from ${table}
       where organisation_id = $1 order by likes_count * comments_count desc, id limit 1`,
      [organisation_id],
    );
    assert.ok(busy && busy.likes_count > 2 && busy.comments_count > 1);
    const { body } = await call('GET', `/v1/${table}/${busy.id}/comments`);
    assert.equal(body.data.length, busy.comments_count);
    assert.match(body.data[0].creator.external_id, /^SEED-/);
    assert.equal(await total(`/v1/${table}/${busy.id}/likes`), busy.likes_count);
  }
  const [kudos] = (await call('GET', '/v1/kudos?take=1')).body.data;
  assert.notEqual(kudos.recipients.users[0].id, kudos.creator.id);
});

test('deep skips of a seeded list are exact', async () => {
  const global = await assertPages();
  assert.ok(global.length > 6 * BLOCK_ROWS);
  const [ties] = await atrium.rows(
    `select count(*)::int as count from (
       select from pages where organisation_id = $1 and space_id is null
       group by created_at having count(*) > 1) t`,
    [organisation_id],
  );
  assert.ok(Number(ties?.count) > 100, 'pages of one moment are ordered by id');
});

test('deep skips are exact for a person, whose list has limited audiences in between and no drafts', async () => {
  const [mine, other] = (await atrium.rows<{ team_id: number; user_id: number; email: string }>(
    `select distinct on (m.user_id) m.team_id, m.user_id, u.email
     from team_members m join users u on u.organisation_id = $1 and u.id = m.user_id
     where m.organisation_id = $1 and u.is_active and u.kind = 'person' and u.external_id like 'SEED%'
     order by m.user_id limit 2`,
    [organisation_id],
  )) as [{ team_id: number; user_id: number; email: string }, { team_id: number }];
  const dates = await atrium.rows<{ at: string; n: number }>(
    `select iso(created_at) as at, (row_number() over ())::int as n from pages
     where organisation_id = $1 and id % 200 = 7 limit 100`,
    [organisation_id],
  );
  await inTurns(dates, ({ at, n }) =>
    create({ created_at: at, audience: { type: 'teams', teams: [n % 2 ? mine.team_id : other.team_id] } }),
  );
  await atrium.rows(
    `update users set password_hash = (select password_hash from users where organisation_id = 1 and id = 1)
     where id = $1`,
    [mine.user_id],
  );
  const json = { email: mine.email, password: PASSWORD };
  const cookie = (
    await atrium.call('POST', '/v1/sessions', { key: null, service_id: organisation_id, json })
  ).headers.get('set-cookie');
  const headers = { cookie: cookie?.split(';')[0] ?? '' };
  const seen = `not is_draft and (audience_type = 'Global' or exists (
    select from page_audiences a
    join team_members m on m.organisation_id = $1 and m.team_id = a.team_id and m.user_id = ${mine.user_id}
    where a.organisation_id = $1 and a.page_id = pages.id))`;
  const listed = await assertSlices('/v1/pages', 'pages', `${seen} and ${GLOBAL}`, (method, path) =>
    atrium.call(method, path, { key: null, service_id: null, headers }),
  );
  const all = (await idsOf('pages', GLOBAL)).length;
  assert.ok(listed.length > 6 * BLOCK_ROWS && listed.length < all - 50, `${listed.length} of ${all}`);
});

test('deep skips stay exact under creates, deletes and moves, before and after they are summed up', async () => {
  for (let round = 0; round < 2; round++) {
    const global = await idsOf('pages', GLOBAL);
    const dates = await atrium.rows<{ at: string }>(
      `select iso(created_at) as at from pages where organisation_id = $1 and id % 50 = $2 limit 60`,
      [organisation_id, round],
    );
    // Among the old ones, at their very moments, and as the newest.
    await inTurns(dates, ({ at }) => create({ created_at: at }));
    await inTurns(dates, ({ at }) => create({ created_at: at, space_id: busy_space, page_edition: 'builder' }));
    await inTurns(Array.from({ length: 50 }), () => create({ is_draft: below(2) }));
    const doomed = new Set(Array.from({ length: 80 }, () => global[below(global.length)] as number));
    await inTurns([...doomed], remove);
    const moving = global.filter((id) => !doomed.has(id) && below(120) === 0);
    await inTurns(moving, async (id) => {
      const moved = await call('PUT', `/v1/pages/${id}`, {
        title: 'Moved',
        html_content: '<p>m</p>',
        space_id: busy_space,
        is_draft: below(2),
        page_edition: 'classic',
      });
      assert.equal(moved.status, 200);
    });
    await assertPages();
    await atrium.drain();
    assert.deepEqual(await atrium.rows('select from list_changes'), [], 'everything was summed up');
    await assertPages();
  }
});

test('a block that grew is split, one that was emptied is passed over', async () => {
  const countBlocks = async () =>
    (
      await atrium.rows(`select from list_blocks where organisation_id = $1 and list = 'pages' and bucket = 0`, [
        organisation_id,
      ])
    ).length;
  const blocks = await countBlocks();
  const [middle] = await atrium.rows<{ at: string }>(
    `select iso(created_at) as at from pages where organisation_id = $1 and ${GLOBAL} offset 7000 limit 1`,
    [organisation_id],
  );
  await inTurns(Array.from({ length: BLOCK_ROWS + 500 }), () => create({ created_at: middle?.at }));
  await assertPages();
  await atrium.drain();
  assert.ok((await countBlocks()) > blocks);
  const global = await assertPages();

  // The smallest block between two others is what the split left over.
  const [smallest] = await atrium.rows<{ start: number; rows: number }>(
    `select * from (
       select rows, sum(rows) over (order by from_at desc, from_id desc)::int - rows as start,
         lead(rows) over (order by from_at desc, from_id desc) as next
       from (
         select from_at, from_id, (c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7)::int as rows from list_blocks
         where organisation_id = $1 and list = 'pages' and bucket = 0) b
     ) s where start > 0 and next > 0 order by rows limit 1`,
    [organisation_id],
  );
  assert.ok(smallest && smallest.rows > 0);
  await inTurns(global.slice(smallest.start, smallest.start + smallest.rows), remove);
  await assertPages();
  await atrium.drain();
  const [emptied] = await atrium.rows(
    `select count(*)::int as count from list_blocks
     where organisation_id = $1 and list = 'pages' and bucket = 0
       and c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7 = 0`,
    [organisation_id],
  );
  assert.ok(Number(emptied?.count) > 0);
  await assertPages();
});

test('totals are exact at every moment while two nodes write and sum up', async () => {
  const other = await atrium.secondNode();
  let writing = true;
  const summing = [atrium, other].map(async ({ drain }) => {
    while (writing) await drain();
  });
  const wrong: unknown[] = [];
  const watching = (async () => {
    while (writing)
      wrong.push(
        ...(await atrium.rows(
          `select * from (
             select (select count(*) from pages where organisation_id = $1 and space_id is null) as pages,
               (select sum(c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7) from list_blocks
                where organisation_id = $1 and list = 'pages' and bucket = 0)
               + (select coalesce(sum(change), 0) from list_changes
                  where organisation_id = $1 and list = 'pages' and bucket = 0) as counted) s
           where pages <> counted`,
          [organisation_id],
        )),
      );
  })();
  const global = await idsOf('pages', GLOBAL);
  await inTurns(global.slice(0, 80), async (id) => {
    await create({});
    await remove(id);
    await create({});
  }).finally(() => {
    writing = false;
  });
  await Promise.all([...summing, watching]);
  assert.deepEqual(wrong, []);
  await atrium.drain();
  await assertPages();
});
