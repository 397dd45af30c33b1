// Which words of the organisation somebody may mean by a word. Of what the dictionary has, nothing is ever shown: its
// words only become keys, and weights count what everybody sees.
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import type { KeyOf } from './keys.ts';
import type { AskedWord } from './questions.ts';
import { distance, slipsOf, spellingsOf } from './spelling.ts';
import { stemOf, tailOf } from './stems.ts';
import { isSpelt } from './words.ts';

/** How a word of the dictionary was found, and how well it stands for the word that was asked for. */
export const quality = { exact: 1, variant: 0.95, form: 0.85, beginning: 0.7, typo: 0.6, compound: 0.5 } as const;
export type How = keyof typeof quality;
export interface Form {
  readonly term: string;
  readonly how: How;
  readonly documents: number;
  readonly titles: number;
  readonly open: number;
}
/** A word with all that may stand for it, the word itself first. */
export interface Meaning {
  readonly asked: AskedWord;
  readonly forms: readonly Form[];
}
type Found = Omit<Form, 'how'> & { n: number; how: number };

const LIMITS: Readonly<Record<How, number>> = {
  exact: 1,
  variant: 2,
  form: 11,
  beginning: 40,
  typo: 16,
  compound: 16,
};
const HOWS = ['exact', 'form', 'beginning', 'compound', 'typo'] as const;
const COMPOUND_PART_MIN = 4;
const BEGINNING_MIN = 2;
/** A word that so many items have is not taken for a slip. */
const KNOWN = 50;
const END = '\ufffd';

export async function meaningsOf(tx: Pick<Tx, 'rows'>, words: readonly AskedWord[], key: KeyOf): Promise<Meaning[]> {
  if (words.length === 0) return [];
  const exact = words.flatMap(({ word, variants }, n) => [word, ...variants].map((text) => ({ n, text })));
  const spelt = words.flatMap((word, n) => (isSpelt(word.script) ? [{ n, ...word }] : []));
  const stems = spelt.map(({ n, word }) => ({ n, text: stemOf(word) }));
  const starts = spelt.filter(({ word }) => word.length >= BEGINNING_MIN).map(({ n, word }) => ({ n, text: word }));
  const tails = stems
    .filter(({ text }) => text.length >= COMPOUND_PART_MIN)
    .map(({ n, text }) => ({ n, text: tailOf(text) }));
  const spellings = spelt.flatMap(({ n, word }) => {
    const keys = spellingsOf(word).map((text) => key('spelling', text));
    return keys.length > 0 ? [{ n, text: word, keys: `{${keys.join(',')}}` }] : [];
  });
  const asked = (list: readonly { n: number; text: string }[]) => sql`
    unnest(${list.map(({ n }) => n)}::int[], ${list.map(({ text }) => text)}::text[])`;
  const found = await tx.rows<Found>(sql`
    select a.n, 0 as how, t.term, t.documents, t.titles, t.open
    from ${asked(exact)} a(n, text) join search_terms t on t.organisation_id = $1 and t.term = a.text
    union all
    select a.n, 1, t.* from ${asked(stems)} a(n, text) cross join lateral (
      select t.term, t.documents, t.titles, t.open from search_terms t
      where t.organisation_id = $1 and t.stem is not null and t.stem = a.text
      order by t.open desc, t.documents desc limit 16) t
    union all
    select a.n, 2, t.* from ${asked(starts)} a(n, text) cross join lateral (
      select t.* from generate_series(10, 0, -1) g(level) cross join lateral (
        select t.term, t.documents, t.titles, t.open from search_terms t
        where t.organisation_id = $1 and t.stem is not null and t.tier = g.level
          and t.term > a.text and t.term < a.text || ${END} limit 160) t limit 160) t
    union all
    select a.n, 3, t.* from ${asked(tails)} a(n, text) cross join lateral (
      select t.term, t.documents, t.titles, t.open from search_terms t
      where t.organisation_id = $1 and t.tail is not null and t.tail > a.text and t.tail < a.text || ${END}
      limit 64) t
    union all
    select a.n, 4, t.*
    from unnest(${spellings.map(({ n }) => n)}::int[], ${spellings.map(({ text }) => text)}::text[],
      ${spellings.map(({ keys }) => keys)}::text[]) a(n, text, keys)
    cross join lateral (
      select t.term, t.documents, t.titles, t.open from search_terms t
      where t.organisation_id + 0 = $1 and t.spellings && a.keys::int[] and ${KNOWN} > coalesce((
        select x.documents from search_terms x where x.organisation_id = $1 and x.term = a.text), 0)
      limit 1000) t`);
  const byWord = Map.groupBy(found, ({ n }) => n);
  return words.map((asked, n) => meaningOf(asked, byWord.get(n) ?? []));
}

function meaningOf(asked: AskedWord, found: readonly Found[]): Meaning {
  const slips = slipsOf(asked.word);
  const known = new Map<string, Form>();
  const left: Record<How, number> = { ...LIMITS };
  const none = { documents: 0, titles: 0, open: 0 };
  known.set(asked.word, { term: asked.word, how: 'exact', ...none });
  const often = (one: Found, other: Found) =>
    one.how - other.how || other.open - one.open || other.documents - one.documents;
  for (const { n, how: at, ...term } of found.toSorted(often)) {
    let how: How = HOWS[at] ?? 'typo';
    if (how === 'exact' && term.term !== asked.word) how = 'variant';
    if (how === 'typo' && distance(asked.word, term.term, slips) > slips) continue;
    const isKnown = known.has(term.term) && how !== 'exact';
    if (isKnown || left[how]-- <= 0) continue;
    known.set(term.term, { how, ...term });
  }
  return { asked, forms: [...known.values()] };
}

const RARITY = 1_000_000;
/** How much it says of an item that it has the word. */
export const weightOf = ({ forms: [first] }: Meaning) => Math.log(1 + RARITY / Math.max(first?.open ?? 0, 1));
