import type { Role } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type JwtSettingsBody, LIFETIME_SECONDS_MAX } from './contract.ts';

export interface JwtKeys {
  keys: { kid?: string; [parameter: string]: unknown }[];
}
const settings = trusted(`json_build_object(
  'app_id', j.app_id, 'jwks', j.jwks, 'jwks_url', j.jwks_url, 'scopes', j.scopes, 'requires_jti', j.requires_jti,
  'lifetime_seconds_max', j.lifetime_seconds_max, 'updated_at', iso(j.updated_at))::text as json`);
export const findJwtSettings = (tx: Tx, app_id: number) =>
  tx.json(sql`select ${settings} from app_jwt_settings j where j.organisation_id = $1 and j.app_id = ${app_id}`);
/** Undefined: there is no such app. */
export const upsertJwtSettings = (tx: Tx, app_id: number, { jwks, ...body }: JwtSettingsBody) =>
  tx.json(sql`
    with j as (
      insert into app_jwt_settings (
        organisation_id, app_id, jwks, jwks_url, scopes, requires_jti, lifetime_seconds_max, updated_at)
      select $1, a.id, ${jwks ? JSON.stringify(jwks) : null}::json, ${body.jwks_url ?? null},
        ${body.scopes ?? null}::text[], ${body.requires_jti ?? false}::boolean,
        ${body.lifetime_seconds_max ?? LIFETIME_SECONDS_MAX}::int, ${tx.now()}::timestamptz
      from apps a where a.organisation_id = $1 and a.id = ${app_id}
      on conflict (organisation_id, app_id) do update
      set (jwks, jwks_url, scopes, requires_jti, lifetime_seconds_max, updated_at) = (excluded.jwks, excluded.jwks_url,
        excluded.scopes, excluded.requires_jti, excluded.lifetime_seconds_max, excluded.updated_at)
      returning *)
    select ${settings} from j`);
export const deleteJwtSettings = (tx: Tx, app_id: number) =>
  tx.json(sql`
    delete from app_jwt_settings where organisation_id = $1 and app_id = ${app_id}
    returning json_build_object('app_id', app_id)::text as json`);

/** What a JWT of an app is judged by. */
export interface JwtRules {
  jwks: string | null;
  jwks_url: string | null;
  /** Null: everything but what is closed to JWTs. */
  scopes: string[] | null;
  requires_jti: boolean;
  lifetime_seconds_max: number;
  web_url: string;
}
export const findJwtRules = (tx: Tx, app_id: number) =>
  tx.row<JwtRules>(sql`
    select j.jwks::text, j.jwks_url, j.scopes, j.requires_jti, j.lifetime_seconds_max, o.web_url
    from app_jwt_settings j join organisations o on o.id = $1
    where j.organisation_id = $1 and j.app_id = ${app_id}`);

export interface AppJwtUse {
  app_id: number;
  /** Null: it may be used again until it expires. */
  jti_sha256: string | null;
  expires_ms: number;
}
export interface JwtUse extends AppJwtUse {
  user_id: number | null;
  email: string | null;
}
interface Used {
  id: number;
  roles: Role[];
  is_first: boolean;
}
const usedBy = (person: Sql, { app_id, jti_sha256, expires_ms }: AppJwtUse) => sql`
  with person as (${person}),
  used as (
    insert into app_jwt_uses (organisation_id, app_id, jti_sha256, expires_at)
    select $1, ${app_id}, u.jti_sha256, to_timestamp(${expires_ms}::float8 / 1000)
    from person, (select ${jti_sha256}::text as jti_sha256) u where u.jti_sha256 is not null
    on conflict do nothing returning app_id)
  select id, roles, ${jti_sha256}::text is null or exists (select from used) as is_first from person`;
/** The active person whom the token names, and whether it was not used before; undefined when there is none. */
export const useJwt = (tx: Tx, { user_id, email, ...use }: JwtUse) => {
  const person = sql`
    select id, roles from users
    where organisation_id = $1 and kind = 'person' and is_active and has_access
      and (id = ${user_id} or lower(email) = lower(${email}))`;
  return tx.row<Used>(usedBy(person, use));
};
/** The same of an app that speaks for itself: its service account. */
export const useAppJwt = (tx: Tx, use: AppJwtUse) => {
  const account = sql`
    select service_user_id as id, '{}'::text[] as roles from apps where organisation_id = $1 and id = ${use.app_id}`;
  return tx.row<Used>(usedBy(account, use));
};
export const deleteExpiredJwtUses = (tx: Tx) =>
  tx.rows(sql`delete from app_jwt_uses where organisation_id = $1 and expires_at < ${tx.now()}::timestamptz`);
