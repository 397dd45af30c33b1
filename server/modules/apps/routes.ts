import { refuse, refuseFields, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { covers, isScope } from '../../kernel/people/scopes.ts';
import { sha256 } from '../../kernel/people/secrets.ts';
import { deleteRow, getRow, listFamily, replaceRow } from '../pictures/rows.ts';
import { newToken } from './access.ts';
import { apps, type NewKey } from './contract.ts';
import { reachOfJwts } from './jwt-access.ts';
import { checkAddress, checkPublicKeys } from './jwt-keys.ts';
import { deleteJwtSettings, findJwtSettings, upsertJwtSettings } from './jwt-settings.ts';
import { appFamily, insertApp, insertKey, type KeyOwner, listKeys, revokeKey } from './queries.ts';

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
    if (actor.kind !== 'session') refuseUnlessHeld(actor, reachOfJwts());
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
  revokeKey: async ({ tx, params }) => (await revokeKey(tx, params.id)) ?? refuseNotFound(),
});

/** The token is added to the answer here, so that it is in no statement and no log of the database. */
async function createKey(tx: Tx, actor: Actor, { name, scopes, expires_at }: NewKey, owner: KeyOwner) {
  refuseUnlessScopes(scopes);
  refuseUnlessHeld(actor, scopes);
  const api_key = newToken();
  const key = { name, scopes, expires_at, token_sha256: sha256(api_key), created_by: actor.user_id };
  const json = (await insertKey(tx, { ...key, ...owner })) ?? refuseNotFound();
  return toJson({ ...JSON.parse(json), api_key });
}

function refuseUnlessScopes(scopes: readonly string[]) {
  const message = 'must be <family>.<part>.<read|write|admin>, with * as wildcard';
  const malformed = scopes.flatMap((scope, n) => (isScope(scope) ? [] : [{ path: `scopes[${n}]`, message }]));
  if (malformed.length > 0) refuseFields(malformed);
}

function refuseUnlessHeld(actor: Actor, scopes: readonly string[]) {
  const beyond = scopes.filter((scope) => !covers(actor.scopes, scope));
  if (beyond.length > 0)
    refuse('forbidden', `You cannot grant what you do not hold: ${beyond.join(', ')}.`, {
      path: 'scopes',
      meta: { required_scopes: beyond },
    });
}
