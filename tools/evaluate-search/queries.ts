// Queries that one known page or person answers, of several kinds, each spoiled as people spoil them. A query stays only
// if at most ten of the items have all its words as they were before: what nobody could single out is not asked.
import { type Corpus, type Language, languages, type Page } from './corpus.ts';
import { type OtherForm, otherForms } from './forms.ts';
import { bare, fold, isUnspaced, picked, type Random, shuffled, wordsOf } from './words.ts';

/** How many of each language, where it has them. */
const counts = { title: 4, words: 5, sentence: 6, typo: 6, cut: 4, inflected: 4, accents: 4, people: 3, compound: 8 };
export type Kind = keyof typeof counts;
export const kinds = Object.keys(counts) as Kind[];
export interface Query {
  q: string;
  kind: Kind;
  language: Language;
  /** Index of the page or person that it is about. */
  item: number;
}
/** What is asked, and the words that it was made of. */
type Made = { q: string; words: string[] } | undefined;

const FITTING_MAX = 10;
const ATTEMPTS = 4000;

export function makeQueries(corpus: Corpus, cache: string, random: Random): Query[] {
  const folded = corpus.pages.map(({ title, body }) => fold(`${title}\n${body}`));
  const names = corpus.people.map(({ first_name, last_name }) => fold(`${first_name} ${last_name}`));
  const isSingled = (words: readonly string[], among: readonly string[]) => {
    const parts = words.map(fold).sort((a, b) => b.length - a.length);
    let fitting = 0;
    return among.every((text) => !parts.every((part) => text.includes(part)) || ++fitting <= FITTING_MAX);
  };
  return languages.flatMap((language) => {
    const pages = shuffled(indexesOf(corpus.pages, language), random);
    const people = shuffled(indexesOf(corpus.people, language), random);
    const titleWords = new Set(pages.flatMap((n) => wordsOf((corpus.pages[n] as Page).title, language)));
    const makers = makersFor(language, titleWords, otherForms(cache, language, titleWords), random);
    const found: Query[] = [];
    for (const kind of kinds) {
      let wanted = counts[kind];
      const items = kind === 'people' ? people : pages;
      // Each kind goes on where the one before stopped, so that most queries have a page of their own.
      for (let n = 0; n < Math.min(ATTEMPTS, items.length) && wanted > 0; n++) {
        const item = items.shift() as number;
        items.push(item);
        const person = corpus.people[item];
        const made =
          kind === 'people'
            ? person && nameOf(person)
            : makers[kind]?.({ ...(corpus.pages[item] as Page), folded: folded[item] as string });
        if (!made || !isSingled(made.words, kind === 'people' ? names : folded)) continue;
        found.push({ q: made.q, kind, language, item });
        wanted--;
      }
    }
    return found;
  });
}
const indexesOf = (items: readonly { language: Language }[], language: Language) =>
  items.flatMap((item, n) => (item.language === language ? [n] : []));

/** Family name first where people write it so. */
function nameOf({ language, first_name, last_name }: Corpus['people'][number]): Made {
  const isFamilyFirst = /^(zh|ja|ko)$/.test(language);
  return {
    q: isFamilyFirst ? `${last_name}${first_name}` : `${first_name} ${last_name}`,
    words: [first_name, last_name],
  };
}

type Maker = (page: Page & { folded: string }) => Made;
type Makers = Partial<Record<Kind, Maker>>;

