// Lists with an exact total and a skip of any depth, at a cost that hardly grows with the list.
//
// A list is the rows of one *bucket* of a table (the pages of one space) in the order of their keys. Each row has a
// *class* 0…7, which says who may see it or how it is filtered (published, draft); a reader's list is some classes.
//
//     pages of space 12, each as its class, oldest first       one block for about every 2,048 rows
//
//       0 0 0 1 0 0 … 0 1 0 0 │ 0 1 0 0 0 0 … 0 0 0 1 │ 0 0 0 0 1 0 …
//       ^ first row             ^ k1                    ^ k2
//
//     list_blocks     block from      class 0  class 1         rows of each class up to the next block
//                     the first row     2,010       38
//                     k1                2,040        8
//                     k2                  900        1
//     list_totals     space 12          4,950       47         the sum of the bucket's blocks: one row
//     list_changes    +1 at k, class 0                         what was written since, a row each
//
// A total is one row and the few changes: 4,950 + 1 rows of class 0.
// A skip of 4,060 rows of class 0 finds the last block that has at most so many before it: k2, with 2,010 + 2,040. It
// walks the index from that key and passes over the ten that are left. Newest first, the same from the other end.
//
// A write touches neither blocks nor totals: its statement appends to `list_changes`, so writers do not wait for one
// another. About once a second the changes are summed up into both (list-blocks.ts). Read in one snapshot, totals or
// blocks with the changes are exact at any moment.
//
// Filters that are no bucket or class (`where`) are counted with count(*): exact, but as slow as what they match.
import type { Paging } from '../contract/contract.ts';
import type { Json, Tx } from './db.ts';
import { all, given, literal, nothing, type Sql, sql, trusted } from './sql.ts';

export interface Listing {
  /** Table with the columns organisation_id, list_bucket and list_class. */
  readonly table: string;
  /** Column that leads the order, or null where the id alone orders. */
  readonly at: string | null;
  readonly id: string;
  readonly newestFirst: boolean;
  /** SQL on `t`: when it changed. Omitted: its column updated_at. */
  readonly updated_at?: string;
}

export interface Slice extends Paging {
  /** Undefined: rows of every bucket, which only a `where` makes sense of. */
  bucket: number | undefined;
  /** Classes to include. */
  classes: readonly number[];
  /** Rows of other classes that are included too, one by one: a condition on the table's alias `t`. */
  also?: Sql | undefined;
  /** Further conditions on `t`. */
  where?: readonly Sql[];
}

/** Most rows of a page. */
export const TAKE_MAX = 500;
export const BLOCK_ROWS = 2048;
export const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7];

/** Place of the row `alias` in the order, as list_changes and list_blocks have it: `at, id`. */
export const keyOf = (list: Listing, alias: string): Sql =>
  trusted(`${list.at === null ? `'-infinity'::timestamptz` : `${alias}.${list.at}`}, ${alias}.${list.id}`);

