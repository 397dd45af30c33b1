import type { Key, Paging } from '../../kernel/contract/contract.ts';
import { noted } from '../../kernel/data/changes.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { pageOf, pageRows, type Row } from '../../kernel/data/listing.ts';
import { given, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { Reading } from '../content/family.ts';
import { atTimes, type TimeFilter } from '../content/lists.ts';
import { shownRows } from '../content/shown.ts';
import * as content from '../content/statements.ts';
import { seesInside } from '../spaces/access.ts';
import { classesFor, inVisibleSpace, isOfEdition, seesRestricted } from './access.ts';
import { pageUpdated } from './events.ts';
import { pageFamily, pagesList } from './family.ts';

export interface PageFilter extends TimeFilter, Paging, Pick<Reading, 'language' | 'sign_url'> {
  space_id?: number;
  /** Spaces to list from, or every one that the actor sees. */
  space_ids?: readonly number[] | 'all' | undefined;
  page_edition?: 'classic' | 'builder';
  parent_id?: number;
}
/** Undefined: the space does not exist for this actor. */
export async function listPages(tx: Tx, actor: Actor, filter: PageFilter) {
  const { skip, take, updated_after, space_id = 0, space_ids, page_edition, parent_id, language, sign_url } = filter;
  const bucket = space_ids === undefined ? space_id : undefined;
  const { open, unsure } = classesFor(actor, bucket);
  const wanted = (classes: number[]) =>
    classes.filter((one) => page_edition === undefined || isOfEdition(one, page_edition));
  const looked = trusted(wanted(unsure).join(', ') || 'null');
  const also = sql`t.list_class >= 2 and t.list_class in (${looked}) and ${seesRestricted(actor)}`;
  const where = [
    ...atTimes(filter),
    ...given(parent_id, (id) => sql`t.parent_id = ${id}`),
    ...inSpaces(actor, space_ids),
  ];
  const slice = {
    skip,
    take,
    updated_after,
    bucket,
    classes: wanted(open),
    also: unsure.length > 0 ? also : undefined,
    where,
  };
  const page = sql`(select * from pages where organisation_id = $1 and id = listed.id)`;
  const shown = shownRows(pageFamily, page, { now: tx.now(), actor, language, sign_url });
  const isSeen = sql`, ${seesBucket(actor, bucket)} as is_seen`;
  const rows = await tx.rows<Row & { is_seen: boolean }>(pageRows(pagesList, slice, shown, isSeen));
  return rows[0]?.is_seen === false ? undefined : pageOf(rows);
}
const inSpaces = (actor: Actor, space_ids: readonly number[] | 'all' | undefined): Sql[] => {
  if (space_ids === undefined) return [];
  const named = space_ids === 'all' ? [] : [sql`t.list_bucket = any(${space_ids}::bigint[])`];
  return [sql`t.space_id is not null`, inVisibleSpace(actor), ...named];
};
export const seesBucket = (actor: Actor, space_id: number | undefined) =>
  space_id
    ? sql`exists (
        select from spaces s
        where s.organisation_id = $1 and s.id = ${space_id} and ${seesInside(actor, trusted('s'))})`
    : trusted('true');

/** With its children, as far as the actor sees them. */
export const findPage = (tx: Tx, actor: Actor, key: Key, reading: Pick<Reading, 'language' | 'sign_url'>) =>
  content.findContent(
    tx,
    pageFamily,
    key,
    { now: tx.now(), actor, ...reading },
    sql`${childrenFor(actor)}${pathFor(actor)}`,
  );
const childrenFor = (actor: Actor) => sql`, (
  select coalesce(json_agg(
    json_build_object('id', c.id, 'title', c.title, 'position', c.position) order by c.position, c.id), '[]')
  from (select t.id as of_page) page cross join lateral (
    select t.* from pages t
    where t.organisation_id = $1 and t.parent_id = page.of_page and ${seesRestricted(actor)}
    limit 1000) c) as children`;

const DEEPEST = 100;
/** What is above a page that this actor does not see ends the path there. */
const pathFor = (actor: Actor) => sql`, (
  with recursive up (id, title, parent_id, step) as (
    select null::bigint, null::text, t.parent_id, 0
    union all
    select above.id, above.title, above.parent_id, up.step + 1
    from up cross join lateral (
      select t.* from pages t where t.organisation_id = $1 and t.id = up.parent_id and ${seesRestricted(actor)}) above
    where up.step < ${literal(DEEPEST)})
  select coalesce(json_agg(json_build_object('id', id, 'title', title) order by step desc), '[]')
  from up where step > 0) as path`;

/** The parent must be in the same space (null: among the global pages). */
export const findParent = (tx: Tx, space_id: number | null, by: { id: number } | { external_id: number }) => {
  const named = 'id' in by ? sql`id = ${by.id}` : sql`external_id = ${by.external_id}`;
  return tx.value<number>(sql`
    select id from pages where organisation_id = $1 and ${named} and list_bucket = ${space_id ?? 0}`);
};
/** SQL: the parent of `was` after it was replaced. It stays where nothing is said, unless the page moves. */
export const parentAfter = (parent_id: number | null | undefined, space_id: number | null): Sql =>
  parent_id === undefined
    ? sql`case when was.space_id is not distinct from ${space_id}::bigint then was.parent_id end`
    : sql`${parent_id}::bigint`;

export const isBelow = (tx: Tx, id: number, parent_id: number) =>
  tx.any(sql`
    with recursive up as (
      select id, parent_id from pages where organisation_id = $1 and id = ${parent_id}
      union select t.id, t.parent_id from up join pages t on t.organisation_id = $1 and t.id = up.parent_id)
    select id from up where id = ${id}`);
export const hasChildren = (tx: Tx, id: number) =>
  tx.any(sql`select id from pages where organisation_id = $1 and parent_id = ${id} limit 1`);

const below = (ids: Sql) => sql`
  with recursive tree as (
    ${ids} union select t.id from tree join pages t on t.organisation_id = $1 and t.parent_id = tree.id)
  select id from tree`;
/** Descendants follow a page into another space. */
export const moveDescendants = async (tx: Tx, id: number, space_id: number | null) => {
  const children = below(sql`select id from pages where organisation_id = $1 and parent_id = ${id}`);
  const which = sql`select t.* from pages t where t.organisation_id = $1 and t.id in (${children}) for update`;
  await tx.rows(noted('page', sql`(${children})`, tx.now()));
  return content.moveContent(tx, pageFamily, which, sql`space_id = ${space_id}`, pageUpdated);
};
/** The page with all below it. Returns their ids: none when there was no page to delete. */
export const deletePages = (tx: Tx, id: number): Promise<number[]> => {
  const tree = below(sql`select id from pages where organisation_id = $1 and id = ${id}`);
  const which = sql`select t.* from pages t where t.organisation_id = $1 and t.id in (${tree}) order by t.id`;
  return content.deleteRows(tx, pageFamily, id, which);
};
