// Signed addresses: who has one may read the file, or upload it, until it expires. PostgreSQL signs them, so that a
// page of content needs no second look; files.ts checks them.
import type { Role } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { joined, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { PublicNow } from '../../kernel/delivery/visibility.ts';
import { extensionPoint } from '../../kernel/module.ts';
import { isUnbounded } from '../../kernel/people/auth.ts';
import { actingAs } from '../users/access.ts';

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
  creator_id: number;
  origin: string;
  /** Whoever announced it has access now. */
  may_be_sent: boolean;
  /** Of the person whom the address was made for; null without one, and when they have no access. */
  roles: Role[] | null;
  shown_by: { kind: string; ids: number[] }[];
}
/**
 * The stored file behind a signed address, with what the signature must be, former keys that may have made it, and
 * what decides whether its reader still may.
 */
export const findSignedFile = (tx: Tx, id: number, target: string, reader: number | null) =>
  tx.row<SignedFile>(sql`
    select ${assetRow}, address_signature(o, ${target}) as signature, o.file_keys_sealed, f.creator_id, f.origin,
      u.kind <> 'person' or u.is_active and u.has_access as may_be_sent, (
        select r.roles from users r
        where r.organisation_id = $1 and r.id = ${reader}::bigint and r.is_active and r.has_access) as roles, (
        select coalesce(jsonb_agg(k), '[]') from (
          select c.kind, jsonb_agg(c.content_id) as ids from content_files c
          where c.organisation_id = $1 and c.asset_id = f.id and ${reader}::bigint is not null group by c.kind) k
      ) as shown_by
    from assets f join organisations o on o.id = $1
    join users u on u.organisation_id = $1 and u.id = f.creator_id
    where f.organisation_id = $1 and f.id = ${id}`);

/** What shows files under a kind of content_files: which of it a reader sees. */
export const showsFiles = extensionPoint<{ kind: string; seen: PublicNow }>();

/** Whether the person may read the file now: it is theirs, or something shows it that they see. */
export async function mayStillRead(tx: Tx, reader: number, { creator_id, origin, roles, shown_by }: SignedFile) {
  if (roles === null) return false;
  const actor = actingAs(tx, reader, roles);
  if (creator_id === reader || (origin === 'api' && isUnbounded(actor))) return true;
  const seen = shown_by.flatMap(({ kind, ids }) => {
    const showing = showsFiles.all.find((one) => one.kind === kind);
    return showing ? [showing.seen(sql`${ids}::bigint[]`, actor)] : [];
  });
  return seen.length > 0 && tx.any(joined(seen, ' union all '));
}
