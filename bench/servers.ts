// The three servers as processes of their own, on the same Node.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readConfig } from '../server/kernel/config.ts';
import { BATCHES_IN_FLIGHT } from '../server/kernel/data/point-reads.ts';
import { data } from './setup.ts';

/** `before`: another checkout of Atrium, with the same migrations. */
export type ServerName = 'atrium' | 'before' | 'postgres' | 'constant' | 'scim';
export interface Server {
  readonly name: ServerName;
  readonly port: number;
  /** Milliseconds from spawn to the first 200. */
  readonly started_ms: number;
  /** Resident memory in MiB (Linux). */
  memory(): number;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '..');
export const beside = process.env.ATRIUM_BENCH_BESIDE;
const files: Record<ServerName, string> = {
  atrium: join(root, 'server/main.ts'),
  before: join(beside ?? root, 'server/main.ts'),
  postgres: join(root, 'bench/peers/postgres.ts'),
  constant: join(root, 'bench/peers/constant.ts'),
  scim: join(root, 'bench/peers/scim.ts'),
};
export const samples = join(data, 'samples.json');
const compiled = process.env.NODE_COMPILE_CACHE ?? join(data, 'compiled');
const profiles = process.env.ATRIUM_BENCH_PROFILE;

const { connections } = readConfig({});
export const pool = connections + BATCHES_IN_FLIGHT;

/** Started once it answers `probe`. Its log goes to /dev/null, written all the same. */
export async function start(
  name: ServerName,
  database_url: string,
  probe: { path: string; headers: Record<string, string> },
): Promise<Server> {
  const port = await freePort();
  const atrium = {
    ATRIUM_ENV: 'production',
    ATRIUM_LOG: 'info',
    ATRIUM_PORT: String(port),
    ATRIUM_DATA: join(data, 'files'),
  };
  const own = {
    atrium,
    before: atrium,
    postgres: { PORT: String(port), CONNECTIONS: String(pool) },
    constant: { PORT: String(port), SAMPLES: samples },
    scim: { PORT: String(port), CONNECTIONS: String(pool) },
  };
  mkdirSync(join(data, 'files'), { recursive: true });
  const began = performance.now();
  const profile = profiles && name === 'atrium' ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];
  const child = spawn(process.execPath, [...profile, files[name]], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: compiled,
      DATABASE_URL: database_url,
      ...own[name],
    },
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await answers(child, `http://127.0.0.1:${port}${probe.path}`, probe.headers);
  return {
    name,
    port,
    started_ms: performance.now() - began,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    async stop() {
      child.kill('SIGTERM');
      // A bare Fastify has no signal of its own; Atrium ends what it has begun.
      await ended;
    },
  };
}

const ASK_EVERY_MS = 3;

async function answers(child: ChildProcess, url: string, headers: Record<string, string>) {
  while (child.exitCode === null) {
    const status = await fetch(url, { headers }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => undefined,
    );
    if (status === 200) return;
    if (status !== undefined) throw new Error(`${url} answered ${status}.`);
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
  throw new Error(`The server of ${url} ended with ${child.exitCode}.`);
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
