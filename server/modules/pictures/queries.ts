// Pictures that an `img` shows: avatars, badges. Their address cannot be guessed and is all that is needed to see them.

import { refuse } from '../../kernel/contract/errors.ts';
import type { UploadedFile } from '../../kernel/contract/schema.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { mediaTypeOf } from '../../kernel/files/media-type.ts';
import type { Storage } from '../../kernel/files/storage.ts';
import { job, queued } from '../../kernel/work/jobs.ts';

export const PICTURE_BYTES_MAX = 5 * 1024 * 1024;

/** By content; what the client calls it does not matter. Undefined: no picture that every `img` shows. */
export async function pictureType(bytes: Buffer): Promise<string | undefined> {
  const type = await mediaTypeOf(bytes);
  return PICTURES.includes(type) ? type : undefined;
}
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** `<organisation id>/<storage key>`, as tables keep it and addresses end. */
export type PictureKey = string;

async function storePicture(storage: Storage, organisation_id: number, field: string, file: UploadedFile) {
  const refuseFile = (message: string) => refuse('image_invalid', message, { path: field });
  if (file.byte_size > PICTURE_BYTES_MAX) refuseFile(`A picture may have at most ${PICTURE_BYTES_MAX} bytes.`);
  const bytes = await file.bytes();
  if (!(await pictureType(bytes))) refuseFile('The file is no PNG, JPEG, GIF or WebP image.');
  return `${organisation_id}/${await storage.put(organisation_id, bytes)}`;
}
const discardPicture = (storage: Storage, organisation_id: number, key: PictureKey) =>
  storage.remove(organisation_id, key.slice(key.indexOf('/') + 1));

/** What a body says of a picture: a new one, none (null), or nothing. */
export type PictureField = UploadedFile | null | undefined;
/** The same after it was stored: its key, none, or undefined for the former one. */
export type PictureChange = PictureKey | null | undefined;

/** Stores the pictures, then writes; when the write fails, no file stays behind. */
export async function withPictures<Field extends string, Result>(
  storage: Storage,
  organisation_id: number,
  files: Readonly<Record<Field, PictureField>>,
  write: (keys: Readonly<Record<Field, PictureChange>>) => Promise<Result>,
): Promise<Result> {
  const keys = {} as Record<Field, PictureChange>;
  try {
    for (const [field, file] of Object.entries(files) as [Field, PictureField][])
      keys[field] = file ? await storePicture(storage, organisation_id, field, file) : (file as null | undefined);
    return await write(keys);
  } catch (error) {
    const stored = Object.values<PictureChange>(keys).flatMap((key) => key ?? []);
    await Promise.all(stored.map((key) => discardPicture(storage, organisation_id, key)));
    throw error;
  }
}

/** SQL: the address of the picture whose key the column holds, or null; `o` is the organisation. */
export const pictureUrl = (column: string) => `o.web_url || '/pictures/' || ${column}`;

export const removePicture = job<{ key: PictureKey }>('remove_picture', (tx, { key }, { storage }) =>
  discardPicture(storage, tx.organisation_id, key),
);
/** Removes pictures that are shown no longer, after the transaction. `keys` has the column key, and nulls for none. */
const removal = (keys: Sql, now: string) =>
  queued(
    removePicture,
    sql`(
      select jsonb_build_object('key', k.key) as payload, ${now}::timestamptz as run_at
      from ${keys} k where k.key is not null)`,
  );
export const queueRemoval = (tx: Tx, keys: readonly (PictureKey | null)[]) =>
  tx.rows(removal(sql`(select unnest(${keys}::text[]) as key)`, tx.now()));
/** CTE body: the same for those that rows of `was` show in these columns, and rows of `kept` do not. */
export const removedPictures = (
  columns: readonly string[],
  was: string,
  kept: string | undefined,
  now: string,
): Sql => {
  const of = (alias: string) => trusted(columns.map((column) => `${alias}.${column}`).join(', '));
  const isKept = kept ? sql`exists (select from ${trusted(kept)} n where p.key in (${of('n')}))` : trusted('false');
  const keys = sql`(
    select p.key from ${trusted(was)} w cross join lateral unnest(array[${of('w')}]) p(key) where not ${isKept})`;
  return removal(keys, now);
};
