import { idsOrAll } from '../../kernel/contract/schema.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { tombstones } from '../../kernel/data/deletion.ts';
import { counted, everyRow, type Listing, listRows, recounted } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import type { PublicNow } from '../../kernel/delivery/visibility.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { fileOf } from '../assets/queries.ts';
import { openReaches, reachOfSpace } from '../content/reach.ts';
import { personOf } from '../users/queries.ts';
import { inVisibleSpace } from './access.ts';
import { documentDeleted } from './events.ts';

/** Newest first. Class: how far the document's space reaches. */
export const documentsList: Listing = { table: 'documents', at: 'created_at', id: 'id', newestFirst: true };
const foldersList: Listing = { table: 'document_folders', at: null, id: 'id', newestFirst: false };

const columns = (now: string) => sql`t.id, t.label, t.description,
  coalesce((select json_build_object('url', f.file ->> 'url', 'asset_id', (f.file ->> 'asset_id')::bigint, 'file_name', f.file ->> 'file_name', 'content_type', f.file ->> 'content_type', 'byte_size', (f.file ->> 'byte_size')::bigint)
    from (select ${fileOf('document', 'file', now)} as file) f where f.file is not null),
    json_build_object('url', t.url, 'asset_id', null, 'file_name', null, 'content_type', null, 'byte_size', null)) as document,
  t.location_id, t.space_id, ${trusted(personOf('t.creator_id'))} as creator, iso(t.created_at) as created_at, iso(t.updated_at) as updated_at, t.sequence,
  (select o.web_url from organisations o where o.id = $1) || '/documents/' || t.id as permalink`;
const shownFrom = (source: Sql, now: string) =>
  sql`select row_to_json(r)::text as json from (select ${columns(now)} from ${source} t) r`;
const isPublic = trusted('t.list_class <= 1');
/** Those in spaces that everybody sees, or in none. */
export const publicDocuments: PublicNow = (ids) =>
  sql`select t.id from documents t where t.organisation_id = $1 and t.id = any(${ids}) and ${isPublic}`;
const shown = (source: string, now: string) => sql`
  shown as (select (select row_to_json(r) from (select ${columns(now)}) r) as json, ${isPublic} as is_public, t.space_id from ${trusted(source)} t)`;

export interface DocumentFilter {
  skip: number;
  take: number;
  location_id?: number;
  space_ids?: readonly string[];
  in_spaces?: readonly string[];
  creator_id?: number;
  created_after?: string;
  created_before?: string;
  updated_after?: string;
}
export const listDocuments = (tx: Tx, actor: Actor, filter: DocumentFilter) => {
  const { skip, take, location_id, creator_id, created_after, created_before, updated_after } = filter;
  const spaces = idsOrAll(filter.space_ids ?? filter.in_spaces);
  const given = (value: unknown, condition: Sql) => (value === undefined ? [] : [condition]);
  const open = openReaches(actor);
  const isBounded = !isUnbounded(actor);
  return listRows(
    tx,
    documentsList,
    {
      skip,
      take,
      bucket: 0,
      classes: spaces === 'all' ? open.filter((one) => one > 0) : open,
      also: isBounded
        ? sql`t.list_class >= 2 and t.space_id in (select m.space_id from space_members m where m.organisation_id = $1 and m.user_id = ${actor.user_id})`
        : undefined,
      where: [
        ...given(location_id, sql`t.location_id = ${location_id}`),
        ...(Array.isArray(spaces) ? [sql`t.space_id = any(${spaces}::bigint[])`] : []),
        ...given(creator_id, sql`t.creator_id = ${creator_id}`),
        ...given(created_after, sql`t.created_at > ${created_after}::timestamptz`),
        ...given(created_before, sql`t.created_at < ${created_before}::timestamptz`),
        ...given(updated_after, sql`t.updated_at > ${updated_after}::timestamptz`),
      ],
    },
    shownFrom(sql`(select * from documents where organisation_id = $1 and id = listed.id)`, tx.now()),
  );
};

const visible = (actor: Actor, id: number) =>
  sql`(select * from documents t where t.organisation_id = $1 and t.id = ${id} and ${inVisibleSpace(actor)})`;
