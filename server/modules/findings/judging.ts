// Findings are made in the background: once a minute, of the calls that were logged since the last time.
//
//   calls      of a credential with anything new, and of its quarter of an hour before; rules/{writes,reads,forms}.ts
//   standing   once an hour: keys, subscriptions, and the week that has ended; rules/credentials.ts, summaries.ts
//
// A finding is kept once for each credential, rule and subject; what is seen again counts and is added to it.
import type { Tx } from '../../kernel/data/db.ts';
import type { Call } from '../requests/log.ts';
import type { Knowledge } from './known.ts';
import * as queries from './queries.ts';
import { standingRules } from './rules/credentials.ts';
import { formRules } from './rules/forms.ts';
import { readRules } from './rules/reads.ts';
import type { Rule } from './rules/rule.ts';
import { writeRules } from './rules/writes.ts';
import { summarise } from './summaries.ts';

const rules: readonly Rule[] = [...writeRules, ...readRules, ...formRules];
export const adviceOf = new Map([...rules, ...standingRules].map((one) => [one.rule, one]));

/** Of one credential in one round: whoever calls more often is judged by the last of them. */
const CALLS_MAX = 3000;

export const judge = (tx: Tx, known: Knowledge) =>
  tx.transaction(async (inside) => {
    const round = await queries.lockRound(inside);
    if (!round) return;
    const { fresh, last_id } = await queries.findFresh(inside, round.chunk_id);
    for (const one of fresh) await judgeCalls(inside, one, known);
    if (round.is_hour) {
      for (const { rule, find } of standingRules) await queries.upsertStanding(inside, rule, await find(inside));
      await summarise(inside);
      await queries.deleteOld(inside);
    }
    if (round.is_hour || fresh.length > 0) await queries.updateRound(inside, last_id, round.is_hour);
  });

async function judgeCalls(tx: Tx, fresh: queries.Fresh, known: Knowledge) {
  const calls = (await queries.findCalls(tx, fresh, CALLS_MAX))
    .flatMap(({ calls, is_fresh }) => (JSON.parse(calls) as Call[]).map((call) => ({ ...call, is_fresh })))
    .sort((a, b) => a.at - b.at)
    .slice(-CALLS_MAX);
  const isFresh = new Set(calls.filter(({ is_fresh }) => is_fresh).map(({ request_id }) => request_id));
  const seen = rules.flatMap(({ rule, judge }) =>
    judge(calls, known).flatMap(({ subject, seen, calls: found }) => {
      const evidence = found.filter(({ request_id }) => isFresh.has(request_id));
      const [first, last] = [evidence[0], evidence.at(-1)];
      if (!first || !last) return [];
      const request_ids = found.slice(-10).map(({ request_id }) => request_id);
      return [
        {
          rule,
          subject: subject.slice(0, 300),
          seen,
          request_ids,
          count: evidence.length,
          first_at: first.at,
          last_at: last.at,
        },
      ];
    }),
  );
  if (seen.length > 0) await queries.upsertFindings(tx, fresh, onceEach(seen));
}

/** A rule may find the same subject several times in one round. */
function onceEach(found: readonly queries.Found[]): queries.Found[] {
  return [...Map.groupBy(found, ({ rule, subject }) => `${rule} ${subject}`).values()].map((same) => ({
    ...(same.at(-1) as queries.Found),
    request_ids: same.flatMap(({ request_ids }) => request_ids).slice(-10),
    count: same.reduce((sum, { count }) => sum + count, 0),
    first_at: Math.min(...same.map(({ first_at }) => first_at)),
    last_at: Math.max(...same.map(({ last_at }) => last_at)),
  }));
}
