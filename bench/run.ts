// `npm run bench`: Atrium beside a bare Fastify with constants and one with hand-written `pg`, in one run, as ratios.
//   ATRIUM_BENCH_ROWS=100000   rows of the large organisation (default one million)
//   ATRIUM_BENCH_QUICK=1       shorter and less certain
//   ATRIUM_BENCH_PROFILE=dir   Atrium writes its CPU profile there
//   ATRIUM_BENCH_BESIDE=dir    another checkout of Atrium is measured in the same run; writes no report
//   npm run bench -- create    only cases whose name contains a word; writes no report
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, cases, userPath } from './cases.ts';
import { measure } from './load.ts';
import { type Figures, report, type Start } from './report.ts';
import { beside, type Server, type ServerName, samples, start } from './servers.ts';
import { type Bench, type Organisation, openBench } from './setup.ts';

const quick = process.env.ATRIUM_BENCH_QUICK === '1';
const [rounds, seconds, starts] = quick ? [3, 1, 3] : [5, 2, 7];
const large = Number(process.env.ATRIUM_BENCH_ROWS || 1_000_000);
const words = process.argv.slice(2);
const chosen = cases.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));

interface Series {
  measured: Case;
  organisation: Organisation;
  server: Server;
  key: string;
}

const bench = await openBench([1000, large]);
const [, big] = bench.organisations as [Organisation, Organisation];
const headersOf = ({ organisation_id, api_key }: Organisation) => ({
  'service-id': String(organisation_id),
  authorization: `Bearer ${api_key}`,
});
const launch = (name: ServerName) =>
  start(name, bench.url, { path: '/v1/users/by-external-id/SEED-7', headers: headersOf(big) });
const running: Server[] = [];
try {
  const started = words.length === 0 ? await measureStarts() : [];
  running.push(await launch('atrium'));
  await writeSamples(running[0] as Server);
  running.push(await launch('postgres'), await launch('constant'));
  if (beside) running.push(await launch('before'));
  const figures = await measureAll(seriesOf(bench, running));
  const text = report({
    figures,
    cases: chosen,
    sizes: bench.organisations.map(({ rows }) => rows),
    started,
    postgres: bench.postgres,
    rounds,
    seconds,
  });
  process.stdout.write(text);
  if (words.length === 0 && !beside) writeFileSync(join(import.meta.dirname, 'results.md'), text);
} finally {
  for (const server of running) await server.stop();
  await bench.close();
}

/** The constants of peer (a) are what Atrium answers. */
async function writeSamples({ port }: Server) {
  const read = async (path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers: headersOf(big) })).json();
  writeFileSync(
    samples,
    JSON.stringify({ user: await read(userPath(big.rows)), pages: await read('/v1/pages?take=50') }),
  );
}

function seriesOf({ organisations }: Bench, servers: readonly Server[]): Series[] {
  return chosen.flatMap((measured) =>
    organisations.flatMap((organisation) =>
      servers
        // A constant is the same at every size.
        .filter(
          ({ name }) =>
            name === 'atrium' ||
            name === 'before' ||
            (measured.peers.includes(name) && (name !== 'constant' || organisation === big)),
        )
        .map((server) => ({
          measured,
          organisation,
          server,
          key: `${measured.name}/${server.name}/${organisation.rows}`,
        })),
    ),
  );
}

/** Rates of every series, one a round; each round begins elsewhere, so that nothing is always first. */
async function measureAll(series: readonly Series[]): Promise<Figures> {
  const figures: Figures = new Map(series.map(({ key }) => [key, []]));
  for (let round = 0; round < rounds; round++) {
    const from = Math.floor((round * series.length) / rounds);
    for (const { measured, organisation, server, key } of [...series.slice(from), ...series.slice(0, from)]) {
      const rate = await measure({
        port: server.port,
        next: measured.requestFor(organisation, server.name),
        seconds,
        connections: measured.connections,
        settle_s: measured.settle_s,
      });
      if (measured.writes) await bench.restore(organisation);
      figures.get(key)?.push(rate);
      process.stderr.write(`${round + 1}/${rounds} ${key}: ${Math.round(rate)}/s\n`);
    }
  }
  return figures;
}

async function measureStarts(): Promise<Start[]> {
  const names = ['atrium', 'postgres'] as const;
  const found: Start[] = names.map((name) => ({ name, ms: [], mib: [] }));
  // The first start fills the compile cache and is not counted.
  for (let n = 0; n <= starts; n++)
    for (const one of found) {
      const server = await launch(one.name);
      // Idle: what the start left over has been collected or it stays.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      if (n > 0) {
        one.ms.push(server.started_ms);
        one.mib.push(server.memory());
      }
      await server.stop();
    }
  return found;
}
