import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import {
  type Body,
  type Endpoint,
  type Endpoints,
  type Family,
  namesIn,
  operationsOf,
  type Paging,
  type Params,
  type Query,
} from '../contract/contract.ts';
import { refuseNotFound } from '../contract/errors.ts';
import * as t from '../contract/schema.ts';
import { type Check, compileCheck } from '../contract/validate.ts';
import type { Db, Tx } from '../data/db.ts';
import { TAKE_MAX } from '../data/listing.ts';
import type { Egress } from '../delivery/egress.ts';
import { addressedTo } from '../files/readers.ts';
import type { Storage } from '../files/storage.ts';
import { sanitizedHtml } from '../html/html.ts';
import { type Actor, type Authentication, type Credential, refuseUnauthorized } from '../people/auth.ts';
import type { InFlight } from '../people/in-flight.ts';
import type { Sealing } from '../people/sealing.ts';
import type { BaseUrl } from './base-url.ts';
import { type BodyLimits, bodyLimits, fileFields, isOpen } from './body-limits.ts';
import { holdsSecret } from './compression.ts';
import { isDryRun, tried } from './dry-run.ts';
import { type Answer, type Page, success, type WithMeta } from './envelope.ts';
import { addLinks, addLocation, deprecationHeaders, isMemberOf } from './links.ts';
import { pathOf } from './methods.ts';
import { originOf } from './origin.ts';
import { clearableFields, notingCleared } from './replacement.ts';
import { isKnown, isSingle, unlessChanged } from './validators.ts';

export const TAKE_DEFAULT = 50;

/** What every module may use; made once, by `app.ts`. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly db: Db;
  readonly storage: Storage;
  readonly sealing: Sealing;
  readonly egress: Egress;
  readonly inFlight: InFlight;
  readonly baseUrl: BaseUrl;
}

/** One call of an endpoint: everything a handler may know. */
export interface Call<E extends Endpoint = Endpoint> {
  readonly actor: Actor;
  /** Statements of the actor's organisation, each on its own; `tx.transaction` where several must hold together. */
  readonly tx: Tx;
  readonly params: Params<E>;
  readonly query: Query<E>;
  readonly body: Body<E>;
  /** Sentences for `meta.warnings`. */
  readonly warnings: string[];
  readonly services: Services;
  readonly client: Client;
  /** All of it is rolled back: nothing waits for its commit. */
  readonly isDryRun?: boolean;
}

export interface Client {
  /** When the request's head was read, in microseconds since 1970. */
  readonly received_micros: number;
  readonly ip: string;
  /** Host and port by which it reached this server. */
  readonly host: string;
  readonly user_agent: string;
  readonly headers: FastifyRequest['headers'];
  readonly cookies: FastifyRequest['cookies'];
  setCookie(
    name: string,
    value: string,
    options: { path: string; httpOnly: boolean; secure: boolean; sameSite: 'lax' | 'strict'; maxAge: number },
  ): void;
  /** Runs when the answer has been handed to the socket; `micros` is that moment. */
  answered(work: (micros: number) => Promise<void>): void;
}

export type Handlers<E extends Endpoints> = {
  readonly [K in keyof E]: (call: Call<E[K]>) => Promise<Answer | undefined>;
};

export interface Routes {
  readonly family: Family;
  readonly handlers: Readonly<Record<string, (call: Call) => Promise<Answer | undefined>>>;
}

/** Ties a family's contract to its handlers, one for each endpoint. */
export function routes<E extends Endpoints>(declared: Family<E>, handlers: Handlers<E>): Routes {
  const own = handlers as unknown as Routes['handlers'];
  const operations = operationsOf(declared);
  return {
    family: {
      ...declared,
      endpoints: Object.fromEntries(operations.map(({ operation, endpoint }) => [operation, endpoint])),
    },
    handlers: Object.fromEntries(
      operations.map(({ operation, endpoint, key }) => {
        const handler = own[key] as Routes['handlers'][string];
        return [operation, endpoint === declared.endpoints[key] ? handler : namedByCaller(handler)];
      }),
    ),
  };
}

