// The OpenAPI 3.1 document, made from the contracts.
import type { TSchema } from 'typebox';
import type { BodyFormat, Endpoint, Example, Family } from '../../kernel/contract/contract.ts';
import { commonErrors } from '../../kernel/contract/errors.ts';
import type { Event } from '../../kernel/delivery/outbox.ts';
import { paramsSchema, querySchema } from '../../kernel/http/routes.ts';

const mediaTypes: Record<Exclude<BodyFormat, 'none'>, string> = {
  json: 'application/json',
  multipart: 'multipart/form-data',
  urlencoded: 'application/x-www-form-urlencoded',
};
type Named = { title?: string };

export function openApi(families: readonly Family[], events: readonly Event[]): Record<string, unknown> {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { name, endpoints } of families) {
    for (const [operationId, endpoint] of Object.entries(endpoints)) {
      paths[endpoint.path] = {
        ...paths[endpoint.path],
        [endpoint.method.toLowerCase()]: operation(operationId, name, endpoint, schemas),
      };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Atrium',
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: about,
    },
    servers: [{ url: '/' }],
    security: [{ api_key: [], service_id: [] }, { session: [] }, { user_jwt: [], user_jwt_key: [], service_id: [] }],
    tags: families.map(({ name, description }) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(events.map((event) => [event.action, { post: webhook(event, schemas) }])),
    components: {
      securitySchemes: {
        api_key: { type: 'http', scheme: 'bearer', description: 'An API key of an app of the organisation.' },
        service_id: { type: 'apiKey', in: 'header', name: 'Service-Id', description: "The organisation's id." },
        user_jwt: {
          type: 'apiKey',
          in: 'header',
          name: 'x-service-jwt',
          description: 'Signed by an app in the name of a person: see the JWT settings of apps.',
        },
        user_jwt_key: {
          type: 'apiKey',
          in: 'header',
          name: 'x-service-jwt-keyid',
          description: 'The kid of the key that signed it.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'atrium_session',
          description: 'Set by signing in. Writes also need X-CSRF-Token.',
        },
      },
      schemas: { ...schemas, Error: errorSchema },
    },
  };
}

const about = `Every request under /v1 carries \`Authorization: Bearer <key>\` and \`Service-Id: <organisation id>\`, \
or the session cookie.
Bodies are read as JSON, multipart/form-data or application/x-www-form-urlencoded, \
whichever is documented first for an endpoint.
Unknown fields are ignored and named in \`meta.warnings\`. Lists take \`skip\` and \`take\` (1 to 100, default 50).`;

function operation(operationId: string, tag: string, endpoint: Endpoint, schemas: Record<string, unknown>) {
  const { summary, description, scope, roles, example, documented = 'json' } = endpoint;
  const isPublic = scope === null && !roles && !endpoint.actors;
  const needs = scope
    ? `Scope: \`${scope}\`.`
    : endpoint.actors
      ? `For a signed-in person${endpoint.actors === 'person' ? ' or a user JWT' : ''}.`
      : 'Needs no credential.';
  const byRole = roles ? ` A signed-in person needs one of the roles ${roles.join(', ')}.` : '';
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, needs + byRole].filter(Boolean).join('\n\n'),
    ...(scope ? { 'x-scope': scope } : {}),
    ...(endpoint.emits ? { 'x-emits': endpoint.emits } : {}),
    ...(isPublic ? { security: [{ service_id: [] }] } : {}),
    parameters: [
      ...parameters('path', paramsSchema(endpoint), example.params),
      ...parameters('query', querySchema(endpoint), example.query),
    ],
    ...(endpoint.body ? { requestBody: requestBody(endpoint.body, documented, example) } : {}),
    responses: {
      [endpoint.status ?? 200]: { description: 'Done.', content: contentOf(endpoint, schemas) },
      ...failures(endpoint),
    },
  };
}

const contentOf = (endpoint: Endpoint, schemas: Record<string, unknown>) =>
  endpoint.media
    ? { [endpoint.media]: { schema: { type: 'string' } } }
    : { 'application/json': { schema: replySchema(endpoint, schemas) } };

function parameters(where: 'path' | 'query', schema: TSchema, examples: Readonly<Record<string, unknown>> = {}) {
  const { properties = {}, required = [] } = schema as unknown as {
    properties?: Record<string, TSchema & { description?: string }>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(property.description ? { description: property.description } : {}),
    schema: plain(property, undefined),
    ...(name in examples ? { example: examples[name] } : {}),
    ...((property as { 'x-separated'?: boolean })['x-separated'] ? { style: 'form', explode: false } : {}),
  }));
}

