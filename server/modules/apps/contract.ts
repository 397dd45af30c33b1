import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

export const App = t.Object(
  {
    id: t.Id(),
    name: t.Text(255),
    description: t.Text(2000),
    service_user_id: t.Id('The author of what keys of this app write without naming one.'),
    created_by: t.Nullable(t.Id()),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
  },
  { title: 'App' },
);
const keyStates = ['active', 'pending', 'refused'] as const;
const keyFields = {
  id: t.Id(),
  app_id: t.Nullable(t.Id('null for a personal key.')),
  user_id: t.Nullable(t.Id('The person whom a personal key acts as.')),
  name: t.Text(255),
  scopes: t.Array(t.Text(100)),
  status: t.OneOf(
    keyStates,
    '`pending`: it reaches what an admin must approve, and is refused as `pending_approval` until one does.',
  ),
  decided_by: t.Nullable(t.Id('Who approved or refused it, where somebody had to.')),
  decided_at: t.Nullable(t.Timestamp()),
  created_by: t.Nullable(t.Id()),
  created_at: t.Timestamp(),
  expires_at: t.Nullable(t.Timestamp()),
  last_used_at: t.Nullable(t.Timestamp('To the minute.')),
  revoked_at: t.Nullable(t.Timestamp()),
};
export const ApiKey = t.Object(keyFields, { title: 'ApiKey' });
export const NewApiKey = t.Object(
  { ...keyFields, api_key: t.Text(200, 'Shown this once; only its SHA-256 is stored.') },
  { title: 'NewApiKey' },
);

