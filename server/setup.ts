import type { Db, Tx } from './kernel/data/db.ts';
import { sql } from './kernel/data/sql.ts';
import { hashPassword, randomSecret, sha256 } from './kernel/people/secrets.ts';
import { newToken } from './modules/apps/access.ts';
import { insertApp, insertKey } from './modules/apps/queries.ts';
import { insertOrganisation, nextOrganisationId } from './modules/organisations/queries.ts';
import { newSecret } from './modules/scim/access.ts';
import { insertSecret } from './modules/scim/queries.ts';
import { updatePassword } from './modules/users/passwords.ts';
import { insertUser, updateUserRoles } from './modules/users/queries.ts';

export interface CreatedOrganisation {
  organisation_id: number;
  domain: string;
  api_base_url: string;
  scim_base_urls: { direct: string; 'idp-a': string; 'idp-b': string };
  admin: { email: string; password: string };
  api_key: string;
  scim_secret: string;
}

export interface NewOrganisation {
  name: string;
  domain: string;
  is_demo?: boolean;
  admin?: { email: string; password?: string };
  /** Puts people and content in before the admin is looked up. */
  fill?: (tx: Tx) => Promise<void>;
}

/** An organisation that can be worked with at once: an admin, an app with a key for everything, a SCIM secret. */
export async function createOrganisation(
  db: Db,
  { name, domain, is_demo = false, admin, fill }: NewOrganisation,
): Promise<CreatedOrganisation> {
  const credentials = {
    email: admin?.email ?? `admin@${domain.replace(/:\d+$/, '')}`,
    password: admin?.password ?? randomSecret().slice(0, 16),
  };
  const password_hash = await hashPassword(credentials.password);
  const api_key = newToken();
  // All or nothing: a start that is killed leaves no organisation whose credentials nobody has seen.
  return db.inOrganisation(await nextOrganisationId(db)).transaction(async (tx) => {
    const { id, web_url } = await insertOrganisation(tx, { name, domain, is_demo });
    await fill?.(tx);
    await ensureAdmin(tx, credentials.email, password_hash);
    const app = JSON.parse(
      await insertApp(tx, {
        name: 'Demo',
        description: 'The key that was made with the organisation.',
        created_by: null,
      }),
    ) as { id: number };
    await insertKey(tx, {
      app_id: app.id,
      name: 'First key',
      scopes: ['*'],
      token_sha256: sha256(api_key),
      created_by: null,
    });
    return {
      organisation_id: id,
      domain,
      api_base_url: web_url,
      scim_base_urls: {
        direct: `${web_url}/scim/v2/scim`,
        'idp-a': `${web_url}/idp-a/v2/scim`,
        'idp-b': `${web_url}/idp-b/v2/scim`,
      },
      admin: credentials,
      api_key,
      scim_secret: await createScimSecret(tx, 'direct'),
    };
  });
}

async function ensureAdmin(tx: Tx, email: string, password_hash: string) {
  const found = await tx.row<{ id: number }>(
    sql`select id from users where organisation_id = $1 and lower(email) = lower(${email})`,
  );
  const id =
    found?.id ??
    (JSON.parse(await insertUser(tx, { email, first_name: 'Admin', last_name: 'Account' })) as { id: number }).id;
  await updateUserRoles(tx, id, ['user', 'admin', 'developer', 'it_admin']);
  await updatePassword(tx, id, password_hash);
}

export async function createKey(
  tx: Tx,
  app_id: number,
  name: string,
  scopes: readonly string[],
): Promise<{ key_id: number; api_key: string }> {
  const api_key = newToken();
  const key = await insertKey(tx, { app_id, name, scopes, token_sha256: sha256(api_key), created_by: null });
  if (!key) throw new Error(`There is no app ${app_id}.`);
  return { key_id: (JSON.parse(key) as { id: number }).id, api_key };
}

/** The former secret of this provider goes on for a day, so that the identity provider can be changed over. */
export async function createScimSecret(tx: Tx, provider: string): Promise<string> {
  const secret = newSecret(tx.organisation_id);
  await insertSecret(tx, provider, sha256(secret), null, 24);
  return secret;
}
