// The photo that a provider names is fetched after the answer, through the guard that every configured address goes through,
// and becomes the person's. What cannot be fetched or is no picture changes nothing.
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import { type Egress, EgressFailure } from '../../kernel/delivery/egress.ts';
import { job, queued } from '../../kernel/work/jobs.ts';
import { imageType, PICTURE_BYTES_MAX } from '../pictures/queries.ts';
import { setPhoto } from '../users/photos.ts';
import type { Document } from './document.ts';
import { namesPhoto } from './queries.ts';

interface Payload {
  user_id: number;
  url: string;
}

export const fetchPhoto = job<Payload>('fetch_photo', async (tx, { user_id, url }, services) => {
  // Taken back, or replaced, since.
  if (!(await namesPhoto(tx, user_id, url))) return;
  const bytes = await pictureAt(url, services.egress);
  if (!bytes) return;
  const image = {
    file_name: 'photo',
    content_type: imageType(bytes) ?? '',
    byte_size: bytes.length,
    bytes: async () => bytes,
  };
  await setPhoto(tx, services, user_id, image);
});

/** Undefined: there is none. Throws where another try may find one. */
async function pictureAt(url: string, egress: Egress): Promise<Buffer | undefined> {
  try {
    const { status, body } = await egress.send({
      method: 'GET',
      url,
      headers: { accept: 'image/*' },
      answer_bytes_max: PICTURE_BYTES_MAX + 1,
    });
    if (status >= 500 || status === 429) throw new Error(`The address of the photo answered ${status}.`);
    return status === 200 && body.length <= PICTURE_BYTES_MAX && imageType(body) ? body : undefined;
  } catch (error) {
    if (error instanceof EgressFailure && error.kind === 'refused_address') return undefined;
    throw error;
  }
}

/** Of several the primary one, else the first. */
export function photoIn({ photos }: Document): string | undefined {
  const entries = (photos as Document[] | undefined) ?? [];
  const { value } = entries.find(({ primary }) => primary === true) ?? entries[0] ?? {};
  return typeof value === 'string' && /^https?:/i.test(value) ? value : undefined;
}

export const queuePhoto = (tx: Tx, user_id: number, url: string) =>
  tx.rows(
    queued(
      fetchPhoto,
      sql`(select ${JSON.stringify({ user_id, url })}::jsonb as payload, ${tx.now()}::timestamptz as run_at)`,
    ),
  );
