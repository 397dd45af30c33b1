import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DatabaseError } from 'pg';
import type { Endpoint } from '../contract/contract.ts';
import { commonErrors, Refusal } from '../contract/errors.ts';
import { failure } from './envelope.ts';

const FORMATS = 'application/json, multipart/form-data or application/x-www-form-urlencoded';
const fastifyErrors: Record<string, [code: string, message: string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is too large.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', `Send ${FORMATS}.`],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_body', 'The body does not have the length that Content-Length says.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The path is not valid percent-encoded UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['invalid_request', 'A part of the path is too long.'],
};
/** Data that PostgreSQL refuses (class 22), or that is more than it can index (54000). */
const UNSTORABLE = /^(22[\dA-Z]{3}|54000)$/;
const NOT_STORED = 'A value of the request cannot be stored.';
/** Of zlib and brotli. */
const UNPACKED_BADLY = /^(Z_[A-Z]+_ERROR|ERR_(BROTLI|_ERROR).*)$/;
const BROKEN = 'Something broke on our side. Tell the operator the request id.';
const UNAVAILABLE = 'The database does not answer right now. Try again shortly.';

/** Every failure leaves through here: one envelope, one status, and a log line when it is ours. */
export function replyError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const endpoint = request.routeOptions?.config?.endpoint as Endpoint | undefined;
  const statusOf = ({ code }: Refusal) => endpoint?.errors?.[code] ?? commonErrors[code];
  const told = asRefusal(error);
  const refusal = told && statusOf(told) !== undefined ? told : new Refusal('internal_error', BROKEN);
  const status = statusOf(refusal) ?? 500;
  if (refusal.message === NOT_STORED)
    request.log.warn({ err: error, request_id: request.id }, 'a value slipped through');
  if (status >= 500)
    request.log.error(
      { err: error, request_id: request.id, route: request.routeOptions?.url },
      told ? 'unavailable or undeclared error' : 'internal error',
    );
  if (status === 400) nameIgnored(refusal, request);
  const { headers } = refusal.options;
  request.answer = failure(refusal, request.id);
  reply
    .code(status)
    .headers({ 'x-request-id': request.id, ...headers, ...(status === 413 ? { connection: 'close' } : {}) })
    .type('application/json; charset=utf-8')
    .send(request.answer);
}

/** A misspelt name may be why what is asked for is not there. */
function nameIgnored({ options, errors }: Refusal, { ignored = [] }: FastifyRequest) {
  options.errors = [...errors, ...ignored.map((path) => ({ path, message: 'is no field of this endpoint' }))];
}

export function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const { code, message, constraint } = (error ?? {}) as Partial<DatabaseError>;
  const known = fastifyErrors[code ?? ''];
  if (known) return new Refusal(...known, { cause: error });
  if (UNSTORABLE.test(code ?? '')) return new Refusal('invalid_request', NOT_STORED, { cause: error });
  if (UNPACKED_BADLY.test(code ?? ''))
    return new Refusal('malformed_body', 'The body is not compressed as its Content-Encoding says.', { cause: error });
  if (isUnavailable(code, message))
    return new Refusal('unavailable', UNAVAILABLE, { headers: { 'retry-after': '1' }, cause: error });
  return constraint === undefined ? undefined : ofConstraint(constraint, error);
}

/** Lost, refused or exhausted connections, and statements that ran into the time limit. */
function isUnavailable(code: string | undefined, message = '') {
  if (/not (currently|yet) accepting connections/.test(message)) return true;
  if (code !== undefined) return /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|57P0\d|57014|08\d\d\d|53\d\d\d)$/.test(code);
  return LOST.test(message);
}
const LOST = /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** By their names: `pages__external_id_key` -> external_id_taken, `pages__space_id_fkey` -> space_not_found. */
function ofConstraint(constraint: string, cause: unknown): Refusal | undefined {
  const [, column = '', kind] = /^[a-z_]+?__([a-z_]+)_(key|fkey|check)$/.exec(constraint) ?? [];
  const named = column.replace(/_id$/, '');
  const words = (name: string) => name.replaceAll('_', ' ');
  const options = { path: column, cause };
  if (kind === 'key') return new Refusal(`${column}_taken`, `This ${words(column)} is taken already.`, options);
  if (kind === 'check') return new Refusal('invalid_request', `The ${words(column)} is not valid.`, options);
  if (kind === 'fkey')
    return new Refusal(`${named}_not_found`, `There is no such ${words(named)}, or it is still in use.`, options);
  return undefined;
}
