// The index follows what changed (kernel/data/changes.ts): each row of a family has a number that every change of it
// renews, and what a row cannot say of itself is a note. The index remembers up to which number it has everything.
//
//   in the background   after every write, some hundred changes a transaction, until none is left
//   before a search     changes that nobody took up yet, so that what was written a moment ago is found
//
// A number may be committed after a higher one. So `position` stops at a number below which everything is committed or
// given up; what is above it is looked at again, and costs nothing where the index has it already.
import { settledSequence } from '../../kernel/data/changes.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { findKeys } from '../changes/queries.ts';
import { families, familyOf } from './families.ts';
import { type Changed, indexItems } from './indexing.ts';
import * as writing from './writing.ts';

/** A search does not wait for more than these. */
const AT_ONCE = 250;
/** Others' work is not kept waiting longer. */
const TURN_MS = 2000;
const TURN_OF_SEARCH_MS = 500;
const EVERYTHING = Number.MAX_SAFE_INTEGER;
const feeds = families.map(({ type, table }) => ({ type, table }));
const tables = feeds.map(({ table }) => table);

interface Pending {
  /** What the index does not have. */
  changed: Changed[];
  /** The last number that was looked at, when there may be more. */
  last: number | undefined;
}
/** `generation`: what is of an earlier one is indexed again. */
async function pendingIn(tx: Tx, after: number, until: number, most: number, generation = 0): Promise<Pending> {
  const keys = await findKeys(tx, feeds, after, until, most);
  const changes = new Map<string, Changed>();
  for (const { type, id, sequence } of keys) {
    const { number } = familyOf(type);
    const name = `${number} ${id}`;
    changes.set(name, { type: number, id, sequence: Math.max(sequence, changes.get(name)?.sequence ?? 0) });
  }
  const last = keys.length === most ? keys.at(-1)?.sequence : undefined;
  if (changes.size === 0) return { changed: [], last };
  const known = new Map(
    (await writing.findSequences(tx, [...changes.values()], generation)).map(({ type, id, sequence }) => [
      `${type} ${id}`,
      sequence,
    ]),
  );
  const changed = [...changes].filter(([name, { sequence }]) => (known.get(name) ?? -1) < sequence);
  return { changed: changed.map(([, one]) => one), last };
}

/** Takes up what was written a moment ago. Returns whether the index has everything. */
export async function catchUp(tx: Tx): Promise<boolean> {
  const state = await writing.findState(tx);
  if (!state) return !(await follow(tx, TURN_OF_SEARCH_MS));
  const { changed, last } = await pendingIn(tx, state.position, EVERYTHING, AT_ONCE);
  if (last !== undefined) return false;
  if (changed.length > 0)
    await tx.transaction(async (inside) => {
      await writing.lockIndex(inside);
      const now = await pendingIn(inside, state.position, EVERYTHING, AT_ONCE);
      await indexItems(inside, state.generation, now.changed);
    });
  return state.built === null;
}

/** The chore: goes on until everything is in, or its turn is over. Returns whether there is more to do. */
export async function follow(tx: Tx, turn_ms = TURN_MS): Promise<boolean> {
  for (const until = Date.now() + turn_ms; ; ) {
    const isMore = await followSome(tx);
    if (!isMore || Date.now() > until) return isMore;
  }
}

async function followSome(tx: Tx): Promise<boolean> {
  const begun = await writing.findState(tx);
  if (begun && begun.built === null && (await findKeys(tx, feeds, begun.position, EVERYTHING, 1)).length === 0)
    return false;
  const settled = await settledSequence(tx, tables);
  if (settled === undefined) return true;
  const isMore = await tx.transaction(async (inside) => {
    if (!(await writing.tryLockIndex(inside))) return false;
    const state = (await writing.findState(inside)) ?? (await begin(inside, settled));
    const { changed, last } = await pendingIn(inside, state.position, EVERYTHING, AT_ONCE);
    await indexItems(inside, state.generation, changed);
    const isBehind = last !== undefined || state.built !== null;
    await writing.advance(inside, Math.min(last ?? EVERYTHING, settled), isBehind);
    if (last === undefined && state.built !== null) await buildSome(inside, state, state.built);
    return isBehind;
  });
  await writing.settleEntries(tx);
  return isMore;
}

/** What was there before, in the order of its last change. */
async function buildSome(tx: Tx, { generation, target }: writing.State, built: number) {
  const { changed, last } = await pendingIn(tx, built, target, AT_ONCE, generation);
  await indexItems(tx, generation, changed);
  if (last === undefined) await writing.finish(tx, generation);
  else await writing.build(tx, last);
}

async function begin(tx: Tx, settled: number): Promise<writing.State> {
  const state = { position: settled, generation: 1, target: settled };
  await writing.restart(tx, state);
  return { ...state, built: 0, started_at: tx.now() };
}
/** Everything is read anew; searches go on meanwhile, and what is written meanwhile is found. */
export async function rebuild(tx: Tx): Promise<void> {
  const settled = await settledSequence(tx, tables);
  await tx.transaction(async (inside) => {
    await writing.lockIndex(inside);
    const state = await writing.findState(inside);
    if (!state) return void (settled !== undefined && (await begin(inside, settled)));
    await writing.restart(inside, { ...state, generation: state.generation + 1, target: state.position });
  });
}

export interface HowFar {
  readonly total: number;
  readonly done: number;
  readonly isDone: boolean;
}
/** Of the build that goes on. */
export async function howFar(tx: Tx): Promise<HowFar> {
  const state = await writing.findState(tx);
  if (!state) return { total: 0, done: 0, isDone: false };
  const { built, target } = state;
  const total = await writing.countRows(tx, tables, 0, target);
  if (built === null) return { total, done: total, isDone: true };
  return { total, done: total - (await writing.countRows(tx, tables, built, target)), isDone: false };
}
