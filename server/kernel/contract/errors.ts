/** One problem of one field. `path` is as the client wrote it, for example `cards[0].buttons[1].link`. */
export interface FieldError {
  path: string | Record<string, never>;
  message: string;
}

/** Codes that any endpoint may answer with; an endpoint's contract declares the rest. */
export const commonErrors: Readonly<Record<string, number>> = {
  invalid_request: 400,
  malformed_body: 400,
  service_id_required: 400,
  unauthorized: 401,
  jwt_malformed: 401,
  jwt_algorithm_refused: 401,
  jwt_key_unknown: 401,
  jwt_signature_invalid: 401,
  jwt_claim_missing: 401,
  jwt_expired: 401,
  jwt_not_yet_valid: 401,
  jwt_lifetime_too_long: 401,
  jwt_audience_wrong: 401,
  jwt_replayed: 401,
  jwt_person_unknown: 401,
  forbidden: 403,
  pending_approval: 403,
  csrf_token_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  too_many_requests: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
};

export interface RefusalOptions {
  /** The field that is to blame; without it the whole request is. */
  path?: string;
  errors?: FieldError[];
  meta?: Record<string, unknown>;
  headers?: Record<string, string>;
  cause?: unknown;
}

/**
 * A request that is refused for a reason its sender can act on. Three faces: `code` for programs (declared in the
 * endpoint's contract or in `commonErrors`), `message` for people, `cause` for the log.
 */
export class Refusal extends Error {
  readonly code: string;
  readonly options: RefusalOptions;

  constructor(code: string, message: string, options: RefusalOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.options = options;
  }

  get errors(): FieldError[] {
    return this.options.errors ?? [{ path: this.options.path ?? {}, message: this.message }];
  }
}

export function refuse(code: string, message: string, options?: RefusalOptions): never {
  throw new Refusal(code, message, options);
}
/** Absent, invisible to this actor, or of another organisation: deliberately one answer for all three. */
export function refuseNotFound(): never {
  refuse('not_found', 'There is no such resource, or you may not see it.');
}
export function refuseForbidden(message: string): never {
  refuse('forbidden', message);
}
export function refuseInvalid(path: string, message: string): never {
  refuse('invalid_request', 'The request breaks the contract of this endpoint.', { errors: [{ path, message }] });
}

const FIELDS_MAX = 100;
/** One refusal that names every field that is wrong; an empty path blames the whole request. */
export function refuseFields(errors: readonly FieldError[]): never {
  const named = errors.map(({ path, message }) => ({ path: path === '' ? {} : path, message }));
  const [first] = named;
  if (!first) return refuse('invalid_request', 'The request is not valid.');
  const subject = typeof first.path === 'string' ? `"${first.path}"` : 'The request';
  const more = named.length > 1 ? ` (and ${named.length - 1} more)` : '';
  return refuse('invalid_request', `${subject} ${first.message}${more}.`, { errors: named.slice(0, FIELDS_MAX) });
}
