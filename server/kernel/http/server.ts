// The HTTP server without any endpoint: parsing, limits, ids, log line, metrics, error envelope.
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { Refusal, refuseNotFound } from '../contract/errors.ts';
import { failure } from './envelope.ts';
import { replyError } from './error-reply.ts';
import { parseUrlencoded } from './fields.ts';
import type { Metrics } from './metrics.ts';
import { parseMultipart } from './multipart.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export async function createHttp({
  config,
  logger,
  clock,
  metrics,
}: {
  config: Config;
  logger: FastifyBaseLogger;
  clock: Clock;
  metrics: Metrics;
}): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // The one line a request gets is written below; a logger of its own for each would cost more than the line.
    childLoggerFactory: (shared) => shared,
    genReqId: () => randomUUID(),
    bodyLimit: config.body_bytes_max,
    // One limit for every request would be too short for a large file on a slow line: see limitArrival.
    requestTimeout: 0,
    http: { headersTimeout: config.headers_timeout_ms, maxHeaderSize: 16 * 1024 },
    keepAliveTimeout: 72_000,
    trustProxy: config.trust_proxy,
    // Contracts check what comes in and PostgreSQL writes what goes out: Fastify's compilers would be loaded for nothing.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    exposeHeadRoutes: false,
    rewriteUrl: answerHead,
    routerOptions: { maxParamLength: 1024, querystringParser: parseQuery, ignoreTrailingSlash: true },
    frameworkErrors: replyError,
    clientErrorHandler: refuseBrokenRequest,
  });
  await app.register(cookie);
  app.decorateRequest('actor', undefined);
  app.decorateRequest('tx', undefined);
  app.decorateRequest('received_micros', 0);
  app.decorateRequest('refused', false);
  app.decorateRequest('work', undefined);
  app.decorateRequest('afterAnswer', undefined);
  app.decorateRequest('form', false);
  app.decorateRequest('discardUploads', undefined);
  addParsers(app, config);

  app.addHook('onRequest', (request, reply, done) => {
    request.received_micros = clock.micros();
    limitArrival(request, reply, config.request_timeout_ms);
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.refused && reply.statusCode < 400) {
      const message = 'The credential is missing, unknown, revoked or expired.';
      const errors = [{ path: {}, message }];
      reply
        .code(401)
        .removeHeader('set-cookie')
        .header('www-authenticate', 'Bearer')
        .type('application/json; charset=utf-8');
      return done(null, failure({ message, code: 'unauthorized', errors, request_id: request.id }));
    }
    // Nothing runs between this moment and the write to the socket.
    if (request.afterAnswer) {
      const work = request.afterAnswer;
      const micros = clock.micros();
      request.afterAnswer = () => work(micros);
    }
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { endpoint, operation } = request.routeOptions.config;
    const ms = reply.elapsedTime;
    metrics.observe({ method: request.method, route: endpoint?.path ?? 'other', status: reply.statusCode }, ms / 1000);
    // The route, not the URL: paths and queries can hold personal data.
    logger.info({
      request_id: request.id,
      method: request.method,
      route: endpoint?.path ?? 'other',
      operation,
      status: reply.statusCode,
      ms: Math.round(ms * 1000) / 1000,
      organisation_id: request.actor?.organisation_id,
      actor: request.actor?.kind,
      credential_id: request.actor?.credential_id,
    });
    Promise.all([request.afterAnswer?.(0), request.discardUploads?.()]).catch((err) =>
      logger.error({ err, request_id: request.id }, 'work after the answer failed'),
    );
    done();
  });
  app.setErrorHandler(replyError);
  return app;
}

const unused = () => () => {
  throw new Error('Routes have contracts (kernel/http/routes.ts), not schemas of Fastify.');
};

/** Node drops the body of an answer to HEAD, so the route of GET serves both. Files have a route that does not read them. */
function answerHead(request: { method?: string; url?: string }): string {
  const { url = '/' } = request;
  if (request.method === 'HEAD' && !url.startsWith('/files/')) request.method = 'GET';
  return url;
}

