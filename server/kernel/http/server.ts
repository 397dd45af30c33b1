// The HTTP server without its endpoints. Read this file first, then routes.ts: a request's way through this room.
//
//   Arrival      Node reads the head. What is no HTTP, has too long headers, or sends its body too slowly is answered
//   arrival.ts   by arrival.ts, outside Fastify. A request gets an id (x-request-id) and the moment at which it came.
//
//   Route        Fastify finds the endpoint by method and path. routes.ts has mounted them, one for each declaration
//   routes.ts    in a module's contract. A path without any gets a 404; one that has other methods a 405 (methods.ts).
//
//   Page         A browser asks for a page of another origin whether it may: cross-origin.ts answers, there and in the
//                headers of answers.
//
//   Credential   Before its body is read: is it as long as the endpoint takes (body-limits.ts)? Who asks, of which
//   routes.ts    organisation, may they call this endpoint at all (kernel/people/auth.ts)? The answer is
//                `request.actor`, and `request.tx`, the way to the database.
//
//   Body         JSON, forms and multipart all become one tree of plain values and files. A form writes its tree as
//   bodies.ts    flat names (fields.ts); what JSON holds is bounded first (json.ts). A multipart body is cut at its
//                boundaries (multipart.ts); what its parts become is in form.ts: files of large bodies go to disk, and
//                are gone when the answer is sent.
//
//   Check        Path, query and body are coerced ("12" becomes 12 where a number is wanted) and validated against
//   routes.ts    the contract (kernel/contract/coerce.ts, validate.ts). All that is wrong is named in one 400.
//
//   Handler      The module's function. It gets a `Call` and returns an `Answer`, or throws a `Refusal`.
//
//   Answer       Rows are JSON text already, made by PostgreSQL; envelope.ts puts `data`, `status` and `meta` around
//   envelope.ts  them. Whatever was thrown, anywhere, becomes the envelope of an error in error-reply.ts: a `Refusal`
//                as itself, errors of Fastify and constraints of the database translated, all else a 500 and a line
//                in the log.
//
//   Afterwards   The log line and the metrics (metrics.ts), work that waited for the answer to be out, and the
//                removal of uploaded files.
//
// A person's access may end while one of their requests runs (kernel/people/in-flight.ts). It is then `refused`: its
// answer is a 401, whatever its handler made.
import cookie from '@fastify/cookie';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Config } from '../config.ts';
import { Refusal } from '../contract/errors.ts';
import { limitArrival, refuseBrokenRequest, refuseExpectation } from './arrival.ts';
import { refuseBadHost } from './base-url.ts';
import { addParsers, readQuery, refuseUnreadable } from './bodies.ts';
import { openBodies, refuseLength } from './body-limits.ts';
import { compress } from './compression.ts';
import { answerPages, type Origins } from './cross-origin.ts';
import { failure } from './envelope.ts';
import { replyError } from './error-reply.ts';
import type { Metrics } from './metrics.ts';
import { requestId } from './request-id.ts';
import type { Services } from './routes.ts';
import { unpacked } from './unpacking.ts';

const ONE_YEAR = 'max-age=31536000';

type Parts = Pick<Services, 'config' | 'clock'> & {
  logger: FastifyBaseLogger;
  metrics: Metrics;
  origins: Origins;
};

/** Fields of a request, typed in routes.ts. Declared so that all requests have one shape. */
const FIELDS = [
  'actor',
  'credential',
  'tx',
  'received_micros',
  'refused',
  'work',
  'afterAnswer',
  'form',
  'ignored',
  'discardUploads',
  'answer',
  'cleared',
];

export async function createHttp({ config, logger, clock, metrics, origins }: Parts): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // The one line a request gets is written below; a logger of its own for each would cost more than the line.
    childLoggerFactory: (shared) => shared,
    genReqId: () => requestId(clock.micros() / 1000),
    bodyLimit: config.body_bytes_max,
    // One limit for every request would be too short for a large file on a slow line: see limitArrival.
    requestTimeout: 0,
    // A missing Host is refused in refuseBadHost, with the envelope.
    http: { headersTimeout: config.headers_timeout_ms, maxHeaderSize: 16 * 1024, requireHostHeader: false },
    keepAliveTimeout: 72_000,
    trustProxy: trusted(config.trust_proxy),
    // Contracts check what comes in, PostgreSQL writes what goes out: Fastify's compilers would be loaded for nothing.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    exposeHeadRoutes: false,
    rewriteUrl: routeHeadAsGet,
    routerOptions: { maxParamLength: 1024, querystringParser: readQuery, ignoreTrailingSlash: true },
    frameworkErrors: replyError,
    clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket, app.allowedMethods),
  });
  app.server.on('checkExpectation', refuseExpectation);
  app.allowedMethods = undefined;
  await app.register(cookie);
  for (const name of FIELDS) app.decorateRequest(name);
  addParsers(app, config);
  app.setErrorHandler(replyError);

  const isBehindProxy = config.trust_proxy !== 0;
  const holdOpenBody = openBodies(config.open_bodies_bytes_max);
  app.addHook('onRequest', (request, reply, done) => {
    request.received_micros = clock.micros();
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff').header('vary', 'Origin');
    if (request.url.startsWith('/v1')) reply.header('cache-control', 'no-store');
    if (isBehindProxy && request.protocol === 'https') reply.header('strict-transport-security', ONE_YEAR);
    refuseBadHost(request);
    limitArrival(request, reply, config);
    const { limits } = request.routeOptions.config;
    if (limits) refuseLength(request, limits);
    if (limits?.isOpen) holdOpenBody(request, reply);
    refuseUnreadable(request);
    done();
  });
  app.addHook('preParsing', (request, _reply, payload, done) =>
    done(null, unpacked(request, payload, config.body_bytes_max)),
  );
  answerPages(app, origins, config.brand);
  app.addHook('onSend', compress);
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.refused && reply.statusCode < 400) {
      const refusal = new Refusal('unauthorized', 'The credential is missing, unknown, revoked or expired.');
      reply.code(401).removeHeader('set-cookie').removeHeader('content-encoding').removeHeader('etag');
      reply.header('www-authenticate', 'Bearer');
      reply.type('application/json; charset=utf-8');
      return done(null, failure(refusal, request.id));
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
    // Not the URL: paths and queries can hold personal data.
    const route = endpoint?.path ?? 'other';
    const { method, actor, id: request_id } = request;
    const { statusCode: status, elapsedTime: ms } = reply;
    metrics.observe({ method, route, status }, ms / 1000);
    logger.info({
      request_id,
      method,
      route,
      operation,
      status,
      ms: Math.round(ms * 1000) / 1000,
      organisation_id: actor?.organisation_id,
      actor: actor?.kind,
      credential_id: actor?.credential_id,
    });
    Promise.all([request.afterAnswer?.(0), request.discardUploads?.()]).catch((err) =>
      logger.error({ err, request_id }, 'work after the answer failed'),
    );
    done();
  });
  return app;
}

/** Of proxies in a row, the nearest are counted. */
function trusted(proxies: Config['trust_proxy']) {
  if (typeof proxies !== 'number') return [...proxies];
  return proxies > 0 && ((_address: string, hop: number) => hop < proxies);
}

const refuseSchema = () => () => {
  throw new Error('Routes have contracts (routes.ts), not schemas of Fastify.');
};

/** Node drops the body of an answer to HEAD, so the route of GET serves both. That of files does not read them. */
function routeHeadAsGet(request: { method?: string; url?: string }): string {
  const { url = '/' } = request;
  if (request.method === 'HEAD' && !url.startsWith('/files/')) request.method = 'GET';
  return url;
}
