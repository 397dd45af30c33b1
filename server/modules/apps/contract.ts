import { endpoint, family, Id, List, Nullable, Optional, RequiredText, Shape, Text, Timestamp, Type } from '../../kernel/contract.ts';

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
  app_id: Id(),
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

const roles = ['developer', 'admin'] as const;
const body = Shape({ name: RequiredText(255), description: Optional(Text(2000)) });
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
    body: Shape({
      name: RequiredText(255),
      scopes: Type.Array(RequiredText(100), { minItems: 1, maxItems: 100 }),
      expires_at: Optional(Nullable(Timestamp('No end when omitted.'))),
    }),
    documented: 'json',
    reply: NewApiKey,
    example: { params: { id: 1 }, body: { name: 'Nightly import', scopes: ['pages.*.read', 'pages.*.write'] } },
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
