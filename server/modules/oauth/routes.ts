import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import { randomSecret, sha256 } from '../../kernel/people/secrets.ts';
import { RESOURCE } from './access.ts';
import { isRedirect } from './clients.ts';
import { type Grantable, grantable, oauth } from './contract.ts';
import * as queries from './queries.ts';

interface Asked {
  client_id: string;
  redirect_uri: string;
  scope?: string | undefined;
  resource?: string | undefined;
}

export const oauthRoutes = routes(oauth, {
  async getAuthorization({ tx, query }) {
    const { client, scopes } = await readAsked(tx, query);
    const { name, website, created_at } = client;
    const url = new URL(query.redirect_uri);
    return toJson({ program: { name, website, created_at }, scopes, redirect_host: url.host || url.protocol });
  },
  async authorize({ tx, actor, body }) {
    const { client, scopes } = await readAsked(tx, body);
    const code = randomSecret();
    const { redirect_uri, code_challenge, state } = body;
    const { user_id } = actor;
    const grant = { client_id: client.id, user_id, scopes, redirect_uri, code_challenge, code_sha256: sha256(code) };
    await queries.insertGrant(tx, grant);
    const to = new URL(redirect_uri);
    to.searchParams.set('code', code);
    if (state !== undefined) to.searchParams.set('state', state);
    return toJson({ redirect_to: to.href });
  },
  listGrants: ({ tx, actor, query }) => queries.listGrants(tx, actor.user_id, query),
  revokeGrant: async ({ tx, actor, params }) =>
    (await queries.deleteGrant(tx, actor.user_id, params.id)) ?? refuseNotFound(),
});

/** Whoever cannot be sent back safely is told here, and sent nowhere (RFC 6749 4.1.2.1). */
async function readAsked(tx: Tx, { client_id, redirect_uri, scope = 'read', resource }: Asked) {
  const client =
    (await queries.findClient(tx, client_id)) ??
    refuse('unknown_client', 'This program is not registered here.', { path: 'client_id' });
  if (!isRedirect(redirect_uri, client.redirect_uris)) refuseInvalid('redirect_uri', 'is none that it has registered');
  if (resource !== undefined && URL.parse(resource)?.pathname !== RESOURCE)
    refuseInvalid('resource', `must be the address of ${RESOURCE}`);
  const asked = scope.split(' ').filter(Boolean);
  const scopes: Grantable[] = grantable.filter((one) => one === 'read' || asked.includes(one));
  return { client, scopes };
}
