// SCIM over HTTP. It has an own mount because its answers are not the envelope of /v1: own errors, content types, statuses.
//   credential   the secret, before the body is read
//   handle       the endpoint's function; a dry run rolls back what it did
//   answer       application/scim+json, or application/json for who accepts only that
//   log          after the answer
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Method } from '../../kernel/contract/contract.ts';
import { readJson } from '../../kernel/http/bodies.ts';
import { METHODS, otherMethods, pathOf } from '../../kernel/http/methods.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { basesOf, refuseUnauthorized, type ScimBase, type ScimCredential, secretAuthenticator } from './access.ts';
import { bulk } from './bulk.ts';
import type { Done, ScimAnswer, ScimCall, ScimHandler } from './call.ts';
import * as discovery from './discovery.ts';
import { entryOf, operationEntry } from './entries.ts';
import { asScimError, bad, ScimError } from './errors.ts';
import * as groups from './groups.ts';
import { GuardPause } from './guard.ts';
import * as lists from './lists.ts';
import { logOf } from './log.ts';
import { pauseGuard } from './queries.ts';
import * as users from './users.ts';

export interface ScimEndpoint {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly handler: ScimHandler;
}
const on = (method: Method, path: string, handler: ScimHandler, summary: string): ScimEndpoint => ({
  method,
  path,
  handler,
  summary,
});

export const scimEndpoints: readonly ScimEndpoint[] = [
  on('GET', '/ServiceProviderConfig', discovery.getServiceProviderConfig, 'What is implemented'),
  on('GET', '/ResourceTypes', discovery.getResourceTypes, 'User and Group'),
  on('GET', '/ResourceTypes/{id}', discovery.getResourceType, 'One resource type'),
  on('GET', '/Schemas', discovery.getSchemas, 'Every attribute that is implemented'),
  on('GET', '/Schemas/{id}', discovery.getSchema, 'One schema'),
  on('GET', '/Me', discovery.getMe, 'Not for secrets: 501'),
  on('GET', '/Users', lists.getUsers, 'List people'),
  on('POST', '/Users', users.createUser, 'Create a person, or bring a former one back'),
  on('POST', '/Users/.search', lists.searchUsers, 'List people, with the query in the body'),
  on('GET', '/Users/{id}', users.getUser, 'Read a person'),
  on('PUT', '/Users/{id}', users.replaceUser, 'Replace a person'),
  on('PATCH', '/Users/{id}', users.patchUser, 'Change a person'),
  on('DELETE', '/Users/{id}', users.deleteUser, 'Deactivate a person'),
  on('GET', '/Groups', lists.getGroups, 'List teams'),
  on('POST', '/Groups', groups.createGroup, 'Create a team'),
  on('POST', '/Groups/.search', lists.searchGroups, 'List teams, with the query in the body'),
  on('GET', '/Groups/{id}', groups.getGroup, 'Read a team'),
  on('PUT', '/Groups/{id}', groups.replaceGroup, 'Replace a team and its members'),
  on('PATCH', '/Groups/{id}', groups.patchGroup, 'Change a team and its members'),
  on('DELETE', '/Groups/{id}', groups.deleteGroup, 'Delete a team'),
  on('GET', '/', lists.getEverything, 'List people and teams'),
  on('POST', '/.search', lists.searchEverything, 'List people and teams, with the query in the body'),
  on('POST', '/Bulk', bulk, 'Many operations at once'),
];

interface Walk {
  readonly credential: ScimCredential;
  base: ScimBase;
  id: string;
  answer?: ScimAnswer;
  error?: ScimError;
  isDryRun: boolean;
  readonly done: Done[];
}
const walks = new WeakMap<FastifyRequest, Walk>();

/** Carries what a dry run found past the rollback. */
class DryRun extends Error {
  readonly answer: ScimAnswer;
  constructor(answer: ScimAnswer) {
    super('dry run');
    this.answer = answer;
  }
}

