// Searches at size, in one run: processor time of the process and its database for each kind of question, by a person
// who sees 40 % of all items, among 10,000 and a million, beside PostgreSQL's own full text search.
//   node server/bin/launch.mjs bench/search.ts        ATRIUM_BENCH_ITEMS=1000000 (default)
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { pino } from 'pino';
import { request } from 'undici';
import { buildApp } from '../server/app.ts';
import { createClock } from '../server/kernel/clock.ts';
import { readConfig } from '../server/kernel/config.ts';
import { type Db, openDb } from '../server/kernel/data/db.ts';
import { migrate } from '../server/kernel/data/migrate.ts';
import { arrayOf, entryOf, newTerm, type TermRow } from '../server/modules/search/entries.ts';
import { familyOf } from '../server/modules/search/families.ts';
import { follow } from '../server/modules/search/following.ts';
import { BLOCK_ITEMS, keysFor } from '../server/modules/search/keys.ts';
import { startEmbedded } from '../server/postgres/embedded.ts';
import { type CreatedOrganisation, createOrganisation } from '../server/setup.ts';
import { randomOf } from '../server/testing/random.ts';

const SIZES = [10_000, Number(process.env.ATRIUM_BENCH_ITEMS || 1_000_000)];
const VOCABULARY = 500_000;
const ROUNDS = 15;
const PAGES = 60;
const PORT = 5896;
const address = `http://127.0.0.1:${PORT}`;
const say = (line: string) => process.stdout.write(`${line}\n`);
const random = randomOf(7);

/** Words of a made-up language: frequent ones short, as in others, each as often as Zipf says. */
const syllables =
  'ba be bi bo bu da de di do du fa fe ga ge go ka ke ki ko la le li lo ma me mi mo na ne no pa pe'.split(' ');
const word = (rank: number): string => {
  const letters: string[] = [];
  for (let n = rank + 40; n > 0; n = Math.floor(n / syllables.length))
    letters.push(syllables[n % syllables.length] ?? '');
  return letters.join('');
};
/** About how often a word of this rank stands in a text of 50 words. */
const anyWord = () => word(Math.floor(VOCABULARY ** random.next()) - 1);
const textOf = (count: number) => Array.from({ length: count }, anyWord).join(' ');

const COMMON = 25;
const some = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n));
const kinds: Record<string, () => string[]> = {
  'common word': () => some(6, (n) => word(COMMON + n)),
  'middling word': () => some(6, (n) => word(300 + n * 40)),
  'rare word': () => some(6, (n) => word(100_000 + n * 1000)),
  'two words': () => some(6, (n) => `${word(COMMON + n)} ${word(400 + n * 50)}`),
  'beginning of a word': () => some(6, (n) => word(2000 + n * 100).slice(0, 3)),
  'slip of the pen': () => some(6, (n) => word(50_000 + n * 500).replace(/..$/, 'x')),
  sentence: () => some(6, () => textOf(5)),
};

const data_dir = mkdtempSync(join(tmpdir(), 'atrium-bench-search-'));
const embedded = await startEmbedded({ data_dir, port: 5897, settings: { fsync: 'off', max_wal_size: '8GB' } });
try {
  const clock = createClock();
  const db = openDb({ url: embedded.url, clock, connections: 2, onIdleError: () => {} });
  await migrate(db);
  const organisations: (CreatedOrganisation & { size: number })[] = [];
  for (const size of SIZES) {
    const domain = `bench-${size}.localhost`;
    const made = await createOrganisation(db, { name: `Bench ${size}`, domain });
    organisations.push({ ...made, size });
  }
  await db.installation.rows('drop index search_items__keys');
  for (const { organisation_id, size } of organisations) await fill(db, organisation_id, size);
  await timed('index of keys', () => atLength(db, 'create index search_items__keys on search_items using gin (keys)'));
  await timed('index of texts', async () => {
    await atLength(
      db,
      `create table bench_texts as select organisation_id, id, space_id,
         setweight(to_tsvector('simple', title), 'A') || to_tsvector('simple', html_content) as words from pages`,
    );
    await atLength(db, 'create index on bench_texts using gin (words)');
  });
  await atLength(db, 'analyze');
  const config = readConfig({ ATRIUM_ENV: 'test', ATRIUM_DATA: data_dir });
  const app = await buildApp({ config, database_url: embedded.url, clock, logger: pino({ level: 'silent' }) });
  await app.http.listen({ host: '127.0.0.1', port: PORT });
  const results: Record<string, number[][]> = {};
  for (const made of organisations) {
    const { organisation_id, size } = made;
    const ask = await asPerson(db, made);
    for (const [kind, questions] of Object.entries(kinds)) {
      const times: number[] = [];
      for (const q of questions()) times.push(await median(db, () => ask(q)));
      results[kind] = [...(results[kind] ?? []), times];
      say(`${size} ${kind}: ${times.map((ms) => ms.toFixed(1)).join(' ')} ms`);
    }
    for (const one of [word(COMMON), word(COMMON + 3)]) {
      const ms = await median(db, () => rankedByDatabase(db, organisation_id, one), 3);
      say(`${size} ts_rank ${one}: ${ms.toFixed(1)} ms`);
    }
  }
  for (const made of organisations) await costOfCreating(db, made);
  for (const at of [0, 1]) {
    const all = Object.values(results)
      .flatMap((of) => of[at] ?? [])
      .sort((a, b) => a - b);
    const quantile = (share: number) => (all[Math.floor((all.length - 1) * share)] ?? 0).toFixed(1);
    say(`${SIZES[at]} items: p50 ${quantile(0.5)} ms, p95 ${quantile(0.95)} ms of ${all.length} questions`);
  }
  await app.close();
  await db.close();
} finally {
  await embedded.stop();
  rmSync(data_dir, { recursive: true, force: true });
}

