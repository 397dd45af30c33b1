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
import { slugOf } from './kernel/text/slug.ts';
import { lists } from './modules.ts';

export interface Seeding {
  organisation_id: number;
  /** People to add, at least one. */
  users: number;
  /** Pages to add. */
  posts: number;
  /** Share of the pages that are global; the rest is spread over the spaces. */
  global_share?: number;
  onProgress?: (done: number, total: number) => void;
}

const MINUTE = 60_000_000;
const YEAR = 365 * 24 * 60 * MINUTE;
/** External ids of seeded pages start here, away from what people number by hand. */
const PAGE_NUMBERS = 1_000_000_000;
const BIG_TABLES = 'users, teams, team_members, spaces, space_members, pages, list_blocks, list_totals, list_changes';

/** Adds to what is there: numbers go on after the highest of an earlier run. */
export async function seed(
  db: Db,
  clock: Clock,
  { organisation_id, users, posts, global_share = 0.5, onProgress }: Seeding,
) {
  const client = await db.connect();
  const now = clock.micros();
  const moment = (micros: number) => isoOfMicros(Math.floor(micros / MINUTE) * MINUTE);
  const total = users + posts;
  let done = 0;
  const step = () => ++done % 1000 === 0 && onProgress?.(done, total);
  const load = (table: string, columns: string, rows: Iterable<unknown[]>) =>
    pipeline(
      Readable.from(chunks(organisation_id, rows), { objectMode: true, highWaterMark: 2 }),
      client.query(copyFrom(`copy ${table} (organisation_id, ${columns}) from stdin`)),
    );
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);

  try {
    await client.query('set statement_timeout = 0');
    await client.query('begin');
    const first = await firstFree(client, organisation_id);

    const people = await reserve(client, 'users', users);
    const spaceIds = await reserve(client, 'spaces', Math.ceil(users / 200));
    const isActive = (n: number) => n % 50 !== 49 || n < spaceIds.length;
    await load(
      'users',
      'id, external_id, email, first_name, last_name, job_title, timezone, locale, hire_date, manager_id, ' +
        'is_frontline, is_active, created_at, updated_at',
      (function* () {
        for (let n = 0; n < users; n++, step()) {
          const number = first.user + n;
          const [given, family] = [pick(givenNames, number, 1), pick(familyNames, number, 2)];
          const hired = now - fraction(number, 3) * 10 * YEAR;
          const manager = n === 0 ? null : people[Math.floor((n - 1) / 8)];
          const is_frontline = number % 3 === 0;
          yield [
            people[n],
            `SEED-${number}`,
            `${slugOf(given)}.${slugOf(family)}.${number}@seed.example`,
            given,
            family,
            pick(is_frontline ? frontlineTitles : officeTitles, number, 4),
            pick(timezones, number, 5),
            pick(locales, number, 6),
            moment(hired).slice(0, 10),
            manager,
            is_frontline,
            isActive(n),
            moment(hired),
            moment(hired),
          ];
        }
      })(),
    );

    const types: number[] = [];
    for (const name of teamTypes) types.push(await ensureTeamType(client, organisation_id, name, moment(now)));
    const teams = await reserve(client, 'teams', Math.ceil(users / 50));
    await load(
      'teams',
      'id, external_id, name, team_type_id, created_at, updated_at',
      teams.map((id, n) => {
        const number = first.team + n;
        return [
          id,
          `SEED-${number}`,
          `${pick(topics, number, 7)} ${number}`,
          types[number % types.length],
          moment(now),
          moment(now),
        ];
      }),
    );
    const memberOf = (groups: readonly number[], role?: string) => (n: number) => [
      groups[n % groups.length],
      people[n],
      ...(role === undefined ? [] : [n < groups.length ? 'owner' : role]),
      isActive(n) ? 0 : 1,
      moment(now),
    ];
    await load(
      'team_members',
      'team_id, user_id, list_class, created_at',
      numbers(users).values().map(memberOf(teams)),
    );

    await load(
      'spaces',
      'id, external_id, name, description, visibility, created_at, updated_at',
      spaceIds.map((id, n) => {
        const number = first.space + n;
        const topic = pick(topics, number, 8);
        const visibility = number % 10 === 0 ? 'hidden' : number % 5 === 0 ? 'private' : 'public';
        return [
          id,
          `SEED-${number}`,
          `${topic} ${number}`,
          `All about ${topic.toLowerCase()}.`,
          visibility,
          moment(now),
          moment(now),
        ];
      }),
    );
    await load(
      'space_members',
      'space_id, user_id, role, list_class, created_at',
      numbers(users).values().map(memberOf(spaceIds, 'member')),
    );

    await load(
      'pages',
      'external_id, space_id, title, subtitle, html_content, slug, page_edition, is_draft, creator_id, ' +
        'created_at, updated_at',
      (function* () {
        for (let n = 0; n < posts; n++, step()) {
          const number = first.page + n;
          const title = `${pick(topics, number, 9)}: ${pick(subjects, number, 10)} ${number - PAGE_NUMBERS}`;
          // Oldest first, as a company writes, but for what was written late; a few share a minute.
          const written = now - ((posts - n + 20 * fraction(number, 11)) / (posts + 20)) * 3 * YEAR;
          yield [
            number,
            fraction(number, 12) < global_share ? null : pick(spaceIds, number, 13),
            title,
            pick(sentences, number, 14),
            htmlOf(number),
            slugOf(title),
            number % 10 === 0 ? 'builder' : 'classic',
            number % 50 === 0,
            pick(people, number, 15),
            isoOfMicros(Math.floor(written / (10 * MINUTE)) * 10 * MINUTE),
            moment(now),
          ];
        }
      })(),
    );
    await client.query('commit');
    const tx = db.inOrganisation(organisation_id);
    for (const list of lists) await rebuildList(tx, list);
    // Index-only scans need the visibility map.
    await client.query(`vacuum (analyze) ${BIG_TABLES}`);
    onProgress?.(total, total);
  } finally {
    // Closing the connection rolls back what was not committed, and gives its settings back.
    client.release(true);
  }
}

