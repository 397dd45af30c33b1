import type { Role } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { counted, everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import type { PointRead } from '../../kernel/data/point-reads.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { usersList } from '../users/queries.ts';

/** A key that is neither unknown nor revoked, by the hash of its token. A personal key is good while its person has access. */
export const keyByHash: PointRead = {
  keyType: 'text',
  text: `select row_to_json(r) from (
    select k.id, k.scopes, coalesce(k.user_id, a.service_user_id) as user_id, case when k.user_id is not null then u.roles end as roles, extract(epoch from k.expires_at) * 1000 as expires_ms, extract(epoch from k.last_used_at) * 1000 as used_ms
    from api_keys k left join apps a on a.organisation_id = $1 and a.id = k.app_id left join users u on u.organisation_id = $1 and u.id = k.user_id
    where k.organisation_id = $1 and k.token_sha256 = KEY and k.revoked_at is null and (k.user_id is null or u.is_active and u.has_access)) r`,
};

const appColumns = trusted(
  'a.id, a.name, a.description, a.service_user_id, a.created_by, iso(a.created_at) as created_at, iso(a.updated_at) as updated_at',
);
const keyColumns = trusted(
  'k.id, k.app_id, k.user_id, k.name, k.scopes, k.created_by, iso(k.created_at) as created_at, iso(k.expires_at) as expires_at, iso(k.last_used_at) as last_used_at, iso(k.revoked_at) as revoked_at',
);
const showApp = (source: Sql) => sql`select row_to_json(r)::text as json from (select ${appColumns} from ${source}) r`;
const showKey = (source: Sql) => sql`select row_to_json(r)::text as json from (select ${keyColumns} from ${source}) r`;

const appsList: Listing = { table: 'apps', at: null, id: 'id', newestFirst: false };
const keysList: Listing = { table: 'api_keys', at: null, id: 'id', newestFirst: false };

export const listApps = (tx: Tx, skip: number, take: number) =>
  listRows(
    tx,
    appsList,
    { skip, take, ...everyRow },
    showApp(sql`apps a where a.organisation_id = $1 and a.id = listed.id`),
  );
export const findApp = (tx: Tx, id: number) =>
  tx.json(showApp(sql`apps a where a.organisation_id = $1 and a.id = ${id}`));
export const insertApp = (
  tx: Tx,
  { name, description, created_by }: { name: string; description: string; created_by: number | null },
) =>
  tx.json(sql`
    with account as (
      insert into users (organisation_id, email, first_name, last_name, kind, has_access, created_at, updated_at)
      values ($1, 'app-' || gen_random_uuid() || '@service.invalid', ${name}, '', 'service', false, ${tx.now()}, ${tx.now()}) returning *),
    change as (${counted(usersList, 'account', 1)}),
    a as (
      insert into apps (organisation_id, name, description, service_user_id, created_by, created_at, updated_at)
      select $1, ${name}, ${description}, account.id, ${created_by}, ${tx.now()}, ${tx.now()} from account returning *)
    ${showApp(trusted('a'))}`) as Promise<Json>;
export const updateApp = (tx: Tx, id: number, { name, description }: { name: string; description: string }) =>
  tx.json(sql`
    with a as (update apps set name = ${name}, description = ${description}, updated_at = ${tx.now()} where organisation_id = $1 and id = ${id} returning *)
    ${showApp(trusted('a'))}`);
export const deleteApp = (tx: Tx, id: number) =>
  tx.json(
    sql`delete from apps where organisation_id = $1 and id = ${id} returning json_build_object('id', id)::text as json`,
  );

export const listKeys = (tx: Tx, app_id: number, skip: number, take: number) =>
  listRows(
    tx,
    keysList,
    { skip, take, ...everyRow, where: [sql`t.app_id = ${app_id}`] },
    showKey(sql`api_keys k where k.organisation_id = $1 and k.id = listed.id`),
  );

export interface NewKey {
  app_id: number;
  name: string;
  scopes: readonly string[];
  token_sha256: string;
  created_by: number | null;
  expires_at?: string | null | undefined;
}
export const insertKey = (tx: Tx, { app_id, name, scopes, token_sha256, created_by, expires_at }: NewKey) =>
  tx.json(sql`
    with k as (
      insert into api_keys (organisation_id, app_id, name, scopes, token_sha256, created_by, created_at, expires_at)
      select $1, a.id, ${name}, ${scopes}::text[], ${token_sha256}, ${created_by}, ${tx.now()}, ${expires_at ?? null} from apps a where a.organisation_id = $1 and a.id = ${app_id} returning *)
    ${showKey(trusted('k'))}`);
export const listPersonalKeys = (tx: Tx, user_id: number, skip: number, take: number) =>
  listRows(
    tx,
    keysList,
    { skip, take, ...everyRow, where: [sql`t.user_id = ${user_id}`] },
    showKey(sql`api_keys k where k.organisation_id = $1 and k.id = listed.id`),
  );
export const insertPersonalKey = (
  tx: Tx,
  user_id: number,
  { name, scopes, token_sha256, expires_at }: Omit<NewKey, 'app_id' | 'created_by'>,
) =>
  tx.json(sql`
    with k as (
      insert into api_keys (organisation_id, user_id, name, scopes, token_sha256, created_by, created_at, expires_at)
      values ($1, ${user_id}, ${name}, ${scopes}::text[], ${token_sha256}, ${user_id}, ${tx.now()}, ${expires_at ?? null}) returning *)
    ${showKey(trusted('k'))}`) as Promise<Json>;
export const revokePersonalKey = (tx: Tx, user_id: number, id: number) =>
  tx.json(sql`
    with k as (update api_keys set revoked_at = coalesce(revoked_at, ${tx.now()}) where organisation_id = $1 and user_id = ${user_id} and id = ${id} returning *)
    ${showKey(trusted('k'))}`);
/** Every personal key of the person; returns how many ended. */
export const revokePersonalKeys = async (tx: Tx, user_ids: readonly number[]) =>
  (
    await tx.rows(sql`
    update api_keys set revoked_at = ${tx.now()}
    where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) and revoked_at is null returning id`)
  ).length;
export const revokeKey = (tx: Tx, id: number) =>
  tx.json(sql`
    with k as (update api_keys set revoked_at = coalesce(revoked_at, ${tx.now()}) where organisation_id = $1 and id = ${id} returning *)
    ${showKey(trusted('k'))}`);
export const touchKey = (tx: Tx, id: number) =>
  tx.rows(sql`update api_keys set last_used_at = ${tx.now()} where organisation_id = $1 and id = ${id}`);
export const findAppByName = async (tx: Tx, name: string) =>
  (await tx.row<{ id: number }>(sql`select id from apps where organisation_id = $1 and name = ${name}`))?.id;
export const findKeys = (tx: Tx) =>
  tx.rows<{
    id: number;
    app_id: number | null;
    name: string;
    scopes: string[];
    revoked: boolean;
    last_used_at: string | null;
  }>(sql`
  select id, app_id, name, scopes, revoked_at is not null as revoked, iso(last_used_at) as last_used_at from api_keys where organisation_id = $1 order by id`);

// ---- JWT settings ------------------------------------------------------------------------------------------------

export interface JwtKeys {
  keys: { kid?: string; [parameter: string]: unknown }[];
}
const jwtSettings = trusted(
  `json_build_object('app_id', j.app_id, 'jwks', j.jwks, 'jwks_url', j.jwks_url, 'updated_at', iso(j.updated_at))::text as json`,
);
export const findJwtSettings = (tx: Tx, app_id: number) =>
  tx.json(sql`select ${jwtSettings} from app_jwt_settings j where j.organisation_id = $1 and j.app_id = ${app_id}`);
export interface JwtKeySource {
  jwks?: JwtKeys | undefined;
  jwks_url?: string | undefined;
}
export const upsertJwtSettings = (tx: Tx, app_id: number, { jwks, jwks_url }: JwtKeySource) =>
  tx.json(sql`
    with j as (
      insert into app_jwt_settings (organisation_id, app_id, jwks, jwks_url, updated_at) select $1, a.id, ${jwks ? JSON.stringify(jwks) : null}::json, ${jwks_url ?? null}, ${tx.now()}::timestamptz from apps a where a.organisation_id = $1 and a.id = ${app_id}
      on conflict (organisation_id, app_id) do update set jwks = excluded.jwks, jwks_url = excluded.jwks_url, updated_at = excluded.updated_at returning *)
    select ${jwtSettings} from j`);
export const deleteJwtSettings = (tx: Tx, app_id: number) =>
  tx.json(
    sql`delete from app_jwt_settings where organisation_id = $1 and app_id = ${app_id} returning json_build_object('app_id', app_id)::text as json`,
  );
export const findJwtKeySource = (tx: Tx, app_id: number) =>
  tx.row<{ jwks: string | null; jwks_url: string | null }>(
    sql`select jwks::text, jwks_url from app_jwt_settings where organisation_id = $1 and app_id = ${app_id}`,
  );
export interface JwtUse {
  app_id: number;
  jti_sha256: string;
  expires_ms: number;
  user_id: number | null;
  email: string | null;
}
/** The active person whom the token names; undefined when there is none, or when the token was used before. */
export const useJwt = (tx: Tx, { app_id, jti_sha256, expires_ms, user_id, email }: JwtUse) =>
  tx.row<{ id: number; roles: Role[] }>(sql`
    with person as (
      select id, roles from users where organisation_id = $1 and kind = 'person' and is_active and has_access and (id = ${user_id} or lower(email) = lower(${email}))),
    used as (
      insert into app_jwt_uses (organisation_id, app_id, jti_sha256, expires_at) select $1, ${app_id}, ${jti_sha256}, to_timestamp(${expires_ms}::float8 / 1000) from person on conflict do nothing returning app_id)
    select id, roles from person where exists (select from used)`);
export const deleteExpiredJwtUses = (tx: Tx) =>
  tx.rows(sql`delete from app_jwt_uses where organisation_id = $1 and expires_at < ${tx.now()}::timestamptz`);

/** Scalar: keys of apps that this person made. */
export const countAppKeysOf = (user_id: number) => sql`(
  select count(*) from api_keys k
  where k.organisation_id = $1 and k.created_by = ${user_id} and k.app_id is not null and k.revoked_at is null)`;