/** The handler of `/{id}`, for a row that the caller's own id names. */
const namedByCaller =
  (handler: Routes['handlers'][string]): Routes['handlers'][string] =>
  (call) => {
    const { external_id, ...params } = call.params as { external_id: string };
    return handler({ ...call, params: { ...params, id: { external_id } } });
  };

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint;
    operation?: string;
    limits?: BodyLimits;
    /** Its answer is never compressed. */
    hasSecret?: boolean;
  }
  interface FastifyRequest {
    actor: Actor | undefined;
    /** Whose it is, as soon as that is known: also of a request that is refused. */
    credential: Credential | undefined;
    tx: Tx | undefined;
    received_micros: number;
    /** Its person left while it ran. */
    refused: boolean;
    /** What its handler does, once that has begun. */
    work: Promise<unknown> | undefined;
    afterAnswer: ((micros: number) => Promise<void>) | undefined;
    /** Names of fields that it has and its endpoint has not. */
    ignored: string[];
    /** The body came as a form, where "" may mean null. */
    form: boolean;
    discardUploads: (() => Promise<void>) | undefined;
    /** The text that was answered, before it was compressed. */
    answer: string | undefined;
    /** Fields that a replacement cleared, because it left them out. */
    cleared: readonly string[] | undefined;
  }
}

export function mount(
  app: FastifyInstance,
  { family, handlers }: Routes,
  authentication: Authentication,
  services: Services,
) {
  const endpoints = Object.entries(family.endpoints);
  for (const [operation, endpoint] of endpoints) {
    const handler = handlers[operation];
    if (!handler) throw new Error(`${family.name}: the endpoint ${operation} has no handler`);
    const check = checkOf(endpoint);
    const limits = bodyLimits(endpoint, services.config);
    const documents = documentsIn(endpoint);
    const [read, single] = endpoints.find(([, one]) => isSingle(one) && one.path === endpoint.path) ?? [];
    const clearable = services.config.request_days > 0 ? clearableFields(endpoint, single) : [];
    const member = endpoints.map(([, one]) => one).find((one) => isMemberOf(endpoint, one));
    app.route({
      method: endpoint.method,
      url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { endpoint, operation, limits, hasSecret: holdsSecret(endpoint) },
      bodyLimit: limits.text_bytes_max,
      onRequest: async (request, reply) => {
        if (isOpen(endpoint)) {
          request.tx = await authentication.organisationOf(request);
        } else {
          request.actor = await authentication.authenticate(request, endpoint);
          request.tx = services.db.inOrganisation(request.actor.organisation_id, originOf(request));
          if (actsForOne(request.actor) && !services.inFlight.begin(request, reply, request.actor))
            refuseUnauthorized();
        }
      },
      handler: async (request, reply) => {
        const warnings = warningsOf(request, endpoint);
        request.ignored = [];
        const checked = check(request, warnings);
        for (const field of documents) await sanitize(checked.body as Record<string, unknown>, field);
        const call = {
          ...checked,
          actor: request.actor as Actor,
          tx: request.tx as Tx,
          warnings,
          services,
          client: clientOf(request, reply),
        };
        const expected = endpoint.method === 'GET' ? undefined : request.headers['if-match'];
        const run =
          expected === undefined || endpoint.method === 'POST'
            ? handler
            : unlessChanged(expected, pathOf(request.url), handlers[read ?? ''], handler);
        const noted =
          clearable.length > 0 && request.credential?.kind !== 'session'
            ? notingCleared(request, clearable, handlers[read ?? ''] as typeof run, run)
            : run;
        const isTrial = isDryRun(request, endpoint);
        if (isTrial) reply.header('x-dry-run', 'true');
        const work = isTrial
          ? tried(call as Call, endpoint, run, handlers[read ?? ''], clearableFields(endpoint, single))
          : noted(call as Call);
        request.work = work;
        const answer = await work;
        if (isTrial) return sendTrial(reply, request, answer as WithMeta, warnings);
        return send(services, reply, request, endpoint, answer, call.query as Partial<Paging>, warnings, member);
      },
    });
  }
}

/** A person, or an app in a person's place: what it may do ends with that person's access. */
const actsForOne = ({ kind, is_person }: Actor) => is_person === true || kind === 'jwt';

