// In which order candidates are listed. Their keys say which words they have and which of them in the title; the order
// of the words, and whether they stand side by side, is in the texts of the best (`refined`).
//
//   10    the question is the title, the name or the external id
//    4    the title has the words: each counts by how rare it is among what everybody sees, and by how well it fits
//    1.5  the title has little else
//    1.5  words that were asked for side by side stand so
//    0.5  in their order, in exactly these forms, and young: half of it after a year
//   -3    some words are missing
import type { Candidate } from './candidates.ts';
import { type Meaning, quality, weightOf } from './dictionary.ts';
import type { KeyOf } from './keys.ts';
import type { Matches } from './matching.ts';
import type { Question } from './questions.ts';

export interface Ranked {
  readonly type: number;
  readonly id: number;
  readonly at_ms: number;
  readonly score: number;
  /** How well its title covers the question. */
  readonly cover: number;
  readonly keys: ReadonlySet<string> | undefined;
}
const YEAR_MS = 365 * 24 * 3_600_000;

export interface Scale {
  readonly question: Question;
  readonly meanings: readonly Meaning[];
  readonly key: KeyOf;
  readonly now_ms: number;
}
export function rankerOf({ question, meanings, key, now_ms }: Scale) {
  const whole = String(key('whole', question.whole));
  const words = meanings.map((meaning) => ({
    weight: weightOf(meaning),
    exact: String(key('word', meaning.asked.word)),
    titles: meaning.forms.map(({ term, how }) => [String(key('title', term)), quality[how]] as const),
  }));
  const total = words.reduce((sum, { weight }) => sum + weight, 0) || 1;
  return (candidate: Candidate, isRelaxed: boolean): Ranked => {
    const { type, id, at_ms } = candidate;
    const keys = candidate.keys === null ? undefined : new Set(candidate.keys.slice(1, -1).split(','));
    const young = 0.5 * 2 ** (-Math.max(0, now_ms - at_ms) / YEAR_MS);
    if (!keys) return { type, id, at_ms, score: young - (isRelaxed ? 3 : 0), cover: 0, keys };
    const best = ({ titles }: (typeof words)[number]) =>
      titles.reduce((most, [one, fits]) => (fits > most && keys.has(one) ? fits : most), 0);
    const cover = words.reduce((sum, word) => sum + word.weight * best(word), 0) / total;
    const exact = words.filter((word) => keys.has(word.exact)).length / Math.max(words.length, 1);
    const isWhole = question.whole !== '' && keys.has(whole);
    const score = (isWhole ? 10 : 0) + 4 * cover + 0.5 * exact + young - (isRelaxed ? 3 : 0);
    return { type, id, at_ms, score, cover, keys };
  };
}

/** With what only the texts say. */
export const refined = ({ score, cover }: Ranked, { title_share, in_order, side_by_side }: Matches): number =>
  score + 1.5 * cover * title_share + 0.5 * in_order + 1.5 * side_by_side;

export const byScore = (one: Ranked, other: Ranked) =>
  other.score - one.score || other.at_ms - one.at_ms || one.type - other.type || other.id - one.id;
export const byTime = (one: Ranked, other: Ranked) =>
  other.at_ms - one.at_ms || one.type - other.type || other.id - one.id;
