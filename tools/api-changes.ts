// What changed in the interface since the last release, beside what docs/api-changelog says of it.
//   node tools/api-changes.ts                    prints what changed, and what no entry speaks of
//   node tools/api-changes.ts --release 1.2.0    from now on this is the last release
// A difference needs an entry that names its operation; one that can break a client needs `breaking:` in its head.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import {
  type ChangeKind,
  changeKinds,
  type Entry,
  folder,
  patternOf,
  readEntries,
} from '../server/modules/changelog/entries.ts';
import { type ApiDocument, type Facts, factsOf } from './api-facts.ts';

interface Release {
  version: string;
  /** Entries that were there. */
  entries: string[];
  document: ApiDocument;
}
const file = join(folder, 'released.json.br');
const documentNow = () =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../server/openapi.json'), 'utf8')) as ApiDocument;
export const lastRelease = (): Release => JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Release;

export interface Difference {
  operation: string;
  kind: ChangeKind;
  what: string;
  isBreaking: boolean;
}

/** A number of a limit, or nothing. */
const limit = (text: string, name: string) => Number(new RegExp(`${name} (-?\\d+)`).exec(text)?.[1] ?? Number.NaN);
const optionsOf = (text: string) => / ?one of ([^,]*)/.exec(text)?.[1]?.split(' ') ?? [];
const typesOf = (text: string) => (text.split(',')[0] ?? '').split(' or ');
/** What was sent before may be refused now. */
function isNarrower(before: string, after: string): boolean {
  if (typesOf(before).some((type) => !typesOf(after).includes(type))) return true;
  const [options, left] = [optionsOf(before), optionsOf(after)];
  if (left.length > 0 && (options.length === 0 || options.some((option) => !left.includes(option)))) return true;
  const isLess = (name: string) => limit(after, name) < (limit(before, name) || Number.POSITIVE_INFINITY);
  const isMore = (name: string) => limit(after, name) > (limit(before, name) || 0);
  if (['maximum', 'maxLength', 'maxItems'].some(isLess) || ['minimum', 'minLength'].some(isMore)) return true;
  const strict = (text: string) => /pattern .*$/.exec(text)?.[0];
  return strict(after) !== undefined && strict(after) !== strict(before);
}

function isBreaking(fact: string, before: string | undefined, after: string | undefined): boolean {
  const verb = fact.split(' ', 1)[0];
  if (verb === 'needs') return before === undefined;
  if (verb === 'asks') return after === undefined || (before !== undefined && isNarrower(before, after));
  if (verb === 'refuses') return before !== undefined && after !== undefined;
  if (verb === 'answers')
    return (
      before !== undefined && (after === undefined || typesOf(after).some((type) => !typesOf(before).includes(type)))
    );
  return fact !== 'deprecated' && before !== undefined;
}

function changesOf(operation: string, before: Facts, after: Facts): Difference[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((fact) => {
    const [was, is] = [before.get(fact), after.get(fact)];
    if (was === is) return [];
    const what =
      was === undefined ? `${fact}: ${is}` : is === undefined ? `no longer ${fact}` : `${fact}: ${was} → ${is}`;
    const kind = fact === 'deprecated' && is !== undefined ? 'deprecated' : 'changed';
    // What a new object needs is needed by nobody who does not send that.
    const of = fact.replace(/^needs (.*)\.\w+$/, 'asks $1');
    const isOfNew = of !== fact && after.has(of) && !before.has(of);
    return [{ operation, kind, what, isBreaking: !isOfNew && isBreaking(fact, was, is) }];
  });
}

export function differences(before: ApiDocument, after: ApiDocument): Difference[] {
  const [was, is] = [factsOf(before), factsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((operation): Difference[] => {
    const [former, present] = [was.get(operation), is.get(operation)];
    if (!former) return [{ operation, kind: 'added', what: present?.get('at') ?? '', isBreaking: false }];
    if (!present) return [{ operation, kind: 'removed', what: former.get('at') ?? '', isBreaking: true }];
    return changesOf(operation, former, present);
  });
}

/** Sentences: what no entry speaks of. */
export function unexplained(found: readonly Difference[], entries: readonly Entry[]): string[] {
  const named = entries.map(({ touches, breaking }) => ({
    breaking,
    ...Object.fromEntries(changeKinds.map((kind) => [kind, touches[kind].map(patternOf)])),
  })) as ({ breaking: string | null } & Record<ChangeKind, RegExp[]>)[];
  const sentences = found.flatMap(({ operation, kind, what, isBreaking }) => {
    const speaking = named.filter((entry) => entry[kind].some((pattern) => pattern.test(operation)));
    if (speaking.length === 0) return [`${operation} (${what}): no entry has it as ${kind}`];
    if (isBreaking && speaking.every(({ breaking }) => breaking === null))
      return [`${operation} (${what}): this can break clients; its entry must say so (breaking: …)`];
    return [];
  });
  // One for each operation is enough to find the others by.
  return [...new Map(sentences.toReversed().map((one) => [one.split(' ', 1)[0], one])).values()].toReversed();
}

/** Names in entries that are no operation, now or at the last release. */
export function unknownNames(entries: readonly Entry[], documents: readonly ApiDocument[]): string[] {
  const operations = documents.flatMap((document) => [...factsOf(document).keys()]);
  return entries.flatMap(({ id, touches }) =>
    changeKinds
      .flatMap((kind) => touches[kind])
      .filter((name) => !operations.some((operation) => patternOf(name).test(operation)))
      .map((name) => `docs/api-changelog/${id}.md names ${name}, which is no operation`),
  );
}

export function unexplainedChanges(): string[] {
  const { document, entries: known } = lastRelease();
  const [now, entries] = [documentNow(), readEntries()];
  const since = entries.filter(({ id }) => !known.includes(id));
  return [...unexplained(differences(document, now), since), ...unknownNames(since, [now, document])];
}

if (import.meta.main) {
  const version = process.argv[process.argv.indexOf('--release') + 1];
  if (process.argv.includes('--release') && version !== undefined) {
    const release: Release = {
      version,
      entries: readEntries()
        .map(({ id }) => id)
        .sort(),
      document: documentNow(),
    };
    writeFileSync(file, brotliCompressSync(JSON.stringify(release)));
  } else {
    for (const { operation, what, isBreaking } of differences(lastRelease().document, documentNow()))
      process.stdout.write(`${isBreaking ? 'BREAKING ' : ''}${operation}: ${what}\n`);
    for (const sentence of unexplainedChanges()) process.stdout.write(`NO ENTRY ${sentence}\n`);
  }
}
