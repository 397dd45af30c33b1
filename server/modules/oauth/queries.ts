import type { Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import type { PointRead } from '../../kernel/data/point-reads.ts';
import { jsonOf, type Sql, sql } from '../../kernel/data/sql.ts';
import type { NewClient } from './clients.ts';
import type { Grantable } from './contract.ts';

const CODE_LIFE = '1 minute';
const ACCESS_LIFE = '1 hour';
export const ACCESS_SECONDS = 3600;
/** A grant that nobody has used for so long ends. */
const IDLE = '30 days';
/** Of clients: registering is open to anybody. */
const CLIENTS_MAX = 2000;

const now = (tx: Tx): Sql => sql`${tx.now()}::timestamptz`;

/** Undefined: there are too many already. */
export const insertClient = (tx: Tx, { client_id, name, website, redirect_uris }: NewClient) =>
  tx.value<string>(sql`
    insert into oauth_clients (organisation_id, client_id, name, website, redirect_uris, created_at)
    select $1, ${client_id}, ${name}, ${website}, ${redirect_uris}::text[], ${now(tx)}
    where (select count(*) from oauth_clients where organisation_id = $1) < ${CLIENTS_MAX}
    returning client_id`);

export interface Client {
  id: number;
  redirect_uris: string[];
  name: string;
  website: string | null;
  created_at: string;
}
export const findClient = (tx: Tx, client_id: string) =>
  tx.row<Client>(sql`
    select id, redirect_uris, name, website, iso(created_at) as created_at
    from oauth_clients where organisation_id = $1 and client_id = ${client_id}`);

interface NewGrant {
  client_id: number;
  user_id: number;
  scopes: readonly Grantable[];
  redirect_uri: string;
  code_challenge: string;
  code_sha256: string;
}
export const insertGrant = (tx: Tx, grant: NewGrant) =>
  tx.rows(sql`
    insert into oauth_grants (organisation_id, client_id, user_id, scopes, redirect_uri, code_challenge, code_sha256,
      code_expires_at, created_at, last_used_at)
    values ($1, ${grant.client_id}, ${grant.user_id}, ${grant.scopes}::text[], ${grant.redirect_uri},
      ${grant.code_challenge}, ${grant.code_sha256}, ${now(tx)} + ${CODE_LIFE}::interval, ${now(tx)}, ${now(tx)})`);

export interface Coded {
  id: number;
  client_id: string;
  redirect_uri: string;
  code_challenge: string;
  is_expired: boolean;
  is_used: boolean;
}
export const findCode = (tx: Tx, code_sha256: string) =>
  tx.row<Coded>(sql`
    select g.id, c.client_id, g.redirect_uri, g.code_challenge, g.code_expires_at <= ${now(tx)} as is_expired,
      g.code_used_at is not null as is_used
    from oauth_grants g join oauth_clients c on c.organisation_id = $1 and c.id = g.client_id
    where g.organisation_id = $1 and g.code_sha256 = ${code_sha256}`);

export interface Tokens {
  access_sha256: string;
  refresh_sha256: string;
}
/** Undefined: somebody else has used the code meanwhile. */
export const useCode = (tx: Tx, id: number, { access_sha256, refresh_sha256 }: Tokens) =>
  tx.row<{ scopes: string[] }>(sql`
    update oauth_grants set code_used_at = ${now(tx)}, access_sha256 = ${access_sha256},
      access_expires_at = ${now(tx)} + ${ACCESS_LIFE}::interval, refresh_sha256 = ${refresh_sha256}
    where organisation_id = $1 and id = ${id} and code_used_at is null
    returning scopes`);

/** Each refresh token is good once (RFC 9700 4.14.2). */
export const useRefresh = (tx: Tx, client_id: string, used_sha256: string, next: Tokens) =>
  tx.row<{ scopes: string[] }>(sql`
    update oauth_grants g set access_sha256 = ${next.access_sha256},
      access_expires_at = ${now(tx)} + ${ACCESS_LIFE}::interval, refresh_sha256 = ${next.refresh_sha256},
      former_refresh_sha256 = ${used_sha256}, last_used_at = ${now(tx)}
    from oauth_clients c
    where g.organisation_id = $1 and g.refresh_sha256 = ${used_sha256} and c.organisation_id = $1
      and c.id = g.client_id and c.client_id = ${client_id} and g.last_used_at > ${now(tx)} - ${IDLE}::interval
    returning g.scopes`);
/** A token that was used before is in two hands: what was granted ends. */
export const endByFormerRefresh = (tx: Tx, refresh_sha256: string) =>
  tx.rows(sql`
    delete from oauth_grants where organisation_id = $1 and former_refresh_sha256 = ${refresh_sha256}`);
export const endById = (tx: Tx, id: number) =>
  tx.rows(sql`delete from oauth_grants where organisation_id = $1 and id = ${id}`);
/** RFC 7009: by either token. */
export const endByToken = (tx: Tx, token_sha256: string) =>
  tx.rows(sql`
    delete from oauth_grants
    where organisation_id = $1 and (access_sha256 = ${token_sha256} or refresh_sha256 = ${token_sha256})`);

/** A live grant of a person who has access, by the hash of its access token. */
export const grantByAccess: PointRead = {
  keyType: 'text',
  text: `
    select row_to_json(r) from (
      select g.id, g.user_id, g.scopes, u.roles, extract(epoch from g.access_expires_at) * 1000 as expires_ms
      from oauth_grants g join users u on u.organisation_id = $1 and u.id = g.user_id
      where g.organisation_id = $1 and g.access_sha256 = KEY and u.is_active and u.has_access) r`,
};

const grantsList: Listing = { table: 'oauth_grants', at: null, id: 'id', newestFirst: true };
export const listGrants = (tx: Tx, user_id: number, { skip, take }: { skip: number; take: number }) =>
  listRows(
    tx,
    grantsList,
    { skip, take, ...everyRow, where: [sql`t.user_id = ${user_id}`, sql`t.access_sha256 is not null`] },
    jsonOf(sql`
      select g.id, g.scopes, iso(g.created_at) as created_at, iso(g.last_used_at) as last_used_at, (
        select json_build_object('name', c.name, 'website', c.website, 'created_at', iso(c.created_at))
        from oauth_clients c where c.organisation_id = $1 and c.id = g.client_id) as program
      from oauth_grants g where g.organisation_id = $1 and g.id = listed.id`),
  );
export const deleteGrant = (tx: Tx, user_id: number, id: number) =>
  tx.json(sql`
    delete from oauth_grants where organisation_id = $1 and user_id = ${user_id} and id = ${id}
    returning json_build_object('id', id)::text as json`);

export const endGrants = async (tx: Tx, user_ids: readonly number[]) => {
  const ended = await tx.values(sql`
    delete from oauth_grants where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) returning id`);
  return ended.length;
};
/** What nobody uses any more, and programs that were registered and never let in. */
export const deleteUnused = (tx: Tx) =>
  tx.rows(sql`
    with ended as (
      delete from oauth_grants
      where organisation_id = $1 and (last_used_at < ${now(tx)} - ${IDLE}::interval
        or access_sha256 is null and code_expires_at < ${now(tx)} - interval '1 hour'))
    delete from oauth_clients c
    where c.organisation_id = $1 and c.created_at < ${now(tx)} - interval '1 day'
      and not exists (select from oauth_grants g where g.organisation_id = $1 and g.client_id = c.id)`);
