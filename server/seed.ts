// A made-up company of any size, to try Atrium at size. Everything is computed from a row's number, so the same call
// makes the same rows; only ids and the moment from which dates count back differ. Rows stream into COPY as they are
// made, in one transaction: a run that is cut off leaves nothing. No events are written.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Clock, isoOfMicros } from './kernel/clock.ts';
import type { Db } from './kernel/data/db.ts';
import { rebuildList } from './kernel/data/list-blocks.ts';
import { slugOf } from './modules/content/slug.ts';
import { lists } from './modules.ts';
import { fraction, htmlOf, pick, sentences, vocabulary } from './world/made-up.ts';
import { postTables, seedPosts } from './world/posts.ts';

export interface Seeding {
  organisation_id: number;
  /** People to add, at least one. */
  users: number;
  /** Pages to add. */
  pages: number;
  /** Updates, articles, kudos and events to add, with comments and likes. */
  posts?: number;
  /** Share of the pages that are global; the rest is spread over the spaces. */
  global_share?: number;
  onProgress?: (done: number, total: number) => void;
}

const MINUTE = 60_000_000;
const YEAR = 365 * 24 * 60 * MINUTE;
/** External ids of seeded pages start here, away from what people number by hand. */
const PAGE_NUMBERS = 1_000_000_000;
const BIG_TABLES = 'users, teams, team_members, spaces, space_members, pages, list_blocks, list_totals, list_changes';
const toMinute = (micros: number) => isoOfMicros(Math.floor(micros / MINUTE) * MINUTE);

/** Adds to what is there: numbers go on after the highest of an earlier run. */
export async function seed(
  db: Db,
  clock: Clock,
  { organisation_id, users, pages, posts = 0, global_share = 0.5, onProgress }: Seeding,
) {
  const client = await db.connect();
  const now = clock.micros();
  const total = users + pages + posts;
  let done = 0;
  const step = () => ++done % 1000 === 0 && onProgress?.(done, total);
  /** Each column of a row is made of its number. */
  const load = (table: string, count: number, columns: Record<string, (n: number) => unknown>, isCounted = false) =>
    pipeline(
      Readable.from(copyText(count, [() => organisation_id, ...Object.values(columns)], isCounted ? step : () => {}), {
        objectMode: true,
        highWaterMark: 2,
      }),
      client.query(copyFrom(`copy ${table} (organisation_id, ${Object.keys(columns).join(', ')}) from stdin`)),
    );
  const written = { created_at: () => toMinute(now), updated_at: () => toMinute(now) };

  try {
    await client.query('set statement_timeout = 0');
    await client.query('begin');
    const first = await firstFree(client, organisation_id);

    const people = await reserve(client, 'users', users);
    const spaces = await reserve(client, 'spaces', Math.ceil(users / 200));
    const teams = await reserve(client, 'teams', Math.ceil(users / 50));
    const isActive = (n: number) => n % 50 !== 49 || n < spaces.length;
    const isFrontline = (n: number) => (first.user + n) % 3 === 0;
    const given = (n: number) => pick(vocabulary.givenNames, first.user + n, 1);
    const family = (n: number) => pick(vocabulary.familyNames, first.user + n, 2);
    const hired = (n: number) => toMinute(now - fraction(first.user + n, 3) * 10 * YEAR);
    const titles = (n: number) => (isFrontline(n) ? vocabulary.frontlineTitles : vocabulary.officeTitles);
    await load(
      'users',
      users,
      {
        id: (n) => people[n],
        external_id: (n) => `SEED-${first.user + n}`,
        email: (n) => `${slugOf(given(n))}.${slugOf(family(n))}.${first.user + n}@seed.example`,
        first_name: given,
        last_name: family,
        job_title: (n) => pick(titles(n), first.user + n, 4),
        timezone: (n) => pick(vocabulary.timezones, first.user + n, 5),
        locale: (n) => pick(vocabulary.locales, first.user + n, 6),
        hire_date: (n) => hired(n).slice(0, 10),
        manager_id: (n) => (n === 0 ? null : people[Math.floor((n - 1) / 8)]),
        is_frontline: isFrontline,
        is_active: isActive,
        created_at: hired,
        updated_at: hired,
      },
      true,
    );

    const types: number[] = [];
    for (const name of vocabulary.teamTypes)
      types.push(await ensureTeamType(client, organisation_id, name, toMinute(now)));
    await load('teams', teams.length, {
      id: (n) => teams[n],
      external_id: (n) => `SEED-${first.team + n}`,
      name: (n) => `${pick(vocabulary.topics, first.team + n, 7)} ${first.team + n}`,
      team_type_id: (n) => types[(first.team + n) % types.length],
      ...written,
    });
    const member = {
      user_id: (n: number) => people[n],
      list_class: (n: number) => (isActive(n) ? 0 : 1),
      created_at: written.created_at,
    };
    await load('team_members', users, { team_id: (n) => teams[n % teams.length], ...member });

    const topic = (n: number) => pick(vocabulary.topics, first.space + n, 8);
    const visibility = (number: number) => (number % 10 === 0 ? 'hidden' : number % 5 === 0 ? 'private' : 'public');
    await load('spaces', spaces.length, {
      id: (n) => spaces[n],
      external_id: (n) => `SEED-${first.space + n}`,
      name: (n) => `${topic(n)} ${first.space + n}`,
      description: (n) => `All about ${topic(n).toLowerCase()}.`,
      visibility: (n) => visibility(first.space + n),
      ...written,
    });
    const role = (n: number) => (n < spaces.length ? 'owner' : 'member');
    await load('space_members', users, { space_id: (n) => spaces[n % spaces.length], role, ...member });

    const title = (n: number) => {
      const number = first.page + n;
      return `${pick(vocabulary.topics, number, 9)}: ${pick(vocabulary.subjects, number, 10)} ${number - PAGE_NUMBERS}`;
    };
    // Oldest first, as a company writes, but for what was written late; a few share a minute.
    const age = (n: number) => ((pages - n + 20 * fraction(first.page + n, 11)) / (pages + 20)) * 3 * YEAR;
    const isGlobal = (n: number) => fraction(first.page + n, 12) < global_share;
    await load(
      'pages',
      pages,
      {
        external_id: (n) => first.page + n,
        space_id: (n) => (isGlobal(n) ? null : pick(spaces, first.page + n, 13)),
        title,
        subtitle: (n) => pick(sentences, first.page + n, 14),
        html_content: (n) => htmlOf(first.page + n),
        slug: (n) => slugOf(title(n)),
        page_edition: (n) => ((first.page + n) % 10 === 0 ? 'builder' : 'classic'),
        is_draft: (n) => (first.page + n) % 50 === 0,
        creator_id: (n) => pick(people, first.page + n, 15),
        created_at: (n) => isoOfMicros(Math.floor((now - age(n)) / (10 * MINUTE)) * 10 * MINUTE),
        updated_at: written.updated_at,
      },
      true,
    );
    await seedPosts(
      {
        now,
        people,
        spaces,
        visibilityOf: (space) => visibility(first.space + space),
        first: (table) => firstAfter(client, organisation_id, table),
        reserve: (table, count) => reserve(client, table, count),
        load,
      },
      posts,
    );
    await client.query('commit');
    const tx = db.inOrganisation(organisation_id);
    for (const list of lists) await rebuildList(tx, list);
    // Index-only scans need the visibility map.
    await client.query(`vacuum (analyze) ${[BIG_TABLES, ...postTables].join(', ')}`);
    onProgress?.(total, total);
  } finally {
    // Closing the connection rolls back what was not committed, and gives its settings back.
    client.release(true);
  }
}