async function firstFree(client: pg.PoolClient, organisation_id: number) {
  const after = (table: string) =>
    `(select coalesce(max(substring(external_id from 6)::bigint), 0) + 1 from ${table} where organisation_id = $1 and external_id ~ '^SEED-[0-9]{1,15}$')`;
  const { rows } = await client.query<Record<'user' | 'team' | 'space' | 'page', number>>(
    `select ${after('users')} as user, ${after('teams')} as team, ${after('spaces')} as space,
       (select coalesce(max(external_id), ${PAGE_NUMBERS}) + 1 from pages where organisation_id = $1 and external_id between ${PAGE_NUMBERS} and ${2 * PAGE_NUMBERS}) as page`,
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
    `with added as (insert into team_types (organisation_id, name, created_at) values ($1, $2, $3) on conflict do nothing returning id)
     select id from added union all select id from team_types where organisation_id = $1 and lower(name) = lower($2)`,
    [organisation_id, name, at],
  );
  return rows[0]?.id ?? 0;
}

const CHUNK_CHARACTERS = 256 * 1024;

/** Rows in COPY's text format. */
function* chunks(organisation_id: number, rows: Iterable<unknown[]>): Generator<string> {
  let text = '';
  for (const row of rows) {
    text += `${organisation_id}\t${row.map(field).join('\t')}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text) yield text;
}
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const field = (value: unknown) =>
  value === null ? '\\N' : String(value).replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? '');

// ---- The story ---------------------------------------------------------------------------------------------------

/** 0 ≤ x < 1, the same for the same row and salt (the mixing steps of MurmurHash3). */
function fraction(number: number, salt: number): number {
  let h = Math.imul(number, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}
const pick = <T>(list: readonly T[], number: number, salt: number): T =>
  list[Math.floor(fraction(number, salt) * list.length)] as T;

const words = (text: string) => text.split(' ');
const givenNames = words(
  'Amara Anna Bilal Chiara Daniel Elif Femi Grace Hugo Ines Jan Kenji Leila Marta Noah Olga Priya Quentin Rosa ' +
    'Samir Tove Uma Viktor Wei Zoë',
);
const familyNames = words(
  'Adeyemi Bauer Costa Dubois Eriksen Fischer García Haddad Ivanova Jensen Kowalski Lopez Müller Nguyen Okafor ' +
    'Patel Rossi Sato Tanaka Weber',
);
const frontlineTitles = [
  'Sales assistant',
  'Store lead',
  'Driver',
  'Warehouse operative',
  'Technician',
  'Nurse',
  'Machine operator',
];
const officeTitles = [
  'Accountant',
  'Analyst',
  'Engineer',
  'Designer',
  'Recruiter',
  'Product owner',
  'Head of region',
  'Counsel',
];
const timezones = ['Europe/Berlin', 'Europe/Lisbon', 'America/New_York', 'Asia/Tokyo'];
const locales = ['en', 'de', 'pt', 'ja'];
const teamTypes = ['Department', 'Location', 'Shift'];
const topics = [
  'Safety',
  'Logistics',
  'Sales',
  'Finance',
  'People',
  'Quality',
  'Facilities',
  'Travel',
  'IT',
  'Customer care',
  'Training',
];
const subjects = [
  'checklist',
  'how we work',
  'questions and answers',
  'what changes',
  'contacts',
  'policy',
  'first week',
  'yearly review',
];
const vocabulary = words(
  'every store team keeps the plan open for one another and writes down what was agreed before a shift begins so nobody has to ask twice when goods arrive late or a customer waits ' +
    'please check the list with your lead return keys on time report damage at once book travel early and tell ' +
    'people what you learned because small notes help large groups',
);
const sentences = Array.from({ length: 256 }, (_, n) => {
  const text = Array.from({ length: 12 + (n % 12) }, (_, place) => pick(vocabulary, n, 100 + place)).join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
});

const HTML_CHARACTERS = 2000;
function htmlOf(number: number): string {
  let html = `<h2>${pick(sentences, number, 20)}</h2>`;
  for (let n = 21; html.length < HTML_CHARACTERS; n++)
    html += `<p>${pick(sentences, number, n)} ${pick(sentences, number, n + 1000)}</p>`;
  return html;
}
