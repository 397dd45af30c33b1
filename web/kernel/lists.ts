// A list of rows: what it holds, whether there is more, and what went wrong. Shown from memory at once, refreshed
// behind.
import { type Signal, signal } from '@preact/signals';
import { type Answer, Refusal } from './call.ts';
import { put, type Row } from './rows.ts';

export interface Listed {
  readonly kind: string;
  readonly id: number;
}
export interface List {
  readonly items: Signal<readonly Listed[] | undefined>;
  readonly failed: Signal<Refusal | undefined>;
  readonly total: Signal<number>;
  readonly hasMore: Signal<boolean>;
  refresh(): Promise<void>;
  more(): Promise<void>;
  /** A row that has just been written stands first. */
  prepend(kind: string, shown: Row): void;
  remove(kind: string, id: number): void;
}
export type Fetch = (skip: number, take: number) => Promise<Answer<readonly Row[]>>;

const TAKE = 20;
/** The total of what nobody counts, as aria-setsize has it. */
export const UNKNOWN = -1;
const lists = new Map<string, List>();

/** The list of this key; `fetch` reads a part of it. Rows of several kinds say themselves which they are of. */
export function list(key: string, kind: string | ((row: never) => string), fetch: Fetch): List {
  const known = lists.get(key);
  if (known) return known;
  const made = makeList(typeof kind === 'string' ? () => kind : (kind as (row: Row) => string), fetch);
  lists.set(key, made);
  return made;
}
export const forgetLists = () => lists.clear();

const without = (some: readonly Listed[], others: readonly Listed[]): Listed[] =>
  some.filter(({ kind, id }) => !others.some((one) => one.id === id && one.kind === kind));

function makeList(kindOf: (row: Row) => string, fetch: Fetch): List {
  const items = signal<readonly Listed[] | undefined>(undefined);
  const failed = signal<Refusal | undefined>(undefined);
  const total = signal(0);
  const hasMore = signal(false);
  let running: Promise<void> | undefined;
  /** What was written while a part is read: its answer may be of before. */
  let added: Listed[] = [];
  let removed: Listed[] = [];
  const read = async (skip: number) => {
    [added, removed] = [[], []];
    try {
      const { data, meta } = await fetch(skip, TAKE);
      for (const one of data) put(kindOf(one), one);
      const read = data.map((one) => ({ kind: kindOf(one), id: one.id }));
      const before = skip === 0 ? added : (items.peek() ?? []);
      items.value = [...before, ...without(read, [...before, ...removed])];
      total.value = meta.pagination?.total_records ?? data.length;
      hasMore.value = meta.pagination?.next_page != null;
      failed.value = undefined;
    } catch (error) {
      failed.value = Refusal.of(error);
    }
  };
  const once = (skip: number) => {
    running ??= read(skip).finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    ...{ items, failed, total, hasMore },
    refresh: () => once(0),
    more: () => once(items.peek()?.length ?? 0),
    prepend(kind, shown) {
      put(kind, shown);
      const one = { kind, id: shown.id };
      added = [one, ...added];
      items.value = [one, ...(items.peek() ?? [])];
      if (total.peek() !== UNKNOWN) total.value++;
    },
    remove(kind, id) {
      const one = { kind, id };
      [added, removed] = [without(added, [one]), [one, ...removed]];
      items.value = items.peek() && without(items.peek() ?? [], [one]);
      if (total.peek() !== UNKNOWN) total.value--;
    },
  };
}
