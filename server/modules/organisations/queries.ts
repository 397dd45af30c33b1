import type { Db, Json, Tx } from '../../kernel/data/db.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';

const shown =
  trusted(`json_build_object('id', id, 'name', name, 'domain', domain, 'api_base_url', web_url, 'scim_base_urls', json_build_object(
  'direct', web_url || '/scim/v2/scim', 'idp-a', web_url || '/idp-a/v2/scim', 'idp-b', web_url || '/idp-b/v2/scim'),
  'locale', locale, 'timezone', timezone, 'content_approvals', content_approvals, 'created_at', iso(created_at), 'updated_at', iso(updated_at))::text as json`);

interface Settings {
  name: string;
  locale: string;
  timezone: string;
  content_approvals: boolean;
}
export const findOrganisation = (tx: Tx) => tx.json(sql`select ${shown} from organisations where id = $1`);
export const updateOrganisation = (tx: Tx, { name, locale, timezone, content_approvals }: Settings) =>
  tx.json(
    sql`update organisations set name = ${name}, locale = ${locale}, timezone = ${timezone}, content_approvals = ${content_approvals}, updated_at = ${tx.now()} where id = $1 returning ${shown}`,
  ) as Promise<Json>;
export const updateDomain = (tx: Tx, domain: string) =>
  tx.rows(sql`update organisations set domain = ${domain} where id = $1 and domain <> ${domain}`);

export interface OrganisationRow {
  id: number;
  name: string;
  domain: string;
  web_url: string;
  is_demo: boolean;
}
// The directory of organisations is above any one of them.
export const listOrganisations = (db: Db) =>
  db.installation.rows<OrganisationRow>('select id, name, domain, web_url, is_demo from organisations order by id');
export async function nextOrganisationId(db: Db): Promise<number> {
  const [row] = await db.installation.rows<{ id: number }>(
    `select nextval(pg_get_serial_sequence('organisations', 'id')) as id`,
  );
  return row?.id ?? 0;
}

export const insertOrganisation = (
  tx: Tx,
  { name, domain, is_demo }: { name: string; domain: string; is_demo: boolean },
) =>
  tx.row<OrganisationRow>(sql`
    insert into organisations (id, name, domain, is_demo, created_at, updated_at) values ($1, ${name}, ${domain}, ${is_demo}, ${tx.now()}, ${tx.now()})
    returning id, name, domain, web_url, is_demo`) as Promise<OrganisationRow>;
