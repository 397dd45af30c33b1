// What the audit log costs: processor time of a create, of the server and its connections to the database, with the
// entry made and chained, beside another checkout that has none. The rounds of the two take turns.
//   ATRIUM_BENCH_BESIDE=dir node server/bin/launch.mjs bench/audit.ts
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../server/postgres/embedded.ts';
import { ROLE } from '../server/postgres/role.ts';
import { CONNECTIONS } from './load.ts';
import { beside } from './servers.ts';
import { data } from './setup.ts';

const [ROUNDS, CREATES] = [15, 600];
const SETTLE_MS = 2500;
const folder = join(data, 'audit');
rmSync(folder, { recursive: true, force: true });
const postgres = await startEmbedded({ data_dir: folder, port: Number(process.env.PG_PORT ?? 5798) });

async function launch(name: string, root: string, port: number) {
  const admin = new pg.Client({ connectionString: postgres.superuser_url });
  await admin.connect();
  await admin.query(`create database ${name} owner ${ROLE}`);
  await admin.end();
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  const env = {
    ...process.env,
    ...{ ATRIUM_ENV: 'production', ATRIUM_LOG: 'info', ATRIUM_PORT: String(port), DATABASE_URL: url.href },
    ATRIUM_DATA: join(folder, name),
  };
  const cli = spawn(process.execPath, [join(root, 'server/cli.ts'), 'migrate'], { env, stdio: 'ignore' });
  await new Promise((done) => cli.once('exit', done));
  const made = spawn(
    process.execPath,
    [join(root, 'server/cli.ts'), 'org', 'create', 'Bench', '--domain', `${name}.localhost`, '--json'],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  made.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await new Promise((done) => made.once('exit', done));
  const { organisation_id, api_key, error } = JSON.parse(text);
  if (error) throw new Error(error);
  const child = spawn(process.execPath, [join(root, 'server/main.ts')], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const headers = {
    ...{ 'service-id': String(organisation_id), authorization: `Bearer ${api_key}` },
    'content-type': 'application/json',
  };
  const path = `http://127.0.0.1:${port}/v1/pages`;
  while (
    !(await fetch(new URL('/readyz', path)).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(100);
  const watch = new pg.Client({ connectionString: postgres.url });
  await watch.connect();
  const spent = async () => {
    const { rows } = await watch.query('select pid from pg_stat_activity where datname = $1', [name]);
    return rows.reduce((sum, { pid }) => sum + timeOf(pid), timeOf(child.pid as number));
  };
  const end = async () => {
    child.kill();
    await watch.end();
  };
  return { name, path, headers, spent, end };
}
const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));
/** Milliseconds of all threads. */
const timeOf = (pid: number) => {
  const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/\(.*\)/, '()')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

const html_content = `<p>${'What happened in the stores today. '.repeat(56)}</p>`;
async function round({ path, headers, spent }: Awaited<ReturnType<typeof launch>>) {
  const before = await spent();
  let left = CREATES;
  const worker = async () => {
    while (left-- > 0) {
      const body = JSON.stringify({ title: `Page ${left}`, html_content });
      const answer = await fetch(path, { method: 'POST', headers, body });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  // The entries are chained.
  await sleep(SETTLE_MS);
  return (await spent()) - before;
}

const audited = await launch('audited', join(import.meta.dirname, '..'), 4711);
const plain = await launch('plain', beside ?? '', 4712);
try {
  for (const server of [audited, plain]) for (let n = 0; n < 3; n++) await round(server);
  const ratios: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const [first, second] = n % 2 ? [audited, plain] : [plain, audited];
    const spent = new Map([[first, await round(first)]]);
    spent.set(second, await round(second));
    const [own = 0, other = 0] = [spent.get(audited), spent.get(plain)];
    ratios.push(other / own);
    process.stdout.write(`${(own / CREATES).toFixed(3)} ms with, ${(other / CREATES).toFixed(3)} ms without\n`);
  }
  ratios.sort((a, b) => a - b);
  const [worst, middle, best] = [0, Math.floor(ROUNDS / 2), ROUNDS - 1].map((n) => ratios[n]?.toFixed(2));
  process.stdout.write(`A create with audit is ${middle} of without (${worst} to ${best}).\n`);
} finally {
  for (const server of [audited, plain]) await server.end();
  await postgres.stop();
}
