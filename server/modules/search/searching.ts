// A search, step by step:
//
//   1  the words of the question, and what may stand for them        questions.ts, dictionary.ts
//   2  candidates, in ways that grow more generous while few are found   arms.ts, candidates.ts
//   3  which of them the actor sees now, by each family's own rule   families.ts
//   4  their order by what their keys say                            ranking.ts
//   5  of those that are shown, and their neighbours: the texts      matching.ts, snippets.ts
//
// Only what passed the third step is ever counted, ordered, shown or learned from.
import type { Tx } from '../../kernel/data/db.ts';
import { joined, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import * as ways from './arms.ts';
import { stepsByTime, stepsOf } from './blocks.ts';
import { type Arm, type Candidate, findCandidates, type Sieve } from './candidates.ts';
import { type Meaning, meaningsOf } from './dictionary.ts';
import type { SearchFamily } from './families.ts';
import { keysFor } from './keys.ts';
import { type Question, questionOf } from './questions.ts';
import { byScore, byTime, type Ranked, rankerOf } from './ranking.ts';
import { listBlocks } from './writing.ts';

export interface Asked {
  readonly q: string;
  readonly families: readonly SearchFamily[];
  readonly sieve: Sieve;
  /** SQL on the row `t` of a family. */
  readonly where: readonly Sql[];
  readonly sort: 'relevance' | 'newest';
}
export interface Found {
  readonly question: Question;
  readonly meanings: readonly Meaning[];
  readonly ranked: readonly Ranked[];
  /** All that there is. */
  readonly isExact: boolean;
}
/** Most that a search lists. */
export const LISTED_MAX = 300;
const FEW = 5;

/** `tx` sends statements whose plans are by index. */
export async function find(tx: Tx, actor: Actor, asked: Asked): Promise<Found> {
  const key = keysFor(actor.organisation_id);
  const question = questionOf(asked.q);
  const [meanings, blocks] = await Promise.all([meaningsOf(tx, question.words, key), listBlocks(tx)]);
  const total = blocks.reduce((sum, { items }) => sum + items, 0);
  const isByTime = asked.sort === 'newest' || asked.q.trim() === '';
  const steps = isByTime ? stepsByTime(blocks, key) : stepsOf(blocks[0]?.block ?? 0, key);
  const known = { question, meanings, key, steps, total };
  const rank = rankerOf({ question, meanings, key, now_ms: Date.parse(tx.now()) });
  const ranked = new Map<string, Ranked>();
  let isExact = true;
  const attempt = async (groups: Arm[][], isRelaxed = false) => {
    if (groups.length === 0) return;
    const candidates = await findCandidates(tx, actor, asked.sieve, groups);
    for (const n of groups.keys())
      if (candidates.filter(({ found_by }) => found_by === n).length >= LISTED_MAX) isExact = false;
    for (const one of await seenOf(tx, actor, asked, candidates)) {
      const name = `${one.type} ${one.id}`;
      const was = ranked.get(name);
      // The same candidate of another arm may come without its keys.
      if (!was || (!was.keys && one.keys !== null)) ranked.set(name, rank(one, isRelaxed));
    }
  };
  if (isByTime && question.words.length === 0 && asked.q.trim() === '') await attempt([[everything(steps)]]);
  else if (question.words.length > 0) {
    await attempt(ways.strictly(known));
    if (ranked.size < FEW) await attempt(ways.loosely(known));
    if (ranked.size === 0) await attempt(ways.withoutOne(known), true);
    if (ranked.size === 0) await attempt(ways.withTwo(known), true);
  }
  const list = [...ranked.values()].sort(isByTime ? byTime : byScore).slice(0, LISTED_MAX);
  return { question, meanings, ranked: list, isExact: isExact && ranked.size <= LISTED_MAX };
}
const everything = (steps: readonly number[]): Arm => ({ has: [], hasAny: [], steps, most: 300 });

/** Those that the actor sees now. */
async function seenOf(tx: Tx, actor: Actor, { families, where }: Asked, candidates: readonly Candidate[]) {
  if (candidates.length === 0) return [];
  const idsOf = ({ number }: SearchFamily) => [
    ...new Set(candidates.filter(({ type }) => type === number).map(({ id }) => id)),
  ];
  const parts = families.map((family) => {
    const ids = sql`${idsOf(family)}::bigint[]`;
    return sql`select ${trusted(String(family.number))}::int as type, s.id from (${family.seen(actor, ids, where)}) s`;
  });
  const rows = await tx.rows<{ type: number; id: number }>(joined(parts, ' union all '));
  const seen = new Set(rows.map(({ type, id }) => `${type} ${id}`));
  return candidates.filter(({ type, id }) => seen.has(`${type} ${id}`));
}
