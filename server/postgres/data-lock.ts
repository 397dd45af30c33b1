import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface FolderOwner {
  pid: number;
  purpose: string;
}

export class DataFolderTaken extends Error {
  readonly owner: FolderOwner;

  constructor(folder: string, owner: FolderOwner) {
    super(
      `Another Atrium process (${owner.purpose}, process ${owner.pid}) uses the data folder ${folder}. ` +
        'Stop it, or choose another folder with ATRIUM_DATA.',
    );
    this.owner = owner;
  }
}

const SQLITE_BUSY = 5;

/**
 * One process owns a data folder. The lock is one that the operating system holds on an (always empty) file, so it ends
 * with its owner, however that dies, and is never mistaken for a later process of the same id. SQLite is only how Node
 * reaches such locks.
 */
export async function lockDataFolder(folder: string, purpose: string): Promise<() => void> {
  let lock: DatabaseSync | undefined;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    lock = new DatabaseSync(join(folder, 'owner.lock'));
    lock.exec('begin exclusive');
    writeFileSync(ownerPath(folder), JSON.stringify({ pid: process.pid, purpose }));
  } catch (error) {
    lock?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new DataFolderTaken(folder, ownerOf(folder));
    throw new Error(
      `The data folder ${folder} cannot be used: ${(error as Error).message}. Let this user write there, ` +
        'or choose another folder with ATRIUM_DATA.',
      { cause: error },
    );
  }
  const release = () => {
    if (!lock?.isOpen) return;
    rmSync(ownerPath(folder), { force: true });
    lock.close();
  };
  process.once('exit', release);
  return release;
}

/** Who took the lock last: only true while the lock is held. */
function ownerOf(folder: string): FolderOwner {
  try {
    return JSON.parse(readFileSync(ownerPath(folder), 'utf8'));
  } catch {
    return { pid: 0, purpose: 'just starting' };
  }
}

const ownerPath = (folder: string) => join(folder, 'owner.json');
