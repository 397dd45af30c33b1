// Is a file of the kind that its place takes? Of pictures: how large, and a thumbnail.
import { refuse } from '../../kernel/contract/errors.ts';
import { type Claim, IMAGES, mediaTypeOf, VIDEOS } from '../../kernel/files/media-type.ts';
import type { Content } from '../../kernel/files/storage.ts';
import { type PixelBudget, scale, spendPixels } from './quota.ts';

export type Accepts = 'image' | 'video' | 'any';

const THUMBNAIL_PIXELS = 640;
/** A picture may unpack to this many pixels at most. */
const PIXELS_MAX = 100_000_000;

/** Of this process, at once. */
const decoding = scale(200_000_000);

const refuseFile = (field: string, why: string, cause?: unknown) =>
  refuse('file_invalid', `The file ${why}.`, { path: field, cause });

export interface Inspected {
  content_type: string;
  width: number | null;
  height: number | null;
  thumbnail: Buffer | undefined;
}

/**
 * Checks that the file is of an accepted kind. Of images that are given whole it makes a thumbnail, which carries no
 * metadata of the original.
 */
export async function inspect(
  content: Content,
  claim: Claim,
  accepts: Accepts,
  field: string,
  pixels: PixelBudget,
  isWhole = true,
): Promise<Inspected> {
  const content_type = await mediaTypeOf(content, claim);
  if (accepts === 'image' && !IMAGES.includes(content_type))
    refuseFile(field, `is ${content_type}; images here are ${IMAGES.join(', ')}`);
  if (accepts === 'video' && !VIDEOS.includes(content_type))
    refuseFile(field, `is ${content_type}; videos here are ${VIDEOS.join(', ')}`);
  if (!IMAGES.includes(content_type) || !isWhole)
    return { content_type, width: null, height: null, thumbnail: undefined };
  const { default: sharp } = await import('sharp');
  const options = { limitInputPixels: PIXELS_MAX, failOn: 'error' } as const;
  const image = sharp(Buffer.isBuffer(content) ? content : content.path, options);
  const damaged = (error: unknown) =>
    refuseFile(field, `is a damaged image, or one of more than ${PIXELS_MAX} pixels`, error);
  const { autoOrient } = await image.metadata().catch(damaged);
  const { width, height } = autoOrient;
  spendPixels(pixels, width * height, field);
  const thumbnail = await decoding(width * height, () =>
    image
      .autoOrient()
      .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer(),
  ).catch(damaged);
  return { content_type, width, height, thumbnail };
}
