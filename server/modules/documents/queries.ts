import type { Query } from '../../kernel/contract/contract.ts';
import { idsOrAll } from '../../kernel/contract/schema.ts';
import { noted } from '../../kernel/data/changes.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { tombstones } from '../../kernel/data/deletion.ts';
import { counted, type Listing, listRows, recounted } from '../../kernel/data/listing.ts';
import { cleared, hidden, inserted, touched, type Values } from '../../kernel/data/rows.ts';
import { given, literal, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import type { PublicNow } from '../../kernel/delivery/visibility.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { fileOf } from '../assets/queries.ts';
import { openReaches, reach, reachesAll, reachOfSpace } from '../content/reach.ts';
import { optional, type RowFamily, replacedRow, rowColumns, rowsFrom, shownRows } from '../pictures/rows.ts';
import { personOf } from '../users/queries.ts';
import { inVisibleSpace } from './access.ts';
import type { documents } from './contract.ts';
import { documentDeleted } from './events.ts';

/** Newest first. Class: how far the document's space reaches. */
export const documentsList: Listing = { table: 'documents', at: 'created_at', id: 'id', newestFirst: true };

/** The file, or the link where there is none. */
const linked = (now: string) => sql`coalesce((
    select json_build_object('url', f.file -> 'url', 'asset_id', f.file -> 'asset_id',
      'file_name', f.file -> 'file_name', 'content_type', f.file -> 'content_type', 'byte_size', f.file -> 'byte_size')
    from (select ${fileOf('document', 'file', now)} as file) f where f.file is not null),
  json_build_object('url', t.url, 'asset_id', null, 'file_name', null, 'content_type', null, 'byte_size', null)
)`;
export const documentFamily: RowFamily = {
  name: 'documents',
  columns: {
    label: cleared('text'),
    description: cleared('text', ''),
    location_id: cleared('bigint'),
    space_id: cleared('bigint'),
    url: hidden(optional('text')),
  },
  list: documentsList,
  shown: (now) => sql`${linked(now)} as document, ${trusted(personOf('t.creator_id'))} as creator, t.sequence`,
  path: '/documents/',
  sees: inVisibleSpace,
};
/** Those in spaces that everybody sees, or in none. */
export const publicDocuments: PublicNow = (ids, reader) => sql`
  select t.id from documents t
  where t.organisation_id = $1 and t.id = any(${ids}) and ${reader ? inVisibleSpace(reader) : reachesAll}`;

export const listDocuments = (tx: Tx, actor: Actor, query: Query<typeof documents.endpoints.listDocuments>) => {
  const { skip, take, updated_after } = query;
  const spaces = idsOrAll(query.space_ids ?? query.in_spaces);
  const reaches = openReaches(actor);
  const isJoined = sql`t.list_class >= ${literal(reach.private)} and t.space_id in (
    select m.space_id from space_members m where m.organisation_id = $1 and m.user_id = ${actor.user_id})`;
  const slice = {
    skip,
    take,
    updated_after,
    bucket: 0,
    classes: spaces === 'all' ? reaches.filter((one) => one !== reach.everybody) : reaches,
    also: isUnbounded(actor) ? undefined : isJoined,
    where: [
      ...given(query.location_id, (id) => sql`t.location_id = ${id}`),
      ...given(query.is_at_top, (isTop) =>
        isTop ? trusted('t.location_id is null') : trusted('t.location_id is not null'),
      ),
      ...given(query.is_for_everybody, (isForAll) =>
        isForAll ? trusted('t.space_id is null') : trusted('t.space_id is not null'),
      ),
      ...given(spaces === 'all' ? undefined : spaces, (ids) => sql`t.space_id = any(${ids}::bigint[])`),
      ...given(query.creator_id, (id) => sql`t.creator_id = ${id}`),
      ...given(query.created_after, (moment) => sql`t.created_at > ${moment}::timestamptz`),
      ...given(query.created_before, (moment) => sql`t.created_at < ${moment}::timestamptz`),
    ],
  };
  const document = trusted('(select * from documents where organisation_id = $1 and id = listed.id)');
  return listRows(tx, documentsList, slice, shownRows(documentFamily, document, tx.now()));
};

export interface DocumentValues extends Values {
  label: string;
  location_id: number | null;
  space_id: number | null;
  url?: string | null;
}
export const insertDocument = async (
  tx: Tx,
  document: DocumentValues,
  creator_id: number,
  created_at: string | undefined,
) => {
  const moments = { created_at: created_at ?? tx.now(), updated_at: tx.now() };
  const more = { creator_id, list_class: reachOfSpace(document.space_id), ...moments };
  return (await tx.value<number>(sql`
    with added as (${inserted(documentFamily, document, more)}),
    change as (${counted(documentsList, 'added', 1)})
    select id from added`)) as number;
};
/** Rows `was` and `changed` that others see now: in another space, or in one of another visibility. */
const MOVED = `(select changed.id from was join changed on changed.id = was.id
      where (was.space_id, was.list_class) is distinct from (changed.space_id, changed.list_class))`;
/** Returns whether anything changed. `url` undefined keeps the link, null drops it for a file. */
export const updateDocument = (tx: Tx, id: number, document: DocumentValues) => {
  const set = sql`${touched(tx.now())}, list_class = ${reachOfSpace(document.space_id)}::smallint`;
  return tx.any(sql`
    with ${replacedRow(documentFamily, id, document, { set })},
    ${recounted(documentsList)},
    note as (${noted('document', MOVED, tx.now())})
    select id from changed`);
};
export const touchDocument = (tx: Tx, id: number) =>
  tx.rows(sql`update documents t set ${touched(tx.now())} where t.organisation_id = $1 and t.id = ${id}`);

/** CTE: what an event says of the rows of `source`. */
const announced = (source: string, now: string) => sql`
  shown as (
    select row_to_json(r) as json, ${reachesAll} as is_public, t.space_id
    from ${rowsFrom(trusted(source))} cross join lateral (select ${rowColumns(documentFamily, now)}) r)`;
/** Emits the event with the document as it is now. */
export const announce = (tx: Tx, id: number, event: Event) =>
  tx.json(sql`
    with document as (select * from documents where organisation_id = $1 and id = ${id}),
    ${announced('document', tx.now())},
    event as (${emitted(event, 'shown', tx.now())})
    select json::text from shown`) as Promise<Json>;

/** Returns whether there was a document to delete. */
export const deleteDocument = (tx: Tx, id: number) => {
  const now = tx.now();
  return tx.any(sql`
    with doomed as (select * from documents where organisation_id = $1 and id = ${id} for update),
    ${announced('doomed', now)},
    gone as (delete from documents t using doomed d where t.organisation_id = $1 and t.id = d.id returning t.*),
    event as (${emitted(documentDeleted, '(select shown.* from shown where exists (select from gone))', now)}),
    change as (${counted(documentsList, 'gone', -1)}),
    tombstone as (${tombstones('document', id, 'gone', now, 'null')}),
    note as (${noted('document', 'gone', now)})
    select id from gone`);
};

/** After a space's visibility changed: its documents reach others. */
export const followVisibility = (tx: Tx, space_id: number) =>
  tx.rows(sql`
    with was as (
      select * from documents t where t.organisation_id = $1 and t.space_id = ${space_id} order by t.id for update),
    changed as (
      update documents t set list_class = n.reach from (select ${reachOfSpace(space_id)}::smallint as reach) n, was
      where t.organisation_id = $1 and t.id = was.id and t.list_class <> n.reach returning t.*),
    ${recounted(documentsList)},
    note as (${noted('document', MOVED, tx.now())})
    select id from changed`);
/** SQL: the space has documents, or folders for them. */
export const isInSpace = (space_id: number) => sql`(
  exists (select from documents where organisation_id = $1 and space_id = ${space_id})
  or exists (select from document_folders where organisation_id = $1 and space_id = ${space_id}))`;
