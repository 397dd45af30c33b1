// Other forms of words: by the suffixes of Hunspell's dictionaries, and by rule where there are none.
import type { Language } from './corpus.ts';
import { dictionary } from './npm.ts';
import { picked, type Random } from './words.ts';

interface Suffix {
  strip: string;
  add: string;
  fits: RegExp;
}
/** Letters that may differ, of both forms together. */
const DIFFERENT_MAX = 4;

export type OtherForm = (word: string, random: Random) => string | undefined;

/** Answers a form of the same word that is written otherwise, for the words asked about. */
export function otherForms(cache: string, language: Language, words: ReadonlySet<string>): OtherForm {
  if (language === 'ko') return withParticle;
  if (language === 'ar') return withArticle;
  const found = dictionary(cache, language);
  if (!found) return () => undefined;
  const suffixes = suffixesOf(found.aff);
  const flagsOf = flagReader(found.aff);
  const forms = new Map<string, string[]>();
  for (const line of found.dic.split('\n').slice(1)) {
    const [stem = '', flags = ''] = line.trim().split(/[\s]/)[0]?.split('/') ?? [];
    const group = [
      stem,
      ...flagsOf(flags)
        .flatMap((flag) => suffixes.get(flag) ?? [])
        .flatMap(({ strip, add, fits }) =>
          stem.endsWith(strip) && fits.test(stem) ? [stem.slice(0, stem.length - strip.length) + add] : [],
        ),
    ];
    for (const form of group) if (words.has(form)) forms.set(form, [...(forms.get(form) ?? []), ...group]);
  }
  return (word, random) => {
    const others = (forms.get(word) ?? []).filter((form) => form !== word && areNear(form, word));
    return others.length > 0 ? picked(others, random) : undefined;
  };
}

function areNear(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  return same >= 3 && one.length + other.length - 2 * same <= DIFFERENT_MAX;
}

function flagReader(aff: string): (flags: string) => string[] {
  const kind = /^FLAG\s+(\S+)/m.exec(aff)?.[1];
  if (kind === 'long') return (flags) => flags.match(/../gu) ?? [];
  if (kind === 'num') return (flags) => flags.split(',');
  return (flags) => [...flags];
}

function suffixesOf(aff: string): Map<string, Suffix[]> {
  const suffixes = new Map<string, Suffix[]>();
  for (const line of aff.split('\n')) {
    const [kind, flag = '', strip = '', add = '', condition] = line.trim().split(/\s+/);
    if (kind !== 'SFX' || condition === undefined || /^[YN]$/.test(strip)) continue;
    const suffix = {
      strip: strip === '0' ? '' : strip,
      add: add.split('/')[0]?.replace(/^0$/, '') ?? '',
      fits: new RegExp(`${condition}$`, 'u'),
    };
    suffixes.set(flag, [...(suffixes.get(flag) ?? []), suffix]);
  }
  return suffixes;
}

const HANGUL = 0xac00;
const FINALS = 28;
const withParticle: OtherForm = (word, random) => {
  const last = word.codePointAt(word.length - 1) ?? 0;
  if (!/^\p{Script=Hangul}{2,}$/u.test(word)) return undefined;
  const hasFinal = (last - HANGUL) % FINALS !== 0;
  return word + picked(hasFinal ? ['을', '은', '이', '의', '에서'] : ['를', '는', '가', '의', '에서'], random);
};
const withArticle: OtherForm = (word) => {
  if (!/^\p{Script=Arabic}{4,}$/u.test(word)) return undefined;
  return word.startsWith('ال') ? word.slice(2) : `ال${word}`;
};
