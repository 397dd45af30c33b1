// `t('post.likes', { n: 3 })`: words of the person's language. The keys are those of words/en.json.
import { signal } from '@preact/signals';
import type english from '../words/en.json';

type Keys<T> = { [K in keyof T & string]: T[K] extends string ? K : `${K}.${Keys<T[K]>}` }[keyof T & string];
export type Word = Keys<typeof english>;
type Arguments = Record<string, string | number>;
type Message = (
  a: Arguments,
  p: (n: number, cases: Record<string, () => string>) => string,
  s: (value: string, cases: Record<string, () => string>) => string,
  f: (n: number) => string,
) => string;
interface Messages {
  [key: string]: Message | Messages;
}

const languages: Record<string, () => Promise<{ default: unknown }>> = {
  en: () => import('../words/en.json'),
  de: () => import('../words/de.json'),
  ar: () => import('../words/ar.json'),
};
/** What there are words in. */
export const spoken = Object.keys(languages);
const RIGHT_TO_LEFT = new Set(['ar', 'he', 'fa', 'ur']);

/** As dates and numbers are written: the language, and where it is said which, the country. */
export const locale = signal('en');
let messages: Messages = {};
let plurals = new Intl.PluralRules('en');
let numbers = new Intl.NumberFormat('en');

/** The first of these languages that there are words in; English otherwise. */
export async function speak(wanted: readonly string[]) {
  const languageOf = (one: string) => one.split('-', 1)[0] ?? '';
  const found = wanted.find((one) => languageOf(one) in languages) ?? 'en';
  const known = languageOf(found);
  // The browser may know the country where the person's setting does not.
  locale.value = found.includes('-') ? found : (wanted.find((one) => one.startsWith(`${known}-`)) ?? found);
  const words = (await languages[known]?.()) as { default: Messages };
  messages = words.default;
  plurals = new Intl.PluralRules(known);
  numbers = new Intl.NumberFormat(locale.value);
  document.documentElement.lang = known;
  document.documentElement.dir = RIGHT_TO_LEFT.has(known) ? 'rtl' : 'ltr';
}

const plural = (n: number, cases: Record<string, () => string>) =>
  (cases[`=${n}`] ?? cases[plurals.select(n)] ?? cases.other)?.() ?? '';
const select = (value: string, cases: Record<string, () => string>) => (cases[value] ?? cases.other)?.() ?? '';

export function t(key: Word, given: Arguments = {}): string {
  const found = key
    .split('.')
    .reduce<Message | Messages | undefined>((at, name) => (typeof at === 'object' ? at[name] : undefined), messages);
  return typeof found === 'function' ? found(given, plural, select, (n) => numbers.format(n)) : key;
}
