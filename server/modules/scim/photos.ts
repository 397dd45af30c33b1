// The photo that a provider names is fetched after the answer, through the guard of every configured address, and
// becomes the person's. What cannot be fetched or is no picture changes nothing.
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import { type Egress, EgressFailure } from '../../kernel/delivery/egress.ts';
import { job, queued } from '../../kernel/work/jobs.ts';
import { PICTURE_BYTES_MAX, pictureType } from '../pictures/queries.ts';
import { setPhoto } from '../users/photos.ts';
import { type Document, entriesIn } from './document.ts';
import { namesPhoto } from './user-queries.ts';

export const fetchPhoto = job<{ user_id: number; url: string }>(
  'fetch_photo',
  async (tx, { user_id, url }, services) => {
    // Taken back, or replaced, since.
    if (!(await namesPhoto(tx, user_id, url))) return;
    const picture = await pictureAt(url, services.egress);
    const content_type = picture && (await pictureType(picture));
    if (!content_type) return;
    const image = { file_name: 'photo', content_type, byte_size: picture.length, bytes: async () => picture };
    await setPhoto(tx, services, user_id, image);
  },
);

/** Undefined: there is none. Throws where another try may find one. */
async function pictureAt(url: string, egress: Egress): Promise<Buffer | undefined> {
  const answer_bytes_max = PICTURE_BYTES_MAX + 1;
  const request = { method: 'GET', url, headers: { accept: 'image/*' }, answer_bytes_max } as const;
  const answer = await egress.send(request).catch((error) => {
    if (error instanceof EgressFailure && error.kind === 'refused_address') return undefined;
    throw error;
  });
  if (!answer) return undefined;
  const { status, body } = answer;
  if (status >= 500 || status === 429) throw new Error(`The address of the photo answered ${status}.`);
  return status === 200 && body.length <= PICTURE_BYTES_MAX ? body : undefined;
}

/** Of several the primary one, else the first. */
export function photoIn({ photos }: Document): string | undefined {
  const entries = entriesIn(photos);
  const { value } = entries.find(({ primary }) => primary === true) ?? entries[0] ?? {};
  return typeof value === 'string' && /^https?:/i.test(value) ? value : undefined;
}

export function queuePhoto(tx: Tx, user_id: number, url: string) {
  const payload = JSON.stringify({ user_id, url });
  return tx.rows(queued(fetchPhoto, sql`(select ${payload}::jsonb as payload, ${tx.now()}::timestamptz as run_at)`));
}