async function send(
  services: Services,
  reply: FastifyReply,
  request: FastifyRequest,
  endpoint: Endpoint,
  answer: Answer | undefined,
  query: Partial<Paging>,
  warnings: string[],
  member: Endpoint | undefined,
) {
  reply.code(endpoint.status ?? 200);
  if (endpoint.deprecated) reply.headers(deprecationHeaders(endpoint.deprecated));
  // What was to be answered was deleted while the request ran.
  if (answer === undefined) return endpoint.reply ? refuseNotFound() : reply.send();
  if (typeof answer === 'object' && 'text' in answer)
    return reply
      .type(endpoint.media ?? 'text/plain')
      .header('content-disposition', `inline; filename="${answer.file_name}"`)
      .send(answer.text);
  if (typeof answer === 'object' && 'stream' in answer) {
    if (answer.file_name) reply.header('content-disposition', `attachment; filename="${answer.file_name}"`);
    return reply.type(answer.media).send(answer.stream);
  }
  const paging = endpoint.list && {
    skip: query.skip ?? 0,
    take: query.take ?? TAKE_DEFAULT,
    url: (await services.baseUrl(request, (request.tx as Tx).organisation_id)) + request.url,
  };
  if (member) addLocation(reply, request, member, answer);
  if (paging && 'rows' in (answer as object)) addLinks(reply, request, paging, answer as Page);
  if (isSingle(endpoint) && isKnown(request, reply, answer)) return reply.code(304).send();
  const text = success(answer, paging, warnings);
  const { actor } = request;
  request.answer = actor && actsForOne(actor) ? addressedTo(actor.user_id, text) : text;
  return reply.type('application/json; charset=utf-8').send(request.answer);
}

/** What would be answered, in an answer that says it is none. */
function sendTrial(reply: FastifyReply, request: FastifyRequest, answer: WithMeta, warnings: string[]) {
  request.answer = success(answer, undefined, warnings);
  return reply.type('application/json; charset=utf-8').send(request.answer);
}

function checkOf(endpoint: Endpoint) {
  const params = endpoint.path.includes('{') ? compileCheck(paramsSchema(endpoint)) : undefined;
  const query = compileCheck(querySchema(endpoint));
  const body: Check | undefined = endpoint.body && compileCheck(endpoint.body);
  return (request: FastifyRequest, warnings: string[]) => ({
    params: params?.(request.params, { form: true, warnings }),
    query: query(request.query, { form: true, query: true, warnings, ignored: request.ignored }),
    body: body?.(request.body === undefined ? {} : request.body, {
      form: request.form,
      warnings,
      ignored: request.ignored,
    }),
  });
}

/** Fields of its body that are HTML. */
const documentsIn = ({ body }: Endpoint) =>
  Object.entries((body as { properties?: Record<string, object> } | undefined)?.properties ?? {})
    .filter(([, field]) => 'x-html' in field)
    .map(([name]) => name);

async function sanitize(body: Record<string, unknown>, field: string) {
  const html = body[field];
  if (typeof html === 'string') body[field] = await sanitizedHtml(html, field);
}

export const paramsSchema = ({ params, path }: Endpoint) =>
  params ??
  t.Object(Object.fromEntries(namesIn(path).map((name) => [name, name === 'external_id' ? t.ExternalId() : t.Id()])));

export function querySchema(endpoint: Endpoint) {
  const own = endpoint.query?.properties ?? {};
  if (!endpoint.list) return t.Object(own);
  const { properties = {} } = endpoint.list as { properties?: object };
  return t.Object({
    skip: t.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'How many to pass over.',
    }),
    take: t.Integer({ minimum: 1, maximum: TAKE_MAX, default: TAKE_DEFAULT, description: 'How many to return.' }),
    ...('updated_at' in properties ? { updated_after: t.Optional(t.Timestamp('Changed later than this.')) } : {}),
    ...own,
  });
}

const FORM = 'multipart/form-data';

function warningsOf(request: FastifyRequest, endpoint: Endpoint): string[] {
  const warnings: string[] = [];
  if (request.headers['idempotency-key'] !== undefined)
    warnings.push('The header Idempotency-Key has no effect: a repeated POST is not deduplicated.');
  const sent = request.headers['content-type'];
  if (sent && fileFields(endpoint).size > 0 && !sent.toLowerCase().startsWith(FORM))
    warnings.push(`This endpoint documents ${FORM}; the body was read as ${sent.split(';', 1)[0]?.trim()}.`);
  return warnings;
}

const clientOf = (request: FastifyRequest, reply: FastifyReply): Client => ({
  received_micros: request.received_micros,
  ip: request.ip,
  host: request.host,
  user_agent: request.headers['user-agent'] ?? '',
  headers: request.headers,
  cookies: request.cookies,
  setCookie: (name, value, options) => void reply.setCookie(name, value, options),
  answered: (work) => {
    request.afterAnswer = work;
  },
});
