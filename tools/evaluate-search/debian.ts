// Texts of Debian: what packages say of themselves, translated, and the Debian Administrator's Handbook.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Parser } from 'htmlparser2';
import type { Language, Page } from './corpus.ts';

const names: Record<Language, { description?: string; handbook?: string }> = {
  en: { description: 'en' },
  de: { description: 'de' },
  fr: { description: 'fr' },
  es: { description: 'es' },
  pl: { description: 'pl' },
  ru: { description: 'ru', handbook: 'ru-RU' },
  ar: { handbook: 'ar-MA' },
  zh: { description: 'zh%5fCN', handbook: 'zh-CN' },
  ja: { description: 'ja', handbook: 'ja-JP' },
  ko: { description: 'ko', handbook: 'ko-KR' },
};

const APT_HELPER = '/usr/lib/apt/apt-helper';
function run(command: string, args: string[], cwd: string): string {
  const { error, status, stdout, stderr }: SpawnSyncReturns<string> = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 512 * 1024 ** 2,
  });
  if (error || status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr.trim().split('\n')[0]}`);
  return stdout;
}
/** Lists of its own: the machine's stay as they are. */
function apt(cache: string): string[] {
  const [lists, archives] = [join(cache, 'lists'), join(cache, 'archives')];
  for (const folder of [lists, archives]) mkdirSync(join(folder, 'partial'), { recursive: true });
  const wanted = Object.values(names).flatMap(({ description = [] }) => description);
  const options = [
    ...['-o', `Dir::State::Lists=${lists}`, '-o', `Dir::Cache=${archives}`],
    ...['-o', `Acquire::Languages=${wanted.join(',').replace('%5f', '_')}`],
  ];
  if (!readdirSync(lists).some((name) => name.includes('Translation-de')))
    run('apt-get', ['-qq', ...options, 'update'], cache);
  return options;
}

export function descriptions(cache: string, language: Language): Page[] {
  const { description } = names[language];
  if (!description) return [];
  apt(cache);
  const files = globSync(join(cache, 'lists', `*_main_i18n_Translation-${description}*`));
  return files.flatMap((file) =>
    run(APT_HELPER, ['cat-file', file], cache)
      .split('\n\n')
      .flatMap((stanza) => {
        const [, title = '', rest = ''] = DESCRIPTION.exec(stanza) ?? [];
        const lines = rest.split('\n').map((line) => (line === ' .' ? '\n' : line.trim()));
        return title
          ? [
              {
                language,
                title,
                body: lines
                  .join(' ')
                  .replace(/ ?\n ?/g, '\n')
                  .trim(),
              },
            ]
          : [];
      }),
  );
}
/** A title, then indented lines, of which a full stop ends a paragraph. */
const DESCRIPTION = /\nDescription-(?!md5)\w+: *(.*)\n([\s\S]*)/;

export function handbook(cache: string, language: Language): Page[] {
  const { handbook: edition } = names[language];
  if (!edition) return [];
  const folder = join(cache, 'handbook');
  if (!existsSync(folder)) {
    run('apt-get', ['-qq', ...apt(cache), 'download', 'debian-handbook'], cache);
    const [file = ''] = globSync('debian-handbook_*.deb', { cwd: cache });
    run('dpkg-deb', ['-x', file, folder], cache);
  }
  const files = globSync(join(folder, 'usr/share/doc/debian-handbook/html', edition, '*.html')).sort();
  if (files.length === 0) throw new Error(`the package debian-handbook has no ${edition}`);
  return files.flatMap((file) => sections(readFileSync(file, 'utf8'), language));
}

/** A heading and the paragraphs below it. */
function sections(html: string, language: Language): Page[] {
  const found: Page[] = [];
  let into: 'title' | 'body' | undefined;
  const parser = new Parser({
    onopentag(name, { class: kind }) {
      if (/^h[1-4]$/.test(name) && kind === 'title') {
        found.push({ language, title: '', body: '' });
        into = 'title';
      } else if (name === 'p') into = 'body';
    },
    ontext(text) {
      const page = found.at(-1);
      if (into && page) page[into] += text;
    },
    onclosetag(name) {
      if (into === 'body' && name === 'p') {
        const page = found.at(-1);
        if (page) page.body += '\n';
      }
      if (name === 'p' || /^h[1-4]$/.test(name)) into = undefined;
    },
  });
  parser.write(html);
  parser.end();
  const clean = (text: string) => text.replace(/[ \u00a0]+/g, ' ').trim();
  return found.map(({ title, body }) => ({
    language,
    title: clean(title.replace(/^[^\p{L}]*[\dA-Z.]+\.\s*/u, '')),
    body: clean(body),
  }));
}
