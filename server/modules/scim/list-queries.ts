// Lists of resources: in the order of ids with kept totals, or in an order of the client's choice.
import type { Tx } from '../../kernel/data/db.ts';
import { type Listing, listed, pageOf, type Row } from '../../kernel/data/listing.ts';
import { all, jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';

/** `where` and `order` speak of a row `t`. */
export interface ListOptions {
  readonly skip: number;
  readonly take: number;
  readonly where: readonly Sql[];
  readonly order?: { readonly by: Sql; readonly descending: boolean } | undefined;
}
export type Page<Resource> = { readonly rows: readonly Resource[]; readonly total: number };

export async function findResource<Resource>(tx: Tx, select: Sql): Promise<Resource | undefined> {
  const json = await tx.json(jsonOf(select));
  return json === undefined ? undefined : JSON.parse(json);
}

/** A page ends with the row that reaches this weight: RFC 7644 3.4.2.4 allows fewer than were asked for. */
const WEIGHT_A_PAGE = 20_000;

/** `shown` selects the row whose id is `listed.id`; `weight` is what it weighs, where rows may be large. */
export async function listResources<Resource>(
  tx: Tx,
  list: Listing,
  classes: readonly number[],
  options: ListOptions,
  shown: Sql,
  weight = literal(0),
): Promise<Page<Resource>> {
  const keys = options.order ? sorted(list, classes, options) : listed(list, { ...options, bucket: 0, classes });
  const { rows, total } = pageOf(
    await tx.rows<Row>(sql`
      with ${keys}
      select listed.total, r.json
      from (
        select listed.*, coalesce(sum(${weight}) over earlier, 0) as weight_before from listed
        window earlier as (order by listed.n rows between unbounded preceding and 1 preceding)) listed
      left join lateral (${jsonOf(shown)}) r on listed.weight_before < ${literal(WEIGHT_A_PAGE)}
      order by listed.n`),
  );
  return { rows: rows.map((json) => JSON.parse(json) as Resource), total };
}

/** CTEs as those of `listed`: counted and sorted as it is read. */
function sorted({ table }: Listing, classes: readonly number[], { skip, take, where, order }: ListOptions): Sql {
  const rows = sql`
    ${trusted(table)} t
    where t.organisation_id = $1 and t.list_bucket = 0 and t.list_class = any(${classes}::smallint[])
      and ${all(where)}`;
  return sql`
    start as materialized (select count(*) as total from ${rows}),
    keys as materialized (
      select t.id from ${rows}
      order by ${order?.by} ${trusted(order?.descending ? 'desc' : 'asc')}, t.id limit ${take} offset ${skip}),
    numbered as (select id, row_number() over () as n from keys),
    listed as (select start.total, numbered.id, numbered.n from start left join numbered on true)`;
}
