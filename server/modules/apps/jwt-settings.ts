import type { Role } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';

export interface JwtKeys {
  keys: { kid?: string; [parameter: string]: unknown }[];
}
const settings = trusted(`json_build_object(
  'app_id', j.app_id, 'jwks', j.jwks, 'jwks_url', j.jwks_url, 'updated_at', iso(j.updated_at))::text as json`);
export const findJwtSettings = (tx: Tx, app_id: number) =>
  tx.json(sql`select ${settings} from app_jwt_settings j where j.organisation_id = $1 and j.app_id = ${app_id}`);
/** Undefined: there is no such app. */
export const upsertJwtSettings = (
  tx: Tx,
  app_id: number,
  { jwks, jwks_url }: { jwks?: JwtKeys | undefined; jwks_url?: string | undefined },
) =>
  tx.json(sql`
    with j as (
      insert into app_jwt_settings (organisation_id, app_id, jwks, jwks_url, updated_at)
      select $1, a.id, ${jwks ? JSON.stringify(jwks) : null}::json, ${jwks_url ?? null}, ${tx.now()}::timestamptz
      from apps a where a.organisation_id = $1 and a.id = ${app_id}
      on conflict (organisation_id, app_id) do update
      set (jwks, jwks_url, updated_at) = (excluded.jwks, excluded.jwks_url, excluded.updated_at)
      returning *)
    select ${settings} from j`);
export const deleteJwtSettings = (tx: Tx, app_id: number) =>
  tx.json(sql`
    delete from app_jwt_settings where organisation_id = $1 and app_id = ${app_id}
    returning json_build_object('app_id', app_id)::text as json`);
export const findJwtKeySource = (tx: Tx, app_id: number) =>
  tx.row<{ jwks: string | null; jwks_url: string | null }>(sql`
    select jwks::text, jwks_url from app_jwt_settings where organisation_id = $1 and app_id = ${app_id}`);

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
      select id, roles from users
      where organisation_id = $1 and kind = 'person' and is_active and has_access
        and (id = ${user_id} or lower(email) = lower(${email}))),
    used as (
      insert into app_jwt_uses (organisation_id, app_id, jti_sha256, expires_at)
      select $1, ${app_id}, ${jti_sha256}, to_timestamp(${expires_ms}::float8 / 1000) from person
      on conflict do nothing returning app_id)
    select id, roles from person where exists (select from used)`);
export const deleteExpiredJwtUses = (tx: Tx) =>
  tx.rows(sql`delete from app_jwt_uses where organisation_id = $1 and expires_at < ${tx.now()}::timestamptz`);