const after = (table: string) =>
  `(select coalesce(max(substring(external_id from 6)::bigint), 0) + 1 from ${table}
    where organisation_id = $1 and external_id ~ '^SEED-[0-9]{1,15}$')`;
const firstAfter = async (client: pg.PoolClient, organisation_id: number, table: string) =>
  (await client.query<{ first: number }>(`select ${after(table)} as first`, [organisation_id])).rows[0]?.first ?? 1;
async function firstFree(client: pg.PoolClient, organisation_id: number) {
  const { rows } = await client.query<Record<'user' | 'team' | 'space' | 'page', number>>(
    `select ${after('users')} as user, ${after('teams')} as team, ${after('spaces')} as space,
      (select coalesce(max(external_id), ${PAGE_NUMBERS}) + 1 from pages
       where organisation_id = $1 and external_id between ${PAGE_NUMBERS} and ${2 * PAGE_NUMBERS}) as page`,
    [organisation_id],
  );
  return rows[0] as (typeof rows)[0];
}

/** Ids of rows to come, so that rows can refer to one another before they are stored. */
async function reserve(client: pg.PoolClient, table: string, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const { rows } = await client.query<{ id: number }>(
      `select nextval(pg_get_serial_sequence($1, 'id')) as id from generate_series(1, $2)`,
      [table, Math.min(count - ids.length, 10_000)],
    );
    for (const { id } of rows) ids.push(id);
  }
  return ids;
}

async function ensureTeamType(
  client: pg.PoolClient,
  organisation_id: number,
  name: string,
  at: string,
): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `with added as (
       insert into team_types (organisation_id, name, created_at)
       values ($1, $2, $3) on conflict do nothing returning id)
     select id from added
     union all
     select id from team_types where organisation_id = $1 and lower(name) = lower($2)`,
    [organisation_id, name, at],
  );
  return rows[0]?.id ?? 0;
}

const CHUNK_CHARACTERS = 256 * 1024;
/** Rows in COPY's text format. */
function* copyText(count: number, columns: ((n: number) => unknown)[], made: () => unknown): Generator<string> {
  let text = '';
  for (let n = 0; n < count; n++, made()) {
    text += `${columns.map((column) => field(column(n))).join('\t')}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text) yield text;
}
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const field = (value: unknown) =>
  value === null ? '\\N' : String(value).replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? '');
