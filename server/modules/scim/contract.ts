import type { TOptional } from 'typebox';
import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

const percent = t.Integer({
  minimum: 1,
  maximum: 99,
  description: 'Sync guard: more people than this share are not deactivated within an hour. Default 10; null: off.',
});
const settings = {
  reactivates: t.Flag(
    'A create that repeats the userName or externalId of a deactivated person brings that person back; ' +
      'else it is a 409.',
  ),
  binds_secrets: t.Flag('A secret works only under the base path of its own provider.'),
  assigns_roles: t.Flag('Roles that the provider sends are granted and taken away.'),
  adopts_teams: t.Flag(
    'A group that is created with the name of a team without external id becomes that team; else it is a 409.',
  ),
  group_team_type: t.RequiredText(255, 'Team type of groups that the provider creates.'),
  providers_granting_admin: t.Array(t.Text(64), {
    maxItems: 100,
    description:
      'Providers whose secrets may make somebody an admin, or set the password of one. Only an admin adds to it; ' +
      'from others the role admin is passed over.',
  }),
  guard_percent: t.Nullable(percent),
  guard_least: t.Integer({
    minimum: 0,
    maximum: 100_000,
    description: 'As many leavers within an hour are let through whatever their share. Default 10.',
  }),
  log_values: t.OneOf(
    ['masked', 'full'],
    'Whether the log shows what attributes were set to. Passwords are never shown.',
  ),
  log_days: t.Integer({ minimum: 1, maximum: 3650, description: 'How long the log is kept.' }),
};
export const Settings = t.Object(settings);
const optional = Object.fromEntries(Object.entries(settings).map(([name, schema]) => [name, t.Optional(schema)]));
const SomeSettings = t.Object(optional as { [Name in keyof typeof settings]: TOptional<(typeof settings)[Name]> });

const Base = t.Object({
  provider: t.Text(64),
  url: t.Url(),
  manager: t.OneOf(['id', 'email'], 'What manager.value shows.'),
});
const state = {
  guard_paused_at: t.Nullable(
    t.Timestamp('When the sync guard last held a request back; null when there is nothing to decide.'),
  ),
  guard_notice: t.Nullable(t.Text(1000)),
  guard_lifted_until: t.Nullable(t.Timestamp('Until then leavers are let through.')),
};
export const Provisioning = t.Object({ ...settings, bases: t.Array(Base), ...state }, { title: 'Provisioning' });

const secretFields = {
  id: t.Id(),
  provider: t.Text(64),
  created_by: t.Nullable(t.Id()),
  created_at: t.Timestamp(),
  expires_at: t.Nullable(t.Timestamp('After a rotation the former secret goes on until then.')),
  last_used_at: t.Nullable(t.Timestamp('To the minute.')),
  revoked_at: t.Nullable(t.Timestamp()),
};
export const ScimSecret = t.Object(secretFields, { title: 'ScimSecret' });
const scim_secret = t.Text(200, 'Shown this once; only its SHA-256 is stored.');
export const NewScimSecret = t.Object({ ...secretFields, scim_secret }, { title: 'NewScimSecret' });

export const ScimRequest = t.Object(
  {
    id: t.Id(),
    provider: t.Text(64),
    secret_id: t.Nullable(t.Id()),
    request_id: t.Text(64),
    method: t.Text(10),
    path: t.Text(500),
    status: t.Integer(),
    scim_type: t.Nullable(t.Text(64)),
    detail: t.Nullable(t.Text(10_000)),
    resource_type: t.Nullable(t.Text(64)),
    resource_id: t.Nullable(t.Id()),
    user_id: t.Nullable(t.Id()),
    is_dry_run: t.Flag(),
    request: t.Nullable(
      t.Unsafe<Record<string, unknown>>({ type: 'object', description: 'query and body, masked by setting.' }),
    ),
    changes: t.Unsafe<unknown[]>({
      type: 'array',
      items: { type: 'object' },
      description: 'Attributes that changed: attribute, from, to.',
    }),
    ms: t.Unsafe<number>({ type: 'number', description: 'How long the answer took.' }),
    created_at: t.Timestamp(),
  },
  { title: 'ScimRequest' },
);
const counts = (description: string) =>
  t.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: { type: 'integer' }, description });