const jwk = {
  kty: t.String({ maxLength: 10 }),
  kid: t.RequiredText(255, 'Sent as x-service-jwt-keyid.'),
  use: t.Optional(t.Text(10)),
  alg: t.Optional(t.Text(10)),
  n: t.Optional(t.Text(2000)),
  e: t.Optional(t.Text(20)),
  crv: t.Optional(t.Text(20)),
  x: t.Optional(t.Text(200)),
  y: t.Optional(t.Text(200)),
};
const publishedAt = t.Url(
  'Read when a JWT comes and kept for five minutes; a key it did not have is looked for again after ten seconds.',
);
const secret = t.Optional(t.Text(4000, 'Never send it: a private key is refused.'));
const keys = t.Array(t.Object({ ...jwk, d: secret }), { minItems: 1, maxItems: 10 });
const exampleKey = { kty: 'OKP', crv: 'Ed25519', kid: 'k1', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
export const JwtSettings = t.Object(
  {
    app_id: t.Id(),
    jwks: t.Nullable(t.Object({ keys: t.Array(t.Object(jwk)) })),
    jwks_url: t.Nullable(t.Url()),
    scopes: t.Nullable(t.Array(t.Text(100))),
    requires_jti: t.Flag(),
    lifetime_seconds_max: t.Integer(),
    updated_at: t.Timestamp(),
  },
  { title: 'JwtSettings' },
);

/** Longest life of a user JWT. */
export const LIFETIME_SECONDS_MAX = 3600;
const JwtSettingsBody = t.Object({
  jwks_url: t.Optional(publishedAt),
  jwks: t.Optional(t.Object({ keys })),
  scopes: t.Optional(
    t.Nullable(
      t.Array(t.RequiredText(100), {
        maxItems: 100,
        description:
          'What the app may do as a person, never more than that person may. Omitted: what people do every day, ' +
          'without chat, which is in it only where it is named: `chats.*.*`.',
      }),
    ),
  ),
  requires_jti: t.Optional(t.Flag('Each JWT has a `jti` and is taken once. Else a JWT without one is good until exp.')),
  lifetime_seconds_max: t.Optional(
    t.Integer({ minimum: 60, maximum: LIFETIME_SECONDS_MAX, description: 'How far away exp may be. Default: 3600.' }),
  ),
});
export type JwtSettingsBody = t.Static<typeof JwtSettingsBody>;

const roles = ['developer', 'admin'] as const;
const reads = { scope: 'admin.apps.read', roles } as const;
const writes = { scope: 'admin.apps.write', roles } as const;
/** Admins, and keys that hold what they approve. */
const decides = { scope: 'admin.approvals.write', roles: ['admin'], errors: { not_pending: 409 } } as const;
/** Signed in, a person has their own keys. */
const own = { scope: null, actors: 'session' } as const;
const AppBody = t.Object({ name: t.RequiredText(255), description: t.Optional(t.Text(2000)) });
export type AppBody = t.Static<typeof AppBody>;
const NewKey = t.Object({
  name: t.RequiredText(255),
  scopes: t.Array(t.RequiredText(100), { minItems: 1, maxItems: 100 }),
  expires_at: t.Optional(t.Nullable(t.Timestamp('No end when omitted.'))),
});
export type NewKey = t.Static<typeof NewKey>;

export const apps = family('apps', 'Integrations and their API keys.', {
  listApps: endpoint('GET /v1/admin/apps', 'List apps', {
    ...reads,
    description: 'Ordered by id.',
    list: App,
    example: {},
  }),
  getApp: endpoint('GET /v1/admin/apps/{id}', 'Read an app', { ...reads, reply: App, example: { params: { id: 1 } } }),
  createApp: endpoint('POST /v1/admin/apps', 'Create an app', {
    ...writes,
    status: 201,
    body: AppBody,
    reply: App,
    errors: { name_taken: 409 },
    example: { body: { name: 'Payroll sync' } },
  }),
  replaceApp: endpoint('PUT /v1/admin/apps/{id}', 'Replace an app', {
    ...writes,
    body: AppBody,
    reply: App,
    errors: { name_taken: 409 },
    example: { params: { id: 2 }, body: { name: 'Demo', description: 'Keys to play with.' } },
  }),
  deleteApp: endpoint('DELETE /v1/admin/apps/{id}', 'Delete an app and its keys', {
    ...writes,
    description: 'Its keys are refused at once. What they wrote stays.',
    reply: t.Object({ id: t.Id() }),
    example: { params: { id: 1 } },
  }),
  listKeys: endpoint('GET /v1/admin/apps/{id}/keys', 'List the keys of an app', {
    ...reads,
    description: 'Ordered by id, revoked ones included.',
    list: ApiKey,
    example: { params: { id: 1 } },
  }),
  createKey: endpoint('POST /v1/admin/apps/{id}/keys', 'Create an API key', {
    ...writes,
    description:
      'The key is in the answer and never again. Nobody can grant a scope they do not hold. What reaches more than ' +
      'a developer grants alone (users.*.write, spaces.hidden.*, chats.messages.read, chats.channels.*, siem.*, ' +
      'admin.*) is created `pending` for an admin, unless an admin asks, or a key that holds it.',
    status: 201,
    body: NewKey,
    reply: NewApiKey,
    example: { params: { id: 1 }, body: { name: 'Nightly import', scopes: ['pages.*.read', 'pages.*.write'] } },
  }),
  getJwtSettings: endpoint('GET /v1/admin/apps/{id}/jwt-settings', 'Read the JWT settings of an app', {
    ...reads,
    reply: JwtSettings,
    example: { params: { id: 1 } },
  }),
  putJwtSettings: endpoint('PUT /v1/admin/apps/{id}/jwt-settings', 'Set the JWT settings of an app', {
    ...writes,
    roles: ['admin'],
    description:
      'Either `jwks` or `jwks_url`: public keys (RSA of 2048 to 8192 bits, P-256, Ed25519) with which the app signs ' +
      'JWTs that act as a person: x-service-jwt with iss = the app’s id, sub = a user’s id or email, exp at most ' +
      '60 minutes away, and, where they are there, aud = the base URL or the Service-Id and a jti that was not used ' +
      'before. Administration is never reached this way. For admins, and for keys that hold every scope that such a ' +
      'JWT could have.',
    body: JwtSettingsBody,
    reply: JwtSettings,
    errors: { jwks_invalid: 400, url_refused: 400 },
    example: { params: { id: 1 }, body: { jwks: { keys: [exampleKey] } } },
  }),
  deleteJwtSettings: endpoint('DELETE /v1/admin/apps/{id}/jwt-settings', 'Remove the JWT settings of an app', {
    ...writes,
    description: 'Its JWTs are refused at once.',
    reply: t.Object({ app_id: t.Id() }),
    example: { params: { id: 1 } },
  }),
  listMyKeys: endpoint('GET /v1/keys', 'List my personal keys', {
    ...own,
    description: 'Ordered by id, revoked ones included.',
    list: ApiKey,
    example: {},
  }),
  createMyKey: endpoint('POST /v1/keys', 'Create a personal key', {
    ...own,
    description: 'It acts as me, never beyond what my roles allow at that moment, and ends with my access.',
    status: 201,
    body: NewKey,
    reply: NewApiKey,
    example: { body: { name: 'My scripts', scopes: ['pages.*.read'] } },
  }),
  revokeMyKey: endpoint('DELETE /v1/keys/{id}', 'Revoke a personal key of mine', {
    ...own,
    reply: ApiKey,
    example: { params: { id: 2 } },
  }),
  listAllKeys: endpoint('GET /v1/admin/keys', 'List the keys of all apps and people', {
    ...reads,
    description: 'Ordered by id, revoked ones included.',
    query: t.Object({ status: t.Optional(t.OneOf(keyStates)) }),
    list: ApiKey,
    example: { query: { status: 'active' } },
  }),
  approveKey: endpoint('POST /v1/admin/keys/{id}/approve', 'Approve a pending key', {
    ...decides,
    description: 'It works from now on. Who made it is told.',
    reply: ApiKey,
    example: { params: { id: 3 } },
  }),
  refuseKey: endpoint('POST /v1/admin/keys/{id}/refuse', 'Refuse a pending key', {
    ...decides,
    description: 'It never works. Who made it is told.',
    reply: ApiKey,
    example: { params: { id: 4 } },
  }),
  revokeKey: endpoint('DELETE /v1/admin/keys/{id}', 'Revoke an API key', {
    ...writes,
    description: 'It is refused at once, on every node.',
    reply: ApiKey,
    example: { params: { id: 1 } },
  }),
});
