// The statements that write the index. One process at a time writes an organisation's (`locked`).
import type { Tx } from '../../kernel/data/db.ts';
import { joined, sql, trusted } from '../../kernel/data/sql.ts';
import type { TermRow } from './entries.ts';

/** Waits for whoever writes the organisation's index now; until the end of the transaction. */
export const lockIndex = (tx: Tx) => tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('search', $1))`);
export const tryLockIndex = async (tx: Tx) =>
  (await tx.value<boolean>(sql`select pg_try_advisory_xact_lock(hashtextextended('search', $1))`)) === true;

export interface State {
  /** All later changes are followed from here. */
  position: number;
  generation: number;
  /** Of what was there before, this much is in; null: all. */
  built: number | null;
  target: number;
  started_at: string;
}
export const findState = (tx: Tx) =>
  tx.row<State>(sql`
    select position, generation, built, target, iso(started_at) as started_at
    from search_state where organisation_id = $1`);
/** Everything up to `target` is read anew, and found meanwhile as it was. */
export const restart = (tx: Tx, { position, generation, target }: Omit<State, 'built' | 'started_at'>) =>
  tx.rows(sql`
    insert into search_state (organisation_id, position, generation, built, target, started_at, due_at)
    values ($1, ${position}, ${generation}, 0, ${target}, ${tx.now()}, ${tx.now()})
    on conflict (organisation_id) do update set generation = excluded.generation, built = 0,
      target = excluded.target, started_at = excluded.started_at, due_at = excluded.due_at`);
export const advance = (tx: Tx, position: number, isMore: boolean) =>
  tx.rows(sql`
    update search_state set position = greatest(position, ${position}), due_at = ${isMore ? tx.now() : null}
    where organisation_id = $1`);
export const build = (tx: Tx, built: number) =>
  tx.rows(sql`update search_state set built = ${built}, due_at = ${tx.now()} where organisation_id = $1`);
/** What the former build had and this one did not meet is gone. */
export const finish = (tx: Tx, generation: number) =>
  tx.rows(sql`
    with items as (delete from search_items where organisation_id = $1 and generation < ${generation}),
    terms as (delete from search_terms where organisation_id = $1 and generation < ${generation})
    update search_state set built = null, due_at = null where organisation_id = $1`);

export interface Former {
  type: number;
  id: number;
  sequence: number;
  generation: number;
  block: number;
  reach: number;
  places: string;
  keys: string;
}
export interface Named {
  readonly type: number;
  readonly id: number;
}
const columnsOf = (named: readonly Named[]) => sql`
  unnest(${named.map(({ type }) => type)}::smallint[], ${named.map(({ id }) => id)}::bigint[]) as n(type, id)`;
/** The rows that are there. */
export const findFormer = (tx: Tx, named: readonly Named[]) =>
  tx.rows<Former>(sql`
    select i.type, i.id, i.sequence, i.generation, i.block, i.reach, i.places::text as places, i.keys::text as keys
    from ${columnsOf(named)} join search_items i on i.organisation_id = $1 and i.type = n.type and i.id = n.id`);
/** The number of the change that each is in the index with, by a build of this generation or later. */
export const findSequences = (tx: Tx, named: readonly Named[], generation: number) =>
  tx.rows<{ type: number; id: number; sequence: number }>(sql`
    select i.type, i.id, i.sequence
    from ${columnsOf(named)} join search_items i on i.organisation_id = $1 and i.type = n.type and i.id = n.id
    where i.generation >= ${generation}`);
export const deleteItems = (tx: Tx, named: readonly Named[]) =>
  tx.rows(sql`
    delete from search_items i using ${columnsOf(named)}
    where i.organisation_id = $1 and i.type = n.type and i.id = n.id`);

export interface ItemRow extends Named {
  sequence: number;
  block: number;
  at: string;
  reach: number;
  places: string;
  keys: string;
}
export const upsertItems = (tx: Tx, generation: number, rows: readonly ItemRow[]) =>
  tx.rows(sql`
    insert into search_items (
      organisation_id, type, id, sequence, generation, block, at, reach, places, keys)
    select $1, r.type, r.id, r.sequence, ${generation}::integer, r.block, r.at, r.reach,
      r.places::bigint[], r.keys::integer[]
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(
      type smallint, id bigint, sequence bigint, block integer, at timestamptz, reach smallint,
      places text, keys text)
    on conflict (organisation_id, type, id) do update set sequence = excluded.sequence,
      generation = excluded.generation, at = excluded.at, reach = excluded.reach,
      places = excluded.places, keys = excluded.keys`);

/** Exact as long as a word is rare; of others every eighth batch is counted, as eight. */
const RARE = 64;
export const upsertTerms = (tx: Tx, generation: number, rows: readonly TermRow[], isEighth: boolean) =>
  tx.rows(sql`
    insert into search_terms as t (
      organisation_id, term, generation, stem, tail, spellings, documents, titles, open)
    select $1, r.term, ${generation}::integer, r.stem, r.tail, r.spellings::integer[], r.documents, r.titles, r.open
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(
      term text, stem text, tail text, spellings text, documents integer, titles integer, open integer)
    on conflict (organisation_id, term) do update set generation = excluded.generation,
      documents = case
        when t.generation < excluded.generation then excluded.documents
        when t.documents < ${RARE} then t.documents + excluded.documents
        else t.documents + 8 * excluded.documents end,
      titles = case
        when t.generation < excluded.generation then excluded.titles
        when t.documents < ${RARE} then t.titles + excluded.titles
        else t.titles + 8 * excluded.titles end,
      open = case
        when t.generation < excluded.generation then excluded.open
        when t.documents < ${RARE} then t.open + excluded.open
        else t.open + 8 * excluded.open end
    where t.documents < ${RARE} or t.generation < excluded.generation or ${isEighth}`);

export const countIndexed = async (tx: Tx): Promise<number> =>
  (await tx.value<number>(sql`select count(*) from search_items where organisation_id = $1`)) ?? 0;
/** How many rows the families of the index have, up to this number of a change; beyond it, they come by themselves. */
export const countRows = async (tx: Tx, tables: readonly string[], after: number, until: number): Promise<number> => {
  const counts = tables.map(
    (table) => sql`(
      select count(*) from ${trusted(table)} t
      where t.organisation_id = $1 and t.sequence > ${after} and t.sequence <= ${until})`,
  );
  return (await tx.value<number>(sql`select ${joined(counts, ' + ')}`)) ?? 0;
};

export interface Block {
  block: number;
  items: number;
  newest_ms: number;
}
/** Newest first. */
export const listBlocks = (tx: Pick<Tx, 'rows'>) =>
  tx.rows<Block>(sql`
    select block, items, (extract(epoch from newest_at) * 1000)::float8 as newest_ms
    from search_blocks where organisation_id = $1 order by block desc`);
export const upsertBlocks = (tx: Tx, rows: readonly { block: number; items: number; newest_at: string }[]) =>
  tx.rows(sql`
    insert into search_blocks as b (organisation_id, block, items, newest_at)
    select $1, r.block, r.items, r.newest_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(block integer, items integer, newest_at timestamptz)
    on conflict (organisation_id, block) do update set items = b.items + excluded.items,
      newest_at = greatest(b.newest_at, excluded.newest_at)`);

/**
 * New entries of the index are put in order at once, so that searches do not read them one by one. Where another role
 * owns the tables, the database does so itself, later.
 */
export const settleEntries = (tx: Tx) =>
  tx
    .rows(sql`
      select gin_clean_pending_list('search_items__keys'), gin_clean_pending_list('search_terms__spellings')
      where $1::bigint > 0`)
    .catch(() => {});