async function timed(what: string, work: () => Promise<unknown>) {
  const began = performance.now();
  await work();
  say(`${what}: ${Math.round((performance.now() - began) / 1000)} s`);
}

/** However long it takes. */
async function atLength(target: Db, statement: string) {
  const client = await target.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query(statement);
  } finally {
    client.release(true);
  }
}

async function copy(target: Db, table: string, lines: Iterable<string>) {
  const client = await target.connect();
  try {
    await client.query('set statement_timeout = 0');
    await pipeline(Readable.from(lines, { objectMode: true }), client.query(copyFrom(`copy ${table} from stdin`)));
  } finally {
    client.release(true);
  }
}

/** As COPY reads it. */
function row(...values: readonly (string | number | null)[]): string {
  return `${values.map((value) => value ?? '\\N').join('\t')}\n`;
}

/** Pages, 60 % of them in a private space, and their entries in the index. */
async function fill(target: Db, organisation_id: number, size: number) {
  const [{ space, author } = { space: 0, author: 0 }] = await target.installation.rows<{
    space: number;
    author: number;
  }>(
    `insert into spaces (organisation_id, name, visibility, created_at, updated_at)
     values ($1, 'Private', 'private', now(), now())
     returning id as space, (select min(id) from users where organisation_id = $1) as author`,
    [organisation_id],
  );
  const [{ first } = { first: 0 }] = await target.installation.rows<{ first: number }>(
    `select nextval('pages_id_seq') as first, setval('pages_id_seq', currval('pages_id_seq') + ${size})`,
  );
  const [family, key] = [familyOf('page'), keysFor(organisation_id)];
  const terms = new Map<string, TermRow>();
  const items: string[] = [];
  const start = Date.now() - 5 * 365 * 86_400_000;
  function* pages() {
    for (let n = 0; n < size; n++) {
      const [id, title, text] = [first + n, textOf(4), textOf(48)];
      const at = new Date(start + ((Date.now() - start) * n) / size).toISOString();
      const isPrivate = n % 10 < 6;
      const version = { language: null, title, text, is_html: false };
      const spaces = isPrivate ? [space] : [];
      const reach = isPrivate ? 2 : 0;
      const item = {
        id,
        sequence: n,
        at,
        creator_id: author,
        reach,
        places: [],
        spaces,
        names: [],
        versions: [version],
      };
      const entry = entryOf(family, { ...item, url: '', creator: null, created_at: at, updated_at: at }, key);
      const block = Math.floor(n / BLOCK_ITEMS);
      const blocks = [
        key('block', block),
        key('blocks4', Math.floor(block / 4)),
        key('blocks16', Math.floor(block / 16)),
      ];
      for (const [one, script] of entry.words) {
        const term = terms.get(one) ?? newTerm(one, script, key);
        terms.set(one, term);
        term.documents++;
        if (entry.titles.has(one)) term.titles++;
        if (!isPrivate) term.open++;
      }
      const keys = arrayOf([...entry.keys, ...blocks]);
      const places = isPrivate ? `{${space * 2}}` : '{}';
      items.push(row(organisation_id, family.number, id, n, 1, block, at, reach, places, keys));
      yield row(organisation_id, id, title, text, 'slug', author, at, at, isPrivate ? space : null);
    }
  }
  await timed(`${size} pages`, () =>
    copy(
      target,
      'pages (organisation_id, id, title, html_content, slug, creator_id, created_at, updated_at, space_id)',
      pages(),
    ),
  );
  await timed('items', () =>
    copy(
      target,
      'search_items (organisation_id, type, id, sequence, generation, block, at, reach, places, keys)',
      items,
    ),
  );
  const rows = [...terms.values()].map(({ term, stem, tail, spellings, documents, titles, open }) =>
    row(organisation_id, term, 1, stem, tail, spellings, documents, titles, open),
  );
  await timed(`${rows.length} words`, () =>
    copy(
      target,
      'search_terms (organisation_id, term, generation, stem, tail, spellings, documents, titles, open)',
      rows,
    ),
  );
  await target.installation.rows(
    `insert into search_blocks (organisation_id, block, items, newest_at)
     select organisation_id, block, count(*), max(at) from search_items where organisation_id = $1 group by 1, 2`,
    [organisation_id],
  );
  await target.installation.rows(
    `insert into search_state (organisation_id, position, generation, target, started_at)
     select $1, last_value, 1, last_value, now() from content_sequence`,
    [organisation_id],
  );
}