export async function mountScim(http: FastifyInstance, services: Services) {
  const log = logOf(services, http.log);
  const authenticate = secretAuthenticator(services);
  for (const base of basesOf(services.config.scim_providers))
    await http.register(
      async (app) => {
        readBodies(app);
        app.setErrorHandler(replyScimError);
        for (const endpoint of scimEndpoints) {
          const url = endpoint.path === '/' ? '/' : endpoint.path.replace('{id}', ':id');
          app.route({
            method: endpoint.method,
            url,
            config: { endpoint: { ...endpoint, path: `${base.path}${endpoint.path}`, scope: null, example: {} } },
            onRequest: async (request) => {
              const credential = await authenticate(request, base);
              request.tx = credential.tx;
              const { id = '' } = request.params as { id?: string };
              walks.set(request, { credential, base, id, isDryRun: isDryRun(request), done: [] });
              if (!credential.isGood) refuseUnauthorized();
            },
            handler: async (request, reply) => {
              const walk = walks.get(request) as Walk;
              const call = callOf(request, walk, services);
              walk.answer = await (walk.isDryRun ? tried(endpoint.handler, call) : endpoint.handler(call));
              return send(request, reply, walk.answer, walk.isDryRun);
            },
          });
        }
        // Not by a handler for what is not found: Fastify would mount that for every method HTTP ever had, 68 routes a base.
        const refuse = { config: {}, handler: (request: FastifyRequest) => refuseTheRest(request, base) };
        app.route({ method: REFUSED, url: '/*', ...refuse });
        app.route({ method: REFUSED.filter((method) => !atBase.has(method)), url: '/', ...refuse });
        app.addHook('onResponse', async (request, reply) => {
          const walk = walks.get(request);
          if (!walk) return;
          const { credential, answer, error, isDryRun: is_dry_run, done } = walk;
          const context = {
            credential,
            base,
            is_dry_run,
            request_id: request.id,
            ms: reply.elapsedTime,
            created_at: services.clock.now(),
          };
          const { method, query = {}, body } = request;
          // One that many operations make is not shown twice.
          const shown = done.length > 0 ? { operations: done.length } : body;
          const path = pathOf(request.url);
          log.add(entryOf(context, { method, path, status: reply.statusCode, query, body: shown, answer, error }));
          for (const each of done) log.add(operationEntry(context, each));
        });
      },
      { prefix: base.path },
    );
  http.addHook('onClose', () => log.settled());
}

function callOf(request: FastifyRequest, { credential, base, id, done }: Walk, services: Services): ScimCall {
  const header = (name: string) =>
    typeof request.headers[name] === 'string' ? (request.headers[name] as string) : undefined;
  return {
    ...credential,
    base,
    services,
    id,
    root: `${request.protocol}://${request.host}${base.path}`,
    query: (request.query ?? {}) as Record<string, unknown>,
    body: request.body,
    isPatch: request.method === 'PATCH',
    ifMatch: header('if-match'),
    ifNoneMatch: header('if-none-match'),
    done,
  };
}

const isDryRun = (request: FastifyRequest) => /^(1|true)$/i.test(String(request.headers['x-dry-run'] ?? ''));

/** The whole request in one transaction that is rolled back: nothing is stored, emitted or ended. */
async function tried(handler: ScimHandler, call: ScimCall): Promise<ScimAnswer> {
  // One operation that fails in the database would end the transaction of all.
  if (handler === bulk)
    return bad('invalidValue', 'A dry run is of one operation: send the operations of the bulk request one by one.');
  try {
    return await call.tx.transaction(async (tx) => {
      throw new DryRun(await handler({ ...call, tx }));
    });
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
    const { status, body, changes = [] } = error.answer;
    const resource = body === undefined ? undefined : JSON.parse(body);
    return {
      ...error.answer,
      status: 200,
      headers: {},
      body: JSON.stringify({ dry_run: true, status, changes, resource }),
    };
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { status, body, headers = {} }: ScimAnswer, dry: boolean) {
  reply.code(status).headers(dry ? { ...headers, 'x-dry-run': 'true' } : headers);
  return body === undefined ? reply.send() : reply.type(contentType(request)).send(body);
}

function contentType({ headers: { accept = '' } }: FastifyRequest) {
  const plain = accept.includes('application/json') && !accept.includes('application/scim+json');
  return `${plain ? 'application/json' : 'application/scim+json'}; charset=utf-8`;
}

function replyScimError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const walk = walks.get(request);
  const known = asScimError(error);
  if (!known) request.log.error({ err: error, request_id: request.id }, 'internal error');
  const refused =
    known ?? new ScimError(500, undefined, 'Something broke on our side. Tell the operator the request id.');
  if (walk) walk.error = refused;
  if (refused instanceof GuardPause && walk && !walk.isDryRun)
    pauseGuard(walk.credential.tx, refused.message).catch((err) =>
      request.log.error({ err }, 'the notice of the sync guard was not stored'),
    );
  reply
    .code(refused.status)
    .headers({ ...refused.headers, ...(refused.status === 413 ? { connection: 'close' } : {}) })
    .type(contentType(request))
    .send(JSON.stringify(refused.body));
}

/** RFC 7644 3.1: application/scim+json, and application/json. */
function readBodies(app: FastifyInstance) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(['application/scim+json', 'application/json'], { parseAs: 'buffer' }, readJson);
}

const REFUSED = [...METHODS, 'OPTIONS'];
const atBase = new Set<string>(scimEndpoints.filter(({ path }) => path === '/').map(({ method }) => method));
const allowed = otherMethods(scimEndpoints);

function refuseTheRest({ method, url }: FastifyRequest, base: ScimBase): never {
  const allow = allowed(method, pathOf(url).slice(base.path.length) || '/');
  if (allow === undefined) throw new ScimError(404, undefined, 'There is no such endpoint.');
  throw new ScimError(405, undefined, `${method} is not a method of this path; it has ${allow}.`, { allow });
}
