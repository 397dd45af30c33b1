// What the index holds of an item: its keys, and the words that its organisation's dictionary learns from it.
import { plainText } from '../../kernel/html/html.ts';
import { folded, type Script } from './characters.ts';
import type { Item, SearchFamily, Version } from './families.ts';
import { BEGINNING_MAX, type KeyOf } from './keys.ts';
import { isOpen } from './reach.ts';
import { spellingsOf } from './spelling.ts';
import { stemOf, tailOf } from './stems.ts';
import { isSpelt, wholeOf, wordsOf } from './words.ts';

/** More of a text is not read, and more different words of an item are not kept. */
export const TEXT_MAX = 500_000;
const WORDS_MAX = 4000;
const UNTITLED_LENGTH = 100;
/** Parts of words shorter than this are no compounds. */
const TAIL_MIN = 4;

/** What has no title of its own is called as it begins. */
export function titleOf({ title, text }: Pick<Version, 'title' | 'text'>): string {
  if (title !== '') return title;
  const start = text.trim().split('\n', 1)[0] ?? '';
  if (start.length <= UNTITLED_LENGTH) return start;
  const cut = start.lastIndexOf(' ', UNTITLED_LENGTH);
  return `${start.slice(0, cut > 0 ? cut : UNTITLED_LENGTH).trim()} …`;
}
export const textOf = ({ text, is_html }: Version): string => (is_html ? plainText(text) : text);
/** "de-AT" is German. */
export const primary = (language: string) => language.toLowerCase().split('-')[0] ?? '';

export interface Entry {
  readonly keys: Set<number>;
  readonly words: ReadonlyMap<string, Script>;
  readonly titles: ReadonlyMap<string, Script>;
}
export function entryOf(family: SearchFamily, item: Item, key: KeyOf): Entry {
  const [words, titles] = [new Map<string, Script>(), new Map<string, Script>()];
  const keys = new Set<number>([key('type', family.type)]);
  const names = item.names.filter((name) => name !== null);
  for (const version of item.versions) {
    wordsOf(folded(titleOf(version)), titles, WORDS_MAX);
    if (version.language) keys.add(key('language', primary(version.language)));
  }
  for (const name of [...names, ...item.versions.map(({ title }) => title)]) {
    const whole = wholeOf(name);
    if (whole !== '') keys.add(key('whole', whole));
  }
  for (const [word, script] of titles) words.set(word, script);
  for (const version of item.versions) wordsOf(folded(textOf(version)), words, WORDS_MAX);
  for (const name of names) wordsOf(folded(name), words, WORDS_MAX);
  for (const word of words.keys()) keys.add(key('word', word));
  for (const [word, script] of titles) {
    keys.add(key('title', word));
    for (let length = 1; isSpelt(script) && length <= Math.min(BEGINNING_MAX, word.length); length++)
      keys.add(key('beginning', word.slice(0, length)));
  }
  if (item.creator_id !== null) keys.add(key('creator', item.creator_id));
  for (const space of item.spaces) keys.add(key('space', space));
  return { keys, words, titles };
}

/** A row of the dictionary, with what a batch of items adds to its counts. */
export interface TermRow {
  term: string;
  stem: string | null;
  tail: string | null;
  spellings: string | null;
  documents: number;
  titles: number;
  open: number;
}
const arrayOf = (numbers: Iterable<number>) => `{${[...numbers].join(',')}}`;

export { arrayOf };

/** Counts what `entries` have and, where one was there before, had not. */
export function termsOf(
  entries: readonly { entry: Entry; reach: number; before: ReadonlySet<string> | undefined }[],
  key: KeyOf,
): TermRow[] {
  const terms = new Map<string, TermRow>();
  for (const { entry, reach, before } of entries)
    for (const [word, script] of entry.words) {
      if (before?.has(String(key('word', word)))) continue;
      const term = terms.get(word) ?? newTerm(word, script, key);
      terms.set(word, term);
      term.documents++;
      if (entry.titles.has(word)) term.titles++;
      if (isOpen(reach)) term.open++;
    }
  // One order for all writers.
  return [...terms.values()].sort((a, b) => (a.term < b.term ? -1 : 1));
}

export function newTerm(term: string, script: Script, key: KeyOf): TermRow {
  const counts = { term, documents: 0, titles: 0, open: 0 };
  if (!isSpelt(script)) return { ...counts, stem: null, tail: null, spellings: null };
  const stem = stemOf(term);
  const isWord = /\p{L}/u.test(term);
  const tail = isWord && stem.length > TAIL_MIN ? tailOf(stem) : null;
  const spellings = isWord ? arrayOf(spellingsOf(term).map((text) => key('spelling', text))) : null;
  return { ...counts, stem, tail, spellings };
}
