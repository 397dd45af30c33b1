// What programs speak to: OAuth 2.1 with PKCE, metadata (RFC 8414, 9728), registration (RFC 7591), revocation (RFC
// 7009). Their errors are OAuth's, not the envelope. The organisation is the one that lives at the host.
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Node } from '../../kernel/module.ts';
import { isSame, randomSecret, sha256 } from '../../kernel/people/secrets.ts';
import { newAccessToken, RESOURCE } from './access.ts';
import { isRedirect, OAuthError, registered } from './clients.ts';
import { grantable } from './contract.ts';
import * as queries from './queries.ts';

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
const SERVER_METADATA = '/.well-known/oauth-authorization-server';

/** What programs send, as a form or as JSON; each endpoint takes its own of them. */
const text = t.Optional(t.Unsafe<unknown>({}));
const Form = t.Object({
  ...{ grant_type: text, client_id: text, code: text, code_verifier: text, redirect_uri: text, refresh_token: text },
  ...{ token: text, redirect_uris: text, client_name: text, client_uri: text },
});
type Form = t.Static<typeof Form>;
const forms = [
  ['/oauth/register', 201, register],
  ['/oauth/token', 200, exchange],
  ['/oauth/revoke', 200, revoke],
] as const;

export function mountOAuth(app: FastifyInstance, services: Services, { authentication }: Node) {
  if (services.config.mcp === 'off') return;
  type Answer = (tx: Tx, request: FastifyRequest, base: string) => Promise<object | undefined> | object;
  const answering =
    (answer: Answer, status = 200) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      // Programs in browsers ask from their own origin, and no cookie counts here.
      reply.headers({ 'access-control-allow-origin': '*', 'cache-control': 'no-store' });
      try {
        const tx = await authentication.organisationOf(request);
        const base = await services.baseUrl(request, tx.organisation_id);
        return reply.code(status).send((await answer(tx, request, base)) ?? {});
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
        return reply.code(error.status).send({ error: error.error, error_description: error.message });
      }
    };
  app.get(
    RESOURCE_METADATA,
    answering((_tx, _request, base) => resourceMetadata(base)),
  );
  app.get(
    RESOURCE_METADATA + RESOURCE,
    answering((_tx, _request, base) => resourceMetadata(base)),
  );
  app.get(
    SERVER_METADATA,
    answering((_tx, _request, base) => serverMetadata(base)),
  );
  for (const [path, status, answer] of forms) {
    const endpoint: Endpoint = { method: 'POST', path, summary: path, scope: null, body: Form, example: {} };
    app.post(
      path,
      { config: { endpoint, hasSecret: true } },
      answering((tx, { body }) => answer(tx, (body ?? {}) as Form), status),
    );
  }
}

/** Of the challenge in a 401 of /mcp: where a program learns whom to ask for a token. */
export const challengeOf = (base: string) => `Bearer resource_metadata="${base}${RESOURCE_METADATA}${RESOURCE}"`;

const resourceMetadata = (base: string) => ({
  resource: base + RESOURCE,
  authorization_servers: [base],
  scopes_supported: grantable,
  bearer_methods_supported: ['header'],
  resource_name: 'Atrium',
});
const serverMetadata = (base: string) => ({
  issuer: base,
  authorization_endpoint: `${base}/oauth/authorize`,
  token_endpoint: `${base}/oauth/token`,
  registration_endpoint: `${base}/oauth/register`,
  revocation_endpoint: `${base}/oauth/revoke`,
  scopes_supported: grantable,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
});

async function revoke(tx: Tx, form: Form) {
  await queries.endByToken(tx, sha256(textOf(form, 'token')));
  return undefined;
}

async function register(tx: Tx, metadata: Form) {
  const client = registered(metadata);
  if (!(await queries.insertClient(tx, client)))
    throw new OAuthError('invalid_client_metadata', 'Too many programs are registered here.', 429);
  const { client_id, name, website, redirect_uris } = client;
  return {
    client_id,
    client_name: name,
    ...(website ? { client_uri: website } : {}),
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

function textOf(form: Form, name: keyof Form): string {
  const value = form[name];
  if (typeof value !== 'string' || value === '' || value.length > 4096)
    throw new OAuthError('invalid_request', `${name} is missing.`);
  return value;
}
const refuseGrant = (description: string): never => {
  throw new OAuthError('invalid_grant', description);
};

async function exchange(tx: Tx, form: Form) {
  const kind = textOf(form, 'grant_type');
  const access_token = newAccessToken(tx.organisation_id);
  const refresh_token = randomSecret();
  const tokens = { access_sha256: sha256(access_token), refresh_sha256: sha256(refresh_token) };
  const granted =
    kind === 'authorization_code'
      ? await byCode(tx, form, tokens)
      : kind === 'refresh_token'
        ? await byRefresh(tx, form, tokens)
        : undefined;
  if (!granted) throw new OAuthError('unsupported_grant_type', 'There are authorization_code and refresh_token.');
  const scope = granted.scopes.join(' ');
  return { access_token, token_type: 'Bearer', expires_in: queries.ACCESS_SECONDS, refresh_token, scope };
}

async function byCode(tx: Tx, form: Form, tokens: queries.Tokens) {
  const code = await queries.findCode(tx, sha256(textOf(form, 'code')));
  const challenge = hash('sha256', textOf(form, 'code_verifier'), 'base64url');
  if (!code || code.client_id !== textOf(form, 'client_id') || code.is_expired)
    return refuseGrant('The code is not valid.');
  if (code.is_used) {
    await queries.endById(tx, code.id);
    return refuseGrant('The code was used before: what was granted with it has ended.');
  }
  const { redirect_uri } = form;
  if (redirect_uri !== undefined && !isRedirect(String(redirect_uri), [code.redirect_uri]))
    return refuseGrant('The redirect_uri is another one.');
  if (!isSame(challenge, code.code_challenge)) return refuseGrant('The code_verifier is not that of the challenge.');
  return (await queries.useCode(tx, code.id, tokens)) ?? refuseGrant('The code was used before.');
}

async function byRefresh(tx: Tx, form: Form, tokens: queries.Tokens) {
  const used = sha256(textOf(form, 'refresh_token'));
  const granted = await queries.useRefresh(tx, textOf(form, 'client_id'), used, tokens);
  if (granted) return granted;
  await queries.endByFormerRefresh(tx, used);
  return refuseGrant('The refresh token is not valid.');
}