/** Finds what `Allow` says of a request whose path is mounted with other methods only; undefined where it is not mounted at all. */
export function otherMethods(
  mounted: readonly { method: string; path: string }[],
): (method: string, path: string) => string | undefined {
  const patternsOf = () =>
    mounted.map(({ method, path }) => {
      const pattern = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
      return { methods: method === 'GET' ? ['GET', 'HEAD'] : [method], pattern: new RegExp(`^${pattern}/?$`) };
    });
  // The first wrong request makes them, not the start; and to route every wrong method would be most of the start.
  let patterns: ReturnType<typeof patternsOf> | undefined;
  return (method, path) => {
    patterns ??= patternsOf();
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).flatMap((found) => found.methods);
    return methods.length > 0 && METHODS.includes(method) ? [...new Set(methods)].join(', ') : undefined;
  };
}

/** What no route answers is a 404, or a 405 with `Allow` where the path has other methods. Call when all families are mounted. */
export function refuseTheRest(app: FastifyInstance, mounted: readonly { method: string; path: string }[]) {
  const allowed = otherMethods(mounted);
  app.setNotFoundHandler(async ({ method, url }) => {
    const allow = allowed(method, pathOf(url)) ?? refuseNotFound();
    throw new Refusal('method_not_allowed', `${method} is not a method of this path; it has ${allow}.`, {
      headers: { allow },
    });
  });
}
export const pathOf = (url: string) => url.split('?', 1)[0] ?? '';

function addParsers(app: FastifyInstance, config: Config) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readJson);
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      request.form = true;
      return parseUrlencoded(utf8(request, body));
    },
  );
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    request.form = true;
    const { tree, discard } = await parseMultipart(request.raw, config);
    request.discardUploads = discard;
    return tree;
  });
}

export async function readJson(request: FastifyRequest, body: Buffer): Promise<unknown> {
  const text = utf8(request, body);
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal('malformed_body', `The body is not valid JSON: ${(error as Error).message}.`);
  }
}

function utf8(request: FastifyRequest, body: Buffer): string {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii') {
    throw new Refusal('unsupported_media_type', `The body is in ${charset.slice(0, 40)}; only UTF-8 is read.`);
  }
  if (!isUtf8(body)) throw new Refusal('malformed_body', 'The body is not valid UTF-8.');
  return body.toString('utf8');
}

/** A query that cannot be read must not throw inside the router: it is refused where the request is answered. */
function parseQuery(text: string): Record<string, unknown> {
  try {
    return parseUrlencoded(text);
  } catch {
    return { skip: 'unreadable query' };
  }
}

const SLOWEST_BYTES_MS = 65.536;
const TIMER_MAX_MS = 2 ** 31 - 1;
/** A body must arrive in time; large ones are given what 64 KiB a second take. */
function limitArrival({ headers, raw }: FastifyRequest, reply: FastifyReply, timeout_ms: number) {
  const length = Number(headers['content-length'] ?? 0);
  if (length === 0 && headers['transfer-encoding'] === undefined) return;
  const late = setTimeout(
    () => {
      if (reply.raw.headersSent) raw.socket.destroy();
      else refuseBrokenRequest(Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket);
    },
    Math.min(timeout_ms + length / SLOWEST_BYTES_MS, TIMER_MAX_MS),
  );
  raw.once('close', () => clearTimeout(late));
}

/** Bytes that are not HTTP never reach Fastify; they get the envelope all the same. */
function refuseBrokenRequest(error: Error & { code?: string }, socket: import('node:net').Socket) {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, reason, code, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', 'headers_too_large', 'The headers are larger than 16 KiB.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', 'invalid_request', 'The request did not arrive in time.']
        : [400, 'Bad Request', 'invalid_request', 'This is not a valid HTTP/1.1 request.'];
  const body = failure({
    message: String(message),
    code: String(code),
    errors: [{ path: {}, message: String(message) }],
    request_id: randomUUID(),
  });
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    // Whoever goes on sending keeps no connection by it.
    () => setTimeout(() => socket.destroy(), 1000).unref(),
  );
}
