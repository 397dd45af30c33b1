// POST /mcp: the Model Context Protocol over HTTP, in the revision of 2026-07-28 and those before it. Each message
// carries a credential of the API: a key, a token that a person has granted, or a user JWT. A session's cookie is none,
// so that no page elsewhere speaks in a person's name.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../kernel/contract/contract.ts';
import { Refusal, refuse, refuseForbidden } from '../../kernel/contract/errors.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Module, Node } from '../../kernel/module.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { challengeOf } from '../oauth/protocol.ts';
import { callerOf } from './calling.ts';
import { type Operation, operationsIn } from './tools.ts';

/** Any credential; each tool's call is then decided by itself. */
const MESSAGE: Endpoint = { method: 'POST', path: '/mcp', summary: 'Tools for assistants', scope: null, example: {} };

export function mountMcp(app: FastifyInstance, services: Services, node: Node, modules: readonly Module[]) {
  if (services.config.mcp === 'off') return;
  const known = operationsIn(modules);
  let handler: ReturnType<typeof openHandler> | undefined;
  // Sessions of the protocol before 2026, which GET and DELETE are about, there are none: the library answers 405.
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const actor = await actorOf(request, node).catch((error) => challenged(error, request, services, node));
    handler ??= openHandler(known, services);
    const { fetch } = await handler;
    request.actor = actor;
    const extra = { caller: callerOf(app, request, actor, services) };
    const answer = await fetch(webRequest(request), {
      parsedBody: request.body,
      authInfo: { token: '', clientId: String(actor.credential_id), scopes: [...actor.scopes], extra },
    });
    return reply
      .code(answer.status)
      .headers(Object.fromEntries(answer.headers))
      .send(await answer.text());
  };
  app.route({ method: ['POST', 'GET', 'DELETE'], url: MESSAGE.path, config: { operation: 'mcp' }, handler: serve });
}

async function actorOf(request: FastifyRequest, { authentication }: Node): Promise<Actor> {
  const { origin } = request.headers;
  if (origin !== undefined && URL.parse(origin)?.host !== request.host)
    refuseForbidden('This is not for pages of other sites.');
  const actor = await authentication.authenticate(request, MESSAGE);
  return actor.kind === 'session' ? refuseForbidden('Send a key, a token or a user JWT: a session is none.') : actor;
}

/** A program without a token learns from the refusal whom to ask for one (RFC 9728 5.1). */
async function challenged(error: unknown, request: FastifyRequest, { baseUrl }: Services, { authentication }: Node) {
  if (!(error instanceof Refusal) || !['unauthorized', 'service_id_required'].includes(error.code)) throw error;
  const { organisation_id } = await authentication.organisationOf(request);
  const headers = { 'www-authenticate': challengeOf(await baseUrl(request, organisation_id)) };
  return refuse('unauthorized', error.message, { headers });
}

/** The protocol's library is loaded for who uses it. */
async function openHandler(known: ReadonlyMap<string, Operation>, services: Services) {
  const [{ createMcpHandler }, { serverFor }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./server.ts'),
  ]);
  // Nothing is pushed: a stream would be open for nothing.
  return createMcpHandler(serverFor(known, services), { maxSubscriptions: 0 });
}

function webRequest({ method, url, headers, host, protocol }: FastifyRequest): Request {
  const kept = Object.entries(headers).filter(
    ([name, value]) => typeof value === 'string' && name !== 'content-length',
  );
  return new Request(`${protocol}://${host}${url}`, {
    method,
    headers: kept as [string, string][],
    ...(method === 'POST' ? { body: '' } : {}),
  });
}
