import { isUtf8 } from 'node:buffer';
import { parse as parseContentType } from 'content-type';
import { refuse } from '../contract/errors.ts';

/** Text of a body or of a field in one: UTF-8, whatever its content type says. */
export function textOf(bytes: Buffer, content_type: string, subject: string, path?: string): string {
  const charset = parseContentType(content_type).parameters.charset?.toLowerCase() ?? 'utf-8';
  if (!['utf-8', 'utf8', 'us-ascii'].includes(charset))
    refuse('unsupported_media_type', `${subject} is in ${charset.slice(0, 40)}; only UTF-8 is read.`, { path });
  if (!isUtf8(bytes)) refuse('malformed_body', `${subject} is not valid UTF-8.`, { path });
  return bytes.toString('utf8');
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
export const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === BYTE_ORDER_MARK[0] && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes;
