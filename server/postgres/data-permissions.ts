// The data folder is for the user who runs Atrium and for nobody else: files 0600, folders 0700. What a process makes
// is so by its umask (serve.ts, cli.ts); what lies there from before is mended when a server starts.
//
// Root does not run the database: its user must get to `postgres/`, so that then the data folder has its group, and
// 0710. The database keeps its own folder.
import { chmodSync, chownSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';

export const PRIVATE_UMASK = 0o077;

const PRIVATE = [
  'files',
  'uploads',
  'secret.key',
  'postgres.password',
  'owner.lock',
  'owner.lock-journal',
  'owner.json',
];
const OURS = new Set([...PRIVATE, 'postgres', 'postgres.new', 'postgres.password.new', 'lost+found']);

/** `group` is that of the database's user, where root starts it. */
export function closeDataFolder(folder: string, group?: number) {
  for (const name of PRIVATE) close(join(folder, name));
  // A folder that holds other things, too, is not only ours.
  if (!readdirSync(folder).every((name) => OURS.has(name))) return;
  if (group !== undefined && lstatSync(folder).uid === 0) chownSync(folder, 0, group);
  setMode(folder, lstatSync(folder), group === undefined ? 0o700 : 0o710);
}

/** Whatever a start could not close. */
export const openPaths = (folder: string): string[] =>
  PRIVATE.map((name) => join(folder, name)).filter((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found !== undefined && !found.isSymbolicLink() && (found.mode & PRIVATE_UMASK) !== 0;
  });

/** A folder is closed after what is in it, so that one which is closed has been gone through. */
function close(path: string) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) setMode(path, found, 0o600);
  if (!found?.isDirectory() || (found.mode & PRIVATE_UMASK) === 0) return;
  for (const name of readdirSync(path)) close(join(path, name));
  setMode(path, found, 0o700);
}

function setMode(path: string, { mode }: Stats, wanted: number) {
  if ((mode & 0o777) === wanted) return;
  try {
    chmodSync(path, wanted);
  } catch (error) {
    // Another user's, for example a mounted folder: `atrium doctor` says when others get in.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
