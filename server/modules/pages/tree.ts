// The tree of pages: read level by level, changed by moving one page. Positions have gaps, so that a move mostly
// changes one row; where there is no gap, the level is numbered anew.
import type { Query } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { moveContent } from '../content/statements.ts';
import { seesPage, seesRestricted } from './access.ts';
import type { pages } from './contract.ts';
import { pageUpdated } from './events.ts';
import { pageFamily } from './family.ts';
import { seesBucket } from './queries.ts';

/** Undefined: there is no such place for this actor. */
export function findLevel(
  tx: Tx,
  actor: Actor,
  { space_id = 0, parent_id, after, take = 50 }: Query<typeof pages.endpoints.getPageTree>,
) {
  const place = parent_id
    ? sql`select t.list_bucket as bucket, t.id as parent_id from pages t
        where t.organisation_id = $1 and t.id = ${parent_id} and ${seesPage(actor)}`
    : sql`select ${space_id}::bigint as bucket, 0::bigint as parent_id where ${seesBucket(actor, space_id)}`;
  const begun = after
    ? sql`and (t.position, t.id) > (
        select a.position, a.id from pages a where a.organisation_id = $1 and a.id = ${after})`
    : trusted('');
  return tx.json(sql`
    with place as (${place}),
    level as (
      select t.id, t.title, t.parent_id, t.position, t.is_draft, place.bucket,
        row_number() over (order by t.position, t.id) as nth
      from place cross join lateral (
        select t.* from pages t
        where t.organisation_id = $1 and t.list_bucket = place.bucket
          and coalesce(t.parent_id, 0) = place.parent_id and ${seesRestricted(actor)} ${begun}
        order by t.position, t.id limit ${take + 1}) t)
    select json_build_object(
      'pages', (
        select coalesce(json_agg(json_build_object('id', id, 'title', title, 'parent_id', parent_id,
          'position', position, 'is_draft', is_draft, 'has_children', exists (
            select from pages t
            where t.organisation_id = $1 and t.list_bucket = level.bucket and coalesce(t.parent_id, 0) = level.id
              and ${seesRestricted(actor)})) order by nth), '[]')
        from level where nth <= ${take}),
      'has_more', exists (select from level where nth > ${take})) as json
    from place`);
}

/** The pages of a space are moved one at a time, so that two moves cannot close a circle. */
export const lockTree = (tx: Tx, space_id: number | null) =>
  tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('pages ' || ${String(space_id ?? 0)}, $1))`);

export interface Placed {
  id: number;
  position: number;
}
export const listSiblings = (tx: Tx, space_id: number | null, parent_id: number | null) =>
  tx.rows<Placed>(sql`
    select t.id, t.position from pages t
    where t.organisation_id = $1 and t.list_bucket = ${space_id ?? 0} and coalesce(t.parent_id, 0) = ${parent_id ?? 0}
    order by t.position, t.id`);

const STEP = 100;
const POSITION_MAX = 1_000_000;
/** The positions that change when the page `id` comes to stand at `at`. */
export function positionsAround(siblings: readonly Placed[], at: number, id: number): Placed[] {
  const before = siblings[at - 1]?.position ?? -STEP;
  const after = siblings[at]?.position ?? Math.min(before + 2 * STEP, POSITION_MAX + 1);
  const position = Math.floor((before + after) / 2);
  if (position > before && position < after && position >= 0) return [{ id, position }];
  const all = [...siblings.slice(0, at), { id, position: -1 }, ...siblings.slice(at)];
  const step = Math.min(STEP, Math.floor(POSITION_MAX / all.length));
  const numbered = all.map((one, n) => ({ id: one.id, position: n * step, was: one.position }));
  return numbered.filter(({ position, was }) => position !== was).map(({ id, position }) => ({ id, position }));
}

/** One event for each page that stands elsewhere than before. */
export function place(tx: Tx, id: number, parent_id: number | null, positions: readonly Placed[]) {
  const ids = positions.map((one) => one.id);
  const position = sql`(${positions.map((one) => one.position)}::int[])[array_position(${ids}::bigint[], t.id)]`;
  const parent = sql`case when t.id = ${id} then ${parent_id}::bigint else t.parent_id end`;
  const which = sql`
    select t.* from pages t
    where t.organisation_id = $1 and t.id = any(${ids}::bigint[])
      and (t.position, coalesce(t.parent_id, 0)) is distinct from (${position}, coalesce(${parent}, 0))
    for update`;
  return moveContent(tx, pageFamily, which, sql`position = ${position}, parent_id = ${parent}`, pageUpdated);
}