export const findDocument = (tx: Tx, actor: Actor, id: number) => tx.json(shownFrom(visible(actor, id), tx.now()));
export const getDocument = (tx: Tx, id: number) =>
  tx.json(
    shownFrom(sql`(select * from documents where organisation_id = $1 and id = ${id})`, tx.now()),
  ) as Promise<Json>;
export interface Place {
  id: number;
  /** The folder that it is in. */
  folder_id: number | null;
  space_id: number | null;
}
const parentColumns = { documents: 'location_id', document_folders: 'parent_id' } as const;
export const findPlace = (tx: Tx, actor: Actor, table: keyof typeof parentColumns, id: number) =>
  tx.row<Place>(sql`
    select t.id, t.${trusted(parentColumns[table])} as folder_id, t.space_id from ${trusted(table)} t where t.organisation_id = $1 and t.id = ${id} and ${inVisibleSpace(actor)}`);

export interface DocumentFields {
  label: string;
  description?: string | undefined;
  location_id: number | null;
  space_id: number | null;
  url?: string | undefined;
}
export const insertDocument = async (
  tx: Tx,
  document: DocumentFields,
  creator_id: number,
  created_at: string | undefined,
) => {
  const row = await tx.row<{ id: number }>(sql`
    with added as (
      insert into documents (organisation_id, space_id, location_id, label, description, url, creator_id, created_at, updated_at, list_class)
      values ($1, ${document.space_id}, ${document.location_id}, ${document.label}, ${document.description ?? ''}, ${document.url ?? null}, ${creator_id}, ${created_at ?? tx.now()}, ${tx.now()}, ${reachOfSpace(document.space_id)})
      returning *),
    change as (${counted(documentsList, 'added', 1)})
    select id from added`);
  return row?.id ?? 0;
};

/** Returns whether anything changed. `url` undefined keeps the link, null drops it for a file. */
export const updateDocument = async (
  tx: Tx,
  id: number,
  document: Omit<DocumentFields, 'url'> & { url?: string | null | undefined },
) => {
  const row = await tx.row(sql`
    with was as (select * from documents where organisation_id = $1 and id = ${id} for update),
    wanted as (
      select was.id, ${document.label}::text as label, ${document.description ?? ''}::text as description, ${document.location_id}::bigint as location_id, ${document.space_id}::bigint as space_id,
        case when ${document.url === undefined} then was.url else ${document.url ?? null}::text end as url, ${reachOfSpace(document.space_id)}::smallint as list_class from was),
    changed as (
      update documents t set label = w.label, description = w.description, location_id = w.location_id, space_id = w.space_id, url = w.url, list_class = w.list_class,
        updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence')
      from wanted w where t.organisation_id = $1 and t.id = w.id and (t.label, t.description, t.location_id, t.space_id, t.url) is distinct from (w.label, w.description, w.location_id, w.space_id, w.url)
      returning t.*),
    ${recounted(documentsList)}
    select id from changed`);
  return row !== undefined;
};
export const touchDocument = (tx: Tx, id: number) =>
  tx.rows(sql`
    update documents t set updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence') where t.organisation_id = $1 and t.id = ${id}`);

/** Emits the event with the document as it is now. */
export const announce = (tx: Tx, id: number, event: Event) =>
  tx.json(sql`
    with document as (select * from documents where organisation_id = $1 and id = ${id}), ${shown('document', tx.now())},
    event as (${emitted(event, 'shown', tx.now())})
    select json::text from shown`) as Promise<Json>;

export const deleteDocument = async (tx: Tx, id: number) => {
  const at = tx.now();
  const rows = await tx.rows(sql`
    with doomed as (select * from documents where organisation_id = $1 and id = ${id} for update),
    ${shown('doomed', at)},
    gone as (delete from documents t using doomed d where t.organisation_id = $1 and t.id = d.id returning t.*),
    event as (${emitted(documentDeleted, '(select shown.* from shown where exists (select from gone))', at)}),
    change as (${counted(documentsList, 'gone', -1)}),
    tombstone as (${tombstones('document', id, 'gone', at, 'null')})
    select id from gone`);
  return rows.length > 0;
};

