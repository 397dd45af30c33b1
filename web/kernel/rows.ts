// What the server said, once: a person, a post or a space is one signal, whichever list or screen shows it.
//
// A row with a smaller `sequence` than the one that is known is older news and dropped. Gone is a state of its own.
import { type Signal, signal } from '@preact/signals';

export interface Row {
  readonly id: number;
  readonly sequence?: number;
}
/** undefined: not known yet. null: it is gone, or was never visible. */
export type Known<T> = T | null | undefined;

const rows = new Map<string, Signal<Known<Row>>>();

export function row<T extends Row>(kind: string, id: number): Signal<Known<T>> {
  const key = `${kind}/${id}`;
  let found = rows.get(key);
  if (!found) {
    found = signal<Known<Row>>(undefined);
    rows.set(key, found);
  }
  return found as Signal<Known<T>>;
}

/** A row as the server has just shown it. */
export function put<T extends Row>(kind: string, shown: T): Signal<Known<T>> {
  const known = row<T>(kind, shown.id);
  const before = known.peek();
  if (!before || (shown.sequence ?? 0) >= (before.sequence ?? 0)) known.value = shown;
  return known;
}

/** A change that is seen at once; what it returns takes it back. */
export function change<T extends Row>(kind: string, id: number, patch: Partial<T>): () => void {
  const known = row<T>(kind, id);
  const before = known.peek();
  if (!before) return () => {};
  known.value = { ...before, ...patch };
  return () => {
    known.value = before;
  };
}

export const forget = (kind: string, id: number) => {
  row(kind, id).value = null;
};
/** When somebody else signs in, nothing of the last person is left. */
export const forgetAll = () => rows.clear();
