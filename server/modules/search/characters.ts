// Which script a character is of, as far as cutting text into words goes: one look into a table for each UTF-16 unit.

/** What separates words; letters and digits of scripts that write spaces; and scripts that are cut otherwise. */
export const SEPARATOR = 0;
export const SPACED = 1;
export const HAN = 2;
export const HANGUL = 3;
export const UNSPACED = 4;
export type Script = 0 | 1 | 2 | 3 | 4;

const scripts: readonly [Script, RegExp][] = [
  [HANGUL, /\p{Script=Hangul}/u],
  [HAN, /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc\uff70]/u],
  [UNSPACED, /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u],
  [SPACED, /[\p{L}\p{N}\p{M}\u00ad\u0640\u200b-\u200d\u2060]/u],
];
const scriptOf = (character: string): Script =>
  scripts.find(([, pattern]) => pattern.test(character))?.[0] ?? SEPARATOR;

let table: Uint8Array | undefined;
function makeTable(): Uint8Array {
  const made = new Uint8Array(0x10000);
  for (let unit = 0; unit < 0x10000; unit++) {
    // The planes of rare Han characters begin with these surrogates; all others are signs and letters nobody asks for.
    const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
    const isHan = unit >= 0xd840 && unit <= 0xd888;
    made[unit] = isSurrogate ? (isHan ? HAN : SEPARATOR) : scriptOf(String.fromCharCode(unit));
  }
  return made;
}

/** Calls `found` for each run of one script that separators do not end. */
export function eachRun(text: string, found: (start: number, end: number, script: Script) => void): void {
  table ??= makeTable();
  let start = 0;
  let current: number = SEPARATOR;
  for (let i = 0; i <= text.length; i++) {
    const unit = text.charCodeAt(i);
    // The second half of a character goes with the first: half of one is no text that a database takes.
    const isRest = unit >= 0xdc00 && unit <= 0xdfff;
    const script = i >= text.length || (isRest && current !== HAN) ? SEPARATOR : isRest ? HAN : (table[unit] as number);
    if (script === current) continue;
    if (current !== SEPARATOR) found(start, i, current as Script);
    start = i;
    current = script;
  }
}

/** Accents and vowel marks of European and Semitic scripts, what only stretches a word, and what has no width. */
const MARKS = new RegExp(
  `[${[
    '\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2',
    '\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06ed\\u00ad\\u200b-\\u200f\\u2060\\ufeff',
  ].join('')}]`,
  'g',
);
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  ة: 'ه',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII.
const ASCII = /^[\u0000-\u007f]*$/;

/** Lower case without accents, so that what people leave out when they type makes no difference. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(MARKS, '')
    .normalize('NFC')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter);
}
