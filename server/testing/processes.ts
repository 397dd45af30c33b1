// Real processes for the tests of start, crash and command line: servers and commands as an operator runs them.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';

const server = join(import.meta.dirname, '..');
export const entries = {
  main: join(server, 'main.ts'),
  cli: join(server, 'cli.ts'),
  launch: join(server, 'bin', 'launch.mjs'),
  atrium: join(server, 'bin', 'atrium.mjs'),
};

export interface Running {
  readonly pid: number;
  /** What it has printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** First match in what it prints; throws when the process ends without it. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Its exit code, or the signal that ended it. */
  readonly exit: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

export interface RunOptions {
  env?: Record<string, string>;
  uid?: number;
  gid?: number;
  node?: string;
  /** A command, with its arguments, that runs node. */
  through?: readonly string[];
}

const started: ChildProcess[] = [];
const folders: string[] = [];

/** Ends what a test file started, by process id: the servers, then the databases they left behind. */
export function endAllAfterTests() {
  after(async () => {
    for (const child of started) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    for (const folder of folders) {
      const pid = postmasterOf(folder);
      if (pid !== undefined) await killed(pid);
    }
    for (const folder of folders) rmSync(dirname(folder), { recursive: true, force: true });
  });
}

/** A folder that an unprivileged user may enter, unlike what mkdtemp makes. */
export function dataFolder(name = 'data', mode = 0o755): string {
  const outer = mkdtempSync(join(tmpdir(), 'atrium-process-'));
  chmodSync(outer, mode);
  const folder = join(outer, name);
  mkdirSync(folder, { mode: 0o755 });
  folders.push(folder);
  return folder;
}

const inherited = Object.fromEntries(
  ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE'].flatMap((name) =>
    process.env[name] ? [[name, process.env[name]]] : [],
  ),
);

export function run(
  args: string[],
  { env = {}, node = process.execPath, through = [], ...identity }: RunOptions = {},
): Running {
  const [file = node, ...before] = [...through, node];
  const child = spawn(file, [...before, ...args], {
    cwd: '/',
    env: { ...inherited, ATRIUM_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  });
  return following(child);
}

export function following(child: ChildProcess): Running {
  started.push(child);
  const printed = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      for (const listener of listeners) listener();
    });
  const exit = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(printed.stdout) ?? pattern.exec(printed.stderr);
          if (!found) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
        exit.then(
          (code) =>
            reject(new Error(`ended with ${code} before it printed ${pattern}: ${printed.stdout}${printed.stderr}`)),
          reject,
        );
      }),
    exit,
    kill: (signal) => child.kill(signal),
  };
}

export interface Server extends Running {
  readonly url: string;
}

/** A server on this data folder, once it serves. */
export async function serve(data: string, options: RunOptions = {}): Promise<Server> {
  const process = startServing(data, options);
  const [, url = ''] = await process.printed(SERVES);
  return { ...process, url };
}
export const SERVES = /Atrium serves on (http:\/\/\S+)/;
export const startServing = (data: string, { env, ...options }: RunOptions = {}) =>
  run([entries.main], { env: { ATRIUM_DATA: data, ...env }, ...options });

export interface Credentials {
  service_id: string;
  api_key: string;
  curl: string;
}
/** What a first start prints once. */
export async function credentialsOf(first: Running): Promise<Credentials> {
  await first.printed(/curl .*\n/);
  const printed = (pattern: RegExp) => pattern.exec(first.stdout())?.[1] ?? '';
  return {
    service_id: printed(/Service-Id +(\d+)/),
    api_key: printed(/API key +(\S+)/),
    curl: printed(/(curl .*)\n/),
  };
}

export const authorised = ({ service_id, api_key }: Pick<Credentials, 'service_id' | 'api_key'>) => ({
  'service-id': service_id,
  authorization: `Bearer ${api_key}`,
});

/** Process id of the embedded database of a data folder, if its process lives. */
export function postmasterOf(data: string): number | undefined {
  const path = join(data, 'postgres', 'postmaster.pid');
  const pid = existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : 0;
  return pid > 0 && lives(pid) ? pid : undefined;
}

/** Address of the embedded database of a data folder. */
export function databaseOf(data: string): string {
  const port = readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
  return `postgres://atrium:${readFileSync(join(data, 'postgres.password'), 'utf8').trim()}@127.0.0.1:${port}/atrium`;
}

export function lives(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** kill -9, and the process is gone. */
export async function killed(pid: number) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
  await until(() => !lives(pid), `process ${pid} ends`);
}

const WITHIN_MS = 20_000;

/** Polls where there is no event to wait for. */
export async function until<Value>(
  look: () => Value | Promise<Value>,
  what: string,
  within_ms = WITHIN_MS,
): Promise<Value> {
  const deadline = performance.now() + within_ms;
  // What takes long is looked at seldom: looking costs others their time.
  for (let pause_ms = 20; ; pause_ms = Math.min(pause_ms * 1.3, 1000)) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`Not within ${within_ms} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, pause_ms));
  }
}

export const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
