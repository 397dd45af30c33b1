// multipart/form-data (RFC 7578, in the frame of RFC 2046 5.1). A body that fits in one buffer is cut there; anything
// larger or of unknown length is cut while it arrives, its files to disk, so that memory stays bounded. What a part is
// and what is refused is written once, so both yield the same tree.

import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../contract/errors.ts';
import type { UploadedFile } from '../contract/schema.ts';
import { type Tree, treeOf } from './fields.ts';

export interface MultipartLimits {
  /** All text fields together. */
  body_bytes_max: number;
  file_bytes_max: number;
  files_max: number;
  /** Folder for files that are too large for memory. */
  upload_folder: string;
}

const BUFFERED_BYTES_MAX = 1024 * 1024;
const NAME_BYTES_MAX = 255;
const HEAD_BYTES_MAX = 16 * 1024;
const PARTS_MAX = 10_000;
const [CRLF, HEAD_END] = [Buffer.from('\r\n'), Buffer.from('\r\n\r\n')];
const malformed = (why: string, cause?: unknown) =>
  new Refusal('malformed_body', `The multipart body cannot be read: ${why}.`, { cause });
const fileTooLarge = (name: string, max: number) =>
  new Refusal('payload_too_large', `The file "${name}" is larger than ${max} bytes.`, { path: name });
const tooManyFiles = (name: string, max: number) =>
  new Refusal('payload_too_large', `A request may carry at most ${max} files.`, { path: name });
const tooManyParts = () => new Refusal('payload_too_large', `A request may carry at most ${PARTS_MAX} fields.`);
const headTooLarge = () => malformed('the headers of a part are too long');
const textTooLarge = (max: number) =>
  new Refusal('payload_too_large', `The text fields are larger than ${max} bytes together.`);

export interface ParsedMultipart {
  tree: Tree;
  /** Deletes what was streamed to disk. */
  discard(): Promise<void>;
}

export async function parseMultipart(request: IncomingMessage, limits: MultipartLimits): Promise<ParsedMultipart> {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (!(length <= BUFFERED_BYTES_MAX)) return streamed(request, limits);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  return {
    tree: treeOf(buffered(body, boundaryOf(request.headers['content-type'] ?? ''), limits)),
    discard: async () => {},
  };
}

function boundaryOf(contentType: string): string {
  const found = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  return found?.[1] ?? found?.[2] ?? refuseBoundary();
}
const refuseBoundary = (): never => {
  throw malformed('the content type names no boundary');
};

/** The fields of a body as they are found, within the limits. */
function collector(limits: MultipartLimits) {
  const fields: [string, unknown][] = [];
  let files = 0;
  let text_bytes = 0;
  return {
    fields,
    /** Bytes of text that may still come. */
    textLeft: () => limits.body_bytes_max - text_bytes,
    open(head: Buffer): Part {
      if (head.length > HEAD_BYTES_MAX) throw headTooLarge();
      if (fields.length === PARTS_MAX) throw tooManyParts();
      const part = partOf(head);
      if (part.file_name !== undefined && ++files > limits.files_max) throw tooManyFiles(part.name, limits.files_max);
      return part;
    },
    text({ name }: Part, content: Buffer) {
      text_bytes += content.length;
      if (text_bytes > limits.body_bytes_max) throw textTooLarge(limits.body_bytes_max);
      fields.push([name, textOf(content, name)]);
    },
    file(
      { name, file_name = '', content_type }: Part,
      byte_size: number,
      stored: Pick<UploadedFile, 'bytes' | 'path'>,
    ) {
      if (byte_size > limits.file_bytes_max) throw fileTooLarge(name, limits.file_bytes_max);
      const file: UploadedFile = { file_name, content_type, byte_size, ...stored };
      fields.push([name, file]);
    },
  };
}

function buffered(body: Buffer, boundary: string, limits: MultipartLimits): [string, unknown][] {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const { fields, open, text, file } = collector(limits);
  // The first delimiter may stand at the very start, without its line break.
  let at =
    body.indexOf(delimiter.subarray(2)) === 0
      ? delimiter.length - 2
      : afterDelimiter(body.indexOf(delimiter), delimiter.length);
  for (;;) {
    if (body[at] === DASH && body[at + 1] === DASH) return fields;
    while (body[at] === SPACE || body[at] === TAB) at++;
    if (body[at] !== CR || body[at + 1] !== LF) throw noLineBreak();
    at += 2;
    const headEnd = body.indexOf(HEAD_END, at);
    // An empty part may lack the line break before its content.
    const end = headEnd < 0 ? -1 : body.indexOf(delimiter, headEnd + 2);
    if (end < 0) throw noEnd();
    const part = open(body.subarray(at, headEnd));
    const content = body.subarray(Math.min(headEnd + 4, end), end);
    if (part.file_name === undefined) text(part, content);
    else file(part, content.length, { bytes: async () => content });
    at = end + delimiter.length;
  }
}
const [CR, LF, DASH, SPACE, TAB] = [13, 10, 45, 32, 9];
const noLineBreak = () => malformed('a boundary is not followed by a line break');
const noEnd = () => malformed('the last boundary is missing');

const afterDelimiter = (index: number, length: number) => {
  if (index < 0) throw malformed('its boundary does not occur in it');
  return index + length;
};

interface Part {
  name: string;
  /** Of a file, even when it is empty. */
  file_name: string | undefined;
  content_type: string;
}

