// SCIM at size, in one run: single people by filter, a full sync page by page, a list beside a bare Fastify with `pg`,
// and a large group patched piece by piece.
//   node server/bin/launch.mjs bench/scim.ts        ATRIUM_BENCH_ROWS=100000 people (default)
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock } from '../server/kernel/clock.ts';
import { openDb } from '../server/kernel/data/db.ts';
import { migrate } from '../server/kernel/data/migrate.ts';
import { startEmbedded } from '../server/postgres/embedded.ts';
import { seed } from '../server/seed.ts';
import { createOrganisation } from '../server/setup.ts';
import { measure } from './load.ts';
import { type Server, start } from './servers.ts';

const people = Number(process.env.ATRIUM_BENCH_ROWS || 100_000);
const PAGE = 100;
const ROUNDS = 5;
const data_dir = mkdtempSync(join(tmpdir(), 'atrium-bench-scim-'));
const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
const say = (line: string) => process.stdout.write(`${line}\n`);

const embedded = await startEmbedded({ data_dir, port: 5899 });
const running: Server[] = [];
try {
  const clock = createClock();
  const db = openDb({ url: embedded.url, clock, connections: 2, onIdleError: () => {} });
  await migrate(db);
  const { organisation_id, scim_secret } = await createOrganisation(db, { name: 'Bench', domain: 'bench.localhost' });
  await seed(db, clock, { organisation_id, users: people, pages: 1 });
  const headers = { authorization: `Bearer ${scim_secret}` };
  const probe = { path: `/scim/v2/scim/Users?startIndex=1&count=1&organisation=${organisation_id}`, headers };
  running.push(await start('atrium', embedded.url, probe), await start('scim', embedded.url, probe));
  const [atrium, peer] = running as [Server, Server];

  const get = async (path: string, port = atrium.port) => {
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/scim/v2/scim${path}`, { headers });
    const body = await response.text();
    const ms = performance.now() - began;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${body}`);
    return { ms, body: JSON.parse(body) };
  };
  const times = async (path: string, count = 60) => {
    const found: number[] = [];
    for (let n = 0; n < count; n++) found.push((await get(path)).ms);
    return median(found);
  };

  say(`\n${people} people. Milliseconds, medians.\n`);
  const { body: sample } = await get(`/Users?startIndex=${Math.floor(people / 2)}&count=1`);
  const [one] = sample.Resources;
  for (const filter of [
    `userName eq "${one.userName.toUpperCase()}"`,
    `externalId eq "${one.externalId}"`,
    `emails[type eq "work"].value eq "${one.userName}"`,
    `id eq "${one.id}"`,
  ]) {
    const path = `/Users?filter=${encodeURIComponent(filter)}`;
    if ((await get(path)).body.totalResults !== 1) throw new Error(`${filter} does not find one.`);
    say(`filter=${filter.replace(/".*"/, '"…"').padEnd(44)} ${(await times(path)).toFixed(2)}`);
  }

  const active = encodeURIComponent('active eq true');
  const page = (startIndex: number) => `/Users?filter=${active}&startIndex=${startIndex}&count=${PAGE}`;
  const { totalResults } = (await get(page(1))).body;
  const starts = Array.from({ length: Math.ceil(totalResults / PAGE) }, (_, n) => 1 + n * PAGE);
  // Each page beside the first one, in turn; the least of the rounds is what is left when the machine does nothing
  // else.
  const costs = starts.map((startIndex) => ({
    startIndex,
    ms: Number.POSITIVE_INFINITY,
    first: Number.POSITIVE_INFINITY,
  }));
  let seen = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const cost of costs) {
      const { ms, body } = await get(page(cost.startIndex));
      cost.ms = Math.min(cost.ms, ms);
      cost.first = Math.min(cost.first, (await get(page(1))).ms);
      if (round === 0) seen += body.Resources.length;
    }
  if (seen !== totalResults) throw new Error(`The pages have ${seen} of ${totalResults} people.`);
  const ratios = costs.map(({ ms, first }) => ms / first).toSorted((a, b) => a - b);
  const slow = ratios.filter((ratio) => ratio > 1.5).length;
  say(
    `\nactive eq true, ${starts.length} pages of ${PAGE} to the end, each beside the first: ` +
      `median ${median(ratios).toFixed(2)}, 99 % below ` +
      `${(ratios[Math.floor(ratios.length * 0.99)] ?? 0).toFixed(2)}, slowest ${(ratios.at(-1) ?? 0).toFixed(2)}; ` +
      `above 1.5: ${slow}`,
  );
  if (process.env.ATRIUM_BENCH_PAGES)
    for (const { startIndex, ms, first } of costs) say(`${startIndex} ${ms.toFixed(2)} ${first.toFixed(2)}`);

  const head = (port: number, startIndex: number) =>
    Buffer.from(
      `GET /scim/v2/scim${page(startIndex)}&organisation=${organisation_id} HTTP/1.1\r\n` +
        `Host: 127.0.0.1:${port}\r\nAuthorization: ${headers.authorization}\r\n\r\n`,
    );
  const rates = new Map<string, number[]>([
    ['atrium', []],
    ['scim', []],
  ]);
  for (let round = 0; round < ROUNDS; round++)
    for (const server of round % 2 ? [peer, atrium] : [atrium, peer]) {
      let n = 0;
      const next = () => head(server.port, 1 + PAGE * (n++ % 10));
      rates.get(server.name)?.push(await measure({ port: server.port, next, seconds: 3, connections: 8 }));
    }
  const [ours, theirs] = [median(rates.get('atrium') ?? []), median(rates.get('scim') ?? [])];
  say(
    `\nfull sync, pages 1–10 of ${PAGE}, 8 connections: Atrium ${ours.toFixed(0)}/s, ` +
      `bare Fastify + pg ${theirs.toFixed(0)}/s, ratio ${(ours / theirs).toFixed(2)}`,
  );

  const post = async (method: string, path: string, body: object) => {
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${atrium.port}/scim/v2/scim${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/scim+json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return { ms: performance.now() - began, body: text === '' ? undefined : JSON.parse(text) };
  };
  const rows = await db.installation.rows<{ id: number }>(
    `select id from users where organisation_id = $1 and kind = 'person' order by id limit 20000`,
    [organisation_id],
  );
  const members = rows.map(({ id }) => ({ value: String(id) }));
  const { id: group } = (await post('POST', '/Groups', { displayName: 'Everybody' })).body;
  const add = (from: number) =>
    post('PATCH', `/Groups/${group}`, {
      Operations: [{ op: 'add', path: 'members', value: members.slice(from, from + 1000) }],
    });
  const pieces: { ms: number; mib: number }[] = [];
  for (let from = 0; from < members.length; from += 1000)
    pieces.push({ ms: (await add(from)).ms, mib: atrium.memory() });
  const at = (n: number) => pieces[n] ?? { ms: 0, mib: 0 };
  say(
    `\ngroup patched by 1,000 members: to 1,000 ${at(0).ms.toFixed(0)} ms at ${at(0).mib.toFixed(0)} MiB; ` +
      `to 10,000 ${at(9).ms.toFixed(0)} ms at ${at(9).mib.toFixed(0)} MiB; to 20,000 ${at(19).ms.toFixed(0)} ms at ` +
      `${at(19).mib.toFixed(0)} MiB`,
  );
  await db.close();
} finally {
  for (const server of running) await server.stop();
  await embedded.stop();
  rmSync(data_dir, { recursive: true, force: true });
}
