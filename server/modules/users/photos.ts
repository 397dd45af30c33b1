import type { UploadedFile } from '../../kernel/contract.ts';
import type { Tx } from '../../kernel/db.ts';
import { notFound, Refusal } from '../../kernel/errors.ts';
import { job, queued } from '../../kernel/jobs.ts';
import type { Services } from '../../kernel/routes.ts';
import { sql } from '../../kernel/sql.ts';
import { lockUser, updateUserPhoto } from './queries.ts';

const PHOTO_BYTES_MAX = 5 * 1024 * 1024;
/** First bytes of the image formats that every browser shows. */
const signatures: [type: string, matches: (bytes: Buffer) => boolean][] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))],
  ['image/gif', (bytes) => /^GIF8[79]a$/.test(bytes.subarray(0, 6).toString('latin1'))],
  ['image/webp', (bytes) => bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP'],
];

/** By content; what the client calls it does not matter. */
export const imageType = (bytes: Buffer) => signatures.find(([, matches]) => matches(bytes))?.[0];

export const removeFile = job<{ key: string }>('remove_file', (tx, { key }, { storage }) =>
  storage.remove(tx.organisation_id, key.slice(key.indexOf('/') + 1)),
);

/** Stores the image and points the person at it; the former photo is removed later, a failed write at once. */
export async function setPhoto(tx: Tx, { storage }: Services, user_id: number, image: UploadedFile) {
  if (image.byte_size > PHOTO_BYTES_MAX)
    throw new Refusal('image_invalid', `A profile photo may have at most ${PHOTO_BYTES_MAX} bytes.`, { path: 'image' });
  const bytes = await image.bytes();
  if (!imageType(bytes)) throw new Refusal('image_invalid', 'The file is no PNG, JPEG, GIF or WebP image.', { path: 'image' });
  const key = await storage.put(tx.organisation_id, bytes);
  try {
    return await tx.transaction(async (inside) => {
      const user = (await lockUser(inside, user_id)) ?? notFound();
      if (user.photo_key)
        await inside.rows(
          queued(
            removeFile,
            sql`(select ${JSON.stringify({ key: user.photo_key })}::jsonb as payload, ${inside.now()}::timestamptz as run_at)`,
          ),
        );
      return updateUserPhoto(inside, user_id, `${tx.organisation_id}/${key}`);
    });
  } catch (error) {
    await storage.remove(tx.organisation_id, key);
    throw error;
  }
}
