// Names while somebody types: people, pages and spaces that have all the words in their name, the last one begun.
import type { Tx } from '../../kernel/data/db.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { stepsOf } from './blocks.ts';
import { findCandidates } from './candidates.ts';
import { titleOf } from './entries.ts';
import { byNumber, type Item, readItems, type SearchFamily } from './families.ts';
import { BEGINNING_MAX, keysFor } from './keys.ts';
import { questionOf } from './questions.ts';
import { isSpelt, wholeOf } from './words.ts';
import { listBlocks } from './writing.ts';

export async function suggest(tx: Tx, actor: Actor, q: string, families: readonly SearchFamily[], take: number) {
  const key = keysFor(actor.organisation_id);
  const { words, whole } = questionOf(q);
  const last = words.at(-1);
  if (!last) return [];
  const blocks = await listBlocks(tx);
  const begun = isSpelt(last.script) ? key('beginning', last.word.slice(0, BEGINNING_MAX)) : key('title', last.word);
  const has = [...words.slice(0, -1).map(({ word }) => key('title', word)), begun];
  const sieve = { has: [], hasAny: [families.map(({ type }) => key('type', type))], where: [] };
  const steps = stepsOf(blocks[0]?.block ?? 0, key);
  const candidates = await findCandidates(tx, actor, sieve, [
    [{ has: [], hasAny: [], steps: [key('whole', whole)], most: 20 }],
    [{ has, hasAny: [], steps, most: 64 }],
  ]);
  const suggestions = new Map<string, { family: SearchFamily; item: Item; fits: number }>();
  for (const [type, ofType] of Map.groupBy(candidates, (one) => one.type)) {
    const family = byNumber.get(type);
    if (!family) continue;
    const ids = sql`array(${family.seen(actor, sql`${ofType.map(({ id }) => id)}::bigint[]`, [trusted('true')])})`;
    for (const item of await readItems(tx, family, ids, SUBTITLE_MAX)) {
      const fits = fitOf(item, words, whole);
      if (fits > 0) suggestions.set(`${type} ${item.id}`, { family, item, fits });
    }
  }
  return [...suggestions.values()]
    .sort(
      (one, other) => other.fits - one.fits || one.family.number - other.family.number || one.item.id - other.item.id,
    )
    .slice(0, take)
    .map(({ family, item }) => ({
      type: family.type,
      id: item.id,
      title: titleIn(item),
      subtitle: subtitleOf(family, item),
      url: item.url,
    }));
}

const SUBTITLE_MAX = 300;
const subtitleOf = ({ type }: SearchFamily, { versions: [version] }: Item) =>
  type === 'user' ? (version?.text ?? '') : '';
const titleIn = (item: Item) => titleOf(item.versions[0] ?? { title: '', text: '' });

/** 3: the name itself; 2: it begins so; 1: it has the words; 0: it only shares the first letters. */
function fitOf(item: Item, words: readonly { word: string }[], whole: string): number {
  const names = [...item.versions.map(({ title }) => title), ...item.names].map((name) => wholeOf(name ?? ''));
  if (names.includes(whole)) return 3;
  if (names.some((name) => name.startsWith(whole))) return 2;
  const last = words.at(-1)?.word ?? '';
  const hasAll = (name: string) => {
    const own = name.split(' ');
    return words.slice(0, -1).every(({ word }) => own.includes(word)) && own.some((word) => word.includes(last));
  };
  return names.some(hasAll) ? 1 : 0;
}
