/** What Atrium refused, or why there was no answer (status 0: unreachable, timeout). Carries no credential. */
export class AtriumError extends Error {
  constructor({ operation, method = 'GET', status = 0, code, message, errors = [], request_id, retryAfterMs, cause }) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AtriumError';
    this.operation = operation;
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.request_id = request_id;
    this.retryAfterMs = retryAfterMs;
    this.isUncertain = method !== 'GET' && (status === 0 || status === 408 || status >= 500);
  }
}

/** Of an answer that is no success; `body` is what was read of it. */
export function refusalOf(operation, method, response, body) {
  const { status, headers } = response;
  const isEnvelope = body?.status === 'error' && typeof body.code === 'string';
  // RFC 7644 3.12 has another shape of its own.
  const { code, message, meta } = isEnvelope
    ? body
    : { code: body?.scimType ?? `http_${status}`, message: body?.detail };
  return new AtriumError({
    ...{ operation, method, status, code, errors: meta?.errors },
    message: message ?? `${operation} was answered with ${status}, and not by Atrium.`,
    request_id: meta?.request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfter(headers.get('retry-after')),
  });
}

/** RFC 9110 10.2.3: seconds, or a date. */
function retryAfter(header) {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
