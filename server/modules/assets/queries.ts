import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { job, queued } from '../../kernel/work/jobs.ts';

const list: Listing = { table: 'assets', at: null, id: 'id', newestFirst: true };

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

/** Signed address of the asset `f`; needs its organisation `o`. */
const address = (variant: 'original' | 'thumbnail', now: string) => {
  const name = variant === 'original' ? 'f.file_name' : `'thumbnail.webp'`;
  return sql`${trusted(`signed_url(o, '/files/' || o.id || '/' || f.id || '/${variant}', ${name}`)}, ${now}::timestamptz)`;
};
const urls = (now: string) =>
  sql`'url', ${address('original', now)}, 'thumbnail_url', case when f.thumbnail_key is not null then ${address('thumbnail', now)} end`;
const shownFile = (now: string) =>
  sql`json_build_object('asset_id', f.id, ${urls(now)}, 'file_name', f.file_name, 'content_type', f.content_type, 'byte_size', f.byte_size, 'width', f.width, 'height', f.height)`;
const attached = (kind: string, role: Role) =>
  trusted(`from content_files c join assets f on f.organisation_id = $1 and f.id = c.asset_id join organisations o on o.id = $1
    where c.organisation_id = $1 and c.kind = '${kind}' and c.content_id = t.id and c.role = '${role}'`);

/** Scalar: the files of the content `t` in this role, as a JSON list of ContentFile. */
export const filesOf = (kind: string, role: Role, now: string): Sql =>
  sql`(select coalesce(json_agg(${shownFile(now)} order by c.position), '[]') ${attached(kind, role)})`;
/** Scalar: the one file of the content `t` in this role, or null. */
export const fileOf = (kind: string, role: Role, now: string): Sql =>
  sql`(select ${shownFile(now)} ${attached(kind, role)} order by c.position limit 1)`;
/** Scalar: `html` of the content `t` with references to its files replaced by signed addresses. */
export const signedHtml = (html: string, kind: string, now: string): Sql =>
  sql`${trusted(`signed_html(${html}, (select o from organisations o where o.id = $1), '${kind}', t.id`)}, ${now}::timestamptz)`;

/** Ids in the order of the files. */
export const insertAssets = async (
  tx: Tx,
  files: readonly StagedFile[],
  creator_id: number,
  origin: 'content' | 'api' = 'content',
): Promise<number[]> => {
  if (files.length === 0) return [];
  const of = <K extends keyof StagedFile>(name: K) => files.map((file) => file[name]);
  const rows = await tx.rows<{ id: number }>(sql`
    insert into assets (organisation_id, file_name, content_type, byte_size, sha256, width, height, storage_key, thumbnail_key, creator_id, created_at, origin)
    select $1, g.file_name, g.content_type, g.byte_size, g.sha256, g.width, g.height, g.storage_key, g.thumbnail_key, ${creator_id}::bigint, ${tx.now()}::timestamptz, ${origin}
    from unnest(${of('file_name')}::text[], ${of('content_type')}::text[], ${of('byte_size')}::bigint[], ${of('sha256')}::text[], ${of('width')}::int[], ${of('height')}::int[],
      ${of('storage_key')}::text[], ${of('thumbnail_key')}::text[]) with ordinality as g(file_name, content_type, byte_size, sha256, width, height, storage_key, thumbnail_key, n) order by g.n
    returning id`);
  return rows.map(({ id }) => id);
};

/** What the content shows in this role from now on. Returns whether that is other than before; a file that nothing shows any longer is removed. */
export const attachFiles = async (
  tx: Tx,
  kind: string,
  content_id: number,
  role: Role,
  asset_ids: readonly number[],
): Promise<boolean> => {
  const row = await tx.row<{ changed: boolean }>(sql`
    with was as (select c.position, c.asset_id from content_files c where c.organisation_id = $1 and c.kind = ${kind} and c.content_id = ${content_id} and c.role = ${role}),
    wanted as (select g.id, g.n - 1 as position from unnest(${asset_ids}::bigint[]) with ordinality g(id, n)),
    gone as (
      delete from content_files c using was where c.organisation_id = $1 and c.kind = ${kind} and c.content_id = ${content_id} and c.role = ${role} and c.position = was.position
        and not exists (select from wanted w where w.position = was.position) returning 1),
    put as (
      insert into content_files as c (organisation_id, kind, content_id, role, position, asset_id) select $1, ${kind}, ${content_id}, ${role}, w.position, w.id from wanted w
      on conflict (organisation_id, kind, content_id, role, position) do update set asset_id = excluded.asset_id where c.asset_id <> excluded.asset_id returning 1),
    removal as (${queuedRemoval('(select asset_id from was except select id from wanted)', tx.now())})
    select exists (select from gone) or exists (select from put) as changed`);
  return row?.changed ?? false;
};

/** Before content of one kind is deleted: it shows nothing any longer. */
export const detachFiles = (tx: Tx, kind: string, content_ids: readonly number[]) =>
  tx.rows(sql`
    with gone as (delete from content_files where organisation_id = $1 and kind = ${kind} and content_id = any(${content_ids}::bigint[]) returning asset_id)
    ${queuedRemoval('(select distinct asset_id from gone)', tx.now())}`);

/** Removes files that came with content and are shown by none, after the transaction that let go of them. */
export const removeUnused = job<{ asset_ids: number[] }>('remove_unused_assets', async (tx, { asset_ids }) => {
  await tx.rows(sql`
    with gone as (
      delete from assets f where f.organisation_id = $1 and f.id = any(${asset_ids}::bigint[]) and f.origin = 'content'
        and not exists (select from content_files c where c.organisation_id = $1 and c.asset_id = f.id) returning f.storage_key, f.thumbnail_key)
    ${queuedFileRemoval('gone', tx.now())}`);
});
const queuedRemoval = (assets: string, now: string) =>
  queued(
    removeUnused,
    sql`(select jsonb_build_object('asset_ids', jsonb_agg(let.asset_id)) as payload, ${now}::timestamptz as run_at from ${trusted(assets)} let having count(*) > 0)`,
  );

/** A row that is gone takes its files along, however often that has to be tried. */
export const removeFile = job<{ key: string }>('remove_file', (tx, { key }, { storage }) =>
  storage.remove(tx.organisation_id, key),
);
const queuedFileRemoval = (gone: string, now: string) =>
  queued(
    removeFile,
    sql`(select jsonb_build_object('key', k.key) as payload, ${now}::timestamptz as run_at
      from ${trusted(gone)} g cross join lateral unnest(array[g.storage_key, g.thumbnail_key]) k(key) where k.key is not null)`,
  );

/** References in the stored HTML of content and of its translations become what it shows inline. */
export const attachReferences = async (
  tx: Tx,
  kind: string,
  id: number,
  table: string,
  column: string,
): Promise<boolean> => {
  const rows = await tx.rows<{ id: number }>(sql`
    select distinct found[1]::bigint as id from (
      select ${trusted(column)} as html from ${trusted(table)} where organisation_id = $1 and id = ${id}
      union all select ${trusted(column)} from ${trusted(`${kind}_translations`)} where organisation_id = $1 and ${trusted(`${kind}_id`)} = ${id}) texts,
      regexp_matches(html, 'asset://([1-9][0-9]{0,15})', 'g') found order by 1`);
  return attachFiles(
    tx,
    kind,
    id,
    'inline',
    rows.map((row) => row.id),
  );
};

export interface FoundAsset {
  id: number;
  content_type: string;
  creator_id: number;
  origin: 'content' | 'api';
  /** By the content that the request is about. */
  is_shown: boolean;
}
export const findAssets = (tx: Tx, ids: readonly number[], shownBy?: { kind: string; id: number }) =>
  tx.rows<FoundAsset>(sql`
    select f.id, f.content_type, f.creator_id, f.origin, exists (
      select from content_files c where c.organisation_id = $1 and c.asset_id = f.id and c.kind = ${shownBy?.kind ?? ''} and c.content_id = ${shownBy?.id ?? 0}) as is_shown
    from assets f where f.organisation_id = $1 and f.id = any(${ids}::bigint[]) and f.state = 'ready' for key share of f`);

// ---- Uploaded by themselves --------------------------------------------------------------------------------------

const shownAsset = (now: string) => sql`
  f.id, ${address('original', now)} as url, case when f.thumbnail_key is not null then ${address('thumbnail', now)} end as thumbnail_url, f.file_name, f.content_type, f.byte_size, f.width, f.height, f.sha256, f.state,
  'asset://' || f.id as reference, exists (select from content_files c where c.organisation_id = $1 and c.asset_id = f.id) as is_used, f.creator_id, iso(f.created_at) as created_at`;
/** A person has their own assets, a key and an admin all that were uploaded by themselves: what came with content, or with a chat message, is its readers'. */
const mine = (actor: Actor, asset: string) => {
  const own = sql`${trusted(asset)}.creator_id = ${actor.user_id}`;
  return isUnbounded(actor) ? sql`(${trusted(asset)}.origin = 'api' or ${own})` : own;
};

const kindOf = (asset: string) =>
  trusted(
    `case when ${asset}.content_type ~ '^(image|video|audio)/' then split_part(${asset}.content_type, '/', 1) else 'other' end`,
  );

export interface AssetFilter {
  skip: number;
  take: number;
  creator_id?: number;
  state?: string;
  type?: string;
  ids?: readonly number[];
}
export const listAssets = (tx: Tx, actor: Actor, { skip, take, creator_id, state, type, ids }: AssetFilter) =>
  listRows(
    tx,
    list,
    {
      skip,
      take,
      ...everyRow,
      where: [
        trusted(`t.origin = 'api'`),
        mine(actor, 't'),
        ...(creator_id === undefined ? [] : [sql`t.creator_id = ${creator_id}`]),
        ...(state === undefined ? [] : [sql`t.state = ${state}`]),
        ...(type === undefined ? [] : [sql`${kindOf('t')} = ${type}`]),
        ...(ids === undefined ? [] : [sql`t.id = any(${ids}::bigint[])`]),
      ],
    },
    sql`select row_to_json(r)::text as json from (select ${shownAsset(tx.now())} from assets f join organisations o on o.id = $1 where f.organisation_id = $1 and f.id = listed.id) r`,
  );
export const findAsset = (tx: Tx, actor: Actor, id: number) =>
  tx.json(
    sql`select row_to_json(r)::text as json from (select ${shownAsset(tx.now())} from assets f join organisations o on o.id = $1 where f.organisation_id = $1 and f.id = ${id} and ${mine(actor, 'f')}) r`,
  );

export interface Announced {
  file_name: string;
  content_type: string;
  byte_size: number;
  sha256?: string | undefined;
}
/** Also signs the address to which the bytes may be sent, and sees to it that nothing of an upload is left after a day. */
export const insertPending = (tx: Tx, actor: Actor, file: Announced, storage_key: string, expires_at: number) =>
  tx.row<{ id: number; url: string }>(sql`
    with added as (
      insert into assets (organisation_id, file_name, content_type, byte_size, sha256, origin, state, storage_key, creator_id, created_at)
      values ($1, ${file.file_name}, ${file.content_type}, ${file.byte_size}, ${file.sha256?.toLowerCase() ?? null}, 'api', 'pending', ${storage_key}, ${actor.user_id}, ${tx.now()}) returning id),
    ending as (${queued(
      endUpload,
      sql`(select jsonb_build_object('id', added.id, 'key', ${storage_key}::text) as payload, ${tx.now()}::timestamptz + interval '24 hours' as run_at from added)`,
    )})
    select added.id, o.web_url || path || '?expires=' || at || '&signature=' || encode(sha256(o.file_outer || sha256(o.file_inner || convert_to(path || '?expires=' || at, 'UTF8'))), 'hex') as url
    from added, organisations o, lateral (select '/uploads/' || o.id || '/' || added.id as path, ${expires_at}::bigint as at) a where o.id = $1`) as Promise<{
    id: number;
    url: string;
  }>;
/** Of an upload that nobody confirmed, the asset; of any, what was sent to its address, which a bucket takes as long as the address is good. */
export const endUpload = job<{ id: number; key: string }>('end_upload', async (tx, { id, key }, { storage }) => {
  await tx.rows(sql`delete from assets where organisation_id = $1 and id = ${id} and state = 'pending'`);
  await storage.remove(tx.organisation_id, key);
});

export interface AssetRow {
  id: number;
  file_name: string;
  content_type: string;
  byte_size: number;
  sha256: string | null;
  state: 'pending' | 'ready';
  storage_key: string;
  thumbnail_key: string | null;
}
const assetRow = trusted(
  'f.id, f.file_name, f.content_type, f.byte_size, f.sha256, f.state, f.storage_key, f.thumbnail_key',
);
export const findUpload = (tx: Tx, actor: Actor, id: number) =>
  tx.row<AssetRow>(
    sql`select ${assetRow} from assets f where f.organisation_id = $1 and f.id = ${id} and ${mine(actor, 'f')}`,
  );

export interface Confirmed {
  content_type: string;
  sha256: string;
  width: number | null;
  height: number | null;
  storage_key: string;
  thumbnail_key: string | null;
}
/** Whether this confirmation was the first. */
export const confirmAsset = async (
  tx: Tx,
  id: number,
  { content_type, sha256, width, height, storage_key, thumbnail_key }: Confirmed,
) =>
  (await tx.row(sql`
    update assets set state = 'ready', content_type = ${content_type}, sha256 = ${sha256}, width = ${width}, height = ${height}, storage_key = ${storage_key}, thumbnail_key = ${thumbnail_key}
    where organisation_id = $1 and id = ${id} and state = 'pending' returning id`)) !== undefined;
export const deletePending = (tx: Tx, id: number) =>
  tx.rows(sql`delete from assets where organisation_id = $1 and id = ${id} and state = 'pending'`);
export const deleteAsset = (tx: Tx, actor: Actor, id: number) =>
  tx.json(sql`
    with gone as (delete from assets f where f.organisation_id = $1 and f.id = ${id} and ${mine(actor, 'f')} returning f.id, f.storage_key, f.thumbnail_key),
    removal as (${queuedFileRemoval('gone', tx.now())})
    select json_build_object('id', id)::text as json from gone`);

/** The stored file behind a signed address, with the keys that check it. */
export const findSignedFile = (tx: Tx, id: number) =>
  tx.row<AssetRow & { file_inner: Buffer; file_outer: Buffer }>(sql`
    select ${assetRow}, o.file_inner, o.file_outer from assets f join organisations o on o.id = $1 where f.organisation_id = $1 and f.id = ${id}`);

const expiry = trusted(`json_build_object('url_expiry_seconds', url_expiry_seconds)::text as json`);
export const getUrlExpiry = (tx: Tx) =>
  tx.json(sql`select ${expiry} from organisations where id = $1`) as Promise<Json>;
export const updateUrlExpiry = (tx: Tx, seconds: number) =>
  tx.json(
    sql`update organisations set url_expiry_seconds = ${seconds}, updated_at = ${tx.now()} where id = $1 returning ${expiry}`,
  ) as Promise<Json>;
