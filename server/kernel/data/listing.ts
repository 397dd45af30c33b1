// Lists with an exact total and a skip of any depth, at a cost that hardly grows with the list.
//
// A list is the rows of one *bucket* (all users, the pages of one space) in key order; each row has a *class* 0…7 that
// says who may see it or how it is filtered (draft, archived). For each bucket `list_blocks` keeps, for about every
// 2,048th key, how many rows of each class follow up to the next block, and `list_totals` the sum of them. A write
// touches neither: it appends its +1 or -1 to `list_changes` in its own statement, so writers do not wait for one
// another. Blocks or totals plus changes, read in one snapshot, are exact at any moment. `foldLists` moves changes into
// both about once a second.
//
// A total is one row. A deep skip finds the block in which it ends and walks on from that block's key.
// Filters that are no bucket or class (`where`) are counted with count(*): exact, but as slow as what they match.
import type { Json, Tx } from './db.ts';
import { all, type Sql, sql, trusted } from './sql.ts';

export interface Listing {
  /** Table with the columns organisation_id, list_bucket and list_class. */
  readonly table: string;
  /** Column that leads the order, or null where the id alone orders. */
  readonly at: string | null;
  readonly id: string;
  readonly newestFirst: boolean;
}

export interface Slice {
  skip: number;
  take: number;
  /** Undefined: rows of every bucket, which only a `where` makes sense of. */
  bucket: number | undefined;
  /** Classes to include. */
  classes: readonly number[];
  /** Rows of other classes that are included too, one by one: a condition on the table's alias `t`. */
  also?: Sql | undefined;
  /** Further conditions on `t`. */
  where?: readonly Sql[];
}

export const BLOCK_ROWS = 2048;
const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7];
const columns = trusted(CLASSES.map((n) => `c${n}`).join(', '));
const sums = trusted(CLASSES.map((n) => `sum(c${n})`).join(', '));
const added = (alias: string) => trusted(CLASSES.map((n) => `c${n} = ${alias}.c${n} + excluded.c${n}`).join(', '));

const keyOf = (list: Listing, alias: string) =>
  trusted(`${list.at === null ? `'-infinity'::timestamptz` : `${alias}.${list.at}`}, ${alias}.${list.id}`);

/** Body of a CTE that records rows joining (+1) or leaving (-1) the list. `source` has the table's columns. */
export const counted = (list: Listing, source: string, change: 1 | -1): Sql => sql`
  insert into list_changes (organisation_id, list, bucket, at, id, class, change)
  select $1, ${trusted(`'${list.table}'`)}, t.list_bucket, ${keyOf(list, 't')}, t.list_class, ${trusted(String(change))}
  from ${trusted(source)} as t`;

/** CTEs after `was` and `changed` (the row before and after an update): the list's counts follow bucket and class. */
export const recounted = (list: Listing): Sql => sql`
  key as (
    select (was.list_bucket, was.list_class) is distinct from (changed.list_bucket, changed.list_class) as differs,
      changed.id
    from was join changed on changed.id = was.id),
  minus as (${counted(list, '(select was.* from was join key on key.id = was.id where differs)', -1)}),
  plus as (${counted(list, '(select changed.* from changed join key on key.id = changed.id where differs)', 1)})`;

/** CTEs that forget the counts of a bucket that is deleted with everything in it. */
export const uncounted = (
  lists: readonly Pick<Listing, 'table'>[],
  bucket: number,
  condition: Sql = trusted('true'),
): Sql => {
  const which = sql`organisation_id = $1 and list = any(${lists.map(({ table }) => table)}::text[]) and bucket = ${bucket} and ${condition}`;
  return sql`
    former_blocks as (delete from list_blocks where ${which}),
    former_totals as (delete from list_totals where ${which}),
    former_changes as (delete from list_changes where ${which})`;
};

