// multipart/form-data (RFC 7578, in the frame of RFC 2046 5.1), cut at its boundaries while it arrives:
//
//   chunks of the request -> cutter: the head of each part, then pieces of its content -> form.ts: text and files
//
// Files of a small body stay in memory; those of a large one, or of one of unknown length, go to disk, so that memory
// stays bounded. Everything else is the same for both.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { parse as parseDisposition } from 'content-disposition';
import { parse as parseContentType } from 'content-type';
import { refuse } from '../contract/errors.ts';
import { countFields, type Known, treeOf } from './fields.ts';
import { type FormLimits, formWithin, type PartHead } from './form.ts';

const IN_MEMORY_BYTES_MAX = 1024 * 1024;
const NAME_BYTES_MAX = 255;
const HEAD_BYTES_MAX = 16 * 1024;
const BOUNDARY_BYTES_MAX = 70;
const [CRLF, HEAD_END, DASH] = [Buffer.from('\r\n'), Buffer.from('\r\n\r\n'), 45];

/** The body as a tree. Files on disk are there until they are discarded. */
export async function parseMultipart(request: IncomingMessage, limits: FormLimits, known?: Known) {
  const { 'content-type': content_type = '', 'content-length': length } = request.headers;
  const isSmall = length !== undefined && Number(length) <= IN_MEMORY_BYTES_MAX;
  const form = formWithin(limits, isSmall, countFields(known));
  try {
    const cutter = cutterAt(boundaryOf(content_type));
    let arrived = 0;
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      arrived += chunk.length;
      if (arrived > limits.bytes_max)
        refuse('payload_too_large', `A request to this endpoint may have at most ${limits.bytes_max} bytes.`);
      for (const { head, content } of cutter.cut(chunk)) {
        const waiting = head ? form.open(headOf(head)) : form.write(content);
        if (waiting) await waiting;
      }
    }
    if (!cutter.isComplete()) refuseBody('the last boundary is missing');
    return { tree: treeOf(await form.fields()), discard: form.discard };
  } catch (error) {
    await form.discard();
    if (request.destroyed && !request.complete) refuseBody('the upload was cut off', error);
    throw error;
  } finally {
    // What is left of the body is read and dropped: closing the socket at once would also lose the answer.
    if (!request.readableEnded) request.resume();
  }
}

function refuseBody(why: string, cause?: unknown): never {
  refuse('malformed_body', `The multipart body cannot be read: ${why}.`, { cause });
}

function boundaryOf(content_type: string): string {
  const { boundary = '' } = parseContentType(content_type).parameters;
  if (boundary === '' || boundary.length > BOUNDARY_BYTES_MAX) refuseBody('the content type names no boundary');
  return boundary;
}

/** The head of a part, or the next piece of its content. What comes before the first head belongs to no part. */
type Piece = { head: Buffer; content?: never } | { head?: never; content: Buffer };

function cutterAt(boundary: string) {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // The first delimiter may stand at the very start, without its line break.
  let rest: Buffer = CRLF;
  let state: 'head' | 'content' | 'complete' = 'content';
  /** Of `rest`, bytes that may be the line break of a delimiter, but are no content. */
  let before = 0;
  return {
    isComplete: () => state === 'complete',
    /** Keeps what is not whole yet for the next chunk: a head, or a piece of a delimiter. */
    *cut(chunk: Buffer): Generator<Piece> {
      if (state !== 'complete') rest = Buffer.concat([rest, chunk]);
      while (state !== 'complete') {
        if (state === 'head') {
          if (rest[0] === DASH && rest[1] === DASH) {
            state = 'complete';
            return;
          }
          const at = rest.indexOf(HEAD_END);
          if ((at < 0 ? rest.length : at) > HEAD_BYTES_MAX) refuseBody('the headers of a part are too long');
          if (at < 0) return;
          yield { head: rest.subarray(0, at) };
          // The second line break stays: of an empty part, it may be the one of the next delimiter.
          rest = rest.subarray(at + CRLF.length);
          before = CRLF.length;
          state = 'content';
        } else {
          const at = rest.indexOf(delimiter);
          const end = at < 0 ? rest.length - delimiter.length + 1 : at;
          if (at < 0 && end <= before) return;
          if (end > before) yield { content: rest.subarray(before, end) };
          before = 0;
          rest = rest.subarray(at < 0 ? end : at + delimiter.length);
          if (at < 0) return;
          state = 'head';
        }
      }
    },
  };
}

function headOf(bytes: Buffer): PartHead {
  const [blanks = '', ...lines] = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').split('\r\n');
  if (/[^ \t]/.test(blanks)) refuseBody('a boundary is not followed by a line break');
  let disposition = '';
  let content_type = '';
  for (const line of lines) {
    const colon = line.indexOf(':');
    const header = line.slice(0, colon).trim().toLowerCase();
    if (header === 'content-disposition') disposition = line.slice(colon + 1).trim();
    if (header === 'content-type') content_type = line.slice(colon + 1).trim();
  }
  // Browsers percent-encode a quote, as the library reads it; other clients escape it, and the backslash.
  const unescaped = disposition.replace(/\\(["\\])/g, (_, sign) => (sign === '"' ? '%22' : sign));
  const { type, parameters } = parseDisposition(unescaped, { multipart: true, extended: false });
  const { name = '', filename } = parameters;
  if (type !== 'form-data') refuseBody('a part has no form-data disposition');
  if (name === '' || Buffer.byteLength(name) > NAME_BYTES_MAX)
    refuseBody('a part has no name, or one that is too long');
  return { name, file_name: filename?.replace(/^.*[/\\]/s, ''), content_type };
}
