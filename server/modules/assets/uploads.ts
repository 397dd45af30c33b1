// Files that are uploaded by themselves: announced, sent to a signed address, confirmed.
import type { Query } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { given, jsonOf, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { job, queued } from '../../kernel/work/jobs.ts';
import { type AssetRow, addresses, assetRow, uploadAddress } from './addresses.ts';
import type { assets, NewUpload } from './contract.ts';
import { queuedFileRemoval } from './queries.ts';
import { countedBytes } from './quota.ts';

/**
 * A person has their own assets, a key and an admin all that were uploaded by themselves: what came with content, or
 * with a chat message, is its readers'.
 */
const mine = (actor: Actor, alias: string) => {
  const own = sql`${trusted(alias)}.creator_id = ${actor.user_id}`;
  return isUnbounded(actor) ? sql`(${trusted(alias)}.origin = 'api' or ${own})` : own;
};
const shown = (now: string, condition: Sql) =>
  jsonOf(sql`
    select f.id, ${addresses(now)}, f.file_name, f.content_type, f.byte_size, f.width, f.height, f.sha256, f.state,
      'asset://' || f.id as reference, exists (
        select from content_files c where c.organisation_id = $1 and c.asset_id = f.id) as is_used,
      f.creator_id, iso(f.created_at) as created_at
    from assets f join organisations o on o.id = $1
    where f.organisation_id = $1 and ${condition}`);
const typeOf = trusted(`case
  when t.content_type ~ '^(image|video|audio)/' then split_part(t.content_type, '/', 1) else 'other' end`);

const list: Listing = { table: 'assets', at: null, id: 'id', newestFirst: true };
export const listAssets = (tx: Tx, actor: Actor, query: Query<typeof assets.endpoints.listAssets>) => {
  const { skip, take, creator_id, state, type, ids } = query;
  const where = [
    trusted(`t.origin = 'api'`),
    mine(actor, 't'),
    ...given(creator_id, (id) => sql`t.creator_id = ${id}`),
    ...given(state, (wanted) => sql`t.state = ${wanted}`),
    ...given(type, (wanted) => sql`${typeOf} = ${wanted}`),
    ...given(ids, (wanted) => sql`t.id = any(${wanted}::bigint[])`),
  ];
  return listRows(tx, list, { skip, take, ...everyRow, where }, shown(tx.now(), trusted('f.id = listed.id')));
};
export const findAsset = (tx: Tx, actor: Actor, id: number) =>
  tx.json(shown(tx.now(), sql`f.id = ${id} and ${mine(actor, 'f')}`));

/** With the address to which the bytes may be sent; nothing of an upload that is not confirmed is left after a day. */
export const insertPending = (tx: Tx, actor: Actor, file: NewUpload, storage_key: string, expires_at: number) =>
  tx.row(sql`
    with added as (
      insert into assets (organisation_id, file_name, content_type, byte_size, sha256, origin, state, storage_key,
        creator_id, created_at)
      values ($1, ${file.file_name}, ${file.content_type}, ${file.byte_size}, ${file.sha256?.toLowerCase() ?? null},
        'api', 'pending', ${storage_key}, ${actor.user_id}, ${tx.now()})
      returning id, creator_id, byte_size),
    counted as (${countedBytes('added')}),
    ending as (${queued(
      endUpload,
      sql`(
        select jsonb_build_object('id', added.id, 'key', ${storage_key}::text) as payload,
          ${tx.now()}::timestamptz + interval '24 hours' as run_at
        from added)`,
    )})
    select added.id, ${uploadAddress('added.id', expires_at)} as url
    from added, organisations o where o.id = $1`) as Promise<{ id: number; url: string }>;
/**
 * Of an upload that nobody confirmed, the asset; of any, what was sent to its address, which a bucket takes as long as
 * the address is good.
 */
export const endUpload = job<{ id: number; key: string }>('end_upload', async (tx, { id, key }, { storage }) => {
  await deletePending(tx, id);
  await storage.remove(tx.organisation_id, key);
});

export const findUpload = (tx: Tx, actor: Actor, id: number) =>
  tx.row<AssetRow>(sql`
    select ${assetRow} from assets f where f.organisation_id = $1 and f.id = ${id} and ${mine(actor, 'f')}`);

type Confirmed = Pick<AssetRow, 'content_type' | 'sha256' | 'storage_key' | 'thumbnail_key'> & {
  width: number | null;
  height: number | null;
};
/** Whether this confirmation was the first. */
export const confirmAsset = (tx: Tx, id: number, found: Confirmed) =>
  tx.any(sql`
    update assets set state = 'ready', content_type = ${found.content_type}, sha256 = ${found.sha256},
      width = ${found.width}, height = ${found.height}, storage_key = ${found.storage_key},
      thumbnail_key = ${found.thumbnail_key}
    where organisation_id = $1 and id = ${id} and state = 'pending' returning id`);
export const deletePending = (tx: Tx, id: number) =>
  tx.rows(sql`
    with gone as (
      delete from assets where organisation_id = $1 and id = ${id} and state = 'pending'
      returning creator_id, byte_size)
    ${countedBytes('gone')}`);
export const deleteAsset = (tx: Tx, actor: Actor, id: number) =>
  tx.json(sql`
    with gone as (
      delete from assets f where f.organisation_id = $1 and f.id = ${id} and ${mine(actor, 'f')}
      returning f.id, f.storage_key, f.thumbnail_key, f.creator_id, f.byte_size),
    counted as (${countedBytes('gone')}),
    removal as (${queuedFileRemoval('gone', tx.now())})
    select json_build_object('id', id)::text as json from gone`);