// ---- Folders -----------------------------------------------------------------------------------------------------

const folder = trusted(
  `t.id, t.name, t.description, t.parent_id, t.space_id, t.creator_id, iso(t.created_at) as created_at, iso(t.updated_at) as updated_at`,
);
const shownFolder = (source: Sql) =>
  sql`select row_to_json(r)::text as json from (select ${folder} from ${source} t) r`;

export const listFolders = (
  tx: Tx,
  actor: Actor,
  { skip, take, parent_id, space_id }: { skip: number; take: number; parent_id?: number; space_id?: number },
) =>
  listRows(
    tx,
    foldersList,
    {
      skip,
      take,
      ...everyRow,
      where: [
        inVisibleSpace(actor),
        ...(parent_id === undefined ? [] : [sql`t.parent_id = ${parent_id}`]),
        ...(space_id === undefined ? [] : [sql`t.space_id = ${space_id}`]),
      ],
    },
    shownFolder(sql`(select * from document_folders where organisation_id = $1 and id = listed.id)`),
  );
export const findFolder = (tx: Tx, actor: Actor, id: number) =>
  tx.json(
    shownFolder(
      sql`(select * from document_folders t where t.organisation_id = $1 and t.id = ${id} and ${inVisibleSpace(actor)})`,
    ),
  );
export const insertFolder = (
  tx: Tx,
  {
    name,
    description,
    parent_id,
    space_id,
  }: { name: string; description?: string; parent_id: number | null; space_id: number | null },
  creator_id: number,
) =>
  tx.json(sql`
    with added as (
      insert into document_folders (organisation_id, space_id, parent_id, name, description, creator_id, created_at, updated_at)
      values ($1, ${space_id}, ${parent_id}, ${name}, ${description ?? ''}, ${creator_id}, ${tx.now()}, ${tx.now()}) returning *)
    ${shownFolder(trusted('added'))}`) as Promise<Json>;
export const updateFolder = (
  tx: Tx,
  id: number,
  { name, description, parent_id }: { name: string; description?: string; parent_id: number | null },
) =>
  tx.json(sql`
    with changed as (
      update document_folders set name = ${name}, description = ${description ?? ''}, parent_id = ${parent_id}::bigint, updated_at = greatest(${tx.now()}::timestamptz, updated_at + interval '1 microsecond')
      where organisation_id = $1 and id = ${id} returning *)
    ${shownFolder(trusted('changed'))}`) as Promise<Json>;
/** Is `parent_id` the folder itself or below it? */
export const isBelow = async (tx: Tx, id: number, parent_id: number) =>
  (await tx.row(sql`
    with recursive up as (
      select id, parent_id from document_folders where organisation_id = $1 and id = ${parent_id}
      union select f.id, f.parent_id from up join document_folders f on f.organisation_id = $1 and f.id = up.parent_id)
    select id from up where id = ${id}`)) !== undefined;
/** The folders of a space move one at a time, so that two moves cannot close a circle. */
export const lockTree = (tx: Tx, space_id: number | null) =>
  tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('document_folders ' || ${String(space_id ?? 0)}, $1))`);
export const deleteFolder = (tx: Tx, id: number) =>
  tx.rows<{ id: number }>(sql`delete from document_folders where organisation_id = $1 and id = ${id} returning id`);

/** After a space's visibility changed: its documents reach others. */
export const followVisibility = (tx: Tx, space_id: number) =>
  tx.rows(sql`
    with was as (
      select * from documents t where t.organisation_id = $1 and t.space_id = ${space_id} order by t.id for update),
    changed as (
      update documents t set list_class = n.reach from (select ${reachOfSpace(space_id)}::smallint as reach) n, was
      where t.organisation_id = $1 and t.id = was.id and t.list_class <> n.reach returning t.*),
    ${recounted(documentsList)}
    select id from changed`);
/** SQL: the space has documents, or folders for them. */
export const isInSpace = (space_id: number) => sql`(
  exists (select from documents where organisation_id = $1 and space_id = ${space_id})
  or exists (select from document_folders where organisation_id = $1 and space_id = ${space_id}))`;
