// How an operation may be refused: a shared response for each status, with the codes it can have.

import type { Endpoint } from '../../kernel/contract/contract.ts';
import { commonErrors } from '../../kernel/contract/errors.ts';
import { isOpen } from '../../kernel/http/body-limits.ts';
import { type Components, pascal, type Reference } from './components.ts';
import { headersOf } from './headers.ts';

const statuses: Record<number, readonly [name: string, description: string]> = {
  400: ['BadRequest', 'Bad input; `meta.errors` names the fields.'],
  401: ['Unauthorized', 'No credential, or one that is unknown, revoked or expired.'],
  403: ['Forbidden', 'The credential lacks the scope or the role, or the row may only be read.'],
  404: ['NotFound', 'There is no such resource, or the caller may not see it.'],
  409: ['Conflict', 'The state of things does not allow it.'],
  412: ['PreconditionFailed', 'The resource is not what `If-Match` says.'],
  413: ['TooLarge', 'The body or a file in it is too large.'],
  415: ['MediaType', 'The body has a format that is not read.'],
  429: ['TooManyRequests', 'Too many attempts: wait.'],
  500: ['ServerError', 'Something broke on our side, or the database does not answer.'],
};
const CODES_IN_NAME_MAX = 1;
const writes = (method: string) => method !== 'GET';

/** Codes of the operation, beside those of its own that its contract declares. */
function commonCodes(endpoint: Endpoint): string[] {
  return [
    ...['invalid_request', 'service_id_required'],
    ...(isOpen(endpoint) ? [] : ['unauthorized', 'forbidden']),
    ...(!isOpen(endpoint) && writes(endpoint.method) ? ['csrf_token_required'] : []),
    ...(endpoint.path.includes('{') ? ['not_found'] : []),
    ...(/^(PUT|PATCH|DELETE)$/.test(endpoint.method) ? ['precondition_failed'] : []),
    ...(endpoint.body ? ['malformed_body', 'payload_too_large', 'unsupported_media_type'] : []),
  ];
}

export function failuresOf(operation: string, endpoint: Endpoint, components: Components): Record<string, Reference> {
  const common = Object.fromEntries(commonCodes(endpoint).map((code) => [code, commonErrors[code] ?? 500]));
  const byStatus = Object.groupBy(Object.entries({ ...common, ...endpoint.errors }), ([, status]) => status);
  const refused = Object.entries(byStatus).map(([status, entries = []]) => {
    const codes = entries.map(([code]) => code);
    return [status, failure(Number(status), codes, operation, components)];
  });
  return { ...Object.fromEntries(refused), '5XX': failure(500, ['internal_error', 'unavailable'], '', components) };
}

function failure(status: number, codes: string[], operation: string, components: Components) {
  const [base, description] = statuses[status] ?? [`Status${status}`, 'Refused.'];
  const own = codes.filter((code) => !usual.has(code)).map(pascal);
  const common = base + codes.flatMap((code) => parts[code] ?? []).join('');
  const name = own.length > CODES_IN_NAME_MAX ? pascal(operation) + base : common + own.join('');
  const schema = {
    allOf: [components.put('schemas', ['Error'], errorSchema), { properties: { code: { enum: codes } } }],
  };
  return components.put('responses', [name, pascal(operation) + base], {
    description,
    headers: headersOf(headersOfFailure(status), components),
    content: {
      'application/json': { schema, ...(own.length === 0 ? { example: { ...errorExample, code: codes[0] } } : {}) },
    },
  });
}
const headersOfFailure = (status: number) => [
  ...(status === 429 || status >= 500 ? ['Retry-After'] : []),
  ...(status === 401 ? ['WWW-Authenticate'] : []),
];
/** Codes of many operations, in the names of what they share. */
const parts: Record<string, string> = { malformed_body: 'OfBody', csrf_token_required: 'ToWrite' };
const usual = new Set(Object.keys(commonErrors));

const errorSchema = {
  type: 'object',
  required: ['data', 'status', 'message', 'code', 'meta'],
  properties: {
    data: { type: 'null' },
    status: { const: 'error' },
    message: { type: 'string', description: 'One sentence for people.' },
    code: { type: 'string', description: 'Stable, for programs. Each operation lists those it can answer with.' },
    meta: {
      type: 'object',
      required: ['errors', 'request_id'],
      properties: {
        errors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: {
              path: { description: 'The field, or {} for the whole request.', type: ['string', 'object'] },
              message: { type: 'string' },
            },
          },
        },
        request_id: { type: 'string', format: 'uuid' },
      },
    },
  },
};
const errorExample = {
  data: null,
  status: 'error',
  message: 'One sentence that says what is wrong.',
  code: '',
  meta: {
    errors: [{ path: {}, message: 'One sentence that says what is wrong.' }],
    request_id: '0d3b2a52-6f0e-4a7f-9d0a-3f1b7f6f2c11',
  },
};
