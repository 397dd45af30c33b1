// What all nodes of an installation have in common, beside the database: the secret key and the files. The database
// knows both by a mark: the key's fingerprint, and the name of a file that the first node stored. A node that differs
// would seal secrets that others cannot open, and give out addresses of files that others do not have: it does not
// start.
import type { Db } from './data/db.ts';
import type { Storage } from './files/storage.ts';
import type { Sealing } from './people/sealing.ts';

interface Installation {
  secret_key_fingerprint: string;
  storage_key: string;
}
export interface Parts {
  db: Db;
  sealing: Pick<Sealing, 'fingerprint'>;
  storage: Pick<Storage, 'put' | 'byteSize' | 'remove'>;
}
export interface Comparison {
  secret_key: 'ok' | 'differs';
  storage: 'ok' | 'missing' | 'unreachable';
}

/** The installation's own file belongs to no organisation. */
const OWNER = 0;
const MARK = Buffer.from('Atrium looks for this file to know that these are the files of its installation.\n');
const STORAGE_MS = 3000;

export const differences = {
  secret_key:
    'The secret key of this node is another one than secrets in the database are sealed with. Give every node the ' +
    'same ATRIUM_SECRET_KEY, or the same secret.key in its data folder. If that key is lost: ' +
    'npx atrium adopt --secret-key.',
  missing:
    'The files of this installation are not where this node keeps files. Give every node the same ATRIUM_S3_BUCKET, ' +
    'or a data folder (ATRIUM_DATA) on a disk that they share. If the files are lost: npx atrium adopt --storage.',
  unreachable:
    'The storage of files does not answer. Check ATRIUM_S3_ENDPOINT, ATRIUM_S3_BUCKET and its keys, or the disk of ' +
    'the data folder.',
} as const;

/** Throws a sentence for operators when this node has another key or other files than those before it. */
export async function joinInstallation(parts: Parts): Promise<void> {
  const sentences = sentencesOf(await compared(parts, (await findInstallation(parts.db)) ?? (await found(parts))));
  if (sentences.length > 0) throw new Error(sentences.join(' '));
}

export const sentencesOf = ({ secret_key, storage }: Comparison): string[] => [
  ...(secret_key === 'ok' ? [] : [differences.secret_key]),
  ...(storage === 'ok' ? [] : [differences[storage]]),
];

/** Of a database that no server has started on yet, everything is as it should be, if the storage answers. */
export async function compared({ sealing, storage }: Parts, installation?: Installation): Promise<Comparison> {
  const looking = storage.byteSize(OWNER, installation?.storage_key ?? '').then(
    (size) => (size === undefined && installation ? 'missing' : 'ok'),
    () => 'unreachable' as const,
  );
  const timer = Promise.withResolvers<'unreachable'>();
  const timeout = setTimeout(() => timer.resolve('unreachable'), STORAGE_MS);
  const found = await Promise.race([looking, timer.promise]);
  clearTimeout(timeout);
  const isSame = !installation || installation.secret_key_fingerprint === sealing.fingerprint();
  return { secret_key: isSame ? 'ok' : 'differs', storage: found };
}

export const findInstallation = async ({ installation }: Db): Promise<Installation | undefined> =>
  (await installation.rows<Installation>('select secret_key_fingerprint, storage_key from installation'))[0];

const mark = ({ storage }: Parts) =>
  storage.put(OWNER, MARK).catch((cause: Error) => {
    throw new Error(`${differences.unreachable} (${cause.message})`, { cause });
  });

/** Of nodes that start together on an empty database, one says what they have in common. */
async function found(parts: Parts): Promise<Installation | undefined> {
  const storage_key = await mark(parts);
  const [row] = await parts.db.installation.rows<Installation>(
    `insert into installation (secret_key_fingerprint, storage_key) values ($1, $2)
     on conflict do nothing returning secret_key_fingerprint, storage_key`,
    [parts.sealing.fingerprint(), storage_key],
  );
  if (row) return row;
  await parts.storage.remove(OWNER, storage_key);
  return findInstallation(parts.db);
}

/** From now on, what this machine has counts: after a key or files were lost. Other nodes must follow. */
export async function adopt(parts: Parts, what: { secret_key: boolean; storage: boolean }): Promise<void> {
  if (!(await findInstallation(parts.db))) return void (await found(parts));
  const values = [what.secret_key ? parts.sealing.fingerprint() : null, what.storage ? await mark(parts) : null];
  await parts.db.installation.rows(
    `update installation set secret_key_fingerprint = coalesce($1, secret_key_fingerprint),
       storage_key = coalesce($2, storage_key)`,
    values,
  );
}
