// The tree of pages, as far as it has been opened: each level is read when it is first shown.
import { signal } from '@preact/signals';
import { call, Refusal } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { put, type Row, row } from '../../kernel/rows.ts';

type Read = ReplyOf<Contract['GET /v1/pages/tree']>;
export type PageNode = Read['pages'][number];
/** By the page above; the top of a space by its id, negative; 0: the top of what is for everybody. */
export interface Level extends Row, Read {
  failed?: Refusal;
}
export interface Place {
  space_id: number | null;
  parent_id: number | null;
}
const keyOf = ({ space_id, parent_id }: Place) => parent_id ?? -(space_id ?? 0);
export const levelAt = (place: Place) => row<Level>('page-levels', keyOf(place));
/** Those whose level is shown. */
export const opened = signal<ReadonlySet<number>>(new Set());
export const open = (id: number, isOpen: boolean) => {
  const others = [...opened.value].filter((one) => one !== id);
  opened.value = new Set(isOpen ? [...others, id] : others);
};

const TAKE = 100;
export async function readLevel(place: Place, isMore = false): Promise<void> {
  const id = keyOf(place);
  const known = isMore ? (levelAt(place).peek()?.pages ?? []) : [];
  const above = place.parent_id
    ? { parent_id: place.parent_id }
    : { ...(place.space_id && { space_id: place.space_id }) };
  const after = known.at(-1)?.id;
  try {
    const { data } = await call('GET /v1/pages/tree', { query: { ...above, take: TAKE, ...(after && { after }) } });
    put<Level>('page-levels', { id, pages: [...known, ...data.pages], has_more: data.has_more });
  } catch (error) {
    put<Level>('page-levels', { id, pages: known, has_more: false, failed: Refusal.of(error) });
  }
}

/** Below which page, and before which of its pages; null: at the end. */
export interface Target {
  parent_id: number | null;
  before_id: number | null;
}
export type Direction = 'up' | 'down' | 'in' | 'out';

/** Where a page comes to stand with one step; undefined: there is no way. */
export function stepFrom(page: PageNode, direction: Direction, space_id: number | null): Target | undefined {
  const { parent_id } = page;
  const siblings = levelAt({ space_id, parent_id }).peek()?.pages ?? [];
  const at = siblings.findIndex(({ id }) => id === page.id);
  const [before, after, afterNext] = [siblings[at - 1], siblings[at + 1], siblings[at + 2]];
  if (direction === 'up') return before && { parent_id, before_id: before.id };
  if (direction === 'down') return after && { parent_id, before_id: afterNext?.id ?? null };
  if (direction === 'in') return before && { parent_id: before.id, before_id: null };
  const above = parent_id === null ? undefined : nodeOf(parent_id);
  if (!above) return undefined;
  const around = levelAt({ space_id, parent_id: above.parent_id }).peek()?.pages ?? [];
  const next = around[around.findIndex(({ id }) => id === above.id) + 1];
  return { parent_id: above.parent_id, before_id: next?.id ?? null };
}

const nodes = new Map<number, PageNode>();
/** As it was shown last. */
export const nodeOf = (id: number) => nodes.get(id);
export const note = (shown: PageNode) => void nodes.set(shown.id, shown);

export async function movePage(page: PageNode, space_id: number | null, to: Target) {
  await call('POST /v1/pages/{id}/move', { params: { id: page.id }, body: to });
  if (to.parent_id !== null) open(to.parent_id, true);
  const places = new Set([page.parent_id, to.parent_id]);
  // Whether something is below them is said one level higher.
  for (const id of [page.parent_id, to.parent_id]) if (id !== null) places.add(nodeOf(id)?.parent_id ?? null);
  await Promise.all([...places].map((parent_id) => readLevel({ space_id, parent_id })));
}
