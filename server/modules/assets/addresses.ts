// Signed addresses: who has one may read the file, or upload it, until it expires. PostgreSQL signs them, so that a
// page of content needs no second look; files.ts checks them.
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';

/** Columns of the asset `f`; needs its organisation `o`. */
export const addresses = (now: string): Sql => {
  const of = (variant: string, name: string) =>
    sql`signed_url(o, '/files/' || o.id || '/' || f.id || ${trusted(`'/${variant}', ${name}`)}, ${now}::timestamptz)`;
  return sql`${of('original', 'f.file_name')} as url,
    case when f.thumbnail_key is not null then ${of('thumbnail', `'thumbnail.webp'`)} end as thumbnail_url`;
};

/** Scalar: where the bytes of the asset with this id may be sent; needs its organisation `o`. */
export const uploadAddress = (id: string, expires_at: number): Sql => sql`(
  select o.web_url || a.target || '&signature=' || address_signature(o, a.target)
  from (
    select '/uploads/' || o.id || '/' || ${trusted(id)} || '?expires=' || ${expires_at}::bigint as target) a)`;

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
export const assetRow = trusted(
  'f.id, f.file_name, f.content_type, f.byte_size, f.sha256, f.state, f.storage_key, f.thumbnail_key',
);
export interface SignedFile extends AssetRow {
  signature: string;
  file_keys_sealed: string | null;
  /** Whoever announced it has access now. */
  may_be_sent: boolean;
}
/** The stored file behind a signed address, with what the signature must be, and former keys that may have made it. */
export const findSignedFile = (tx: Tx, id: number, target: string) =>
  tx.row<SignedFile>(sql`
    select ${assetRow}, address_signature(o, ${target}) as signature, o.file_keys_sealed,
      u.kind <> 'person' or u.is_active and u.has_access as may_be_sent
    from assets f join organisations o on o.id = $1
    join users u on u.organisation_id = $1 and u.id = f.creator_id
    where f.organisation_id = $1 and f.id = ${id}`);
