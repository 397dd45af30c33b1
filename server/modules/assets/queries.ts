// Files that content shows: in a gallery, as an attachment, in its HTML.
import type { Tx } from '../../kernel/data/db.ts';
import { literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { job, queued } from '../../kernel/work/jobs.ts';
import { addresses } from './addresses.ts';
import { countedBytes } from './quota.ts';

/** Where a file comes into content. */
export type Role = 'gallery' | 'attachment' | 'video' | 'cover' | 'inline' | 'file';

export interface StagedFile {
  /** The field of the request that brought it. */
  field: string;
  file_name: string;
  content_type: string;
  byte_size: number;
  sha256: string;
  width: number | null;
  height: number | null;
  storage_key: string;
  thumbnail_key: string | null;
}

/** Rows with `file`, a ContentFile, and its `position` in the content `t`. */
const shown = (kind: string, role: Role, now: string) => sql`
  select c.position, (
    select row_to_json(r) from (
      select f.id as asset_id, ${addresses(now)},
        f.file_name, f.content_type, f.byte_size, f.width, f.height) r) as file
  from content_files c
  join assets f on f.organisation_id = $1 and f.id = c.asset_id
  join organisations o on o.id = $1
  where c.organisation_id = $1 and c.kind = ${literal(kind)} and c.content_id = t.id and c.role = ${literal(role)}`;
/** Scalar: the files of the content `t` in this role, as a JSON list of ContentFile. */
export const filesOf = (kind: string, role: Role, now: string): Sql =>
  sql`(select coalesce(json_agg(s.file order by s.position), '[]') from (${shown(kind, role, now)}) s)`;
/** Scalar: the one file of the content `t` in this role, or null. */
export const fileOf = (kind: string, role: Role, now: string): Sql =>
  sql`(select s.file from (${shown(kind, role, now)}) s order by s.position limit 1)`;
/** Scalar: `html` of the content `t` with references to its files replaced by signed addresses. */
export const signedHtml = (html: string, kind: string, now: string): Sql => sql`signed_html(
  ${trusted(html)}, (select o from organisations o where o.id = $1), ${literal(kind)}, t.id, ${now}::timestamptz)`;

const stored = trusted('file_name, content_type, byte_size, sha256, width, height, storage_key, thumbnail_key');
/** Ids in the order of the files. */
export const insertAssets = async (
  tx: Tx,
  files: readonly StagedFile[],
  creator_id: number,
  origin: 'content' | 'api' = 'content',
): Promise<number[]> => {
  if (files.length === 0) return [];
  return tx.values<number>(sql`
    with added as (
      insert into assets (organisation_id, ${stored}, creator_id, created_at, origin)
      select $1, ${stored}, ${creator_id}::bigint, ${tx.now()}::timestamptz, ${origin}
      from json_populate_recordset(null::assets, ${JSON.stringify(files)}::json) with ordinality order by ordinality
      returning id, creator_id, byte_size),
    counted as (${countedBytes('added')})
    select id from added order by id`);
};

/**
 * What the content shows in this role from now on. Returns whether that is other than before; a file that nothing shows
 * any longer is removed.
 */
export const attachFiles = async (
  tx: Tx,
  kind: string,
  content_id: number,
  role: Role,
  asset_ids: readonly number[],
): Promise<boolean> => {
  const own = sql`c.organisation_id = $1 and c.kind = ${kind} and c.content_id = ${content_id} and c.role = ${role}`;
  const changed = await tx.value<boolean>(sql`
    with was as (select c.position, c.asset_id from content_files c where ${own}),
    wanted as (select g.id, g.n - 1 as position from unnest(${asset_ids}::bigint[]) with ordinality g(id, n)),
    gone as (
      delete from content_files c using was
      where ${own} and c.position = was.position
        and not exists (select from wanted w where w.position = was.position) returning 1),
    put as (
      insert into content_files as c (organisation_id, kind, content_id, role, position, asset_id)
      select $1, ${kind}, ${content_id}, ${role}, w.position, w.id from wanted w
      on conflict (organisation_id, kind, content_id, role, position) do update
      set asset_id = excluded.asset_id where c.asset_id <> excluded.asset_id returning 1),
    removal as (${queuedRemoval('(select asset_id from was except select id from wanted)', tx.now())})
    select exists (select from gone) or exists (select from put)`);
  return changed ?? false;
};

/** Before content of one kind is deleted: it shows nothing any longer. */
export const detachFiles = (tx: Tx, kind: string, content_ids: readonly number[]) =>
  tx.rows(sql`
    with gone as (
      delete from content_files
      where organisation_id = $1 and kind = ${kind} and content_id = any(${content_ids}::bigint[]) returning asset_id)
    ${queuedRemoval('(select distinct asset_id from gone)', tx.now())}`);

/** Removes files that came with content and are shown by none, after the transaction that let go of them. */
export const removeUnused = job<{ asset_ids: number[] }>('remove_unused_assets', async (tx, { asset_ids }) => {
  await tx.rows(sql`
    with gone as (
      delete from assets f
      where f.organisation_id = $1 and f.id = any(${asset_ids}::bigint[]) and f.origin = 'content'
        and not exists (select from content_files c where c.organisation_id = $1 and c.asset_id = f.id)
      returning f.storage_key, f.thumbnail_key, f.creator_id, f.byte_size),
    counted as (${countedBytes('gone')})
    ${queuedFileRemoval('gone', tx.now())}`);
});
const queuedRemoval = (assets: string, now: string) =>
  queued(
    removeUnused,
    sql`(
      select jsonb_build_object('asset_ids', jsonb_agg(let.asset_id)) as payload, ${now}::timestamptz as run_at
      from ${trusted(assets)} let having count(*) > 0)`,
  );

/** A row that is gone takes its files along, however often that has to be tried. */
export const removeFile = job<{ key: string }>('remove_file', (tx, { key }, { storage }) =>
  storage.remove(tx.organisation_id, key),
);
/** CTE body: removes the files of rows that are gone. */
export const queuedFileRemoval = (gone: string, now: string): Sql =>
  queued(
    removeFile,
    sql`(
      select jsonb_build_object('key', k.key) as payload, ${now}::timestamptz as run_at
      from ${trusted(gone)} g cross join lateral unnest(array[g.storage_key, g.thumbnail_key]) k(key)
      where k.key is not null)`,
  );

/** References in the stored HTML of content and of its translations become what it shows inline. */
export const attachReferences = async (
  tx: Tx,
  kind: string,
  id: number,
  table: string,
  column: string,
): Promise<boolean> => {
  const [html, translations, of] = [column, `${kind}_translations`, `${kind}_id`].map(trusted);
  const ids = await tx.values<number>(sql`
    select distinct found[1]::bigint as id
    from (
      select ${html} as html from ${trusted(table)} where organisation_id = $1 and id = ${id}
      union all
      select ${html} from ${translations} where organisation_id = $1 and ${of} = ${id}) texts,
      regexp_matches(html, 'asset://([1-9][0-9]{0,15})', 'g') found
    order by 1`);
  return attachFiles(tx, kind, id, 'inline', ids);
};

export interface FoundAsset {
  id: number;
  content_type: string;
  creator_id: number;
  origin: 'content' | 'api';
  /** By the content that the request is about. */
  is_shown: boolean;
}
export const findAssets = (tx: Tx, ids: readonly number[], shownBy = { kind: '', id: 0 }) =>
  tx.rows<FoundAsset>(sql`
    select f.id, f.content_type, f.creator_id, f.origin, exists (
      select from content_files c
      where c.organisation_id = $1 and c.asset_id = f.id and c.kind = ${shownBy.kind} and c.content_id = ${shownBy.id}
    ) as is_shown
    from assets f where f.organisation_id = $1 and f.id = any(${ids}::bigint[]) and f.state = 'ready'
    for key share of f`);