/** Rows of one bucket and these classes now, as a scalar expression. */
export const totalOf = (list: Listing, bucket: Sql, classes: readonly number[]): Sql => sql`
  (select coalesce((select ${rowsIn(classes)} from list_totals b where b.organisation_id = $1 and b.list = ${trusted(`'${list.table}'`)} and b.bucket = ${bucket}), 0)
        + coalesce((select sum(r.change) from list_changes r where r.organisation_id = $1 and r.list = ${trusted(`'${list.table}'`)} and r.bucket = ${bucket} and ${among('r.class', classes)}), 0))::bigint`;

const rowsIn = (classes: readonly number[]) => trusted(classes.map((n) => `c${n}`).join(' + ') || '0');
const among = (column: string, classes: readonly number[]) =>
  trusted(classes.length > 0 ? `${column} in (${classes.join(', ')})` : 'false');

/**
 * CTEs that end in `listed(total, id, n)`: the keys of the slice in order, or a single row without id when it is empty.
 * Join the table by id for what is shown, and order by n.
 */
export function listed(list: Listing, { skip, take, bucket, classes, also, where = [] }: Slice): Sql {
  const table = trusted(list.table);
  const id = trusted(`t.${list.id}`);
  const direction = list.newestFirst ? 'desc' : 'asc';
  const order = trusted(`${list.at === null ? '' : `t.${list.at} ${direction}, `}t.${list.id} ${direction}`);
  const inBucket =
    bucket === undefined
      ? trusted('t.organisation_id = $1')
      : sql`t.organisation_id = $1 and t.list_bucket = ${bucket}`;
  const open = classes.length === CLASSES.length ? trusted('true') : among('t.list_class', classes);
  const included = also ? sql`${inBucket} and (${open} or (not ${open} and ${also}))` : sql`${inBucket} and ${open}`;
  // The planner must not see how much is skipped, and must see how little is taken: else it makes a new plan for every call.
  const shallow = skip === 0 ? trusted('') : sql` offset (select ${skip}::bigint)`;
  const keys = (conditions: Sql, offset: Sql) => sql`
    keys as materialized (select ${id} as id from ${table} t where ${conditions} order by ${order}${offset} limit ${trusted(String(take))}),
    listed as (select start.total, numbered.id, numbered.n from start left join (select id, row_number() over () as n from keys) as numbered on true)`;

  if (where.length > 0 || bucket === undefined) {
    const filtered = sql`${included} and ${all(where)}`;
    return sql`start as materialized (select count(*) as total from ${table} t where ${filtered}), ${keys(filtered, shallow)}`;
  }
  const opened = totalOf(list, sql`${bucket}`, classes);
  const looked = (condition: Sql) =>
    also
      ? sql`(select count(*) from ${table} t where ${inBucket} and not ${open} and ${also} and ${condition})`
      : trusted('0');
  const everywhere = looked(trusted('true'));
  if (skip < 2 * BLOCK_ROWS)
    return sql`start as materialized (select ${opened} + ${everywhere} as total), ${keys(included, shallow)}`;

  // Blocks do not count what needs a look: none is picked that all of it could push behind the slice.
  const from = list.newestFirst
    ? {
        pick: sql`before >= counts.opened + counts.looked - ${skip}::bigint`,
        nearest: trusted('asc'),
        passed: trusted('counts.opened - before'),
        side: trusted('<'),
        end: trusted(`'infinity'::timestamptz as from_at, ${Number.MAX_SAFE_INTEGER} as from_id`),
      }
    : {
        pick: sql`before <= ${skip}::bigint - counts.looked`,
        nearest: trusted('desc'),
        passed: trusted('before'),
        side: trusted('>='),
        end: trusted(`'-infinity'::timestamptz as from_at, 0 as from_id`),
      };
  const bound =
    list.at === null
      ? trusted('(select from_id from near)')
      : trusted('((select from_at from near), (select from_id from near))');
  const key = list.at === null ? id : trusted(`(t.${list.at}, t.${list.id})`);
  return sql`
    counts as materialized (select ${opened} as opened, ${everywhere} as looked),
    steps as (
      select b.from_at, b.from_id, false as is_change, (${rowsIn(classes)})::bigint as rows
      from list_blocks b where b.organisation_id = $1 and b.list = ${trusted(`'${list.table}'`)} and b.bucket = ${bucket}
      union all
      select r.at, r.id, true, r.change
      from list_changes r where r.organisation_id = $1 and r.list = ${trusted(`'${list.table}'`)} and r.bucket = ${bucket} and ${among('r.class', classes)}),
    blocks as (
      select from_at, from_id, is_change, coalesce(sum(rows) over (order by from_at, from_id, is_change rows between unbounded preceding and 1 preceding), 0) as before from steps),
    near as materialized (
      select counts.opened + counts.looked as total, coalesce(near.from_at, last.from_at) as from_at, coalesce(near.from_id, last.from_id) as from_id, ${skip}::bigint - coalesce(near.passed, 0)::bigint as skip
      from counts cross join (select ${from.end}) last left join lateral (
        select from_at, from_id, ${from.passed} as passed from blocks where not is_change and ${from.pick} order by before ${from.nearest}, from_at ${from.nearest}, from_id ${from.nearest} limit 1) near on true),
    start as materialized (select total, from_at, from_id, skip - ${looked(sql`not ${key} ${from.side} ${bound}`)} as skip from near),
    ${keys(sql`${included} and ${key} ${from.side} ${bound}`, trusted(' offset (select start.skip from start)'))}`;
}

