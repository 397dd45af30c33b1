// SCIM over HTTP. It has an own mount: its errors, content types and statuses are not those of /v1.
//   credential   the secret, before the body is read
//   handle       the endpoint's function; a dry run rolls back what it did
//   answer       application/scim+json, or application/json for who accepts only that
//   log          after the answer
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Tx } from '../../kernel/data/db.ts';
import { readJson } from '../../kernel/http/bodies.ts';
import { METHODS, otherMethods, pathOf } from '../../kernel/http/methods.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { basesOf, refuseUnauthorized, type ScimBase, type ScimCredential, secretAuthenticator } from './access.ts';
import type { ScimAnswer, ScimCall, ScimEndpoint } from './call.ts';
import type { Document } from './document.ts';
import { scimEndpoints } from './endpoints.ts';
import { asScimError, refuse, ScimError } from './errors.ts';
import { GuardPause, pauseGuard } from './guard.ts';
import { entryOf, logOf } from './log.ts';

/** A request from its credential to its entry in the log. */
interface Walk {
  readonly call: ScimCall;
  outcome?: ScimAnswer | ScimError;
}
const walks = new WeakMap<FastifyRequest, Walk>();

export async function mountScim(http: FastifyInstance, services: Services) {
  const authenticate = secretAuthenticator(services);
  for (const base of basesOf(services.config.scim_providers))
    await http.register(async (app) => mountBase(app, base, authenticate, services), { prefix: base.path });
}

type Authenticate = ReturnType<typeof secretAuthenticator>;
function mountBase(app: FastifyInstance, base: ScimBase, authenticate: Authenticate, services: Services) {
  const log = logOf(services, app.log);
  // RFC 7644 3.1: application/scim+json, and application/json.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/scim+json', 'application/json'], { parseAs: 'buffer' }, readJson);
  app.setErrorHandler(replyScimError);
  for (const endpoint of scimEndpoints)
    app.route({
      method: endpoint.method,
      url: endpoint.path.replace('{id}', ':id'),
      config: { endpoint: { ...endpoint, path: base.path + endpoint.path, scope: null, example: {} } },
      onRequest: async (request) => {
        const credential = await authenticate(request, base);
        request.tx = credential.tx;
        const { organisation_id } = credential.tx;
        request.credential = { kind: 'scim', organisation_id, credential_id: credential.secret.id };
        const url = await services.baseUrl(request, credential.tx.organisation_id);
        walks.set(request, { call: callOf(request, base, url, credential, services) });
        if (!credential.isGood) refuseUnauthorized();
      },
      handler: async (request, reply) => {
        const walk = walks.get(request) as Walk;
        const call = { ...walk.call, body: request.body };
        walk.outcome = await (call.isDryRun ? tried(endpoint, call) : endpoint.handler(call));
        const { status, body, headers = {} } = walk.outcome;
        reply.code(status).headers(headers);
        return body === undefined ? reply.send() : sendText(request, reply, body);
      },
    });
  // A handler for what is not found would be mounted for every method that HTTP ever had: 68 routes a base.
  // Before the body, whatever it is.
  const handler = async (request: FastifyRequest) => refuseTheRest(request, base);
  const refuse = { config: {}, onRequest: handler, handler };
  app.route({ method: REFUSED, url: '/*', ...refuse });
  app.route({ method: REFUSED.filter((method) => !atBase.has(method)), url: '/', ...refuse });
  app.addHook('onResponse', async (request, reply) => {
    const walk = walks.get(request);
    if (!walk) return;
    const { call, outcome } = walk;
    const { id: request_id, method, query = {}, body } = request;
    const measured = { request_id, ms: reply.elapsedTime, created_at: services.clock.now() };
    // What many operations make is not shown twice.
    const shown = call.operations.length > 0 ? { operations: call.operations.length } : body;
    const whole = { method, path: pathOf(request.url), query, body: shown, outcome };
    for (const operation of [whole, ...call.operations])
      log.add(entryOf(call, operation, { ...measured, status: operation.outcome?.status ?? reply.statusCode }));
  });
  app.addHook('onClose', () => log.settled());
}

function callOf(
  request: FastifyRequest,
  base: ScimBase,
  url: string,
  credential: ScimCredential,
  services: Services,
): ScimCall {
  const { method, headers, params, query = {} } = request;
  return {
    ...{ ...credential, base, services, method, operations: [], body: undefined },
    root: url + base.path,
    id: (params as { id?: string }).id ?? '',
    query: query as Document,
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    isDryRun: /^(1|true)$/i.test(String(headers['x-dry-run'] ?? '')),
  };
}

const rollback = new Error('dry run');
/** The whole request in one transaction that is rolled back: nothing is stored, emitted or ended. */
async function tried({ path, handler }: ScimEndpoint, call: ScimCall): Promise<ScimAnswer> {
  // One operation that fails in the database would end the transaction of all.
  if (path === '/Bulk')
    refuse('invalidValue', 'A dry run is of one operation: send the operations of the bulk request one by one.');
  let answer: ScimAnswer = { status: 500 };
  const work = async (tx: Tx) => {
    answer = await handler({ ...call, tx });
    throw rollback;
  };
  await call.tx.transaction(work).catch((error) => {
    if (error !== rollback) throw error;
  });
  const { status, body, changes = [] } = answer;
  const resource = body === undefined ? undefined : JSON.parse(body);
  const text = JSON.stringify({ dry_run: true, status, changes, resource });
  return { ...answer, status: 200, headers: { 'x-dry-run': 'true' }, body: text };
}

/** RFC 7644 8.1: the type has no parameters. Fastify adds a charset where no serializer is set. */
function sendText({ headers: { accept = '' } }: FastifyRequest, reply: FastifyReply, text: string) {
  const isPlain = accept.includes('application/json') && !accept.includes('application/scim+json');
  reply.type(isPlain ? 'application/json' : 'application/scim+json').serializer((json: string) => json);
  return reply.send(text);
}

function replyScimError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const walk = walks.get(request);
  const known = asScimError(error);
  if (!known) request.log.error({ err: error, request_id: request.id }, 'internal error');
  const refused =
    known ?? new ScimError(500, undefined, 'Something broke on our side. Tell the operator the request id.');
  if (walk) walk.outcome = refused;
  if (refused instanceof GuardPause && walk && !walk.call.isDryRun)
    pauseGuard(walk.call.tx, refused.message).catch((err) =>
      request.log.error({ err }, 'the notice of the sync guard was not stored'),
    );
  const closes = refused.status === 413 ? { connection: 'close' } : {};
  reply.code(refused.status).headers({ ...refused.options.headers, ...closes });
  sendText(request, reply, JSON.stringify(refused.body));
}

const REFUSED = [...METHODS, 'OPTIONS'];
const atBase = new Set<string>(scimEndpoints.filter(({ path }) => path === '/').map(({ method }) => method));
const allowed = otherMethods(scimEndpoints);

function refuseTheRest({ method, url }: FastifyRequest, base: ScimBase): never {
  const allow = allowed(pathOf(url).slice(base.path.length) || '/');
  if (allow === undefined) throw new ScimError(404, undefined, 'There is no such endpoint.');
  const detail = `${method} is not a method of this path; it has ${allow}.`;
  throw new ScimError(405, undefined, detail, { headers: { allow } });
}
