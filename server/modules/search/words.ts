// Text as words, of items and queries alike, whatever its language.
//
//   spaced scripts     runs of letters and digits                     "Größe 12"    grosse, 12
//   Han and Kana       overlapping pairs, and each Han character      "漢字変換"     漢字, 字変, 変換, 漢, 字, 変, 換
//   Hangul             overlapping pairs of a word                    "설치하기"      설치, 치하, 하기
//   Thai and its like  words by ICU
import { eachRun, folded, HAN, HANGUL, type Script, SPACED, UNSPACED } from './characters.ts';

export const WORD_MAX = 40;
const KANA = /[\u3040-\u30ff\uff66-\uff9f]/;

/** A word as it stands in a text. `start` and `end` are of its run where scripts write no spaces. */
export interface Word {
  readonly word: string;
  readonly script: Script;
  readonly start: number;
  readonly end: number;
}

const segmenter = new Intl.Segmenter('th', { granularity: 'word' });
/** Pairs of a run of one script, in order; of one character, itself. */
export const pairsOf = (run: string): string[] => {
  const characters = [...run];
  return characters.length === 1 ? [run] : characters.slice(1).map((next, i) => `${characters[i]}${next}`);
};

/** Calls `found` with each word, in order. The text is folded already, or `fold` is true. */
export function eachWord(text: string, fold: boolean, found: (word: string, script: Script, at: number) => void): void {
  eachRun(text, (start, end, script) => {
    const raw = text.slice(start, end);
    const run = fold ? folded(raw) : raw;
    if (run === '') return;
    if (script === SPACED) found(run.slice(0, WORD_MAX).toWellFormed(), script, start);
    else if (script === UNSPACED)
      for (const { segment } of segmenter.segment(run)) found(segment.slice(0, WORD_MAX).toWellFormed(), script, start);
    else for (const pair of pairsOf(run)) found(pair, script, start);
    if (script === HAN && run.length > 1) for (const one of run) if (!KANA.test(one)) found(one, script, start);
  });
}

/** The different words of a folded text, `most` at most. */
export function wordsOf(text: string, words: Map<string, Script>, most: number): Map<string, Script> {
  eachWord(text, false, (word, script) => {
    if (words.size < most) words.set(word, script);
  });
  return words;
}

/** A whole title as one text: what differs in case, accents and signs alone is equal. */
export function wholeOf(text: string): string {
  const runs: string[] = [];
  const whole = folded(text);
  eachRun(whole, (start, end) => void runs.push(whole.slice(start, end)));
  return runs.join(' ');
}

/** Words that have beginnings, other forms and slips of the pen. */
export const isSpelt = (script: Script): boolean => script === SPACED;
export const isPaired = (script: Script): boolean => script === HAN || script === HANGUL;
