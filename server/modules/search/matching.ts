// What the text of an item has of what was asked for.
import type { Meaning } from './dictionary.ts';
import { primary, textOf, titleOf } from './entries.ts';
import type { Item, Version } from './families.ts';
import type { Question } from './questions.ts';
import { eachWord } from './words.ts';

export interface Matches {
  readonly version: Version;
  readonly title: string;
  readonly text: string;
  /** Of the title's words, how many were asked for. */
  readonly title_share: number;
  /** Of neighbouring words of the question, how many follow each other in the text, and how many at once. */
  readonly in_order: number;
  readonly side_by_side: number;
  readonly has_phrases: boolean;
  /** For each word of the question the form that the text has, the best one. */
  readonly forms: readonly (string | undefined)[];
}
/** Which words of the question a word of a text stands for. */
export type Lookup = (word: string) => number | undefined;
export function lookupOf(meanings: readonly Meaning[]): Lookup {
  const places = new Map<string, number>();
  // A word that was asked for itself is no form of another.
  for (const [n, { forms }] of [...meanings.entries()].reverse())
    for (const { term, how } of forms) if (how !== 'exact') places.set(term, n);
  for (const [n, { asked }] of meanings.entries()) places.set(asked.word, n);
  const typed = meanings.at(-1)?.asked.word ?? '';
  return (word) => places.get(word) ?? (typed.length > 1 && word.startsWith(typed) ? meanings.length - 1 : undefined);
}

/** Of its versions the one in this language, or that has most of the question. */
export function matchesOf(item: Item, question: Question, lookup: Lookup, language: string | undefined): Matches {
  const wanted =
    language && item.versions.find((version) => version.language && sameLanguage(version.language, language));
  const versions = wanted ? [wanted] : item.versions;
  const found = versions.map((version) => matchesIn(version, question, lookup));
  const count = ({ forms, side_by_side }: Matches) => forms.filter((form) => form).length + side_by_side;
  return found.reduce((best, one) => (count(one) > count(best) ? one : best));
}
const sameLanguage = (one: string, other: string) => primary(one) === primary(other);

function matchesIn(version: Version, question: Question, lookup: Lookup): Matches {
  const [title, text] = [titleOf(version), textOf(version)];
  const count = question.words.length;
  const forms: (string | undefined)[] = Array.from({ length: count });
  const seen = new Set<number>();
  const pairs = { ordered: new Set<number>(), neighbours: new Set<number>() };
  const all: string[] = [];
  const needed = question.phrases.length > 0;
  let [titleWords, titleHits] = [0, 0];
  const read = (part: string, isTitle: boolean) => {
    let before: number | undefined;
    eachWord(part, true, (word) => {
      const n = lookup(word);
      if (isTitle) titleWords++;
      if (needed) all.push(word);
      if (n !== undefined) {
        if (isTitle) titleHits++;
        if (forms[n] !== question.words[n]?.word) forms[n] = word;
        if (before === n - 1) pairs.neighbours.add(n);
        if (seen.has(n - 1)) pairs.ordered.add(n);
        seen.add(n);
      }
      before = n;
    });
    if (needed) all.push('');
  };
  read(title, true);
  read(text, false);
  const gaps = Math.max(count - 1, 1);
  return {
    version,
    title,
    text,
    title_share: titleWords === 0 ? 0 : titleHits / titleWords,
    in_order: pairs.ordered.size / gaps,
    side_by_side: pairs.neighbours.size / gaps,
    has_phrases: question.phrases.every((phrase) => follows(all, phrase)),
    forms,
  };
}

function follows(words: readonly string[], phrase: readonly string[]): boolean {
  for (let i = words.indexOf(phrase[0] ?? ''); i >= 0; i = words.indexOf(phrase[0] ?? '', i + 1))
    if (phrase.every((word, j) => words[i + j] === word)) return true;
  return false;
}