export const Receipt = t.Object(
  {
    id: t.Id(),
    user_id: t.Id(),
    user_name: t.Text(511),
    via: t.Text(20, 'scim, or the kind of actor that deactivated the person.'),
    credential_id: t.Nullable(t.Id()),
    ended: counts('What ended before the answer, and how many of it.'),
    left_behind: counts(
      'What works on without the person and may need a decision, such as keys of apps that they made.',
    ),
    created_at: t.Timestamp(),
  },
  { title: 'DeprovisioningReceipt' },
);

const roles = ['it_admin', 'admin'] as const;
const read = { scope: 'admin.provisioning.read', roles } as const;
const write = { scope: 'admin.provisioning.write', roles } as const;

export const provisioning = family('provisioning', 'SCIM 2.0: secrets, settings, the log, and receipts of who left.', {
  getProvisioning: endpoint('GET /v1/admin/provisioning', 'Read the provisioning settings', {
    ...read,
    reply: Provisioning,
    example: {},
  }),
  replaceProvisioning: endpoint('PUT /v1/admin/provisioning', 'Replace the provisioning settings', {
    description: 'Omitted settings get their defaults.',
    ...write,
    body: SomeSettings,
    reply: Provisioning,
    example: { body: { guard_percent: 10, log_values: 'masked' } },
  }),
  liftSyncGuard: endpoint('POST /v1/admin/provisioning/guard/lift', 'Let leavers through for an hour', {
    description: 'Clears the notice. The provider’s next attempt succeeds.',
    ...write,
    reply: Provisioning,
    example: {},
  }),
  listScimSecrets: endpoint('GET /v1/admin/provisioning/secrets', 'List the SCIM secrets', {
    description: 'Newest first, revoked ones included.',
    ...read,
    list: ScimSecret,
    example: {},
  }),
  createScimSecret: endpoint('POST /v1/admin/provisioning/secrets', 'Create or rotate a SCIM secret', {
    description: 'The secret is in the answer and never again. The provider’s former secret goes on for overlap_hours.',
    ...write,
    status: 201,
    body: t.Object({
      provider: t.Optional(t.RequiredText(64, 'direct (default) or a provider of the operator’s settings.')),
      overlap_hours: t.Optional(
        t.WriteOnly(
          t.Integer({ minimum: 0, maximum: 720, description: 'Default 24. Shown as expires_at of the former secret.' }),
        ),
      ),
    }),
    reply: NewScimSecret,
    example: { body: { provider: 'idp-a' } },
  }),
  revokeScimSecret: endpoint('DELETE /v1/admin/provisioning/secrets/{id}', 'Revoke a SCIM secret', {
    description: 'It is refused at once, on every node.',
    ...write,
    reply: ScimSecret,
    example: { params: { id: 1 } },
  }),
  listScimRequests: endpoint('GET /v1/admin/provisioning/requests', 'Read the provisioning log', {
    description: 'Every SCIM request with its outcome and what it changed, newest first.',
    ...read,
    query: t.Object({
      user_id: t.Optional(t.Id('Only requests about this person.')),
      outcome: t.Optional(t.OneOf(['succeeded', 'failed'])),
      from: t.Optional(t.Timestamp('Not before.')),
      to: t.Optional(t.Timestamp('Before.')),
    }),
    list: ScimRequest,
    example: { query: { outcome: 'failed' } },
  }),
  listReceipts: endpoint('GET /v1/admin/provisioning/receipts', 'List deprovisioning receipts', {
    description: 'What ended with each person who was deactivated, by whatever way, newest first.',
    ...read,
    query: t.Object({ user_id: t.Optional(t.Id()) }),
    list: Receipt,
    example: { query: { user_id: 2 } },
  }),
});
