import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DatabaseError } from 'pg';
import type { Endpoint } from '../contract/contract.ts';
import { commonErrors, Refusal } from '../contract/errors.ts';
import { failure } from './envelope.ts';

const fastifyCodes: Record<string, [code: string, sentence: string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is too large.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send application/json, multipart/form-data or application/x-www-form-urlencoded.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_body', 'The body does not have the length that Content-Length says.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The path is not valid percent-encoded UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['invalid_request', 'A part of the path is too long.'],
};

/** Every failure leaves through here: one envelope, one status, and a log line when it is ours. */
export function replyError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const endpoint = request.routeOptions?.config?.endpoint as Endpoint | undefined;
  let refusal = asRefusal(error);
  let status = refusal && (endpoint?.errors?.[refusal.code] ?? commonErrors[refusal.code]);
  if (!refusal || status === undefined || status >= 500) {
    request.log.error(
      { err: error, request_id: request.id, route: request.routeOptions?.url },
      refusal ? 'unavailable or undeclared error' : 'internal error',
    );
  }
  if (!refusal || status === undefined) {
    refusal = new Refusal('internal_error', 'Something broke on our side. Tell the operator the request id.');
    status = 500;
  }
  const { headers, meta } = refusal.options;
  reply
    .code(status)
    .headers({ 'x-request-id': request.id, ...headers, ...(status === 413 ? { connection: 'close' } : {}) })
    .type('application/json; charset=utf-8')
    .send(
      failure({ message: refusal.message, code: refusal.code, errors: refusal.errors, request_id: request.id, meta }),
    );
}

export function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  const known = code === undefined ? undefined : fastifyCodes[code];
  if (known) return new Refusal(known[0], known[1], { cause: error });
  if (isUnavailable(code, message)) {
    return new Refusal('unavailable', 'The database does not answer right now. Try again shortly.', {
      headers: { 'retry-after': '1' },
      cause: error,
    });
  }
  return typeof code === 'string' ? ofConstraint(error as DatabaseError) : undefined;
}

/** Lost, refused or exhausted connections, and statements that ran into the time limit. */
function isUnavailable(code: string | undefined, message = '') {
  if (/not (currently|yet) accepting connections/.test(message)) return true;
  if (code !== undefined) return /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|57P0\d|57014|08\d\d\d|53\d\d\d)$/.test(code);
  return /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    message,
  );
}

/** `pages__external_id_key` -> external_id_taken, `pages__space_id_fkey` -> space_not_found: names carry the meaning. */
function ofConstraint(error: DatabaseError): Refusal | undefined {
  const found = /^[a-z_]+?__([a-z_]+)_(key|fkey|check)$/.exec(error.constraint ?? '');
  const [, column = '', kind] = found ?? [];
  const noun = column.replace(/_id$/, '').replaceAll('_', ' ');
  if (kind === 'key')
    return new Refusal(`${column}_taken`, `This ${column.replaceAll('_', ' ')} is taken already.`, {
      path: column,
      cause: error,
    });
  if (kind === 'fkey')
    return new Refusal(`${column.replace(/_id$/, '')}_not_found`, `There is no such ${noun}, or it is still in use.`, {
      path: column,
      cause: error,
    });
  if (kind === 'check')
    return new Refusal('invalid_request', `The ${column.replaceAll('_', ' ')} is not valid.`, {
      path: column,
      cause: error,
    });
  return undefined;
}
