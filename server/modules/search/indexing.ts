// Brings items into the index as they are now, some hundred at once.
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import { type ContentNoun, contentNouns } from '../content/contract.ts';
import { arrayOf, type Entry, entryOf, TEXT_MAX, termsOf } from './entries.ts';
import { byNumber, familyOf, type Item, readItems, type SearchFamily } from './families.ts';
import { BLOCK_ITEMS, type KeyOf, keysFor } from './keys.ts';
import { noteFiles } from './unread.ts';
import * as writing from './writing.ts';

/** What changed: a row of a family, and the number of its change. */
export interface Changed {
  readonly type: number;
  readonly id: number;
  readonly sequence: number;
}
const nameOf = ({ type, id }: writing.Named) => `${type} ${id}`;
const COMMENTS_AT_ONCE = 200;

/** Within a transaction that holds the lock. */
export async function indexItems(tx: Tx, generation: number, changed: readonly Changed[]): Promise<void> {
  if (changed.length === 0) return;
  const key = keysFor(tx.organisation_id);
  const former = new Map((await writing.findFormer(tx, changed)).map((row) => [nameOf(row), row]));
  const read = await readChanged(tx, changed);
  const there = new Set(read.map(({ family, item }) => nameOf({ type: family.number, id: item.id })));
  const gone = changed.filter((one) => !there.has(nameOf(one)) && former.has(nameOf(one)));
  if (gone.length > 0) await writing.deleteItems(tx, gone);

  const blocks = new Blocks(await writing.listBlocks(tx));
  const last = new Map(changed.map((one) => [nameOf(one), one.sequence]));
  const entries = read.map(({ family, item }) => {
    const name = nameOf({ type: family.number, id: item.id });
    const before = former.get(name);
    const block = before?.block ?? blocks.next();
    blocks.holds(block, item.at);
    const entry = entryOf(family, item, key);
    return { family, item, before, entry, block, sequence: Math.max(item.sequence, last.get(name) ?? 0) };
  });
  await writing.upsertItems(
    tx,
    generation,
    entries.map((one) => rowOf(one, key)),
  );
  const counted = entries.map(({ entry, item, before }) => ({
    entry,
    reach: item.reach,
    before: before && before.generation === generation ? new Set(before.keys.slice(1, -1).split(',')) : undefined,
  }));
  await writing.upsertTerms(tx, generation, termsOf(counted, key), (changed[0]?.sequence ?? 0) % 8 === 0);
  await writing.upsertBlocks(tx, blocks.changes());

  const moved = entries.filter(({ item, before }) => before && isMoved(before, item)).map((one) => one.item.id);
  await followComments(tx, generation, entries, moved, gone);
  await noteFiles(
    tx,
    entries.filter(({ family }) => family.type === 'document').map(({ item }) => item.id),
  );
}

async function readChanged(tx: Tx, changed: readonly Changed[]): Promise<{ family: SearchFamily; item: Item }[]> {
  const found: { family: SearchFamily; item: Item }[] = [];
  for (const [number, ofType] of Map.groupBy(changed, ({ type }) => type)) {
    const family = byNumber.get(number);
    if (!family) continue;
    const ids = sql`${ofType.map(({ id }) => id)}::bigint[]`;
    for (const item of await readItems(tx, family, ids, TEXT_MAX)) found.push({ family, item });
  }
  return found;
}

interface Indexed {
  family: SearchFamily;
  item: Item;
  entry: Entry;
  block: number;
  sequence: number;
}
function rowOf({ family, item, entry, block, sequence }: Indexed, key: KeyOf): writing.ItemRow {
  const { id, at, reach, places } = item;
  const ofBlock = [key('block', block), key('blocks4', Math.floor(block / 4)), key('blocks16', Math.floor(block / 16))];
  const keys = arrayOf(new Set([...entry.keys, ...ofBlock]));
  return { type: family.number, id, sequence, block, at, reach, places: arrayOf(places), keys };
}

const isMoved = (before: writing.Former, item: Item) =>
  before.reach !== item.reach || before.places !== arrayOf(item.places);

/** Comments are where their content is: they follow it when others see it, and when it comes or goes. */
async function followComments(
  tx: Tx,
  generation: number,
  entries: readonly (Indexed & { before: writing.Former | undefined })[],
  moved: readonly number[],
  gone: readonly Changed[],
) {
  const isContent = ({ type }: SearchFamily) => contentNouns.includes(type as ContentNoun);
  const under = [
    ...entries
      .filter(({ family, item, before }) => isContent(family) && (!before || moved.includes(item.id)))
      .map(({ family, item }) => ({ kind: family.type, id: item.id })),
    ...gone.map(({ type, id }) => ({ kind: byNumber.get(type)?.type ?? '', id })),
  ];
  if (under.length === 0) return;
  const { number: type } = familyOf('comment');
  const comments = await tx.rows<{ id: number; sequence: number }>(sql`
    select c.id, c.sequence
    from unnest(${under.map(({ kind }) => kind)}::text[], ${under.map(({ id }) => id)}::bigint[]) as n(kind, id)
    join comments c on c.organisation_id = $1 and c.kind = n.kind and c.content_id = n.id`);
  for (let from = 0; from < comments.length; from += COMMENTS_AT_ONCE) {
    const some = comments.slice(from, from + COMMENTS_AT_ONCE);
    await indexItems(
      tx,
      generation,
      some.map((one) => ({ type, ...one })),
    );
  }
}

/** Which block a new item comes into, and what is said of the blocks. */
class Blocks {
  private current: number;
  private items: number;
  private readonly changed = new Map<number, { items: number; newest_at: string }>();

  constructor(blocks: readonly writing.Block[]) {
    this.current = blocks[0]?.block ?? 0;
    this.items = blocks[0]?.items ?? 0;
  }
  next(): number {
    if (this.items >= BLOCK_ITEMS) [this.current, this.items] = [this.current + 1, 0];
    this.items++;
    this.of(this.current).items++;
    return this.current;
  }
  holds(block: number, at: string) {
    const one = this.of(block);
    if (at > one.newest_at) one.newest_at = at;
  }
  changes() {
    return [...this.changed].map(([block, one]) => ({ block, ...one }));
  }
  private of(block: number) {
    const one = this.changed.get(block) ?? { items: 0, newest_at: '0001-01-01T00:00:00Z' };
    this.changed.set(block, one);
    return one;
  }
}
