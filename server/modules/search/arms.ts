// Which ways are tried to find what is meant, from strict to generous.
import { armFor, type Term } from './blocks.ts';
import type { Arm, Most } from './candidates.ts';
import type { Form, Meaning } from './dictionary.ts';
import { BEGINNING_MAX, type KeyOf } from './keys.ts';
import type { Question } from './questions.ts';
import { isSpelt } from './words.ts';

export interface Ways {
  readonly question: Question;
  readonly meanings: readonly Meaning[];
  readonly key: KeyOf;
  readonly steps: readonly number[];
  /** Items of the organisation. */
  readonly total: number;
}

const isStrict = ({ how }: Form) => how === 'exact' || how === 'variant' || how === 'form';
/** Of a frequent word the forms that are frequent too. */
const FREQUENT = 0.02;
const FREQUENT_FORMS = 5;

function termOf(ways: Ways, { forms }: Meaning, where: 'word' | 'title', strict: boolean): Term {
  const { key, total } = ways;
  const count = (form: Form) => (where === 'title' ? form.titles : form.documents);
  let chosen = strict ? forms.filter(isStrict) : forms;
  const most = Math.max(...chosen.map(count));
  if (most > FREQUENT * total)
    chosen = chosen.filter((form, i) => i === 0 || count(form) >= FREQUENT * most).slice(0, FREQUENT_FORMS);
  return {
    keys: [...new Set(chosen.map(({ term }) => key(where, term)))],
    items: chosen.reduce((sum, form) => sum + count(form), 0),
  };
}
function arm(ways: Ways, meanings: readonly Meaning[], where: 'word' | 'title', strict: boolean, most: Most): Arm {
  const terms = meanings.map((meaning) => termOf(ways, meaning, where, strict));
  return armFor(terms, ways.steps, ways.total, most);
}

/** A title with all other words, and one that begins with the last, however many words do. */
function whileTyping(ways: Ways): Arm[] {
  const last = ways.meanings.at(-1);
  if (!last || !isSpelt(last.asked.script)) return [];
  const beginning = ways.key('beginning', last.asked.word.slice(0, BEGINNING_MAX));
  const others = arm(ways, ways.meanings.slice(0, -1), 'title', true, 64);
  const isAlone = ways.meanings.length === 1;
  return [{ ...others, has: [...others.has, beginning], steps: isAlone ? ways.steps : others.steps }];
}

/** What has all the words, each in some form. */
export function strictly(ways: Ways): Arm[][] {
  const { question, meanings, key } = ways;
  const whole = key('whole', question.whole);
  return [
    [{ has: [], hasAny: [], steps: [whole], most: 20 }],
    [arm(ways, meanings, 'title', true, 64), arm(ways, meanings, 'title', false, 64), ...whileTyping(ways)],
    [arm(ways, meanings, 'word', true, 300)],
  ];
}
/** What has all the words, or what begins so, ends so or is spelt alike. */
export const loosely = (ways: Ways): Arm[][] => [[arm(ways, ways.meanings, 'word', false, 300)]];

const ALTERNATIVES_MAX = 10;
/** What has all words but one; in scripts that write no spaces, but the pairs of one character. */
export function withoutOne(ways: Ways): Arm[][] {
  const { meanings } = ways;
  if (meanings.length < 2) return [];
  const isSameRun = (one: Meaning | undefined, other: Meaning | undefined) =>
    one && other && one.asked.at === other.asked.at;
  const alternatives = meanings.map((meaning, i) =>
    meanings.filter((other, j) => j !== i && !(j === i + 1 && isSameRun(meaning, other) && meanings.length > 2)),
  );
  return [alternatives.slice(0, ALTERNATIVES_MAX).map((some) => arm(ways, some, 'word', false, 64))];
}
/** Two of the four rarest words. */
export function withTwo(ways: Ways): Arm[][] {
  if (ways.meanings.length < 4) return [];
  const count = ({ forms }: Meaning) => forms.reduce((sum, { documents }) => sum + documents, 0);
  const rarest = ways.meanings.filter((one) => count(one) > 0).toSorted((one, other) => count(one) - count(other));
  const pairs = rarest.slice(0, 4).flatMap((one, i, four) => four.slice(i + 1).map((other) => [one, other]));
  return pairs.length > 0 ? [pairs.map((pair) => arm(ways, pair, 'word', false, 64))] : [];
}
