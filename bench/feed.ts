// The home feed of a person in 40 spaces: in an organisation of a thousand posts beside one of a million in 5,000
// spaces, in one run, with requests that alternate.
//   node server/bin/launch.mjs bench/feed.ts        ATRIUM_BENCH_ROWS=1000000 posts (default)
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../server/kernel/clock.ts';
import { type Db, openDb } from '../server/kernel/data/db.ts';
import { rebuildList } from '../server/kernel/data/list-blocks.ts';
import { migrate } from '../server/kernel/data/migrate.ts';
import { plurals, postedNouns } from '../server/modules/content/contract.ts';
import { lists } from '../server/modules.ts';
import { startEmbedded } from '../server/postgres/embedded.ts';
import { createOrganisation } from '../server/setup.ts';
import { start } from './servers.ts';

const large = Number(process.env.ATRIUM_BENCH_ROWS || 1_000_000);
const [MEMBERSHIPS, ROUNDS] = [40, 300];
const paths = [
  '/v1/feed?take=20',
  '/v1/feed?take=20&sort=relevant',
  '/v1/updates?take=20',
  '/v1/activity?take=50',
  '/v1/activity?take=50&types=update',
];
const say = (line: string) => process.stdout.write(`${line}\n`);
const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;

/** Columns of each noun beside those that posts share, and their values; `n` is the row's number. */
const html = `repeat('<p>Every store keeps the plan open.</p>', 10)`;
const text = { columns: 'text, html', values: `'Post ' || n, ${html}` };
const own: Record<string, { columns: string; values: string }> = {
  update: text,
  kudos: text,
  article: {
    columns: 'title, html_content, slug, published_at',
    values: `'Post ' || n, ${html}, 'post-' || n, at`,
  },
  event: {
    columns: 'title, starts_at, ends_at, timezone',
    values: `'Post ' || n, at + interval '1 day', at + interval '25 hours', 'UTC'`,
  },
};

/** A tenth is for everybody, the rest for one space each; of three spaces one is public. */
async function fill(db: Db, organisation_id: number, posts: number, spaces: number): Promise<string> {
  const client = await db.connect();
  const run = (text: string, ...values: unknown[]) => client.query(text, [organisation_id, ...values]);
  const found = await run('select id from users where organisation_id = $1 order by id');
  const [person, author] = found.rows.map(({ id }) => id) as [number, number];
  await client.query('set statement_timeout = 0');
  await run(
    `insert into spaces (organisation_id, name, visibility, created_at, updated_at)
     select $1, 'Space ' || n, case when n % 3 = 0 then 'public' else 'private' end, now(), now()
     from generate_series(1, $2::integer) n`,
    spaces,
  );
  for (const noun of postedNouns) {
    const [table, { columns, values }] = [plurals[noun], own[noun] as (typeof own)[string]];
    await run(
      `insert into ${table} (organisation_id, creator_id, created_at, updated_at, audience_type, list_class, ${columns})
       select $1, $4::bigint, at, at, case when n % 10 = 0 then 'Global' else 'spaces' end,
         case when n % 10 = 0 then 0 when place % 3 = 0 then 1 else 2 end, ${values}
       from generate_series(1, $2::integer) n
       cross join lateral (select now() - n * interval '1 minute' as at, n % $3::integer + 1 as place) m order by n`,
      ...[Math.floor(posts / postedNouns.length), spaces, author],
    );
    await run(
      `insert into ${noun}_audiences (organisation_id, ${noun}_id, space_id, posted_at)
       select $1, t.id, s.id, t.created_at
       from (select t.*, row_number() over (order by id) as n from ${table} t where organisation_id = $1) t
       join (select id, row_number() over (order by id) as place from spaces where organisation_id = $1) s
         on s.place = t.n % $2::integer + 1
       where t.audience_type = 'spaces'`,
      spaces,
    );
    await run(
      `insert into comments (organisation_id, kind, content_id, text, creator_id, created_at, updated_at)
       select $1, '${noun}', id, 'Yes.', creator_id, created_at, created_at from ${table} where organisation_id = $1`,
    );
  }
  await run(
    `insert into space_members (organisation_id, space_id, user_id, created_at)
     select $1, id, $2::bigint, now() from (
       select id, row_number() over (order by id) as n from spaces where organisation_id = $1) s
     where n % ($3::integer / ${MEMBERSHIPS}) = 0`,
    person,
    spaces,
  );
  await run(`update users set roles = '{user}' where organisation_id = $1`);
  const secret = randomBytes(32).toString('base64url');
  await run(
    `insert into sessions
       (organisation_id, user_id, secret_sha256, csrf_token, ip_address, user_agent, created_at, last_seen_at)
     values ($1, $2, $3, '', '', '', now(), now())`,
    person,
    createHash('sha256').update(secret).digest('hex'),
  );
  client.release();
  for (const list of lists) await rebuildList(db.inOrganisation(organisation_id), list);
  return `atrium_session=${organisation_id}.${secret}`;
}

const data_dir = mkdtempSync(join(tmpdir(), 'atrium-bench-feed-'));
const embedded = await startEmbedded({ data_dir, port: 5898 });
try {
  const db = openDb({ url: embedded.url, clock: createClock(), connections: 2, onIdleError: () => {} });
  await migrate(db);
  const cookies: string[] = [];
  for (const [posts, spaces] of [
    [1000, MEMBERSHIPS],
    [large, 5000],
  ] as const) {
    const domain = `bench-${posts}.localhost`;
    const { organisation_id } = await createOrganisation(db, { name: domain, domain });
    cookies.push(await fill(db, organisation_id, posts, spaces));
    say(`${posts} posts in ${spaces} spaces`);
  }
  await db.installation.rows('analyze');
  await db.close();
  const server = await start('atrium', embedded.url, { path: '/v1/feed', headers: { cookie: cookies[0] as string } });
  try {
    const timed = async (path: string, cookie: string) => {
      const began = performance.now();
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { cookie } });
      const body = await response.text();
      if (!response.ok) throw new Error(`${path}: ${response.status} ${body}`);
      return performance.now() - began;
    };
    say(`\nMilliseconds, medians of ${ROUNDS}.\n\n| request | 1 thousand | ${large} | ratio |\n|---|---|---|---|`);
    for (const path of paths) {
      const found: number[][] = [[], []];
      for (let n = 0; n < ROUNDS + 20; n++)
        for (const [of, cookie] of cookies.entries()) {
          const ms = await timed(path, cookie);
          if (n >= 20) found[of]?.push(ms);
        }
      const [small = 0, big = 0] = found.map(median);
      say(`| ${path} | ${small.toFixed(2)} | ${big.toFixed(2)} | ${(big / small).toFixed(2)} |`);
    }
  } finally {
    await server.stop();
  }
} finally {
  await embedded.stop();
  rmSync(data_dir, { recursive: true });
}
