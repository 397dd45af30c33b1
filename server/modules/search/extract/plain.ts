import { detect } from 'chardet';
import type { Limits } from './limits.ts';
import { type Rules, textFrom } from './markup.ts';
import { Enough, Refusal, type Text } from './text.ts';

/** Of a character, in any encoding. */
const BYTES_MAX = 4;

export function readPlain(bytes: Buffer, text: Text, { text_length_max }: Limits) {
  const head = bytes.subarray(0, text_length_max * BYTES_MAX);
  text.add(decoded(head));
  if (head.length < bytes.length) throw new Enough();
}

export function readHtml(bytes: Buffer, text: Text) {
  const markup = textFrom(text, html, false);
  const characters = decoded(bytes);
  // In pieces, so that a text that is long enough ends the work.
  for (let at = 0; at < characters.length; at += PIECE) {
    markup.write(characters.slice(at, at + PIECE));
    text.goOn();
  }
  markup.end();
}
const PIECE = 65_536;

const html: Rules = {
  isFlowing: true,
  skipped: new Set(['script', 'style', 'template', 'noscript', 'svg', 'math']),
  lines: new Set(
    (
      'title p div section article header footer main nav aside h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table tr td th ' +
      'caption blockquote pre figure figcaption form fieldset option address hr br'
    ).split(' '),
  ),
};

/** By its mark, else UTF-8 where it is, else what its statistics say. */
function decoded(bytes: Buffer): string {
  const marked = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff;
  if (marked) return new TextDecoder(marked === true ? 'utf-16be' : marked).decode(bytes);
  if (bytes.subarray(0, SAMPLE_BYTES).includes(0)) throw new Refusal('broken');
  try {
    // A character may be cut at the end.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder(known(detect(bytes.subarray(0, SAMPLE_BYTES)))).decode(bytes);
  }
}
const SAMPLE_BYTES = 65_536;

function known(encoding: string | null): string {
  try {
    return new TextDecoder(encoding ?? '').encoding;
  } catch {
    return 'windows-1252';
  }
}