export interface Row {
  total: number;
  json: Json | null;
}

/** Every row of a table that is in no bucket: small lists, counted as they are read. */
export const everyRow = { bucket: undefined, classes: CLASSES } as const;

/** One page of a list in one statement. `shown` selects `json` for the row whose id is `listed.id`. */
export const listRows = async (
  tx: Tx,
  list: Listing,
  slice: Slice,
  shown: Sql,
): Promise<{ rows: Json[]; total: number }> =>
  pageOf(
    await tx.rows<Row>(
      sql`with ${listed(list, slice)} select listed.total, r.json from listed left join lateral (${shown}) r on true order by listed.n`,
    ),
  );

/** Rows of a statement over `listed` as a page: the empty slice's only row carries just the total. */
export function pageOf(rows: readonly Row[]): { rows: Json[]; total: number } {
  return { rows: rows.flatMap(({ json }) => (json === null ? [] : [json])), total: rows[0]?.total ?? 0 };
}

// ---- Folding -----------------------------------------------------------------------------------------------------

const FOLD_MAX = 50_000;
const SNAPSHOT = { snapshot: true };

/** Moves the organisation's changes into its blocks and splits blocks that grew too large. Returns how many it moved. */
export const foldLists = (tx: Tx, lists: readonly Listing[]): Promise<number> =>
  tx.transaction(async (inside) => {
    // One folder at a time; another node's turn is as good as this one's.
    const [lock] = await inside.rows<{ held: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended('list_blocks', $1)) as held`,
    );
    if (!lock?.held) return 0;
    const grown = await inside.rows<{
      list: string;
      bucket: number;
      from_at: string;
      from_id: number;
      rows: number;
      moved: number;
    }>(sql`
      with taken as (
        delete from list_changes where organisation_id = $1 and ctid = any (array(select ctid from list_changes where organisation_id = $1 limit ${FOLD_MAX}))
        returning list, bucket, at, id, class, change),
      sums as (
        select taken.list, taken.bucket, coalesce(near.from_at, '-infinity') as from_at, coalesce(near.from_id, 0) as from_id,
               ${trusted(CLASSES.map((n) => `coalesce(sum(change) filter (where class = ${n}), 0) as c${n}`).join(', '))}
        from taken left join lateral (
          select b.from_at, b.from_id from list_blocks b
          where b.organisation_id = $1 and b.list = taken.list and b.bucket = taken.bucket and (b.from_at, b.from_id) <= (taken.at, taken.id)
          order by b.from_at desc, b.from_id desc limit 1) near on true
        group by 1, 2, 3, 4),
      totals as (
        insert into list_totals as t (organisation_id, list, bucket, ${columns})
        select $1, list, bucket, ${sums} from sums group by list, bucket
        on conflict (organisation_id, list, bucket) do update set ${added('t')})
      insert into list_blocks as b (organisation_id, list, bucket, from_at, from_id, ${columns})
      select $1, list, bucket, from_at, from_id, ${columns} from sums
      on conflict (organisation_id, list, bucket, from_at, from_id) do update set ${added('b')}
      returning list, bucket, from_at::text, from_id, c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7 as rows, (select count(*) from taken) as moved`);
    for (const block of grown.filter(({ rows }) => rows > 2 * BLOCK_ROWS)) {
      const list = lists.find(({ table }) => table === block.list);
      // A split recounts the block from the table, so every change this snapshot sees must be in the block already.
      if (list && (grown[0]?.moved ?? 0) < FOLD_MAX) await split(inside, list, block);
    }
    return grown[0]?.moved ?? 0;
  }, SNAPSHOT);

async function split(tx: Tx, list: Listing, block: { bucket: number; from_at: string; from_id: number }) {
  await tx.rows(sql`
    with upper as (
      select b.from_at, b.from_id from list_blocks b
      where b.organisation_id = $1 and b.list = ${list.table} and b.bucket = ${block.bucket} and (b.from_at, b.from_id) > (${block.from_at}::timestamptz, ${block.from_id}::bigint)
      order by b.from_at, b.from_id limit 1)
    ${blocksFrom(
      list,
      sql`t.list_bucket = ${block.bucket} and (${keyOf(list, 't')}) >= (${block.from_at}::timestamptz, ${block.from_id}::bigint)
          and (not exists (select from upper) or (${keyOf(list, 't')}) < ((select from_at from upper), (select from_id from upper)))`,
      sql`case when part = 0 then ${block.from_at}::timestamptz else min(at) end, case when part = 0 then ${block.from_id}::bigint else (array_agg(id order by at, id))[1] end`,
    )}`);
}

/** After a bulk load: blocks and totals counted anew from the table. */
export const rebuildList = (tx: Tx, list: Listing): Promise<void> =>
  tx.transaction(async (inside) => {
    await inside.rows(
      sql`select set_config('statement_timeout', '0', true), pg_advisory_xact_lock(hashtextextended('list_blocks', $1))`,
    );
    await inside.rows(sql`delete from list_changes where organisation_id = $1 and list = ${list.table}`);
    await inside.rows(sql`delete from list_blocks where organisation_id = $1 and list = ${list.table}`);
    await inside.rows(sql`delete from list_totals where organisation_id = $1 and list = ${list.table}`);
    await inside.rows(
      sql`${blocksFrom(list, trusted('true'), trusted(`case when part = 0 then '-infinity'::timestamptz else min(at) end, case when part = 0 then 0 else (array_agg(id order by at, id))[1] end`))}`,
    );
    await inside.rows(sql`
      insert into list_totals (organisation_id, list, bucket, ${columns})
      select $1, list, bucket, ${sums} from list_blocks where organisation_id = $1 and list = ${list.table} group by list, bucket`);
  }, SNAPSHOT);

const blocksFrom = (list: Listing, where: Sql, from: Sql) => sql`
  insert into list_blocks (organisation_id, list, bucket, from_at, from_id, ${columns})
  select $1, ${trusted(`'${list.table}'`)}, bucket, ${from}, ${trusted(CLASSES.map((n) => `count(*) filter (where class = ${n})`).join(', '))}
  from (select t.list_bucket as bucket, t.list_class as class, ${trusted(list.at === null ? `'-infinity'::timestamptz` : `t.${list.at}`)} as at, t.${trusted(list.id)} as id,
               (row_number() over (partition by t.list_bucket order by ${keyOf(list, 't')}) - 1) / ${trusted(String(BLOCK_ROWS))} as part
        from ${trusted(list.table)} t where t.organisation_id = $1 and ${where}) as keyed
  group by bucket, part
  on conflict (organisation_id, list, bucket, from_at, from_id) do update set ${trusted(CLASSES.map((n) => `c${n} = excluded.c${n}`).join(', '))}`;
