// The hits of one page, with title and snippet. They are read by the rule of their family once more.
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { Meaning } from './dictionary.ts';
import { byNumber, type Item, readItems } from './families.ts';
import { lookupOf, type Matches, matchesOf } from './matching.ts';
import { type Ranked, refined } from './ranking.ts';
import { type Found, LISTED_MAX } from './searching.ts';
import { snippetOf } from './snippets.ts';
import { distance } from './spelling.ts';
import { isSpelt } from './words.ts';

/** So much of a text is looked at to order and to show a hit. */
const TEXT_SHOWN = 20_000;
/** The order among so many neighbours is made of their texts: the same whatever page is asked for. */
const NEIGHBOURS = 40;

export interface Hit extends Ranked {
  readonly item: Item;
  readonly matches: Matches;
}
export interface Shown {
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly did_you_mean: string | null;
}

export async function show(
  tx: Tx,
  actor: Actor,
  { ranked, question, meanings }: Found,
  page: { skip: number; take: number; language: string | undefined; isByScore: boolean },
): Promise<Shown> {
  const { skip, take, language, isByScore } = page;
  const lookup = lookupOf(meanings);
  const read = async (some: readonly Ranked[]): Promise<Hit[]> => {
    const items = await readSeen(tx, actor, some);
    return some.flatMap((one) => {
      const item = items.get(`${one.type} ${one.id}`);
      if (!item) return [];
      const matches = matchesOf(item, question, lookup, language);
      return matches.has_phrases ? [{ ...one, item, matches, score: refined(one, matches) }] : [];
    });
  };
  // What must stand side by side is only known from the texts.
  const chosen: readonly Ranked[] = question.phrases.length > 0 ? await read(ranked) : ranked;
  const first = Math.floor(skip / NEIGHBOURS) * NEIGHBOURS;
  const last = Math.min(Math.ceil((skip + take) / NEIGHBOURS) * NEIGHBOURS, LISTED_MAX);
  const hits: Hit[] = [];
  for (let from = first; from < Math.min(last, chosen.length); from += NEIGHBOURS) {
    const neighbours = await read(chosen.slice(from, from + NEIGHBOURS).map((one) => ({ ...one })));
    hits.push(...(isByScore ? neighbours.sort((one, other) => other.score - one.score) : neighbours));
  }
  return {
    hits: hits.slice(skip - first, skip - first + take),
    total: chosen.length,
    did_you_mean: skip === 0 ? meant(meanings, hits[0]?.matches) : null,
  };
}

async function readSeen(tx: Tx, actor: Actor, some: readonly Ranked[]): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  const byType = [...Map.groupBy(some, ({ type }) => type)];
  await Promise.all(
    byType.map(async ([type, ofType]) => {
      const family = byNumber.get(type);
      if (!family) return;
      const ids = sql`array(${family.seen(actor, sql`${ofType.map(({ id }) => id)}::bigint[]`, [])})`;
      for (const item of await readItems(tx, family, ids, TEXT_SHOWN)) found.set(`${type} ${item.id}`, item);
    }),
  );
  return found;
}

/**
 * The question in words of the best hit, where it was found by others than were typed. They are in a text that the
 * actor reads, so nothing is learned that is hidden.
 */
function meant(meanings: readonly Meaning[], best: Matches | undefined): string | null {
  if (!best) return null;
  const words = meanings.map(({ asked, forms }, n) => {
    const form = best.forms[n];
    const how = forms.find(({ term }) => term === form)?.how;
    const isSlip = how === 'typo' || (how === 'form' && isSlipOf(asked.word, form ?? ''));
    return isSlip && isSpelt(asked.script) ? form : undefined;
  });
  if (words.every((word) => word === undefined)) return null;
  return meanings.map(({ asked }, n) => words[n] ?? asked.typed).join(' ');
}

/** Another form of a word differs at its end; what differs before that is spelt otherwise. */
const isSlipOf = (word: string, form: string) => word.slice(-2) === form.slice(-2) && distance(word, form, 2) <= 2;

export const presented = ({ item, matches, type, score }: Hit, lookup: ReturnType<typeof lookupOf>) => ({
  type: byNumber.get(type)?.type,
  id: item.id,
  title: matches.title.slice(0, 600),
  snippet: snippetOf(matches.text, lookup),
  url: item.url,
  creator: item.creator,
  created_at: item.created_at,
  updated_at: item.updated_at,
  score: Math.round(score * 1000) / 1000,
});
