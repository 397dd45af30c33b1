import { refuseFields, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { covers, isScope } from '../../kernel/people/scopes.ts';
import { sha256 } from '../../kernel/people/secrets.ts';
import { deleteRow, getRow, listFamily, replaceRow } from '../pictures/rows.ts';
import { newToken } from './access.ts';
import { refuseUnlessHeld, refuseUnlessPending, statusOf, tell } from './approvals.ts';
import { apps, type NewKey } from './contract.ts';
import { reachOfJwts } from './jwt-access.ts';
import { checkAddress, checkPublicKeys } from './jwt-keys.ts';
import { deleteJwtSettings, findJwtSettings, upsertJwtSettings } from './jwt-settings.ts';
import { appFamily, decideKey, insertApp, insertKey, type KeyOwner, listKeys, lockKey, revokeKey } from './queries.ts';

export const appRoutes = routes(apps, {
  listApps: ({ tx, query }) => listFamily(tx, appFamily, query),
  getApp: ({ tx, params }) => getRow(tx, appFamily, params.id),
  createApp: ({ tx, actor, body }) => insertApp(tx, { ...body, created_by: actor.user_id }),
  replaceApp: ({ tx, params, body }) => replaceRow(tx, appFamily, params.id, body),
  deleteApp: ({ tx, params }) => deleteRow(tx, appFamily, params.id),
  async listKeys({ tx, params, query }) {
    await getRow(tx, appFamily, params.id);
    return listKeys(tx, { app_id: params.id }, query);
  },
  createKey: ({ tx, actor, params, body }) => createKey(tx, actor, body, { app_id: params.id }),
  getJwtSettings: async ({ tx, params }) => (await findJwtSettings(tx, params.id)) ?? refuseNotFound(),
  async putJwtSettings({ tx, actor, params, body, services }) {
    // Whoever sets the keys of an app can act as anybody.
    if (actor.kind !== 'session') refuseUnlessHeld(actor, [...reachOfJwts(), ...ownScopes(body.scopes)]);
    refuseUnlessScopes(body.scopes ?? []);
    if ((body.jwks === undefined) === (body.jwks_url === undefined))
      refuseInvalid('jwks', 'or jwks_url must be given, not both');
    if (body.jwks) checkPublicKeys(body.jwks.keys);
    if (body.jwks_url) await checkAddress(services.egress, body.jwks_url);
    return (await upsertJwtSettings(tx, params.id, body)) ?? refuseNotFound();
  },
  deleteJwtSettings: async ({ tx, params }) => (await deleteJwtSettings(tx, params.id)) ?? refuseNotFound(),
  listMyKeys: ({ tx, actor, query }) => listKeys(tx, { user_id: actor.user_id }, query),
  createMyKey: ({ tx, actor, body }) => createKey(tx, actor, body, { user_id: actor.user_id }),
  revokeMyKey: async ({ tx, actor, params }) =>
    (await revokeKey(tx, params.id, { user_id: actor.user_id })) ?? refuseNotFound(),
  listAllKeys: ({ tx, query }) => listKeys(tx, {}, query),
  approveKey: ({ tx, actor, params }) => decide(tx, actor, params.id, 'active'),
  refuseKey: ({ tx, actor, params }) => decide(tx, actor, params.id, 'refused'),
  revokeKey: async ({ tx, params }) => (await revokeKey(tx, params.id)) ?? refuseNotFound(),
});

const PASSCODES = 'users.passcodes.write';
/** What the app may do by a JWT of its own, with this ceiling. */
const ownScopes = (ceiling?: readonly string[] | null) => (covers(ceiling ?? [], PASSCODES) ? [PASSCODES] : []);

/** The token is added to the answer here, so that it is in no statement and no log of the database. */
async function createKey(tx: Tx, actor: Actor, { name, scopes, expires_at }: NewKey, owner: KeyOwner) {
  refuseUnlessScopes(scopes);
  // A personal key reaches no further than its person ever does.
  const status = owner.user_id === undefined ? statusOf(actor, scopes) : 'active';
  if (owner.user_id !== undefined) refuseUnlessHeld(actor, scopes);
  const api_key = newToken();
  const key = { name, scopes, status, token_sha256: sha256(api_key), created_by: actor.user_id, ...owner };
  const json = await tx.transaction(async (inside) => {
    const made = (await insertKey(inside, { ...key, expires_at: endOf(actor, expires_at) })) ?? refuseNotFound();
    if (status === 'pending')
      await tell(inside, {
        to: 'admins',
        title: 'A key waits for you',
        body: `${name} asks for ${scopes.join(', ')}.`.slice(0, 500),
        tag: `key-${(JSON.parse(made) as { id: number }).id}`,
      });
    return made;
  });
  return toJson({ ...JSON.parse(json), api_key });
}

/** A key that ends makes none that ends later. */
function endOf({ kind, expires_ms }: Actor, expires_at: string | null | undefined) {
  if (kind === 'session' || expires_ms === undefined) return expires_at;
  if (expires_at != null && Date.parse(expires_at) > expires_ms)
    refuseInvalid('expires_at', 'must not be later than the end of the key that makes it');
  return expires_at ?? new Date(expires_ms).toISOString();
}

const decide = (tx: Tx, actor: Actor, id: number, status: 'active' | 'refused') =>
  tx.transaction(async (inside) => {
    const key = (await lockKey(inside, id)) ?? refuseNotFound();
    refuseUnlessPending(key.status);
    if (status === 'active') refuseUnlessHeld(actor, key.scopes);
    const done = status === 'active' ? 'was approved and works' : 'was refused';
    if (key.created_by !== null)
      await tell(inside, {
        to: key.created_by,
        title: 'API key',
        body: `The key ${key.name} ${done}.`,
        tag: `key-${id}`,
      });
    return decideKey(inside, id, status, actor.user_id);
  });

function refuseUnlessScopes(scopes: readonly string[]) {
  const message = 'must be <family>.<part>.<read|write|admin>, with * as wildcard';
  const malformed = scopes.flatMap((scope, n) => (isScope(scope) ? [] : [{ path: `scopes[${n}]`, message }]));
  if (malformed.length > 0) refuseFields(malformed);
}
