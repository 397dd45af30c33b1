// What it takes before anybody can call: an organisation, its admin, keys and secrets.
import type { Db, Tx } from './kernel/data/db.ts';
import { sql } from './kernel/data/sql.ts';
import { hashPassword, randomSecret, sha256 } from './kernel/people/secrets.ts';
import { newToken } from './modules/apps/access.ts';
import { insertApp, insertKey } from './modules/apps/queries.ts';
import { type Address, addressOf } from './modules/organisations/addresses.ts';
import type { Organisation } from './modules/organisations/contract.ts';
import { findOrganisation, insertOrganisation, nextOrganisationId } from './modules/organisations/queries.ts';
import { newSecret } from './modules/scim/access.ts';
import { insertSecret } from './modules/scim/queries.ts';
import { updatePassword } from './modules/users/passwords.ts';
import { insertUser, updateUserRoles } from './modules/users/queries.ts';

export interface CreatedOrganisation extends Pick<Organisation, 'domain' | 'api_base_url' | 'scim_base_urls'> {
  organisation_id: number;
  admin: { email: string; password: string };
  api_key: string;
  scim_secret: string;
}
export interface NewOrganisation {
  name: string;
  /** Its own, or the address that it has as it has none. */
  domain: string | Address;
  is_demo?: boolean;
  admin?: { email: string; password?: string };
  /** Puts people and content in before the admin is looked up. */
  fill?: (tx: Tx) => Promise<void>;
}

const idOf = (json: string) => (JSON.parse(json) as { id: number }).id;

/** An organisation that can be worked with at once: an admin, an app with a key for everything, a SCIM secret. */
export async function createOrganisation(
  db: Db,
  { name, domain: given, is_demo = false, admin, fill }: NewOrganisation,
): Promise<CreatedOrganisation> {
  const has_own_domain = typeof given === 'string';
  const address = has_own_domain ? addressOf(given) : given;
  if (!address) throw new Error(`${given} is not a host name, for example intranet.example.com.`);
  const { domain } = address;
  const email = admin?.email ?? `admin@${domain.replace(/:\d+$/, '')}`;
  const password = admin?.password ?? randomSecret().slice(0, 16);
  const password_hash = await hashPassword(password);
  // All or nothing: a start that is killed leaves no organisation whose credentials nobody has seen.
  return db.inOrganisation(await nextOrganisationId(db)).transaction(async (tx) => {
    await insertOrganisation(tx, { name, ...address, has_own_domain, is_demo });
    await fill?.(tx);
    await ensureAdmin(tx, email, password_hash);
    const description = 'The key that was made with the organisation.';
    const app_id = idOf(await insertApp(tx, { name: 'Demo', description, created_by: null }));
    const { api_key } = await createKey(tx, app_id, 'First key', ['*']);
    const scim_secret = await createScimSecret(tx, 'direct');
    const { api_base_url, scim_base_urls } = JSON.parse((await findOrganisation(tx)) as string) as Organisation;
    const addresses = { domain, api_base_url, scim_base_urls };
    return { organisation_id: tx.organisation_id, ...addresses, admin: { email, password }, api_key, scim_secret };
  });
}

async function ensureAdmin(tx: Tx, email: string, password_hash: string) {
  const id =
    (await tx.value<number>(sql`select id from users where organisation_id = $1 and lower(email) = lower(${email})`)) ??
    idOf(await insertUser(tx, { email, first_name: 'Admin', last_name: 'Account' }));
  await updateUserRoles(tx, id, ['user', 'admin', 'developer', 'it_admin']);
  await updatePassword(tx, id, password_hash);
}

export async function createKey(tx: Tx, app_id: number, name: string, scopes: readonly string[]) {
  const api_key = newToken();
  const key = await insertKey(tx, { app_id, name, scopes, token_sha256: sha256(api_key), created_by: null });
  if (!key) throw new Error(`There is no app ${app_id}.`);
  return { key_id: idOf(key), api_key };
}

/** The former secret of this provider goes on for a day, so that the identity provider can be changed over. */
export async function createScimSecret(tx: Tx, provider: string): Promise<string> {
  const secret = newSecret(tx.organisation_id);
  await insertSecret(tx, provider, sha256(secret), null, 24);
  return secret;
}
