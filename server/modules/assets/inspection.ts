// What a file is, by its content. What the client calls it only matters where content cannot tell.
import { open } from 'node:fs/promises';
import { parse as parseContentType } from 'content-type';
import { refuse } from '../../kernel/contract/errors.ts';
import type { Content } from '../../kernel/files/storage.ts';

export type Accepts = 'image' | 'video' | 'any';

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];
const VIDEOS = ['video/mp4', 'video/webm', 'video/quicktime', 'video/x-m4v'];
/** Types that content shows by a signature. */
const SIGNED = [...IMAGES, ...VIDEOS, 'application/pdf', 'application/zip'];
const UNKNOWN = 'application/octet-stream';
const HEAD_BYTES = 4100;
const THUMBNAIL_PIXELS = 640;
/** A picture may unpack to this many pixels at most. */
const PIXELS_MAX = 100_000_000;

const refuseFile = (field: string, why: string, cause?: unknown) =>
  refuse('file_invalid', `The file ${why}.`, { path: field, cause });

async function headOf(content: Content): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return content.subarray(0, HEAD_BYTES);
  await using file = await open(content.path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** The media type by content, or what the client says where content has no signature (text, for example). */
export async function typeOf(head: Buffer, claimed: string, field: string): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const said = parseContentType(claimed, { parameters: false }).type || UNKNOWN;
  const found = (await fileTypeFromBuffer(head))?.mime;
  if (found === undefined)
    return SIGNED.includes(said) ? refuseFile(field, `is no ${said}, which its name or content type says it is`) : said;
  if (!agree(found, said)) refuseFile(field, `is ${found}, not ${said}`);
  return isContainer(found) && said !== UNKNOWN ? said : found;
}

/** Types whose content says no more than what holds it. */
const isContainer = (type: string) => /^application\/(zip|x-cfb|xml|gzip|ogg)$/.test(type);
function agree(found: string, said: string): boolean {
  if (found === said || said === UNKNOWN || said === 'binary/octet-stream') return true;
  if (/^(video|audio)\//.test(found) && /^(video|audio)\//.test(said)) return true;
  if (found === 'application/xml') return /xml|svg|html/.test(said);
  // What a container holds may be called anything but what would show a signature of its own.
  const isHeld = said === 'application/zip' || !SIGNED.includes(said);
  return isContainer(found) && isHeld && !said.startsWith('text/');
}

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
  claimed: string,
  accepts: Accepts,
  field: string,
  isWhole = true,
): Promise<Inspected> {
  const content_type = await typeOf(await headOf(content), claimed, field);
  if (accepts === 'image' && !IMAGES.includes(content_type))
    refuseFile(field, `is ${content_type}; images here are ${IMAGES.join(', ')}`);
  if (accepts === 'video' && !VIDEOS.includes(content_type))
    refuseFile(field, `is ${content_type}; videos here are ${VIDEOS.join(', ')}`);
  if (!IMAGES.includes(content_type) || !isWhole)
    return { content_type, width: null, height: null, thumbnail: undefined };
  const { default: sharp } = await import('sharp');
  try {
    const image = sharp(Buffer.isBuffer(content) ? content : content.path, {
      limitInputPixels: PIXELS_MAX,
      failOn: 'error',
    });
    const { autoOrient } = await image.metadata();
    const thumbnail = await image
      .autoOrient()
      .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 80 })
      .toBuffer();
    return { content_type, width: autoOrient.width, height: autoOrient.height, thumbnail };
  } catch (error) {
    return refuseFile(field, `is a damaged image, or one of more than ${PIXELS_MAX} pixels`, error);
  }
}
