// Two organisations of different size in one database, kept in bench/data for the next run.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClock } from '../server/kernel/clock.ts';
import { type Db, openDb, type Tx } from '../server/kernel/data/db.ts';
import { rebuildList } from '../server/kernel/data/list-blocks.ts';
import { migrate, readMigrations } from '../server/kernel/data/migrate.ts';
import { sql } from '../server/kernel/data/sql.ts';
import { postedList } from '../server/modules/content/lists.ts';
import { pagesList } from '../server/modules/pages/family.ts';
import { startEmbedded } from '../server/postgres/embedded.ts';
import { showProgress } from '../server/progress.ts';
import { seed } from '../server/seed.ts';
import { createKey, createOrganisation } from '../server/setup.ts';

export const data = process.env.ATRIUM_BENCH_DATA || join(import.meta.dirname, 'data');
const known = join(data, 'organisations.json');
const schema = join(data, 'migrations.txt');

const checksums = () =>
  readMigrations()
    .map(({ checksum }) => `${checksum}\n`)
    .join('');
/** New migrations are applied; one that was edited before its release needs a database made anew. */
const isOutdated = () => !existsSync(schema) || !checksums().startsWith(readFileSync(schema, 'utf8'));

export interface Organisation {
  rows: number;
  organisation_id: number;
  api_key: string;
  author_id: number;
  /** Sees what was posted to public spaces, 40 % of all updates. */
  narrow_key: string;
}
export interface Bench {
  url: string;
  postgres: string;
  organisations: Organisation[];
  /** Takes the pages away that were created since the seed. */
  restore(organisation: Organisation): Promise<void>;
  close(): Promise<void>;
}

export async function openBench(sizes: readonly number[]): Promise<Bench> {
  if (existsSync(known) && isOutdated()) rmSync(data, { recursive: true });
  mkdirSync(data, { recursive: true });
  const embedded = await startEmbedded({ data_dir: data, port: 5799 });
  const db = openDb({ url: embedded.url, clock: createClock(), connections: 2, onIdleError: () => {} });
  try {
    await migrate(db);
    writeFileSync(schema, checksums());
    const organisations: Organisation[] = [];
    for (const rows of sizes) organisations.push(await organisationOf(db, rows));
    const [version] = await db.installation.rows<{ server_version: string }>('show server_version');
    return {
      url: embedded.url,
      postgres: version?.server_version ?? '',
      organisations,
      restore: (organisation) => restore(db, organisation),
      async close() {
        await db.close();
        await embedded.stop();
      },
    };
  } catch (error) {
    await db.close();
    await embedded.stop();
    throw error;
  }
}

async function organisationOf(db: Db, rows: number): Promise<Organisation> {
  const stored: Organisation[] = existsSync(known) ? JSON.parse(readFileSync(known, 'utf8')) : [];
  const found = stored.find((one) => one.rows === rows);
  if (found) return found;
  const clock = createClock();
  const domain = `bench-${rows}-${clock.micros()}.localhost`;
  const { organisation_id, api_key } = await createOrganisation(db, { name: `Bench ${rows}`, domain });
  const began = performance.now();
  const progress = await showProgress('seeding', 2 * rows);
  const onProgress = (done: number) => progress.update(done);
  await seed(db, clock, { organisation_id, users: rows, pages: rows, global_share: 1, onProgress });
  progress.stop();
  process.stderr.write(`seeded ${rows} in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
  const author = await db
    .inOrganisation(organisation_id)
    .row<{ id: number }>(sql`select service_user_id as id from apps where organisation_id = $1`);
  const author_id = author?.id ?? 0;
  const narrow_key = await postUpdates(db, db.inOrganisation(organisation_id), rows, author_id);
  const organisation = { rows, organisation_id, api_key, author_id, narrow_key };
  writeFileSync(known, JSON.stringify([...stored, organisation], null, 1));
  return organisation;
}

/** As many updates as rows, 200 in each space; two of five spaces are public, the others private. */
async function postUpdates(db: Db, tx: Tx, rows: number, author_id: number): Promise<string> {
  await tx.transaction(async (inside) => {
    await inside.rows(sql`select set_config('statement_timeout', '0', true) where $1 > 0`);
    await inside.rows(sql`
      insert into spaces (organisation_id, external_id, name, visibility, created_at, updated_at)
      select $1, 'BENCH-' || n, 'Space ' || n, case when n % 5 < 2 then 'public' else 'private' end, now(), now()
      from generate_series(1, ${rows / 200}::int) n`);
    await inside.rows(sql`
      with posted as (
        insert into updates (
          organisation_id, external_id, text, html, audience_type, creator_id, created_at, updated_at, list_class)
        select $1, n::text, repeat('What happened in store ' || n || ' today. ', 6),
          '<p>' || repeat('What happened in store ' || n || ' today. ', 6) || '</p>', 'spaces', ${author_id}::bigint,
          now() - make_interval(secs => n), now(), case when (n % ${rows / 200}::int + 1) % 5 < 2 then 1 else 2 end
        from generate_series(1, ${rows}::int) n returning id, external_id::int as n)
      insert into update_audiences (organisation_id, update_id, space_id)
      select $1, posted.id, s.id
      from posted
      join spaces s on s.organisation_id = $1 and s.external_id = 'BENCH-' || (posted.n % ${rows / 200}::int + 1)`);
  });
  await rebuildList(tx, postedList('update'));
  // As autovacuum leaves it.
  await db.installation.rows('vacuum (analyze) spaces, updates, update_audiences, list_blocks, list_totals');
  const app = await tx.row<{ id: number }>(sql`select id from apps where organisation_id = $1 limit 1`);
  const { api_key } = await createKey(tx, app?.id ?? 0, 'Public updates', ['updates.*.read']);
  return api_key;
}

async function restore(db: Db, { organisation_id, author_id }: Organisation) {
  const tx = db.inOrganisation(organisation_id);
  await tx.rows(sql`delete from pages where organisation_id = $1 and creator_id = ${author_id}`);
  await tx.rows(sql`delete from outbox where organisation_id = $1`);
  await rebuildList(tx, pagesList);
  await db.installation.rows('vacuum (analyze) pages, outbox, list_changes, list_blocks, list_totals');
}
