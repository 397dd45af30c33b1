// multipart/form-data (RFC 7578). A body that fits in one buffer is read by a small parser; anything larger or of
// unknown length is streamed by busboy, its files to disk, so that memory stays bounded. Both yield the same tree.

import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import type { UploadedFile } from './contract.ts';
import { Refusal } from './errors.ts';
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
const malformed = (why: string) => new Refusal('malformed_body', `The multipart body cannot be read: ${why}.`);
const fileTooLarge = (name: string, max: number) =>
  new Refusal('payload_too_large', `The file "${name}" is larger than ${max} bytes.`, { path: name });
const tooManyFiles = (max: number) => new Refusal('payload_too_large', `A request may carry at most ${max} files.`);
const textTooLarge = (max: number) => new Refusal('payload_too_large', `The text fields are larger than ${max} bytes together.`);

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
  return { tree: treeOf(buffered(body, boundaryOf(request.headers['content-type'] ?? ''), limits)), discard: async () => {} };
}

function boundaryOf(contentType: string): string {
  const found = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  return found?.[1] ?? found?.[2] ?? refuseBoundary();
}
const refuseBoundary = (): never => {
  throw malformed('the content type names no boundary');
};

function buffered(body: Buffer, boundary: string, limits: MultipartLimits): [string, unknown][] {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const fields: [string, unknown][] = [];
  let files = 0;
  let text_bytes = 0;
  // The first delimiter may stand at the very start, without its line break.
  let at = body.indexOf(delimiter.subarray(2)) === 0 ? delimiter.length - 2 : afterDelimiter(body.indexOf(delimiter), delimiter.length);
  for (;;) {
    if (body[at] === DASH && body[at + 1] === DASH) return fields;
    while (body[at] === SPACE || body[at] === TAB) at++;
    if (body[at] !== CR || body[at + 1] !== LF) throw malformed('a boundary is not followed by a line break');
    at += 2;
    // A part without headers has none to name it.
    const headersEnd = body.indexOf('\r\n\r\n', at, 'latin1');
    const end = headersEnd < 0 ? -1 : body.indexOf(delimiter, headersEnd + 2);
    if (end < 0) throw malformed('the last boundary is missing');
    const part = partOf(body.subarray(at, headersEnd));
    const content = body.subarray(headersEnd + 4, end);
    if (part.file_name === undefined) {
      text_bytes += content.length;
      if (text_bytes > limits.body_bytes_max) throw textTooLarge(limits.body_bytes_max);
      fields.push([part.name, textOf(content, part.name)]);
    } else {
      if (++files > limits.files_max) throw tooManyFiles(limits.files_max);
      if (content.length > limits.file_bytes_max) throw fileTooLarge(part.name, limits.file_bytes_max);
      const file: UploadedFile = {
        file_name: part.file_name,
        content_type: part.content_type,
        byte_size: content.length,
        bytes: async () => content,
      };
      fields.push([part.name, file]);
    }
    at = end + delimiter.length;
  }
}
const [CR, LF, DASH, SPACE, TAB] = [13, 10, 45, 32, 9];

const afterDelimiter = (index: number, length: number) => {
  if (index < 0) throw malformed('its boundary does not occur in it');
  return index + length;
};

function partOf(head: Buffer) {
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
  if (name === undefined || Buffer.byteLength(name) > NAME_BYTES_MAX) throw malformed('a part has no name, or one that is too long');
  const file_name = parameter(disposition, 'filename');
  if (file_name === undefined) refuseCharset(content_type, name);
  return { name, file_name: file_name === undefined ? undefined : baseName(file_name), content_type };
}

function parameter(disposition: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i').exec(disposition);
  if (!found) return undefined;
  // Browsers percent-encode the quote; older clients escape it.
  return (found[1]?.replace(/\\(["\\])/g, '$1') ?? found[2] ?? '').replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}
const baseName = (file_name: string) => file_name.slice(Math.max(file_name.lastIndexOf('/'), file_name.lastIndexOf('\\')) + 1);

function refuseCharset(content_type: string, name: string) {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(content_type)?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    throw new Refusal('unsupported_media_type', `The field "${name}" is in ${charset}; only UTF-8 is read.`, { path: name });
  }
}

function textOf(content: Buffer, name: string): string {
  if (!isUtf8(content)) throw new Refusal('malformed_body', `The field "${name}" is not valid UTF-8.`, { path: name });
  return content.toString('utf8');
}

async function streamed(request: IncomingMessage, limits: MultipartLimits): Promise<ParsedMultipart> {
  boundaryOf(request.headers['content-type'] ?? '');
  const paths: string[] = [];
  const discard = async () => {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  };
  const fields: [string, unknown][] = [];
  const writes: Promise<void>[] = [];
  let text_bytes = 0;
  let refusal: unknown;
  await mkdir(limits.upload_folder, { recursive: true });

  const parser = openBusboy(request, limits);
  // The rest of a refused body is read and dropped: closing the socket at once would also lose the answer.
  const stop = (why: unknown) => {
    refusal ??= why;
    request.unpipe(parser);
    request.resume();
    parser.destroy();
  };
  // latin1 keeps the bytes as they came: busboy would replace what is not UTF-8 without a word.
  parser.on('field', (name, value, { nameTruncated, mimeType }) => {
    const bytes = Buffer.from(value, 'latin1');
    text_bytes += bytes.length;
    try {
      if (nameTruncated || !name) throw malformed('a part has no name, or one that is too long');
      refuseCharset(mimeType, name);
      if (text_bytes > limits.body_bytes_max) throw textTooLarge(limits.body_bytes_max);
      fields.push([name, textOf(bytes, name)]);
    } catch (error) {
      stop(error);
    }
  });
  parser.on('file', (name, content, { filename, mimeType }) => {
    const path = join(limits.upload_folder, randomUUID());
    paths.push(path);
    const file: UploadedFile = {
      file_name: baseName(filename ?? ''),
      content_type: mimeType,
      byte_size: 0,
      path,
      bytes: () => readFile(path),
    };
    fields.push([name, file]);
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        file.byte_size += chunk.length;
        done(file.byte_size > limits.file_bytes_max ? (fileTooLarge(name, limits.file_bytes_max) as Error) : null, chunk);
      },
    });
    writes.push(pipeline(content, counted, createWriteStream(path)).catch(stop));
  });
  parser.on('filesLimit', () => stop(tooManyFiles(limits.files_max)));

  try {
    await new Promise<void>((resolve) => {
      parser.once('close', resolve);
      parser.once('error', (error: Error) => stop(malformed(error.message.toLowerCase())));
      request.once('close', () => request.complete || stop(malformed('the upload was cut off')));
      request.pipe(parser);
    });
    await Promise.all(writes);
    if (refusal) throw refusal;
    return { tree: treeOf(fields), discard };
  } catch (error) {
    await Promise.allSettled(writes);
    await discard();
    throw error;
  }
}

function openBusboy(request: IncomingMessage, limits: MultipartLimits) {
  try {
    return busboy({
      headers: request.headers,
      defCharset: 'latin1',
      defParamCharset: 'utf8',
      limits: { fieldNameSize: NAME_BYTES_MAX, fieldSize: limits.body_bytes_max + 1, files: limits.files_max, fields: 10_001 },
    });
  } catch (error) {
    throw malformed((error as Error).message.toLowerCase());
  }
}