function partOf(head: Buffer): Part {
  let disposition = '';
  let content_type = 'text/plain';
  for (const line of head.toString(isUtf8(head) ? 'utf8' : 'latin1').split('\r\n')) {
    const colon = line.indexOf(':');
    const header = line.slice(0, colon).trim().toLowerCase();
    if (header === 'content-disposition') disposition = line.slice(colon + 1).trim();
    if (header === 'content-type') content_type = line.slice(colon + 1).trim();
  }
  if (!/^form-data\s*;/i.test(disposition)) throw malformed('a part has no form-data disposition');
  const name = parameter(disposition, 'name');
  if (!name || Buffer.byteLength(name) > NAME_BYTES_MAX) throw malformed('a part has no name, or one that is too long');
  const file_name = parameter(disposition, 'filename');
  if (file_name === undefined) refuseCharset(content_type, name);
  return { name, file_name: file_name === undefined ? undefined : baseName(file_name), content_type };
}

function parameter(disposition: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(disposition);
  if (!found) return undefined;
  // Browsers percent-encode the quote; older clients escape it.
  return (found[1]?.replace(/\\(["\\])/g, '$1') ?? found[2] ?? '')
    .replaceAll('%22', '"')
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n');
}
const baseName = (file_name: string) =>
  file_name.slice(Math.max(file_name.lastIndexOf('/'), file_name.lastIndexOf('\\')) + 1);

function refuseCharset(content_type: string, name: string) {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(content_type)?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    throw new Refusal('unsupported_media_type', `The field "${name}" is in ${charset}; only UTF-8 is read.`, {
      path: name,
    });
  }
}

function textOf(content: Buffer, name: string): string {
  if (!isUtf8(content)) throw new Refusal('malformed_body', `The field "${name}" is not valid UTF-8.`, { path: name });
  return content.toString('utf8');
}

async function streamed(request: IncomingMessage, limits: MultipartLimits): Promise<ParsedMultipart> {
  const paths: string[] = [];
  const discard = async () => {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  };
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  try {
    const { nextHead, content } = cutter(chunks, boundaryOf(request.headers['content-type'] ?? ''));
    const { fields, open, text, file, textLeft } = collector(limits);
    await mkdir(limits.upload_folder, { recursive: true });
    for (let head = await nextHead(); head; head = await nextHead()) {
      const part = open(head);
      if (part.file_name === undefined)
        text(part, await whole(content(), textLeft(), () => textTooLarge(limits.body_bytes_max)));
      else {
        const path = join(limits.upload_folder, randomUUID());
        paths.push(path);
        const written = createWriteStream(path);
        await pipeline(
          bounded(content(), limits.file_bytes_max, () => fileTooLarge(part.name, limits.file_bytes_max)),
          written,
        );
        file(part, written.bytesWritten, { path, bytes: () => readFile(path) });
      }
    }
    return { tree: treeOf(fields), discard };
  } catch (error) {
    await discard();
    throw error;
  } finally {
    // The rest of the body is read and dropped: closing the socket at once would also lose the answer.
    await chunks.return?.();
    request.resume();
  }
}

/** Cuts a body at its boundaries while it arrives; keeps no more than the last chunk and a piece of a boundary. */
function cutter(chunks: AsyncIterator<Buffer>, boundary: string) {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // The first delimiter may stand at the very start, without its line break.
  let rest = CRLF as Buffer;
  const more = async () => {
    const { done, value } = await chunks.next().catch((cause) => {
      throw malformed('the upload was cut off', cause);
    });
    if (done) throw noEnd();
    rest = Buffer.concat([rest, value]);
  };
  /** What comes before the mark, which is dropped. */
  async function* until(mark: Buffer): AsyncGenerator<Buffer> {
    for (let at = rest.indexOf(mark); ; at = rest.indexOf(mark)) {
      const safe = at < 0 ? Math.max(rest.length - mark.length + 1, 0) : at;
      const piece = rest.subarray(0, safe);
      rest = rest.subarray(at < 0 ? safe : at + mark.length);
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      await more();
    }
  }
  let isFirst = true;
  return {
    /** The headers of the next part. Undefined: that was the last. */
    async nextHead(): Promise<Buffer | undefined> {
      if (isFirst) for await (const _preamble of until(delimiter));
      isFirst = false;
      while (rest.length < 2) await more();
      if (rest[0] === DASH && rest[1] === DASH) return undefined;
      const blanks = await whole(until(CRLF), HEAD_BYTES_MAX, noLineBreak);
      if (!/^[ \t]*$/.test(blanks.toString('latin1'))) throw noLineBreak();
      const head = await whole(until(HEAD_END), HEAD_BYTES_MAX, headTooLarge);
      // An empty part may lack the line break before its content.
      rest = Buffer.concat([CRLF, rest]);
      return head;
    },
    async *content(): AsyncGenerator<Buffer> {
      let before = CRLF.length;
      for await (const piece of until(delimiter)) {
        yield piece.subarray(before);
        before -= Math.min(before, piece.length);
      }
    },
  };
}

async function* bounded(
  pieces: AsyncIterable<Buffer>,
  bytes_max: number,
  tooMany: () => Error,
): AsyncGenerator<Buffer> {
  let seen = 0;
  for await (const piece of pieces) {
    seen += piece.length;
    if (seen > bytes_max) throw tooMany();
    yield piece;
  }
}

async function whole(pieces: AsyncIterable<Buffer>, bytes_max: number, tooMany: () => Error): Promise<Buffer> {
  const kept: Buffer[] = [];
  for await (const piece of bounded(pieces, bytes_max, tooMany)) kept.push(piece);
  return Buffer.concat(kept);
}
