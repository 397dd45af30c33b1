// What a file is: its bytes decide. What its sender calls it, or its name, is a hint, and only matters where bytes have
// no signature (text), or one that says no more than what holds the content (a word processor's file is a ZIP).
import { open } from 'node:fs/promises';
import { parse as parseContentType } from 'content-type';
import type { Content } from './storage.ts';

/** Pictures that every browser shows. */
export const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];
export const VIDEOS = ['video/mp4', 'video/webm', 'video/quicktime', 'video/x-m4v'];
/** Types that content shows by a signature: without it, it is something else. */
const SIGNED = [...IMAGES, ...VIDEOS, 'application/pdf', 'application/zip'];
const UNKNOWN = 'application/octet-stream';
const HEAD_BYTES = 4100;

export interface Claim {
  /** As a client sends it: often none, or a wrong one. */
  content_type: string;
  file_name: string;
}

export async function mediaTypeOf(content: Content, claim?: Claim): Promise<string> {
  const head = await headOf(content);
  const { fileTypeFromBuffer } = await import('file-type');
  // The mark of UTF-16 would be taken for sound.
  const found = isUtf16(head) ? undefined : (await fileTypeFromBuffer(head))?.mime;
  // An animated PNG is a PNG, and all that cannot play it show its first picture.
  if (found === 'image/apng') return 'image/png';
  if (found && !isHolder(found)) return found;
  const hint = claim ? await hintOf(claim) : UNKNOWN;
  if (found) return holds(found, hint) ? hint : found;
  return isText(head) ? textType(hint) : SIGNED.includes(hint) || hint.startsWith('text/') ? UNKNOWN : hint;
}

async function headOf(content: Content): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return content.subarray(0, HEAD_BYTES);
  await using file = await open(content.path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;
async function hintOf({ content_type, file_name }: Claim): Promise<string> {
  const said = parseContentType(content_type, { parameters: false }).type.toLowerCase();
  if (TYPE.test(said) && said.length <= 127 && !said.endsWith('/octet-stream')) return said;
  const { default: mime } = await import('mime');
  return mime.getType(file_name) ?? UNKNOWN;
}

const isHolder = (type: string) => /^application\/(zip|x-cfb|xml|gzip|ogg)$/.test(type);
/** What it holds may be called anything but what would show a signature of its own. */
function holds(found: string, hint: string): boolean {
  if (hint === UNKNOWN) return false;
  if (found === 'application/xml') return /xml|svg|html/.test(hint);
  return !SIGNED.includes(hint) && !hint.startsWith('text/');
}

const isUtf16 = (head: Buffer) => ['fffe', 'feff'].includes(head.toString('hex', 0, 2));
/** Text has no control characters but those that arrange it. */
const isText = (head: Buffer) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  isUtf16(head) || !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(head.toString('latin1'));
const textType = (hint: string) =>
  hint === UNKNOWN || SIGNED.includes(hint) || /^(image\/(?!svg)|audio\/|video\/|font\/)/.test(hint)
    ? 'text/plain'
    : hint;
