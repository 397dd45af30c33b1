// Keeps the blocks and totals that listing.ts draws: sums changes up into them, splits blocks that grew too large, and
// counts a list anew after a bulk load.
import type { Tx } from './db.ts';
import { BLOCK_ROWS, CLASSES, keyOf, type Listing } from './listing.ts';
import { literal, type Sql, sql, trusted } from './sql.ts';

const CHANGES_MAX = 50_000;
const SNAPSHOT = { snapshot: true };

const eachClass = (text: (n: number) => string, between = ', ') => trusted(CLASSES.map(text).join(between));
const columns = eachClass((n) => `c${n}`);
const sums = eachClass((n) => `sum(c${n})`);
const added = (alias: string) => eachClass((n) => `c${n} = ${alias}.c${n} + excluded.c${n}`);

interface Block {
  list: string;
  bucket: number;
  from_at: string;
  from_id: number;
}

/** Moves the organisation's changes into its blocks and totals, and splits large blocks. Returns how many it moved. */
export const sumUpChanges = (tx: Tx, lists: readonly Listing[]): Promise<number> =>
  tx.transaction(async (inside) => {
    // One node at a time; another one's turn is as good as this one's.
    const isMine = await inside.value<boolean>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('list_blocks', $1))`,
    );
    if (!isMine) return 0;
    const grown = await inside.rows<Block & { rows: number; moved: number }>(sql`
      with taken as (
        delete from list_changes
        where organisation_id = $1 and ctid = any (array(
          select ctid from list_changes where organisation_id = $1 limit ${CHANGES_MAX}))
        returning list, bucket, at, id, class, change),
      placed as (
        select taken.list, taken.bucket, taken.class, taken.change,
          coalesce(near.from_at, '-infinity') as from_at, coalesce(near.from_id, 0) as from_id
        from taken left join lateral (
          select b.from_at, b.from_id from list_blocks b
          where b.organisation_id = $1 and b.list = taken.list and b.bucket = taken.bucket
            and (b.from_at, b.from_id) <= (taken.at, taken.id)
          order by b.from_at desc, b.from_id desc limit 1) near on true),
      sums as (
        select list, bucket, from_at, from_id,
          ${eachClass((n) => `coalesce(sum(change) filter (where class = ${n}), 0) as c${n}`)}
        from placed
        group by list, bucket, from_at, from_id),
      totals as (
        insert into list_totals as t (organisation_id, list, bucket, ${columns})
        select $1, list, bucket, ${sums} from sums
        group by list, bucket
        on conflict (organisation_id, list, bucket) do update set ${added('t')})
      insert into list_blocks as b (organisation_id, list, bucket, from_at, from_id, ${columns})
      select $1, list, bucket, from_at, from_id, ${columns} from sums
      on conflict (organisation_id, list, bucket, from_at, from_id) do update set ${added('b')}
      returning list, bucket, from_at::text, from_id, ${eachClass((n) => `c${n}`, ' + ')} as rows,
        (select count(*) from taken) as moved`);
    const moved = grown[0]?.moved ?? 0;
    // A split counts the block from the table, so every change that this snapshot sees must be in the block already.
    if (moved === CHANGES_MAX) return moved;
    for (const block of grown.filter(({ rows }) => rows > 2 * BLOCK_ROWS)) {
      const list = lists.find(({ table }) => table === block.list);
      if (list) await split(inside, list, block);
    }
    return moved;
  }, SNAPSHOT);

function split(tx: Tx, list: Listing, { bucket, from_at, from_id }: Block) {
  const first = { at: sql`${from_at}::timestamptz`, id: sql`${from_id}::bigint` };
  const key = keyOf(list, 't');
  const inBlock = sql`
        t.list_bucket = ${bucket} and (${key}) >= (${first.at}, ${first.id})
        and (not exists (select from upper) or (${key}) < ((select from_at from upper), (select from_id from upper)))`;
  return tx.rows(sql`
    with upper as (
      select b.from_at, b.from_id from list_blocks b
      where b.organisation_id = $1 and b.list = ${list.table} and b.bucket = ${bucket}
        and (b.from_at, b.from_id) > (${first.at}, ${first.id})
      order by b.from_at, b.from_id limit 1),
    ${blocksFrom(list, inBlock, first)}`);
}

/** After a bulk load: blocks and totals counted anew from the table. */
export const rebuildList = (tx: Tx, list: Listing): Promise<void> =>
  tx.transaction(async (inside) => {
    await inside.rows(sql`
      select set_config('statement_timeout', '0', true),
        pg_advisory_xact_lock(hashtextextended('list_blocks', $1))`);
    for (const table of ['list_changes', 'list_blocks', 'list_totals'])
      await inside.rows(sql`delete from ${trusted(table)} where organisation_id = $1 and list = ${list.table}`);
    const first = { at: trusted(`'-infinity'::timestamptz`), id: literal(0) };
    await inside.rows(sql`with ${blocksFrom(list, trusted('true'), first)}`);
    await inside.rows(sql`
      insert into list_totals (organisation_id, list, bucket, ${columns})
      select $1, list, bucket, ${sums} from list_blocks
      where organisation_id = $1 and list = ${list.table}
      group by list, bucket`);
  }, SNAPSHOT);

/** A CTE and the insert after it: rows `t` counted into blocks of BLOCK_ROWS, of which the first begins at `first`. */
const blocksFrom = (list: Listing, where: Sql, first: { at: Sql; id: Sql }): Sql => sql`
    keyed as (
      select t.list_bucket as bucket, t.list_class as class,
        ${trusted(list.at === null ? `'-infinity'::timestamptz` : `t.${list.at}`)} as at,
        t.${trusted(list.id)} as id,
        (row_number() over (partition by t.list_bucket order by ${keyOf(list, 't')}) - 1)
          / ${literal(BLOCK_ROWS)} as part
      from ${trusted(list.table)} t
      where t.organisation_id = $1 and ${where})
    insert into list_blocks (organisation_id, list, bucket, from_at, from_id, ${columns})
    select $1, ${literal(list.table)}, bucket,
      case when part = 0 then ${first.at} else min(at) end,
      case when part = 0 then ${first.id} else (array_agg(id order by at, id))[1] end,
      ${eachClass((n) => `count(*) filter (where class = ${n})`)}
    from keyed
    group by bucket, part
    on conflict (organisation_id, list, bucket, from_at, from_id) do update set
      ${eachClass((n) => `c${n} = excluded.c${n}`)}`;
