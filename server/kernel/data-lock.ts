import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * One process owns a data folder. The lock names its owner by process id and start time, so that a lock left behind by
 * `kill -9` is recognised even when the id was given to another process since.
 */
export async function lockDataFolder(folder: string, purpose: string): Promise<() => void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const path = join(folder, 'atrium.lock');
  const own = JSON.stringify({ pid: process.pid, started: startOf(process.pid), purpose });
  for (;;) {
    try {
      writeFileSync(path, own, { flag: 'wx' });
      const release = () => {
        if (read(path) === own) rmSync(path, { force: true });
      };
      process.once('exit', release);
      return release;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const text = read(path);
    const owner = parse(text);
    if (owner && isAlive(owner))
      throw new Error(
        `Another Atrium process (${owner.purpose}, process ${owner.pid}) uses the data folder ${folder}. Stop it, or choose another folder with ATRIUM_DATA.`,
      );
    // Renaming first lets only one of several starters take the dead owner's lock away.
    const aside = `${path}.${process.pid}`;
    try {
      renameSync(path, aside);
      if (read(aside) !== text) renameSync(aside, path);
      else rmSync(aside, { force: true });
    } catch {}
  }
}

interface Owner {
  pid: number;
  started: string;
  purpose: string;
}

const isAlive = ({ pid, started }: Owner) => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOf(pid) === started;
};

/** Field 22 of /proc/<pid>/stat, in clock ticks since boot; "" where there is no /proc. */
function startOf(pid: number): string {
  return read(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ')[19] ?? '';
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function parse(text: string | undefined): Owner | undefined {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
