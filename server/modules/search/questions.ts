// What somebody asks for, as words.
import { folded, HAN, type Script } from './characters.ts';
import { eachWord, isPaired, isSpelt, wholeOf } from './words.ts';

export interface AskedWord {
  readonly word: string;
  readonly script: Script;
  /** The same with other letters for ä, ö and ü. */
  readonly variants: readonly string[];
  /** Where its run begins in the question: pairs of one run belong together. */
  readonly at: number;
  /** As it was typed. */
  readonly typed: string;
}
export interface Question {
  readonly text: string;
  readonly words: readonly AskedWord[];
  /** Folded, in one text: what titles and names are compared with. */
  readonly whole: string;
  /** Words that must stand side by side. */
  readonly phrases: readonly (readonly string[])[];
}

/** Of longer questions the first words are asked for. */
const WORDS_MAX = 12;
const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

export function questionOf(text: string): Question {
  const words: AskedWord[] = [];
  eachWord(text.normalize('NFC'), true, (word, script, at) => {
    const isSingle = script === HAN && [...word].length === 1 && words.some((one) => one.at === at);
    if (words.length < WORDS_MAX && !isSingle && !words.some((one) => one.word === word)) {
      const typed = isSpelt(script) ? text.slice(at).match(/^[\p{L}\p{N}\p{M}]+/u)?.[0] : undefined;
      words.push({ word, script, variants: variantsOf(word, typed), at, typed: typed ?? word });
    }
  });
  const phrases = [...text.matchAll(/"([^"]+)"/g)].map(([, phrase = '']) => wordsIn(phrase));
  return { text, words, whole: wholeOf(text), phrases: phrases.filter(({ length }) => length > 1) };
}

const wordsIn = (phrase: string) => {
  const words: string[] = [];
  eachWord(phrase, true, (word, script) => {
    if (script !== HAN || word.length > 1) words.push(word);
  });
  return words;
};

function variantsOf(word: string, typed = word): string[] {
  const spelt = folded(typed.toLowerCase().replace(/[äöü]/g, (letter) => UMLAUTS[letter] ?? letter));
  const plain = word.replace(/(?<![aeq])([aou])e/g, '$1');
  return [...new Set([spelt, plain])].filter((variant) => variant !== word);
}
export const isPartOfRun = ({ script }: AskedWord) => isPaired(script);
