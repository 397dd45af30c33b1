// `npm run evaluate:search`: does the search find what people look for? Texts in ten languages and invented people are
// brought into a real Atrium, and queries asked over GET /v1/search that one known item answers.
//   -- --texts 30000   more texts (default 10,000, and a tenth as many people)
//   -- --seed 7        the choice of texts and queries (default: the hour)
//   -- --cache folder  where packages of Debian and npm are kept (default: ~/.cache/atrium/texts)
//   -- --queries file  writes every query, with its rank
// Ends with 1 when fewer are found than should be. Nothing of the texts is part of Atrium.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { buildApp } from '../../server/app.ts';
import { createClock } from '../../server/kernel/clock.ts';
import { readConfig } from '../../server/kernel/config.ts';
import { migrate } from '../../server/kernel/data/migrate.ts';
import { startEmbedded } from '../../server/postgres/embedded.ts';
import { createOrganisation } from '../../server/setup.ts';
import { readCorpus } from './corpus.ts';
import { load } from './load.ts';
import { makeQueries, type Query } from './queries.ts';
import { type Asked, report } from './report.ts';
import { randomOf } from './words.ts';

const { values } = parseArgs({
  options: {
    texts: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 3_600_000)) },
    cache: { type: 'string', default: join(homedir(), '.cache', 'atrium', 'texts') },
    queries: { type: 'string' },
  },
});
const say = (text: string) => process.stderr.write(`${text}\n`);
const QUERIES_MIN = 300;

mkdirSync(values.cache, { recursive: true });
const random = randomOf(Number(values.seed));
const corpus = await readCorpus(values.cache, Number(values.texts), random);
for (const sentence of corpus.missing) say(`Missing: ${sentence}`);
const queries = makeQueries(corpus, values.cache, random);
say(`Seed ${values.seed}: ${corpus.pages.length} texts, ${corpus.people.length} people, ${queries.length} queries.`);
if (queries.length < QUERIES_MIN) throw new Error(`These texts give fewer than ${QUERIES_MIN} queries.`);

const folder = mkdtempSync(join(tmpdir(), 'atrium-evaluation-'));
const postgres = await startEmbedded({ data_dir: folder, port: 5898, settings: { fsync: 'off' } });
try {
  const { text, missed } = report(await askAll());
  process.stdout.write(text);
  for (const sentence of missed) process.stdout.write(`MISSED: ${sentence}\n`);
  process.exitCode = missed.length > 0 ? 1 : 0;
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function askAll(): Promise<Asked[]> {
  const clock = createClock();
  const config = readConfig({ ATRIUM_ENV: 'test', ATRIUM_DATA: folder });
  const atrium = await buildApp({
    config,
    database_url: postgres.url,
    clock,
    logger: pino({ level: 'silent' }),
    prepare: ({ db }) => migrate(db),
  });
  try {
    const { db } = atrium.services;
    const { organisation_id, api_key } = await createOrganisation(db, { name: 'Texts', domain: 'texts.localhost' });
    const ids = await load(db, organisation_id, corpus, clock.micros(), random);
    const { items, seconds } = rebuildIndex(organisation_id);
    say(`${items} items in the index after ${seconds} s.`);
    const url = await atrium.http.listen({ host: '127.0.0.1', port: 0 });
    const headers = { authorization: `Bearer ${api_key}`, 'service-id': String(organisation_id) };
    const asked: Asked[] = [];
    for (const query of queries) asked.push(await ask(url, headers, query, ids));
    if (values.queries) writeFileSync(values.queries, asked.map((one) => `${JSON.stringify(one)}\n`).join(''));
    return asked;
  } finally {
    await atrium.close();
  }
}

function rebuildIndex(organisation_id: number) {
  const args = [join(import.meta.dirname, '../../server/cli.ts'), 'search', 'rebuild', '--org', `${organisation_id}`];
  const env = { ...process.env, DATABASE_URL: postgres.url, ATRIUM_DATA: folder };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '--json'], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npx atrium search rebuild failed: ${stderr}`);
  return JSON.parse(stdout) as { items: number; seconds: number };
}

async function ask(
  url: string,
  headers: Record<string, string>,
  query: Query,
  ids: Record<'page' | 'user', number[]>,
): Promise<Asked> {
  const type = query.kind === 'people' ? 'user' : 'page';
  const began = performance.now();
  const response = await fetch(`${url}/v1/search?take=10&q=${encodeURIComponent(query.q)}`, { headers });
  const body = (await response.json()) as { data: { type: string; id: number }[] };
  const ms = performance.now() - began;
  if (!response.ok) throw new Error(`GET /v1/search answered ${response.status}: ${JSON.stringify(body)}`);
  const at = body.data.findIndex((one) => one.type === type && one.id === ids[type][query.item]);
  return { ...query, rank: at < 0 ? undefined : at + 1, ms };
}
