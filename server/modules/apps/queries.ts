import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import type { PointRead } from '../../kernel/data/point-reads.ts';
import { cleared, inserted } from '../../kernel/data/rows.ts';
import { all, given, jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type RowFamily, shownRows } from '../pictures/rows.ts';
import { insertedServiceAccount } from '../users/queries.ts';
import type { AppBody } from './contract.ts';

export const appFamily: RowFamily = {
  name: 'apps',
  columns: { name: cleared('text'), description: cleared('text', '') },
  shown: () => trusted('t.service_user_id, t.created_by'),
};
type NewApp = AppBody & { created_by: number | null };
/** With an account of its own, in whose name its keys write. */
export const insertApp = (tx: Tx, { created_by, ...app }: NewApp) => {
  const now = tx.now();
  const more = { service_user_id: trusted('(select id from account)'), created_by, created_at: now, updated_at: now };
  return tx.json(sql`
    with ${insertedServiceAccount(app.name, now)},
    added as (${inserted(appFamily, app, more)})
    ${shownRows(appFamily, trusted('added'), now)}`) as Promise<Json>;
};
export const findAppByName = (tx: Tx, name: string) =>
  tx.value<number>(sql`select id from apps where organisation_id = $1 and name = ${name}`);

/**
 * A key that is neither unknown nor revoked, by the hash of its token. A personal key is good while its person has
 * access.
 */
export const keyByHash: PointRead = {
  keyType: 'text',
  text: `
    select row_to_json(r) from (
      select k.id, k.status, k.scopes, coalesce(k.user_id, a.service_user_id) as user_id,
        case when k.user_id is not null then u.roles end as roles,
        extract(epoch from k.expires_at) * 1000 as expires_ms, extract(epoch from k.last_used_at) * 1000 as used_ms
      from api_keys k
      left join apps a on a.organisation_id = $1 and a.id = k.app_id
      left join users u on u.organisation_id = $1 and u.id = k.user_id
      where k.organisation_id = $1 and k.token_sha256 = KEY and k.revoked_at is null and k.status <> 'refused'
        and (k.user_id is null or u.is_active and u.has_access)) r`,
};

const shownKeys = (source: Sql) =>
  jsonOf(sql`
    select t.id, t.app_id, t.user_id, t.name, t.scopes, t.status, t.decided_by,
      iso(t.decided_at) as decided_at, t.created_by, iso(t.created_at) as created_at,
      iso(t.expires_at) as expires_at, iso(t.last_used_at) as last_used_at, iso(t.revoked_at) as revoked_at
    from ${source} t`);
const keysList: Listing = { table: 'api_keys', at: null, id: 'id', newestFirst: false };

/** A key is an app's, or a person's own. */
export interface KeyOwner {
  app_id?: number;
  user_id?: number;
}
const ownedBy = ({ app_id, user_id }: KeyOwner) =>
  all([...given(app_id, (id) => sql`t.app_id = ${id}`), ...given(user_id, (id) => sql`t.user_id = ${id}`)]);

export type KeyStatus = 'active' | 'pending' | 'refused';
type KeyFilter = { skip: number; take: number; status?: KeyStatus };
export const listKeys = (tx: Tx, owner: KeyOwner, { skip, take, status }: KeyFilter) => {
  const key = trusted('(select * from api_keys where organisation_id = $1 and id = listed.id)');
  // A literal, so that the index of those that are pending is used.
  const where = [ownedBy(owner), ...given(status, (one) => sql`t.status = ${literal(one)}`)];
  return listRows(tx, keysList, { skip, take, ...everyRow, where }, shownKeys(key));
};
export interface NewKey extends KeyOwner {
  name: string;
  scopes: readonly string[];
  token_sha256: string;
  expires_at?: string | null;
  created_by: number | null;
  status?: KeyStatus;
}
/** Undefined: there is no such app. */
export const insertKey = (tx: Tx, { app_id, user_id, name, scopes, token_sha256, ...more }: NewKey) => {
  const { expires_at = null, created_by, status = 'active' } = more;
  return tx.json(sql`
    with added as (
      insert into api_keys (organisation_id, app_id, user_id, name, scopes, token_sha256, expires_at, status,
        created_by, created_at)
      select $1, o.app_id, o.user_id, ${name}, ${scopes}::text[], ${token_sha256}, ${expires_at}::timestamptz,
        ${status}, ${created_by}::bigint, ${tx.now()}::timestamptz
      from (select ${app_id ?? null}::bigint as app_id, ${user_id ?? null}::bigint as user_id) o
      where o.app_id is null or exists (select from apps a where a.organisation_id = $1 and a.id = o.app_id)
      returning *)
    ${shownKeys(trusted('added'))}`);
};
export const lockKey = (tx: Tx, id: number) =>
  tx.row<{ name: string; scopes: string[]; status: KeyStatus; created_by: number | null }>(sql`
    select name, scopes, status, created_by from api_keys
    where organisation_id = $1 and id = ${id} and revoked_at is null for update`);
export const decideKey = (tx: Tx, id: number, status: KeyStatus, decided_by: number | null) =>
  tx.json(sql`
    with changed as (
      update api_keys set status = ${status}, decided_by = ${decided_by}::bigint, decided_at = ${tx.now()}::timestamptz
      where organisation_id = $1 and id = ${id} returning *)
    ${shownKeys(trusted('changed'))}`) as Promise<Json>;
export const revokeKey = (tx: Tx, id: number, owner: KeyOwner = {}) =>
  tx.json(sql`
    with changed as (
      update api_keys t set revoked_at = coalesce(t.revoked_at, ${tx.now()})
      where t.organisation_id = $1 and t.id = ${id} and ${ownedBy(owner)} returning t.*)
    ${shownKeys(trusted('changed'))}`);
/** Every personal key of these people. Returns how many ended. */
export const revokePersonalKeys = async (tx: Tx, user_ids: readonly number[]) =>
  (
    await tx.values(sql`
      update api_keys set revoked_at = ${tx.now()}
      where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) and revoked_at is null returning id`)
  ).length;
export const touchKey = (tx: Tx, id: number) =>
  tx.rows(sql`update api_keys set last_used_at = ${tx.now()} where organisation_id = $1 and id = ${id}`);

export interface KeyRow {
  id: number;
  app_id: number | null;
  name: string;
  scopes: string[];
  status: KeyStatus;
  revoked: boolean;
  last_used_at: string | null;
}
export const findKeys = (tx: Tx) =>
  tx.rows<KeyRow>(sql`
    select id, app_id, name, scopes, status, revoked_at is not null as revoked, iso(last_used_at) as last_used_at
    from api_keys where organisation_id = $1 order by id`);
/** Scalar: keys of apps that this person made. */
export const countAppKeysOf = (user_id: number) => sql`(
  select count(*) from api_keys k
  where k.organisation_id = $1 and k.created_by = ${user_id} and k.app_id is not null and k.revoked_at is null)`;