function makersFor(language: Language, titleWords: Set<string>, otherForm: OtherForm, random: Random): Makers {
  const unspaced = isUnspaced(language);
  const lettersMin = unspaced ? 2 : language === 'ko' ? 2 : 3;
  const join = (words: readonly string[]) => words.join(unspaced ? '' : ' ');
  /** Words that stand side by side. */
  const inOrder = (text: string, count: number) => {
    const words = wordsOf(text, language);
    const from = random(Math.max(1, words.length - count + 1));
    return words.length < count ? undefined : words.slice(from, from + count);
  };
  const distinct = (title: string) =>
    [...new Set(wordsOf(title, language))].filter((word) => [...word].length >= lettersMin);
  const three = (title: string) => {
    const words = distinct(title);
    return words.length < 3 ? undefined : shuffled(words, random).slice(0, 3);
  };
  /** Three words of the title, of which one that `fits` is written otherwise. */
  const withOne = (title: string, change: (word: string) => string | undefined): Made => {
    const words = three(title) ?? distinct(title).slice(0, 2);
    if (words.length < 2) return undefined;
    for (const [n, word] of words.entries()) {
      const changed = change(word);
      if (changed !== undefined && fold(changed) !== fold(word)) return { q: words.with(n, changed).join(' '), words };
    }
    return undefined;
  };
  /** A part of the title without spaces, as it is written. */
  const run = (title: string, letters: number) => {
    const [found] =
      title.match(new RegExp(`[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー]{${letters},12}`, 'u')) ?? [];
    return found;
  };
  const spaced: Makers = {
    typo: ({ title }) => withOne(title, (word) => (word.length >= 5 ? mistyped(word, random) : undefined)),
    cut: ({ title }) => {
      const words = three(title);
      const last = words?.findLast((word) => [...word].length >= 5);
      if (!words || !last) return undefined;
      const others = words.filter((word) => word !== last);
      return { q: [...others, last.slice(0, Math.max(3, Math.ceil(last.length * 0.6)))].join(' '), words };
    },
    inflected: ({ title, folded }) =>
      withOne(title, (word) => {
        const other = otherForm(word, random);
        return other && !wordsOf(folded, language).includes(fold(other)) ? other : undefined;
      }),
    accents: ({ title }) => {
      const words = three(title);
      const q = words && bare(words.join(' '));
      return !words || !q || q === words.join(' ') ? undefined : { q, words };
    },
  };
  const unspacedOnly: Makers = {
    typo: ({ title }) => {
      const found = run(title, 6);
      if (!found) return undefined;
      const at = 1 + random(found.length - 2);
      const other = [...picked([...titleWords], random)][0] ?? '';
      if (!/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(other) || other === found[at])
        return undefined;
      return { q: found.slice(0, at) + other + found.slice(at + 1), words: [found] };
    },
    cut: ({ title }) => {
      const found = run(title, 5);
      return found ? { q: found.slice(0, -1), words: [found.slice(0, -1)] } : undefined;
    },
  };
  return {
    title: ({ title }) => ({ q: title, words: [title] }),
    words: ({ title }) => {
      const words = three(title);
      return words && { q: words.join(' '), words };
    },
    sentence: ({ body }) => {
      const words = inOrder(picked(body.split(/[.!?。！？\n]/), random), unspaced ? 6 : 5);
      const q = words && join(words);
      return words && q && body.includes(q) && q.length <= 200 ? { q, words: [q] } : undefined;
    },
    ...(unspaced ? unspacedOnly : spaced),
    compound: language === 'de' ? ({ title }) => compound(distinct(title), titleWords) : undefined,
  };
}

/** One slip: a letter left out, doubled, wrong, or changed with the next one. The first letter stays. */
function mistyped(word: string, random: Random): string | undefined {
  const letters = [...word];
  const at = 1 + random(letters.length - 2);
  const [letter = '', next = ''] = letters.slice(at, at + 2);
  if (!/\p{L}/u.test(letter)) return undefined;
  const wrong = picked(letters, random);
  const slips = [[next], [letter, letter, next], [wrong, next], [next, letter]];
  return letters.toSpliced(at, 2, ...picked(slips, random)).join('');
}

const HEAD_MIN = 5;
/** What a German compound is a kind of, and another word beside it. */
function compound(words: readonly string[], titleWords: ReadonlySet<string>): Made {
  for (const word of words) {
    for (let at = 3; at <= word.length - HEAD_MIN; at++) {
      const head = `${word.charAt(at).toUpperCase()}${word.slice(at + 1)}`;
      const other = words.find((one) => one !== word && one.length > 3 && one !== head);
      if (other && /^\p{Lu}\p{Ll}+$/u.test(word) && titleWords.has(head) && !words.includes(head))
        return { q: `${head} ${other}`, words: [head, other] };
    }
  }
  return undefined;
}
