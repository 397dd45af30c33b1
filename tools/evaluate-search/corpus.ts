// The texts and people that are searched: from packages of Debian and npm, fetched by name into a cache folder.
import { descriptions, handbook } from './debian.ts';
import { people, verses } from './npm.ts';
import { fold, type Random, shuffled } from './words.ts';

export const languages = ['en', 'de', 'fr', 'es', 'pl', 'ru', 'ar', 'zh', 'ja', 'ko'] as const;
export type Language = (typeof languages)[number];
export interface Page {
  language: Language;
  title: string;
  body: string;
}
export interface Person {
  language: Language;
  first_name: string;
  last_name: string;
}
export interface Corpus {
  pages: Page[];
  people: Person[];
  /** What could not be had, in sentences. */
  missing: string[];
}

/** Of each language a tenth, chosen by `random`; nothing has the title or the text of another. */
export async function readCorpus(cache: string, texts: number, random: Random): Promise<Corpus> {
  const [missing, known, pages]: [string[], Set<string>, Page[]] = [[], new Set(), []];
  const had = <Found>(what: string, read: () => Found[]) => {
    try {
      return read();
    } catch (error) {
      missing.push(`${what}: ${(error as Error).message}`);
      return [];
    }
  };
  for (const language of languages) {
    const found = [
      ...had(`package descriptions in ${language}`, () => descriptions(cache, language)),
      ...had(`Debian's handbook in ${language}`, () => handbook(cache, language)),
      ...had(`verses in ${language}`, () => verses(cache, language)),
    ];
    let wanted = Math.ceil(texts / languages.length);
    const before = pages.length;
    for (const page of shuffled(found, random)) {
      const [title, body] = [fold(page.title), fold(page.body)];
      if (wanted === 0) break;
      if (title.length < 4 || body.length < 20 || known.has(title) || known.has(body)) continue;
      if (!isWritten(page.title, language) || !isWritten(page.body, language)) continue;
      known.add(title).add(body);
      pages.push(page);
      wanted--;
    }
    if (wanted > 0) missing.push(`texts in ${language}: only ${pages.length - before} were found`);
  }
  const named = await people(cache, texts / 100, random).catch((error) => {
    missing.push(`people: ${error.message}`);
    return [];
  });
  return { pages, people: named, missing };
}

/** Untranslated texts stand among the translated ones. */
const scripts: Partial<Record<Language, RegExp>> = {
  ru: /\p{Script=Cyrillic}/gu,
  ar: /\p{Script=Arabic}/gu,
  zh: /\p{Script=Han}/gu,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu,
  ko: /\p{Script=Hangul}/gu,
};
function isWritten(text: string, language: Language): boolean {
  const script = scripts[language];
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return !script || (text.match(script)?.length ?? 0) > letters / 2;
}
