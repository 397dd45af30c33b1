// docs/api-changelog: a file for each change of the interface, its head says which operations it touches.
//
//   ---
//   title: Summaries
//   date: 2026-11-22
//   changed: *Page, listPages          also added, deprecated, removed; * stands for any letters
//   breaking: What clients must do.    only where one that worked may not work any more
//   ---
//   Plain paragraphs, lists of `- `, and `code`.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const changeKinds = ['added', 'changed', 'deprecated', 'removed'] as const;
export type ChangeKind = (typeof changeKinds)[number];
export interface Entry {
  /** The file's name without its ending. */
  readonly id: string;
  readonly title: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly text: string;
  readonly breaking: string | null;
  /** Names of operations, `*` in them standing for any letters. */
  readonly touches: Readonly<Record<ChangeKind, readonly string[]>>;
}

export const folder = join(import.meta.dirname, '../../../docs/api-changelog');
const HEAD = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/;
const known = new Set<string>(['title', 'date', 'breaking', ...changeKinds]);

/** Throws a sentence that says what is wrong with the file. */
export function readEntry(id: string, source: string): Entry {
  const wrong = (what: string): never => {
    throw new Error(`docs/api-changelog/${id}.md ${what}`);
  };
  const [, head = wrong('must begin with its head between lines of ---'), text = ''] = HEAD.exec(source) ?? [];
  const fields = new Map(
    head.split('\n').map((line) => {
      const [, name = '', value = ''] = /^(\w+): (.+)$/.exec(line) ?? [];
      return known.has(name) ? [name, value.trim()] : wrong(`has a line that is no field: "${line}"`);
    }),
  );
  const title = fields.get('title') ?? wrong('needs a title');
  const date = fields.get('date') ?? '';
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || !id.startsWith(`${date}-`)) wrong('needs a date, with which its name begins');
  const namesOf = (kind: ChangeKind) => fields.get(kind)?.split(/, */) ?? [];
  const [added, changed, deprecated, removed] = changeKinds.map(namesOf) as [string[], string[], string[], string[]];
  const touches = { added, changed, deprecated, removed };
  return { id, title, date, text: text.trim(), breaking: fields.get('breaking') ?? null, touches };
}

/** Newest first. */
export const readEntries = (): Entry[] =>
  globSync('*.md', { cwd: folder })
    .map((name) => readEntry(name.slice(0, -3), readFileSync(join(folder, name), 'utf8')))
    .sort((a, b) => b.date.localeCompare(a.date) || a.id.localeCompare(b.id));

export const patternOf = (name: string) => new RegExp(`^${name.replaceAll('*', '.*')}$`);
/** Of these operations, those that the names stand for. */
export const operationsNamed = (names: readonly string[], operations: readonly string[]): string[] => {
  const patterns = names.map(patternOf);
  return operations.filter((operation) => patterns.some((pattern) => pattern.test(operation)));
};
