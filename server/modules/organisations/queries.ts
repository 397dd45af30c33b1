import type { Db, Json, Tx } from '../../kernel/data/db.ts';
import { assigned, cleared, kept, type Values } from '../../kernel/data/rows.ts';
import { jsonOf, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Address } from './addresses.ts';

const shownFrom = (source: string) =>
  jsonOf(
    trusted(`
      select t.id, t.name, t.domain, t.web_url as api_base_url, json_build_object(
          'direct', t.web_url || '/scim/v2/scim', 'idp-a', t.web_url || '/idp-a/v2/scim',
          'idp-b', t.web_url || '/idp-b/v2/scim') as scim_base_urls,
        t.locale, t.timezone, t.content_approvals, t.cors_origins, iso(t.created_at) as created_at,
        iso(t.updated_at) as updated_at
      from ${source} t`),
  );
const settings = {
  name: cleared('text'),
  locale: cleared('text', 'en'),
  timezone: cleared('text', 'UTC'),
  content_approvals: cleared('boolean', false),
  cors_origins: kept('text[]'),
};
export const findOrganisation = (tx: Tx) => tx.json(shownFrom('(select * from organisations where id = $1)'));
const placedAt = ({ domain, web_url }: Address, isOwn: boolean) =>
  sql`domain = ${domain}, web_url = ${web_url}, has_own_domain = ${isOwn}, `;
export const updateOrganisation = (tx: Tx, values: Values, address: Address | undefined) =>
  tx.json(sql`
    with changed as (
      update organisations t
      set ${address ? placedAt(address, true) : sql``}${assigned(settings, values, 't')}, updated_at = ${tx.now()}
      where t.id = $1 returning *)
    ${shownFrom('changed')}`) as Promise<Json>;
/** Addresses that are not its own follow those of the installation. */
export const updateAddress = (tx: Tx, address: Address, isOwn: boolean) =>
  tx.rows(sql`update organisations set ${placedAt(address, isOwn)}updated_at = ${tx.now()} where id = $1`);

const urlExpiry = trusted(`json_build_object('url_expiry_seconds', url_expiry_seconds)::text as json`);
/** How long signed addresses of files are good for. */
export const getUrlExpiry = (tx: Tx) =>
  tx.json(sql`select ${urlExpiry} from organisations where id = $1`) as Promise<Json>;
export const updateUrlExpiry = (tx: Tx, seconds: number) =>
  tx.json(sql`
    update organisations set url_expiry_seconds = ${seconds}, updated_at = ${tx.now()} where id = $1
    returning ${urlExpiry}`) as Promise<Json>;

/** What addresses of files were signed with once is kept sealed only. */
export const insertFormerKeys = (tx: Tx, sealed: string) =>
  tx.rows(sql`
    update organisations set file_keys_sealed = ${sealed}, file_inner = null, file_outer = null
    where id = $1 and file_inner is not null`);

/** CTE body: a row once on every day of the organisation's calendar on which the condition holds. */
export const claimedAwardDay = (condition: Sql, now: string): Sql => {
  const today = sql`(${now}::timestamptz at time zone o.timezone)::date`;
  return sql`
    update organisations o set badges_awarded_on = ${today}
    where o.id = $1 and o.badges_awarded_on is distinct from ${today} and ${condition} returning o.id`;
};

export interface OrganisationRow {
  id: number;
  name: string;
  domain: string;
  web_url: string;
  has_own_domain: boolean;
  is_demo: boolean;
}
// The directory of organisations is above any one of them.
export const listOrganisations = (db: Db) =>
  db.installation.rows<OrganisationRow>(
    'select id, name, domain, web_url, has_own_domain, is_demo from organisations order by id',
  );
/** Of these hosts, which lead to one machine: where an organisation is reached, that of `host` before others. */
export const findAddress = async (db: Db, hosts: readonly string[], host: string): Promise<Address | undefined> =>
  (
    await db.installation.rows<Address>(
      'select domain, web_url from organisations where domain = any($1) order by domain = $2 desc, id limit 1',
      [hosts, host],
    )
  )[0];
export async function nextOrganisationId(db: Db): Promise<number> {
  const [row] = await db.installation.rows<{ id: number }>(
    `select nextval(pg_get_serial_sequence('organisations', 'id')) as id`,
  );
  return row?.id ?? 0;
}

export const insertOrganisation = (
  tx: Tx,
  { name, domain, web_url, has_own_domain, is_demo }: Omit<OrganisationRow, 'id'>,
) =>
  tx.rows(sql`
    insert into organisations (id, name, domain, web_url, has_own_domain, is_demo, created_at, updated_at)
    values ($1, ${name}, ${domain}, ${web_url}, ${has_own_domain}, ${is_demo}, ${tx.now()}, ${tx.now()})`);