type Ask = (q: string) => Promise<unknown>;
async function call(method: 'GET' | 'POST', path: string, headers: Record<string, string>, json?: object) {
  const body = json && { body: JSON.stringify(json), headers: { ...headers, 'content-type': 'application/json' } };
  const reply = await request(`${address}${path}`, { method, headers, ...body });
  const text = await reply.body.text();
  if (reply.statusCode >= 300) throw new Error(text);
  return reply.headers;
}
async function asPerson(target: Db, { organisation_id, admin }: CreatedOrganisation): Promise<Ask> {
  await target.installation.rows(`update users set roles = '{user}' where organisation_id = $1`, [organisation_id]);
  const service = { 'service-id': String(organisation_id) };
  const signedIn = await call('POST', '/v1/sessions', service, admin);
  const cookie = String(signedIn['set-cookie']).split(';')[0] ?? '';
  return (q) => call('GET', `/v1/search?take=10&q=${encodeURIComponent(q)}`, { ...service, cookie });
}

/** Pages of 2 KB over the API, and what the index does for them afterwards. */
async function costOfCreating(target: Db, made: CreatedOrganisation) {
  const headers = { authorization: `Bearer ${made.api_key}`, 'service-id': String(made.organisation_id) };
  const tx = target.inOrganisation(made.organisation_id);
  const costs = { create: 0, index: 0 };
  for (let round = 0; round < 5; round++) {
    const before = await spent(target);
    for (let n = 0; n < PAGES; n++) {
      const html_content = `<p>${textOf(330).slice(0, 2000)}</p>`;
      await call('POST', '/v1/pages', headers, { title: textOf(4), html_content });
    }
    const written = await spent(target);
    while (await follow(tx));
    const indexed = await spent(target);
    if (round === 0) continue;
    costs.create += written - before;
    costs.index += indexed - written;
  }
  const [create, index] = [costs.create / (4 * PAGES), costs.index / (4 * PAGES)];
  const ratio = ((create + index) / create).toFixed(2);
  say(`a page of 2 KB: ${create.toFixed(2)} ms, and ${index.toFixed(2)} ms for the index: ${ratio} times`);
}

function rankedByDatabase(target: Db, organisation_id: number, one: string) {
  return target.installation.rows(
    `select id from bench_texts
     where organisation_id = $1 and space_id is null and words @@ to_tsquery('simple', $2)
     order by ts_rank(words, to_tsquery('simple', $2)) desc limit 10`,
    [organisation_id, one],
  );
}

/** Processor time of this process and of every process of the database, in milliseconds. */
async function spent(target: Db) {
  const rows = await target.installation.rows<{ pid: number }>('select pid from pg_stat_activity');
  const nanoseconds = rows.reduce(
    (sum, { pid }) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]),
    0,
  );
  const { user, system } = process.cpuUsage();
  return nanoseconds / 1e6 + (user + system) / 1e3;
}
async function median(target: Db, work: () => Promise<unknown>, rounds = ROUNDS): Promise<number> {
  const times: number[] = [];
  await work();
  await work();
  const overhead = await spent(target).then(async (before) => (await spent(target)) - before);
  for (let n = 0; n < rounds; n++) {
    const before = await spent(target);
    await work();
    times.push((await spent(target)) - before - overhead);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}