/** Body of a CTE that records rows joining (+1) or leaving (-1) the list. `source` has the table's columns. */
export const counted = (list: Listing, source: string, change: 1 | -1): Sql => sql`
  insert into list_changes (organisation_id, list, bucket, at, id, class, change)
  select $1, ${literal(list.table)}, t.list_bucket, ${keyOf(list, 't')}, t.list_class, ${literal(change)}
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
  const which = sql`
      organisation_id = $1 and list = any(${lists.map(({ table }) => table)}::text[])
      and bucket = ${bucket} and ${condition}`;
  return sql`
    former_blocks as (delete from list_blocks where ${which}),
    former_totals as (delete from list_totals where ${which}),
    former_changes as (delete from list_changes where ${which})`;
};

const rowsIn = (classes: readonly number[]) => trusted(classes.map((n) => `c${n}`).join(' + ') || '0');
const among = (column: string, classes: readonly number[]) =>
  trusted(classes.length > 0 ? `${column} in (${classes.join(', ')})` : 'false');
/** Which blocks or totals `b`, or changes `r`. */
const countsOf = (alias: 'b' | 'r', list: Listing, bucket: Sql): Sql => {
  const own = trusted(alias);
  return sql`${own}.organisation_id = $1 and ${own}.list = ${literal(list.table)} and ${own}.bucket = ${bucket}`;
};

/** Rows of one bucket and these classes now, as a scalar expression. */
export const totalOf = (list: Listing, bucket: Sql, classes: readonly number[]): Sql => sql`
  (select
    coalesce((
      select ${rowsIn(classes)} from list_totals b
      where ${countsOf('b', list, bucket)}), 0)
    + coalesce((
      select sum(r.change) from list_changes r
      where ${countsOf('r', list, bucket)} and ${among('r.class', classes)}), 0))::bigint`;

/**
 * CTEs that end in `listed(total, id, n)`: the keys of the slice in order, or a single row without id when it is empty.
 * Join the table by id for what is shown, and order by n.
 */
export function listed(list: Listing, slice: Slice): Sql {
  const { skip, take, bucket, classes, also } = slice;
  const updated = trusted(list.updated_at ?? 't.updated_at');
  const where = [...(slice.where ?? []), ...given(slice.updated_after, (at) => sql`${updated} > ${at}::timestamptz`)];
  const table = trusted(list.table);
  const own = sql`t.organisation_id = $1${bucket === undefined ? nothing : sql` and t.list_bucket = ${bucket}`}`;
  const open = classes.length === CLASSES.length ? trusted('true') : among('t.list_class', classes);
  const included = also ? sql`${own} and (${open} or (not ${open} and ${also}))` : sql`${own} and ${open}`;

  // The planner must not see how much is skipped: else it makes a new plan for every call.
  const shallow = skip === 0 ? nothing : sql` offset (select ${skip}::bigint)`;
  if (where.length > 0 || bucket === undefined) {
    const filtered = sql`${included} and ${all(where)}`;
    return sql`
    start as materialized (select count(*) as total from ${table} t where ${filtered}),
    ${walked(list, filtered, shallow, take)}`;
  }

  const opened = totalOf(list, sql`${bucket}`, classes);
  /** Rows of `also`, which no total counts. */
  const looked = (condition: Sql) =>
    also
      ? sql`(
        select count(*) from ${table} t
        where ${own} and not ${open} and ${also} and ${condition})`
      : trusted('0');
  const everywhere = looked(trusted('true'));
  if (skip < 2 * BLOCK_ROWS)
    return sql`
    start as materialized (select ${opened} + ${everywhere} as total),
    ${walked(list, included, shallow, take)}`;

  const beyond = beyondBlock(list);
  return sql`
    counts as materialized (select ${opened} as opened, ${everywhere} as looked),
    ${blockBefore(list, skip, sql`${bucket}`, classes)},
    start as materialized (
      select total, from_at, from_id, skip - ${looked(sql`not ${beyond}`)} as skip from near),
    ${walked(list, sql`${included} and ${beyond}`, trusted(' offset (select start.skip from start)'), take)}`;
}

/** CTEs that walk the list's index: `keys`, and `listed` with the total of `start`. */
function walked(list: Listing, where: Sql, offset: Sql, take: number): Sql {
  const direction = list.newestFirst ? 'desc' : 'asc';
  const order = [list.at, list.id].flatMap((column) => (column === null ? [] : [`t.${column} ${direction}`]));
  return sql`
    keys as materialized (
      select id from (
        select ${trusted(`t.${list.id} as id from ${list.table}`)} t
        where ${where}
        order by ${trusted(order.join(', '))}${offset} limit ${literal(roundedUp(take))}) k
      limit (select ${take}::bigint)),
    numbered as (select id, row_number() over () as n from keys),
    listed as (select start.total, numbered.id, numbered.n from start left join numbered on true)`;
}

/** The planner must see about how little is taken; every other text would be a statement that each connection keeps. */
export const roundedUp = (take: number) => [10, 50, 100].find((limit) => take <= limit) ?? TAKE_MAX;

/** Rows `t` from the block `near` on. */
const beyondBlock = (list: Listing): Sql => {
  const side = list.newestFirst ? '<' : '>=';
  return list.at === null
    ? trusted(`t.${list.id} ${side} (select from_id from near)`)
    : trusted(`(t.${list.at}, t.${list.id}) ${side} ((select from_at from near), (select from_id from near))`);
};

/**
 * CTEs that end in `near`: the key of the block that a deep skip walks on from, and how many rows of the skip are left.
 * Blocks do not count what needs a look: none is picked that all of it could push behind the slice.
 */
function blockBefore(list: Listing, skip: number, bucket: Sql, classes: readonly number[]): Sql {
  const { picked, order, passed, end_at, end_id } = list.newestFirst ? fromTheEnd(skip) : fromTheStart(skip);
  return sql`
    steps as (
      select b.from_at, b.from_id, false as is_change, (${rowsIn(classes)})::bigint as rows
      from list_blocks b
      where ${countsOf('b', list, bucket)}
      union all
      select r.at, r.id, true, r.change
      from list_changes r
      where ${countsOf('r', list, bucket)} and ${among('r.class', classes)}),
    blocks as (
      select from_at, from_id, is_change, coalesce(sum(rows) over earlier, 0) as before
      from steps
      window earlier as (
        order by from_at, from_id, is_change rows between unbounded preceding and 1 preceding)),
    nearest as (
      select from_at, from_id, ${passed} as passed
      from counts cross join blocks
      where not is_change and ${picked}
      order by ${order} limit 1),
    near as materialized (
      select counts.opened + counts.looked as total,
        coalesce(nearest.from_at, ${end_at}) as from_at,
        coalesce(nearest.from_id, ${end_id}) as from_id,
        ${skip}::bigint - coalesce(nearest.passed, 0)::bigint as skip
      from counts left join nearest on true)`;
}
const fromTheStart = (skip: number) => ({
  picked: sql`before <= ${skip}::bigint - counts.looked`,
  order: trusted('before desc, from_at desc, from_id desc'),
  passed: trusted('before'),
  end_at: trusted(`'-infinity'::timestamptz`),
  end_id: literal(0),
});
const fromTheEnd = (skip: number) => ({
  picked: sql`before >= counts.opened + counts.looked - ${skip}::bigint`,
  order: trusted('before asc, from_at asc, from_id asc'),
  passed: trusted('counts.opened - before'),
  end_at: trusted(`'infinity'::timestamptz`),
  end_id: literal(Number.MAX_SAFE_INTEGER),
});

/** Every row of a table that is in no bucket: small lists, counted as they are read. */
export const everyRow = { bucket: undefined, classes: CLASSES } as const;

export interface Row {
  total: number;
  json: Json | null;
}

/**
 * The statement of one page of a list. `shown` selects `json` for the row whose id is `listed.id`;
 * `more` are further columns.
 *
 * `offset 0` keeps the planner from joining before it computes what is shown: while it knows nothing of a table (nobody
 * has analysed it yet) it would compute every row of the organisation for each of the keys.
 */
export const pageRows = (list: Listing, slice: Slice, shown: Sql, more = nothing): Sql => sql`
  with ${listed(list, slice)}
  select listed.total, r.json${more}
  from listed left join lateral (${shown} offset 0) r on true
  order by listed.n`;

/** One page of a list in one statement. */
export const listRows = async (
  tx: Tx,
  list: Listing,
  slice: Slice,
  shown: Sql,
): Promise<{ rows: Json[]; total: number }> => pageOf(await tx.rows<Row>(pageRows(list, slice, shown)));

/** Rows of a statement over `listed` as a page: the empty slice's only row carries just the total. */
export function pageOf(rows: readonly Row[]): { rows: Json[]; total: number } {
  return { rows: rows.flatMap(({ json }) => (json === null ? [] : [json])), total: rows[0]?.total ?? 0 };
}
