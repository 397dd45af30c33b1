// In which order blocks are looked into, and whether it is worth while: a word of few items is looked up at once.
import type { Arm, Most } from './candidates.ts';
import type { KeyOf } from './keys.ts';
import type { Block } from './writing.ts';

const SINGLE = 4;
const GROUPED = 16;
/** Keys of steps from the newest block on: some blocks singly, then four at once, then sixteen. */
export function stepsOf(newest: number, key: KeyOf): number[] {
  const steps: number[] = [];
  for (let block = newest; block >= 0; ) {
    const taken = newest - block;
    if (taken >= GROUPED && block % 16 === 15) {
      steps.push(key('blocks16', Math.floor(block / 16)));
      block -= 16;
    } else if (taken >= SINGLE && block % 4 === 3) {
      steps.push(key('blocks4', Math.floor(block / 4)));
      block -= 4;
    } else {
      steps.push(key('block', block));
      block--;
    }
  }
  return steps;
}
/** Of blocks by the newest item in them, one by one. */
export const stepsByTime = (blocks: readonly Block[], key: KeyOf) =>
  blocks.toSorted((one, other) => other.newest_ms - one.newest_ms).map(({ block }) => key('block', block));

/** What a word that is asked for costs: its keys, and about how many items have one of them. */
export interface Term {
  readonly keys: readonly number[];
  readonly items: number;
}
const DIRECT_ITEMS = 1500;
const DIRECT_LIST = 25_000;
const CORRELATED = 3;
/** Words that so many of the items have are not asked for beside two others. */
const COMMON = 0.1;

/** `steps`: the blocks; `total`: how many items there are. */
export function armFor(terms: readonly Term[], steps: readonly number[], total: number, most: Most): Arm {
  const sorted = terms.toSorted((one, other) => one.items - other.items);
  const asked = sorted.filter((term, i) => i < 2 || term.items <= COMMON * total);
  const [rarest] = asked;
  const shares = asked.reduce((share, { items }) => share * Math.min(1, items / Math.max(total, 1)), 1);
  const expected = Math.min(rarest?.items ?? total, shares * total * CORRELATED);
  const isDirect = rarest !== undefined && rarest.items < DIRECT_LIST && expected <= DIRECT_ITEMS;
  const single = asked.filter(({ keys }) => keys.length === 1).flatMap(({ keys }) => keys);
  const lists = asked.filter((term) => term.keys.length > 1 && !(isDirect && term === rarest));
  return { has: single, hasAny: lists.map(({ keys }) => keys), steps: isDirect ? rarest.keys : steps, most };
}
