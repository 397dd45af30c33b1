// Which items may be meant: one statement of several arms, each a way to find some. How many items an arm reads does
// not grow with the organisation: it stops when it has enough, and of frequent words it looks into the newest blocks
// first.
import type { Tx } from '../../kernel/data/db.ts';
import { all, joined, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { isWithinReach, myPlaces } from './reach.ts';

/** An arm lists items that have all of `has`, and of each list of `hasAny` one. */
export interface Arm {
  readonly has: readonly number[];
  readonly hasAny: readonly (readonly number[])[];
  /** Keys of blocks, which are looked into one after the other; of which the items of each are newest first. */
  readonly steps: readonly number[];
  readonly most: Most;
}
/** The planner must see how little is taken, and the statements must stay few. */
export type Most = 20 | 64 | 300;
export interface Candidate {
  /** The place of its group. */
  found_by: number;
  type: number;
  id: number;
  at_ms: number;
  /** All keys, as text, of the first of each arm. */
  keys: string | null;
}
export interface Sieve {
  /** Keys that each candidate has, and lists of which it has one. */
  readonly has: readonly number[];
  readonly hasAny: readonly (readonly number[])[];
  /** SQL on the item `i`. */
  readonly where: readonly Sql[];
}
const WITH_KEYS = 64;
const LISTS_KEPT = 3;

/** `arms` follow one another: of each group the later ones are tried only while the earlier ones found too few. */
export function findCandidates(tx: Pick<Tx, 'rows'>, actor: Actor, sieve: Sieve, groups: readonly (readonly Arm[])[]) {
  const listed = groups.map((arms, n) => {
    const most = Math.max(...arms.map((arm) => arm.most));
    const parts = arms.map((arm) => armOf(actor, sieve, arm));
    return sql`(
      select ${literal(n)}::int as found_by, c.type, c.id, (extract(epoch from c.at) * 1000)::float8 as at_ms,
        case when row_number() over () <= ${trusted(String(WITH_KEYS))} then c.keys::text end as keys
      from (select * from (${joined(parts, ' union all ')}) u limit ${trusted(String(most))}) c)`;
  });
  const statement = sql`with ${myPlaces(actor)} ${joined(listed, ' union all ')}`;
  // Of long questions hardly two have the same form: no connection keeps a plan for each.
  const isLong = groups.some((arms) => arms.some(({ hasAny }) => hasAny.length > LISTS_KEPT));
  return tx.rows<Candidate>(isLong ? { ...statement, adHoc: true } : statement);
}

/** The index takes conditions in their order: words first, the rarest before others, then the block. */
function armOf(actor: Actor, sieve: Sieve, { has, hasAny, steps, most }: Arm): Sql {
  const keys = [...has, ...sieve.has];
  const lists = [...hasAny, ...sieve.hasAny];
  const conditions = [
    // The index of keys knows the organisation; the others must not be used.
    trusted('i.organisation_id + 0 = $1'),
    ...(keys.length > 0 ? [sql`i.keys @> ${keys}::int[]`] : []),
    ...lists.map((list) => sql`i.keys && ${list}::int[]`),
    trusted('i.keys @> array[b.key]'),
    isWithinReach(actor),
    ...sieve.where,
  ];
  const limit = trusted(String(most));
  return sql`
    (select f.* from unnest(${steps}::int[]) as b(key) cross join lateral (
      select i.type, i.id, i.at, i.keys from search_items i where ${all(conditions)}
      order by i.at desc limit ${limit}) f limit ${limit})`;
}
