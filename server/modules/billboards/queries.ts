import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { onDays } from '../../kernel/data/periods.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { audienceOf } from '../audiences/queries.ts';
import { type PictureChange, pictureAfter, pictureUrl, removedPictures } from '../pictures/queries.ts';
import { knows } from '../spaces/access.ts';
import { seesBillboard } from './access.ts';

const billboardsList: Listing = { table: 'billboards', at: 'starts_at', id: 'id', newestFirst: true };

const shown = (actor: Actor, source: Sql) => sql`
  select row_to_json(r)::text as json from (
    select t.id, t.title, t.html_content, ${trusted(pictureUrl('t.image_key'))} as image_url, t.link, iso(t.starts_at) as starts_at, iso(t.ends_at) as ends_at,
      ${audienceOf('billboard', knows(actor, trusted('s')))} as audience, iso(t.created_at) as created_at, iso(t.updated_at) as updated_at, o.web_url || '/billboards/' || t.id as permalink
    from ${source} t join organisations o on o.id = t.organisation_id) r`;

export interface BillboardFilter {
  skip: number;
  take: number;
  startDate?: string;
  endDate?: string;
}
export const listBillboards = (tx: Tx, actor: Actor, filter: BillboardFilter) =>
  listRows(
    tx,
    billboardsList,
    {
      ...filter,
      ...everyRow,
      where: [seesBillboard(actor, tx.now()), ...onDays(filter, trusted('t.starts_at'), trusted('t.ends_at'))],
    },
    shown(actor, sql`(select * from billboards where organisation_id = $1 and id = listed.id)`),
  );
export const findBillboard = (tx: Tx, actor: Actor, id: number) =>
  tx.json(
    shown(
      actor,
      sql`(select * from billboards t where t.organisation_id = $1 and t.id = ${id} and ${seesBillboard(actor, tx.now())})`,
    ),
  );
/** As written a moment ago by the same request. */
export const getBillboard = (tx: Tx, actor: Actor, id: number) =>
  tx.json(shown(actor, sql`(select * from billboards where organisation_id = $1 and id = ${id})`)) as Promise<Json>;

export interface BillboardFields {
  title: string;
  html_content: string;
  link?: string | null | undefined;
  starts_at?: string | undefined;
  ends_at?: string | null | undefined;
  audience_type?: string | undefined;
  image_key: PictureChange;
}
export const insertBillboard = async (tx: Tx, board: BillboardFields & { created_at?: string | undefined }) =>
  (
    await tx.row<{ id: number }>(sql`
    insert into billboards (organisation_id, title, html_content, link, starts_at, ends_at, audience_type, image_key, created_at, updated_at)
    values ($1, ${board.title}, ${board.html_content}, ${board.link ?? null}, ${board.starts_at ?? tx.now()}, ${board.ends_at ?? null}, ${board.audience_type ?? 'Global'}, ${board.image_key ?? null}, ${board.created_at ?? tx.now()}, ${tx.now()})
    returning id`)
  )?.id ?? 0;
/** Returns whether the actor sees such a billboard. `undefined` keeps start, audience and picture. */
export const updateBillboard = async (tx: Tx, actor: Actor, id: number, board: BillboardFields) =>
  (
    await tx.rows(sql`
    with was as (select * from billboards t where t.organisation_id = $1 and t.id = ${id} and ${seesBillboard(actor, tx.now())} for update),
    changed as (
      update billboards t set title = ${board.title}, html_content = ${board.html_content}, link = ${board.link ?? null}, starts_at = coalesce(${board.starts_at ?? null}::timestamptz, t.starts_at), ends_at = ${board.ends_at ?? null},
        audience_type = coalesce(${board.audience_type ?? null}::text, t.audience_type), image_key = ${pictureAfter('image_key', board.image_key)}, updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond')
      from was where t.organisation_id = $1 and t.id = was.id returning t.*),
    pictures as (${removedPictures(['image_key'], 'was', 'changed', tx.now())})
    select id from changed`)
  ).length > 0;
export const deleteBillboard = (tx: Tx, actor: Actor, id: number) =>
  tx.json(sql`
    with gone as (delete from billboards t where t.organisation_id = $1 and t.id = ${id} and ${seesBillboard(actor, tx.now())} returning t.*),
    pictures as (${removedPictures(['image_key'], 'gone', undefined, tx.now())})
    select json_build_object('id', id)::text as json from gone`);
