// The OpenAPI 3.1 document, made from the contracts: requests.ts, replies.ts and failures.ts have an operation's parts.

import type { Endpoint, Family } from '../../kernel/contract/contract.ts';
import type { Event } from '../../kernel/delivery/outbox.ts';
import { isOpen } from '../../kernel/http/body-limits.ts';
import { mayBeTried } from '../../kernel/http/dry-run.ts';
import type { Protocol } from '../../kernel/module.ts';
import { type Components, createComponents } from './components.ts';
import { failuresOf } from './failures.ts';
import { headersOfReplies } from './headers.ts';
import { replyOf } from './replies.ts';
import { bodyOf, parametersOf } from './requests.ts';
import { webhook } from './webhooks.ts';

interface Described {
  readonly families: readonly Family[];
  readonly events: readonly Event[];
  /** Interfaces of others' making that modules mount beside /v1. */
  readonly protocols: readonly Protocol[];
}

export function openApi({ families, events, protocols }: Described): Record<string, unknown> {
  const components = createComponents();
  const operations = families.flatMap(({ name, endpoints }) =>
    Object.entries(endpoints).map(([operation, endpoint]) => ({ operation, tag: name, endpoint })),
  );
  const headersOf = headersOfReplies(operations);
  const paths = [...Map.groupBy(operations, ({ endpoint }) => endpoint.path)].map(([path, own]) => [
    path,
    sharing(
      own.map((each) => [each.endpoint.method.toLowerCase(), operationOf(each, headersOf(each.endpoint), components)]),
    ),
  ]);
  const tags = new Map([...families, ...protocols].map(({ name, description }) => [name, { name, description }]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Atrium',
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of this server' },
      description: about,
    },
    servers: [{ url: '/', description: 'This server.' }],
    security: [appSecurity, sessionSecurity, jwtSecurity],
    tags: [...tags.values()],
    paths: Object.assign(Object.fromEntries(paths), ...protocols.map((each) => each.paths(components.put))),
    webhooks: Object.fromEntries(events.map((event) => [event.action, { post: webhook(event, components) }])),
    components: { securitySchemes, ...components.all },
  };
}

const about = `[Guides](/docs/guides). Every request under /v1 carries \`Authorization: Bearer <key>\` \
and \`Service-Id: <organisation id>\`, or the session cookie.
Bodies are read as JSON, multipart/form-data or application/x-www-form-urlencoded, \
whichever is documented first for an endpoint.
Forms write what is nested as \`audience[type]=spaces&audience[spaces][]=1\`; a part of type application/json is read \
as well.
Timestamps are ISO 8601, UTC, with microseconds.
An app needs the scope in \`x-scope\`; a signed-in person one of the roles in \`x-roles\`, where there are any.
Unknown fields are ignored and named in \`meta.warnings\`. Lists take \`skip\` and \`take\`.`;

const appSecurity = { api_key: [], service_id: [] };
const sessionSecurity = { session: [], csrf_token: [] };
const jwtSecurity = { user_jwt: [], user_jwt_key: [], service_id: [] };
const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
const securitySchemes = {
  api_key: { type: 'http', scheme: 'bearer', description: 'An API key of an app of the organisation.' },
  service_id: header('Service-Id', "The organisation's id."),
  user_jwt: header('x-service-jwt', 'Signed by an app in the name of a person: see the JWT settings of apps.'),
  user_jwt_key: header('x-service-jwt-keyid', 'The kid of the key that signed it.'),
  session: { type: 'apiKey', in: 'cookie', name: 'atrium_session', description: 'Set by signing in.' },
  csrf_token: header('X-CSRF-Token', 'From signing in; every write of a session carries it.'),
  scim_secret: { type: 'http', scheme: 'bearer', description: 'A SCIM secret of the provisioning settings.' },
};

function securityOf(endpoint: Endpoint): { security?: object[] } {
  if (isOpen(endpoint)) return { security: [{ service_id: [] }, {}] };
  if (endpoint.actors === 'app') return { security: [jwtSecurity] };
  if (endpoint.actors === 'credential') return { security: [appSecurity, sessionSecurity] };
  if (endpoint.actors) return { security: [sessionSecurity, ...(endpoint.actors === 'person' ? [jwtSecurity] : [])] };
  return {};
}

interface Declared {
  readonly operation: string;
  readonly tag: string;
  readonly endpoint: Endpoint;
}
function operationOf({ operation, tag, endpoint }: Declared, headers: string[], components: Components) {
  const { summary, scope, roles, emits, deprecated } = endpoint;
  // The same operation by the caller's id stands beside it: what it does is told once.
  const isTwin = endpoint.path.includes('/by-external-id/');
  const description = (isTwin ? undefined : endpoint.description) ?? needs(endpoint);
  const requestBody = bodyOf(operation, endpoint, components);
  return {
    operationId: operation,
    tags: [tag],
    summary,
    description,
    ...(deprecated ? { deprecated: true, ...(deprecated.sunset ? { 'x-sunset': deprecated.sunset } : {}) } : {}),
    ...(scope ? { 'x-scope': scope } : {}),
    ...(roles ? { 'x-roles': roles } : {}),
    ...(emits ? { 'x-emits': emits } : {}),
    ...securityOf(endpoint),
    parameters: [
      ...parametersOf(operation, tag, endpoint, components),
      ...(mayBeTried(endpoint) ? [components.put('parameters', ['XDryRun'], dryRun)] : []),
    ],
    ...(requestBody ? { requestBody } : {}),
    responses: {
      [endpoint.status ?? 200]: replyOf(operation, endpoint, headers, components),
      ...failuresOf(operation, endpoint, components),
    },
  };
}

const dryRun = {
  name: 'X-Dry-Run',
  in: 'header',
  description: '1: nothing is kept or sent; `meta.dry_run` says what would be. See /docs/guides/dry-runs.',
  schema: { type: 'string', enum: ['0', '1'] },
};

/** Parameters that all operations of a path have stand once, with the path. */
function sharing(operations: [method: string, operation: ReturnType<typeof operationOf>][]) {
  const [[, first] = ['', undefined], ...others] = operations;
  const parameters = (first?.parameters ?? []).filter(({ $ref }) =>
    others.every(([, other]) => other.parameters.some((one) => one.$ref === $ref)),
  );
  const shared = new Set(parameters.map(({ $ref }) => $ref));
  const own = operations.map(([method, { parameters, ...operation }]) => {
    const more = parameters.filter(({ $ref }) => !shared.has($ref));
    return [method, { ...operation, ...(more.length > 0 ? { parameters: more } : {}) }];
  });
  return { ...(parameters.length > 0 ? { parameters } : {}), ...Object.fromEntries(own) };
}

function needs({ scope, actors }: Endpoint): string {
  if (scope) return `Scope: \`${scope}\`.`;
  if (actors === 'credential') return 'Any credential will do.';
  return actors ? `For a signed-in person${actors === 'person' ? ' or a user JWT' : ''}.` : 'Needs no credential.';
}
