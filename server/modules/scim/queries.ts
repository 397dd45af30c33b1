// Settings and secrets.
import type { Static } from '../../kernel/contract/schema.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import type { PointRead } from '../../kernel/data/point-reads.ts';
import { jsonOf, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Settings } from './contract.ts';

export type ScimSettings = Static<typeof Settings>;
export const defaults: ScimSettings = {
  reactivates: true,
  binds_secrets: false,
  assigns_roles: true,
  adopts_teams: false,
  group_team_type: 'Team',
  providers_granting_admin: [],
  guard_percent: 10,
  guard_least: 10,
  log_values: 'masked',
  log_days: 90,
};
const names = Object.keys(defaults);
const columns = trusted(names.join(', '));
const excluded = trusted(names.map((name) => `excluded.${name}`).join(', '));

export const findSettings = (tx: Tx) =>
  tx.json(
    jsonOf(sql`
      select ${columns}, guard_notice, iso(guard_paused_at) as guard_paused_at,
        iso(guard_lifted_until) as guard_lifted_until
      from scim_settings where organisation_id = $1`),
  );
export const upsertSettings = (tx: Tx, settings: ScimSettings) =>
  tx.rows(sql`
    insert into scim_settings (organisation_id, ${columns}, updated_at)
    select $1, ${columns}, ${tx.now()}::timestamptz
    from jsonb_populate_record(null::scim_settings, ${JSON.stringify(settings)}::jsonb)
    on conflict (organisation_id) do update set (${columns}, updated_at) = row(${excluded}, excluded.updated_at)`);

export interface FoundSecret {
  id: number;
  provider: string;
  is_revoked: boolean;
  expires_ms: number | null;
  used_ms: number | null;
  settings: ScimSettings | null;
}
/** A secret by its hash, with the organisation's settings. */
export const secretByHash: PointRead = {
  keyType: 'text',
  text: `
    select row_to_json(r) from (
      select s.id, s.provider, s.revoked_at is not null as is_revoked,
        extract(epoch from s.expires_at) * 1000 as expires_ms, extract(epoch from s.last_used_at) * 1000 as used_ms,
        (select row_to_json(p) from scim_settings p where p.organisation_id = $1) as settings
      from scim_secrets s where s.organisation_id = $1 and s.secret_sha256 = KEY) r`,
};
export const touchSecret = (tx: Tx, id: number) =>
  tx.rows(sql`update scim_secrets set last_used_at = ${tx.now()} where organisation_id = $1 and id = ${id}`);

const secretsList: Listing = { table: 'scim_secrets', at: null, id: 'id', newestFirst: true };
const shown = (source: Sql) =>
  jsonOf(sql`
    select s.id, s.provider, s.created_by, iso(s.created_at) as created_at, iso(s.expires_at) as expires_at,
      iso(s.last_used_at) as last_used_at, iso(s.revoked_at) as revoked_at
    from ${source}`);
export const listSecrets = (tx: Tx, skip: number, take: number) => {
  const secret = shown(sql`scim_secrets s where s.organisation_id = $1 and s.id = listed.id`);
  return listRows(tx, secretsList, { skip, take, ...everyRow }, secret);
};
/** The former secrets of the provider go on for the overlap. */
export const insertSecret = (
  tx: Tx,
  provider: string,
  sha256: string,
  created_by: number | null,
  overlap_hours: number,
) => {
  const end = sql`${tx.now()}::timestamptz + make_interval(hours => ${overlap_hours})`;
  return tx.json(sql`
    with former as (
      update scim_secrets set expires_at = ${end}
      where organisation_id = $1 and provider = ${provider} and revoked_at is null
        and (expires_at is null or expires_at > ${end})),
    s as (
      insert into scim_secrets (organisation_id, provider, secret_sha256, created_by, created_at)
      values ($1, ${provider}, ${sha256}, ${created_by}, ${tx.now()}) returning *)
    ${shown(trusted('s'))}`) as Promise<Json>;
};
export const revokeSecret = (tx: Tx, id: number) =>
  tx.json(sql`
    with s as (
      update scim_secrets set revoked_at = coalesce(revoked_at, ${tx.now()})
      where organisation_id = $1 and id = ${id} returning *)
    ${shown(trusted('s'))}`);
