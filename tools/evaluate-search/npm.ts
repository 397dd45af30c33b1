// What npm has: the Quran in Arabic, invented people, and Hunspell's dictionaries for the forms of words.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Language, languages, type Page, type Person } from './corpus.ts';
import type { Random } from './words.ts';

const PACKAGES = [
  ...['quran-json', '@faker-js/faker', 'dictionary-en', 'dictionary-de', 'dictionary-fr'],
  ...['dictionary-es', 'dictionary-pl', 'dictionary-ru'],
];

function installed(cache: string): string {
  const folder = join(cache, 'npm');
  const modules = join(folder, 'node_modules');
  if (PACKAGES.every((name) => existsSync(join(modules, name)))) return modules;
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stderr } = spawnSync('npm', [...args, ...PACKAGES], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm cannot fetch ${PACKAGES.join(', ')}: ${stderr.trim().split('\n').at(-1)}`);
  return modules;
}

const WORDS_MIN = 8;
const WORDS_OF_TITLE = 5;
/** Long verses, with the vowel signs that nobody types; a verse's title is how it begins. */
export function verses(cache: string, language: Language): Page[] {
  if (language !== 'ar') return [];
  const path = join(installed(cache), 'quran-json', 'dist', 'quran.json');
  const chapters = JSON.parse(readFileSync(path, 'utf8')) as { verses: { text: string }[] }[];
  return chapters.flatMap(({ verses }) =>
    verses.flatMap(({ text }) => {
      const words = text.split(' ');
      const title = words.slice(0, WORDS_OF_TITLE).join(' ');
      return words.length < WORDS_MIN ? [] : [{ language, title, body: text }];
    }),
  );
}

interface Faker {
  seed(seed: number): void;
  person: { firstName(): string; lastName(): string };
}
const fakers: Record<Language, string> = {
  ...{ en: 'fakerEN', de: 'fakerDE', fr: 'fakerFR', es: 'fakerES', pl: 'fakerPL', ru: 'fakerRU', ar: 'fakerAR' },
  ...{ zh: 'fakerZH_CN', ja: 'fakerJA', ko: 'fakerKO' },
};
export async function people(cache: string, ofEach: number, random: Random): Promise<Person[]> {
  const path = join(installed(cache), '@faker-js', 'faker', 'dist', 'index.js');
  const module = (await import(pathToFileURL(path).href)) as Record<string, Faker>;
  return languages.flatMap((language) => {
    const faker = module[fakers[language]];
    if (!faker) throw new Error(`@faker-js/faker has no ${fakers[language]}`);
    faker.seed(random(2 ** 31));
    return Array.from({ length: ofEach }, () => ({
      language,
      first_name: faker.person.firstName(),
      last_name: faker.person.lastName(),
    }));
  });
}

export function dictionary(cache: string, language: Language): { aff: string; dic: string } | undefined {
  const folder = join(installed(cache), `dictionary-${language}`);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return existsSync(folder) ? { aff: read('index.aff'), dic: read('index.dic') } : undefined;
}
