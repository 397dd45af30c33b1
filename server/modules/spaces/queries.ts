import type { Static } from 'typebox';
import type { Paging } from '../../kernel/contract/contract.ts';
import { noted } from '../../kernel/data/changes.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows, totalOf, uncounted } from '../../kernel/data/listing.ts';
import { assigned, cleared, inserted, kept, touched } from '../../kernel/data/rows.ts';
import { given, joined, jsonOf, literal, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import type { PublicNow } from '../../kernel/delivery/visibility.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { knows, seesInside } from './access.ts';
import type { SpaceReplacement, SpaceRole } from './contract.ts';
import { spaceArchived, spaceCreated, spaceUnarchived, spaceUpdated } from './events.ts';
import { followsSpace } from './following.ts';
import { spaceMembersList } from './members.ts';

const spacesList: Listing = { table: 'spaces', at: null, id: 'id', newestFirst: false };

const columns = sql`s.id, s.external_id, s.parent_space_id, s.name, s.description,
  avatar_url(o.web_url, s.photo_key, s.name) as avatar_url, s.visibility, s.is_external, s.is_corporate, s.is_mandatory,
  s.is_read_only, s.is_default, s.auto_unenrol, (
    select coalesce(json_agg(
      json_build_object('id', c.id, 'name', c.name, 'description', c.description) order by c.id), '[]')
    from space_category_links l join space_categories c on c.organisation_id = $1 and c.id = l.category_id
    where l.organisation_id = $1 and l.space_id = s.id) as categories,
  s.is_archived, ${totalOf(spaceMembersList, trusted('s.id'), [0])} as member_count,
  iso(s.created_at) as created_at, iso(s.updated_at) as updated_at, s.sequence,
  o.web_url || '/spaces/' || s.id as permalink`;
/** Of spaces `s` of `source`. */
export const shown = (source: Sql) => jsonOf(sql`select ${columns} from ${source} join organisations o on o.id = $1`);

export interface SpaceFilter extends Paging {
  is_corporate?: boolean | undefined;
  is_archived?: boolean | undefined;
}
export function listSpaces(tx: Tx, actor: Actor, { is_corporate, is_archived, ...page }: SpaceFilter) {
  const where = [
    knows(actor, trusted('t')),
    ...given(is_corporate, (wanted) => sql`t.is_corporate = ${wanted}`),
    ...given(is_archived, (wanted) => sql`t.is_archived = ${wanted}`),
  ];
  return listRows(
    tx,
    spacesList,
    { ...page, ...everyRow, where },
    shown(sql`(select * from spaces where organisation_id = $1 and id = listed.id) s`),
  );
}
export const getSpace = (tx: Tx, id: number) =>
  tx.json(shown(sql`(select * from spaces where organisation_id = $1 and id = ${id}) s`)) as Promise<Json>;

const LED_MAX = 500;
/** Those in which the actor is more than a member, or may be: the open ones. */
export const listSpacesLedBy = (tx: Tx, actor: Actor) =>
  tx.rows<{ id: number; name: string; is_archived: boolean; role: SpaceRole | null }>(sql`
    select s.id, s.name, s.is_archived, m.role
    from spaces s
    ${isUnbounded(actor) ? trusted('left') : nothing} join space_members m
      on m.organisation_id = $1 and m.space_id = s.id and m.user_id = ${actor.user_id} and m.role <> 'member'
    where s.organisation_id = $1 and not s.is_archived
    order by s.name, s.id limit ${literal(LED_MAX)}`);

const table = {
  name: 'spaces',
  columns: {
    name: cleared('text'),
    external_id: kept('text'),
    parent_space_id: cleared('bigint'),
    description: cleared('text', ''),
    visibility: kept('text', 'public'),
    is_external: cleared('boolean', false),
    is_corporate: cleared('boolean', false),
    is_mandatory: cleared('boolean', false),
    is_read_only: cleared('boolean', false),
    is_default: cleared('boolean', false),
    auto_unenrol: cleared('boolean', false),
  },
};
export type SpaceFields = Partial<Static<typeof SpaceReplacement>> & { name: string };
export const insertSpace = async (tx: Tx, space: SpaceFields) =>
  (await tx.value<number>(inserted(table, space, { created_at: tx.now(), updated_at: tx.now() }, 'id'))) as number;
export const updateSpace = (tx: Tx, id: number, space: SpaceFields) =>
  tx.rows(sql`
    update spaces t set ${assigned(table.columns, space, 't')}, ${touched(tx.now())}
    where t.organisation_id = $1 and t.id = ${id}`);
/** One space at a time: what is posted to two goes with the later one, so neither may pass the other by. */
export const awaitArchival = (tx: Tx) =>
  tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('archived spaces', $1))`);
/** Returns whether it was in the other state before. */
export const setArchived = (tx: Tx, id: number, is_archived: boolean) =>
  tx.any(sql`
    update spaces t set archived_at = ${is_archived ? tx.now() : null}, ${touched(tx.now())}
    where t.organisation_id = $1 and t.id = ${id} and t.is_archived <> ${is_archived} returning t.id`);

/** None of them changes until the commit. */
export const lockSpaces = (tx: Tx, ids: readonly number[]) =>
  tx.rows(sql`select id from spaces where organisation_id = $1 and id = any(${ids}::bigint[]) order by id for share`);

/** Whoever posts there now is waited for, and finds no space afterwards. */
export const lockToDelete = (tx: Tx, id: number) =>
  tx.rows(sql`select id from spaces where organisation_id = $1 and id = ${id} for update`);

/** Emits the event with the space as it is now. */
const announce = (tx: Tx, event: Event, id: number) =>
  tx.json(sql`
    with r as (${shown(sql`(select * from spaces where organisation_id = $1 and id = ${id}) s`)}),
    shown as (
      select r.json::json as json, s.visibility = 'public' as is_public, s.id as space_id
      from r, spaces s where s.organisation_id = $1 and s.id = ${id}),
    event as (${emitted(event, 'shown', tx.now())})
    select json::text from shown`) as Promise<Json>;
export const announceCreated = (tx: Tx, id: number) => announce(tx, spaceCreated, id);
export const announceUpdated = (tx: Tx, id: number) => announce(tx, spaceUpdated, id);
export const announceArchived = (tx: Tx, id: number) => announce(tx, spaceArchived, id);
export const announceUnarchived = (tx: Tx, id: number) => announce(tx, spaceUnarchived, id);

/** Is `parent_id` this space or one of its descendants? */
export const isBelow = (tx: Tx, id: number, parent_id: number) =>
  tx.any(sql`
    with recursive up as (
      select id, parent_space_id from spaces where organisation_id = $1 and id = ${parent_id}
      union
      select s.id, s.parent_space_id from up join spaces s on s.organisation_id = $1 and s.id = up.parent_space_id)
    select id from up where id = ${id}`);
/** Child spaces, or what modules above say is in it. */
export const hasContent = async (tx: Tx, id: number) => {
  const isParent = sql`exists (select from spaces where organisation_id = $1 and parent_space_id = ${id})`;
  const conditions = followsSpace.all.flatMap(({ isIn }) => (isIn ? [isIn(id)] : []));
  return (await tx.value<boolean>(sql`select ${joined([isParent, ...conditions], ' or ')}`)) === true;
};
export const deleteSpace = (tx: Tx, id: number) =>
  tx.json(sql`
    with gone as (delete from spaces where organisation_id = $1 and id = ${id} returning id),
    ${uncounted([spaceMembersList], id)},
    note as (${noted('space', 'gone', tx.now())})
    select json_build_object('id', id)::text as json from gone`);

export const publicSpaces: PublicNow = (ids, reader) => sql`
  select s.id from spaces s
  where s.organisation_id = $1 and s.id = any(${ids})
    and ${reader ? seesInside(reader, trusted('s')) : trusted(`s.visibility = 'public'`)}`;
