// What JSON may hold, found in one pass over its bytes before it is parsed: a parser is quick with megabytes of text,
// but not with a million brackets, and what walks a tree wants it of limited depth.
import { refuse } from '../contract/errors.ts';

const DEPTH_MAX = 64;
const VALUES_MAX = 100_000;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Strings are passed over as the native search finds their ends. */
export function refuseUnlessBounded(bytes: Buffer) {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at + 1);
    } else if (byte === LIST || byte === OBJECT) {
      values++;
      if (++depth > DEPTH_MAX) refuse('malformed_body', `The body is nested more than ${DEPTH_MAX} deep.`);
    } else if (byte === LIST_END || byte === OBJECT_END) {
      depth--;
    } else if (byte === COMMA || byte === COLON) {
      values++;
    }
    if (values > VALUES_MAX) refuse('payload_too_large', `The body has more than ${VALUES_MAX} names and values.`);
  }
}

function endOfString(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let before = end - 1;
    while (before >= start && bytes[before] === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return bytes.length;
}