function requestBody(body: TSchema, documented: BodyFormat, { body: example = {} }: Example) {
  const schema = plain(body, undefined);
  const hasFile = JSON.stringify(schema).includes('"binary"');
  const formats = (['json', 'multipart', 'urlencoded'] as const).filter((format) => !hasFile || format === 'multipart');
  const ordered = formats.toSorted((a, b) => Number(b === documented) - Number(a === documented));
  return {
    required: true,
    content: Object.fromEntries(ordered.map((format) => [mediaTypes[format], { schema, example }])),
  };
}

export function replySchema(endpoint: Endpoint, schemas: Record<string, unknown> | undefined): Record<string, unknown> {
  const meta: Record<string, unknown> = {
    warnings: { type: 'array', items: { type: 'string' } },
    ...((endpoint.meta as { properties?: object } | undefined)?.properties ?? {}),
  };
  if (endpoint.list) meta.pagination = paginationSchema;
  const data = endpoint.list
    ? { type: 'array', items: plain(endpoint.list, schemas) }
    : endpoint.reply
      ? plain(endpoint.reply, schemas)
      : { type: 'object' };
  return {
    type: 'object',
    required: ['data', 'status', 'meta'],
    properties: {
      data,
      ...((endpoint.beside as { properties?: object } | undefined)?.properties ?? {}),
      status: { const: 'success' },
      meta: { type: 'object', properties: meta, ...(endpoint.list ? { required: ['pagination'] } : {}) },
    },
  };
}

const paginationSchema = {
  type: 'object',
  required: ['skip', 'take', 'total_records', 'next_page'],
  properties: {
    skip: { type: 'integer' },
    take: { type: 'integer' },
    total_records: { type: 'integer' },
    next_page: { type: ['string', 'null'] },
  },
};

const errorSchema = {
  title: 'Error',
  type: 'object',
  required: ['data', 'status', 'message', 'code', 'meta'],
  properties: {
    data: { type: 'null' },
    status: { const: 'error' },
    message: { type: 'string', description: 'One sentence for people.' },
    code: { type: 'string', description: 'Stable, for programs.' },
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
        request_id: { type: 'string' },
      },
    },
  },
};

function failures(endpoint: Endpoint) {
  const codes: Record<string, number> = {
    ...endpoint.errors,
    ...(endpoint.path.includes('{') ? { not_found: 404 } : {}),
  };
  if (endpoint.body || endpoint.query || endpoint.list) codes.invalid_request = 400;
  if (endpoint.scope || endpoint.actors || endpoint.roles) Object.assign(codes, { unauthorized: 401, forbidden: 403 });
  if (endpoint.body)
    Object.assign(codes, {
      payload_too_large: commonErrors.payload_too_large,
      unsupported_media_type: commonErrors.unsupported_media_type,
    });
  const byStatus = Object.groupBy(Object.entries(codes), ([, status]) => status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, entries]) => [
      status,
      {
        description: `Codes: ${entries?.map(([code]) => code).join(', ')}.`,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

/** Standard Webhooks. */
const webhookHeaders = Object.entries({
  'webhook-id': '`meta.id`: the same for every attempt.',
  'webhook-timestamp': 'Unix seconds of the attempt.',
  'webhook-signature':
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`; several, with spaces between, ' +
    'while a secret is replaced.',
}).map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }));

function webhook({ action, summary, payload }: Event, schemas: Record<string, unknown>) {
  const properties = Object.fromEntries(Object.entries(payload).map(([key, schema]) => [key, plain(schema, schemas)]));
  const meta = {
    type: 'object',
    required: ['id', 'attempt', 'timestamp'],
    properties: {
      id: { type: 'string' },
      attempt: { type: 'integer' },
      timestamp: { type: 'integer', description: 'Unix seconds.' },
    },
  };
  const schema = {
    type: 'object',
    required: ['action', 'meta', ...Object.keys(payload)],
    properties: { action: { const: action }, ...properties, meta },
  };
  return {
    summary,
    operationId: action,
    parameters: webhookHeaders,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': {
        description: 'Received. Anything else, or no answer within five seconds, is tried again up to four times.',
      },
    },
  };
}

/** Plain JSON Schema without our own keywords; schemas with a title become components. */
function plain(schema: TSchema, schemas: Record<string, unknown> | undefined): Record<string, unknown> {
  const strip = (node: unknown, isRoot: boolean): unknown => {
    if (Array.isArray(node)) return node.map((entry) => strip(entry, false));
    if (typeof node !== 'object' || node === null) return node;
    const title = (node as Named).title;
    if (title && schemas && !isRoot) return component(node as TSchema, title, schemas);
    return Object.fromEntries(
      Object.entries(node)
        .filter(([key]) => !key.startsWith('x-'))
        .map(([key, value]) => [key, strip(value, false)]),
    );
  };
  const component = (node: TSchema, title: string, into: Record<string, unknown>) => {
    into[title] ??= strip(node, true);
    return { $ref: `#/components/schemas/${title}` };
  };
  const { title } = schema as Named;
  return (title && schemas ? component(schema, title, schemas) : strip(schema, true)) as Record<string, unknown>;
}
