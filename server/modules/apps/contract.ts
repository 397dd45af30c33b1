import {
  endpoint,
  family,
  Id,
  List,
  Nullable,
  Optional,
  RequiredText,
  Shape,
  Text,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';

export const App = Shape(
  {
    id: Id(),
    name: Text(255),
    description: Text(2000),
    service_user_id: Id('The author of what keys of this app write without naming one.'),
    created_by: Nullable(Id()),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'App' },
);
const keyFields = {
  id: Id(),
  app_id: Nullable(Id('null for a personal key.')),
  user_id: Nullable(Id('The person whom a personal key acts as.')),
  name: Text(255),
  scopes: List(Text(100)),
  created_by: Nullable(Id()),
  created_at: Timestamp(),
  expires_at: Nullable(Timestamp()),
  last_used_at: Nullable(Timestamp('To the minute.')),
  revoked_at: Nullable(Timestamp()),
};
export const ApiKey = Shape(keyFields, { title: 'ApiKey' });
export const NewApiKey = Shape(
  { ...keyFields, api_key: Text(200, 'Shown this once; only its SHA-256 is stored.') },
  { title: 'NewApiKey' },
);

const jwk = {
  kty: Type.String({ maxLength: 10 }),
  kid: RequiredText(255, 'Sent as x-service-jwt-keyid.'),
  use: Optional(Text(10)),
  alg: Optional(Text(10)),
  n: Optional(Text(2000)),
  e: Optional(Text(20)),
  crv: Optional(Text(20)),
  x: Optional(Text(200)),
  y: Optional(Text(200)),
};
export const JwtSettings = Shape(
  {
    app_id: Id(),
    jwks: Nullable(Shape({ keys: List(Shape(jwk)) })),
    jwks_url: Nullable(Url()),
    updated_at: Timestamp(),
  },
  { title: 'JwtSettings' },
);

const roles = ['developer', 'admin'] as const;
const body = Shape({ name: RequiredText(255), description: Optional(Text(2000)) });
const newKey = Shape({
  name: RequiredText(255),
  scopes: Type.Array(RequiredText(100), { minItems: 1, maxItems: 100 }),
  expires_at: Optional(Nullable(Timestamp('No end when omitted.'))),
});
const gone = Shape({ id: Id() });

export const apps = family('apps', 'Integrations and their API keys.', {
  listApps: endpoint({
    method: 'GET',
    path: '/v1/admin/apps',
    summary: 'List apps',
    description: 'Ordered by id.',
    scope: 'admin.apps.read',
    roles,
    list: App,
    example: {},
  }),
  getApp: endpoint({
    method: 'GET',
    path: '/v1/admin/apps/{id}',
    summary: 'Read an app',
    scope: 'admin.apps.read',
    roles,
    reply: App,
    example: { params: { id: 1 } },
  }),
  createApp: endpoint({
    method: 'POST',
    path: '/v1/admin/apps',
    summary: 'Create an app',
    scope: 'admin.apps.write',
    roles,
    status: 201,
    body,
    documented: 'json',
    reply: App,
    errors: { name_taken: 409 },
    example: { body: { name: 'Payroll sync' } },
  }),
  replaceApp: endpoint({
    method: 'PUT',
    path: '/v1/admin/apps/{id}',
    summary: 'Replace an app',
    scope: 'admin.apps.write',
    roles,
    body,
    documented: 'json',
    reply: App,
    errors: { name_taken: 409 },
    example: { params: { id: 2 }, body: { name: 'Demo', description: 'Keys to play with.' } },
  }),
  deleteApp: endpoint({
    method: 'DELETE',
    path: '/v1/admin/apps/{id}',
    summary: 'Delete an app and its keys',
    description: 'Its keys are refused at once. What they wrote stays.',
    scope: 'admin.apps.write',
    roles,
    reply: gone,
    example: { params: { id: 1 } },
  }),
  listKeys: endpoint({
    method: 'GET',
    path: '/v1/admin/apps/{id}/keys',
    summary: 'List the keys of an app',
    description: 'Ordered by id, revoked ones included.',
    scope: 'admin.apps.read',
    roles,
    list: ApiKey,
    example: { params: { id: 1 } },
  }),
  createKey: endpoint({
    method: 'POST',
    path: '/v1/admin/apps/{id}/keys',
    summary: 'Create an API key',
    description: 'The key is in the answer and never again. Nobody can grant a scope they do not hold.',
    scope: 'admin.apps.write',
    roles,
    status: 201,
    body: newKey,
    documented: 'json',
    reply: NewApiKey,
    example: { params: { id: 1 }, body: { name: 'Nightly import', scopes: ['pages.*.read', 'pages.*.write'] } },
  }),
  getJwtSettings: endpoint({
    method: 'GET',
    path: '/v1/admin/apps/{id}/jwt-settings',
    summary: 'Read the JWT settings of an app',
    scope: 'admin.apps.read',
    roles,
    reply: JwtSettings,
    example: { params: { id: 1 } },
  }),
  putJwtSettings: endpoint({
    method: 'PUT',
    path: '/v1/admin/apps/{id}/jwt-settings',
    summary: 'Set the JWT settings of an app',
    description:
      'Either `jwks` or `jwks_url`: public keys (RSA of at least 2048 bits, P-256, Ed25519) with which the app signs JWTs that act as a person: x-service-jwt with iss = the app’s id, sub = a user’s id or email, exp at most 10 minutes away, and a jti that was not used before. Administration is never reached this way.',
    scope: 'admin.apps.write',
    roles,
    body: Shape({
      jwks_url: Optional(
        Url(
          'Read when a JWT comes and kept for five minutes; a key it did not have is looked for again after ten seconds.',
        ),
      ),
      jwks: Optional(
        Shape({
          keys: Type.Array(Shape({ ...jwk, d: Optional(Text(4000, 'Never send it: a private key is refused.')) }), {
            minItems: 1,
            maxItems: 10,
          }),
        }),
      ),
    }),
    documented: 'json',
    reply: JwtSettings,
    errors: { jwks_invalid: 400, url_refused: 400 },
    example: {
      params: { id: 1 },
      body: {
        jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'k1', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] },
      },
    },
  }),
  deleteJwtSettings: endpoint({
    method: 'DELETE',
    path: '/v1/admin/apps/{id}/jwt-settings',
    summary: 'Remove the JWT settings of an app',
    description: 'Its JWTs are refused at once.',
    scope: 'admin.apps.write',
    roles,
    reply: Shape({ app_id: Id() }),
    example: { params: { id: 1 } },
  }),
  listMyKeys: endpoint({
    method: 'GET',
    path: '/v1/keys',
    summary: 'List my personal keys',
    description: 'Ordered by id, revoked ones included.',
    scope: null,
    actors: 'session',
    list: ApiKey,
    example: {},
  }),
  createMyKey: endpoint({
    method: 'POST',
    path: '/v1/keys',
    summary: 'Create a personal key',
    description: 'It acts as me, never beyond what my roles allow at that moment, and ends with my access.',
    scope: null,
    actors: 'session',
    status: 201,
    body: newKey,
    documented: 'json',
    reply: NewApiKey,
    example: { body: { name: 'My scripts', scopes: ['pages.*.read'] } },
  }),
  revokeMyKey: endpoint({
    method: 'DELETE',
    path: '/v1/keys/{id}',
    summary: 'Revoke a personal key of mine',
    scope: null,
    actors: 'session',
    reply: ApiKey,
    example: { params: { id: 2 } },
  }),
  revokeKey: endpoint({
    method: 'DELETE',
    path: '/v1/admin/keys/{id}',
    summary: 'Revoke an API key',
    description: 'It is refused at once, on every node.',
    scope: 'admin.apps.write',
    roles,
    reply: ApiKey,
    example: { params: { id: 1 } },
  }),
});
