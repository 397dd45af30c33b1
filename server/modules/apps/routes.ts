import { refuse, refuseFields, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json } from '../../kernel/data/db.ts';
import { routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { covers, isScope } from '../../kernel/people/scopes.ts';
import { sha256 } from '../../kernel/people/secrets.ts';
import { newToken } from './access.ts';
import { apps } from './contract.ts';
import { checkAddress, checkPublicKeys } from './jwt-keys.ts';
import * as queries from './queries.ts';

export const appRoutes = routes(apps, {
  listApps: ({ tx, query }) => queries.listApps(tx, query.skip, query.take),
  getApp: async ({ tx, params }) => (await queries.findApp(tx, params.id)) ?? refuseNotFound(),
  createApp: ({ tx, actor, body: { name, description = '' } }) =>
    queries.insertApp(tx, { name, description, created_by: actor.user_id }),
  replaceApp: async ({ tx, params, body: { name, description = '' } }) =>
    (await queries.updateApp(tx, params.id, { name, description })) ?? refuseNotFound(),
  deleteApp: async ({ tx, params }) => (await queries.deleteApp(tx, params.id)) ?? refuseNotFound(),
  async listKeys({ tx, params, query }) {
    const app_id = params.id;
    if (!(await queries.findApp(tx, app_id))) refuseNotFound();
    return queries.listKeys(tx, app_id, query.skip, query.take);
  },
  async createKey({ tx, actor, params, body: { name, scopes, expires_at } }) {
    checkScopes(actor, scopes);
    const token = newToken();
    const key = await queries.insertKey(tx, {
      app_id: params.id,
      name,
      scopes,
      expires_at,
      token_sha256: sha256(token),
      created_by: actor.user_id,
    });
    return key ? withToken(key, token) : refuseNotFound();
  },
  getJwtSettings: async ({ tx, params }) => (await queries.findJwtSettings(tx, params.id)) ?? refuseNotFound(),
  async putJwtSettings({ tx, params, body, services }) {
    if ((body.jwks === undefined) === (body.jwks_url === undefined))
      refuseInvalid('jwks', 'or jwks_url must be given, not both');
    if (body.jwks) checkPublicKeys(body.jwks.keys);
    if (body.jwks_url) await checkAddress(services.egress, body.jwks_url);
    return (await queries.upsertJwtSettings(tx, params.id, body)) ?? refuseNotFound();
  },
  deleteJwtSettings: async ({ tx, params }) => (await queries.deleteJwtSettings(tx, params.id)) ?? refuseNotFound(),
  listMyKeys: ({ tx, actor, query }) => queries.listPersonalKeys(tx, actor.user_id, query.skip, query.take),
  async createMyKey({ tx, actor, body: { name, scopes, expires_at } }) {
    checkScopes(actor, scopes);
    const token = newToken();
    return withToken(
      await queries.insertPersonalKey(tx, actor.user_id, { name, scopes, expires_at, token_sha256: sha256(token) }),
      token,
    );
  },
  revokeMyKey: async ({ tx, actor, params }) =>
    (await queries.revokePersonalKey(tx, actor.user_id, params.id)) ?? refuseNotFound(),
  revokeKey: async ({ tx, params }) => (await queries.revokeKey(tx, params.id)) ?? refuseNotFound(),
});

/** The token is added here, so that it is in no statement and no log of the database. */
export const withToken = (key: Json, token: string) =>
  `${key.slice(0, -1)},"api_key":${JSON.stringify(token)}}` as Json;

function checkScopes(actor: Actor, scopes: readonly string[]) {
  const malformed = scopes.flatMap((scope, i) =>
    isScope(scope)
      ? []
      : [{ path: `scopes[${i}]`, message: 'must be <family>.<part>.<read|write|admin>, with * as wildcard' }],
  );
  if (malformed.length > 0) refuseFields(malformed);
  const beyond = scopes.filter((scope) => !covers(actor.scopes, scope));
  if (beyond.length > 0)
    refuse('forbidden', `You cannot grant what you do not hold: ${beyond.join(', ')}.`, {
      path: 'scopes',
      meta: { required_scopes: beyond },
    });
}
