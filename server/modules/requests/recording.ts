// Every call of a key, an app or an identity provider is recorded when it was answered, also when it was refused.
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../../kernel/contract/contract.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Node } from '../../kernel/module.ts';
import { type Call, openLog, type RequestLog } from './log.ts';
import { isPrivate, redacted, shownPath } from './redaction.ts';

const ANSWER_LENGTH_MAX = 16_384;
/** The client was gone before the answer; the usual number for it. */
const CLIENT_CLOSED = 499;

export function mountRecording(http: FastifyInstance, services: Services, { authentication, metrics }: Node) {
  const log = openLog(services, http.log, metrics);
  if (!log) return;
  // What nobody waits for any more has no response.
  http.addHook('onSend', (request, reply, _payload, done) => {
    if (request.socket.destroyed && request.credential) record(log, request, reply, CLIENT_CLOSED);
    done();
  });
  http.addHook('onResponse', (request, reply, done) => {
    if (request.credential) record(log, request, reply, reply.statusCode);
    else if (request.is404 && request.headers.authorization !== undefined && request.url.startsWith('/v1/'))
      authentication
        .recognise(request)
        .then((actor) => actor && record(log, request, reply, reply.statusCode))
        .catch(() => {});
    done();
  });
  http.addHook('onClose', () => log.settled());
}

function record(log: RequestLog, request: FastifyRequest, reply: FastifyReply, status: number) {
  const { credential, headers, ignored } = request;
  if (!credential || credential.kind === 'session') return;
  const { endpoint } = request.routeOptions.config;
  const operation = request.routeOptions.config.operation ?? endpoint?.operation ?? null;
  const call: Call = {
    request_id: request.id,
    at: request.received_micros,
    method: request.method,
    path: shownPath(request.url, endpoint),
    // What was only tried is no call that a rule could find something about.
    operation: reply.hasHeader('x-dry-run') ? `dry-run:${operation}` : operation,
    status,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    answer_bytes: numberOf(reply.getHeader('content-length')),
  };
  if (credential.kind === 'jwt') call.user_id = request.actor?.user_id;
  if (headers['content-length'] !== undefined) call.request_bytes = numberOf(headers['content-length']);
  if (ignored?.length) call.ignored = ignored;
  if (request.cleared?.length) call.cleared = request.cleared;
  if (headers['idempotency-key'] !== undefined) call.notes = ['idempotency_key'];
  let body: string | undefined;
  if (credential.kind !== 'scim' && (status >= 400 || request.method !== 'GET')) {
    const answer = answerOf(request);
    if (reply.statusCode >= 400) {
      call.code = (answer as Failure | undefined)?.code;
      if (contradicts(answer)) call.notes = [...(call.notes ?? []), 'contradiction'];
    }
    body = bodiesOf(request, endpoint, answer, reply.statusCode);
    if (request.method === 'POST' && request.body !== undefined) call.digest = digestOf(request.body);
  }
  log.add(credential, call, endpoint?.scope ?? null, body);
}

interface Failure {
  code?: string;
  meta?: { errors?: { message?: string }[] };
}
/** As spaces and teams say it. */
const CONTRADICTION = /^contradicts |, who is also to be removed$/;
const contradicts = (answer: unknown) =>
  (answer as Failure | undefined)?.meta?.errors?.some(({ message = '' }) => CONTRADICTION.test(message)) === true;

const numberOf = (header: unknown) => (header === undefined ? undefined : Number(header));

function answerOf({ answer }: FastifyRequest): unknown {
  if (answer === undefined || answer.length > ANSWER_LENGTH_MAX) return undefined;
  return JSON.parse(answer);
}

/** JSON text, or nothing. */
function bodiesOf(request: FastifyRequest, endpoint: Endpoint | undefined, answer: unknown, status: number) {
  const hidesTexts = !endpoint || isPrivate(endpoint);
  const asked = request.body == null ? 'null' : redacted(request.body, endpoint?.body, hidesTexts);
  const answered = answer === undefined ? 'null' : answeredText(answer, endpoint, hidesTexts, status);
  return asked === 'null' && answered === 'null' ? undefined : `{"request":${asked},"answer":${answered}}`;
}

/** What is refused says why in words of ours, and names fields. */
const Refused = {
  type: 'object',
  properties: { status: {}, message: {}, code: {}, meta: { properties: { errors: { items: errorItem() } } } },
};
function errorItem() {
  return { properties: { path: {}, message: {} } };
}
function answeredText(answer: unknown, endpoint: Endpoint | undefined, hidesTexts: boolean, status: number) {
  if (status >= 400) return redacted(answer, Refused, false);
  const { data } = answer as { data?: unknown };
  return redacted(data, Array.isArray(data) ? { items: endpoint?.reply } : endpoint?.reply, hidesTexts);
}

const digestOf = (body: unknown) => hash('sha1', JSON.stringify(body), 'base64url').slice(0, 16);
