import {
  endpoint,
  Flag,
  family,
  Id,
  List,
  Nullable,
  OneOf,
  Optional,
  RequiredText,
  Shape,
  Text,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';

const settings = {
  reactivates: Flag(
    'A create that repeats the userName or externalId of a deactivated person brings that person back; else it is a 409.',
  ),
  binds_secrets: Flag('A secret works only under the base path of its own provider.'),
  assigns_roles: Flag('Roles that the provider sends are granted and taken away.'),
  adopts_teams: Flag(
    'A group that is created with the name of a team without external id becomes that team; else it is a 409.',
  ),
  group_team_type: RequiredText(255, 'Team type of groups that the provider creates.'),
  guard_percent: Nullable(
    Type.Integer({
      minimum: 1,
      maximum: 99,
      description:
        'Sync guard: more people than this share, or the last admin, are not deactivated within an hour. null: off.',
    }),
  ),
  log_values: OneOf(
    ['masked', 'full'],
    'Whether the log shows what attributes were set to. Passwords are never shown.',
  ),
  log_days: Type.Integer({ minimum: 1, maximum: 3650, description: 'How long the log is kept.' }),
};
export const Provisioning = Shape(
  {
    ...settings,
    bases: List(
      Shape({ provider: Text(64), url: Url(), manager: OneOf(['id', 'email'], 'What manager.value shows.') }),
    ),
    guard_paused_at: Nullable(
      Timestamp('When the sync guard last held a request back; null when there is nothing to decide.'),
    ),
    guard_notice: Nullable(Text(1000)),
    guard_lifted_until: Nullable(Timestamp('Until then leavers are let through.')),
  },
  { title: 'Provisioning' },
);
const secretFields = {
  id: Id(),
  provider: Text(64),
  created_by: Nullable(Id()),
  created_at: Timestamp(),
  expires_at: Nullable(Timestamp('After a rotation the former secret goes on until then.')),
  last_used_at: Nullable(Timestamp('To the minute.')),
  revoked_at: Nullable(Timestamp()),
};
export const ScimSecret = Shape(secretFields, { title: 'ScimSecret' });
export const NewScimSecret = Shape(
  { ...secretFields, scim_secret: Text(200, 'Shown this once; only its SHA-256 is stored.') },
  { title: 'NewScimSecret' },
);
export const ScimRequest = Shape(
  {
    id: Id(),
    provider: Text(64),
    secret_id: Nullable(Id()),
    request_id: Text(64),
    method: Text(10),
    path: Text(500),
    status: Type.Integer(),
    scim_type: Nullable(Text(64)),
    detail: Nullable(Text(10_000)),
    resource_type: Nullable(Text(64)),
    resource_id: Nullable(Id()),
    user_id: Nullable(Id()),
    is_dry_run: Flag(),
    request: Nullable(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'query and body, masked by setting.' }),
    ),
    changes: Type.Unsafe<unknown[]>({
      type: 'array',
      items: { type: 'object' },
      description: 'Attributes that changed: attribute, from, to.',
    }),
    ms: Type.Unsafe<number>({ type: 'number', description: 'How long the answer took.' }),
    created_at: Timestamp(),
  },
  { title: 'ScimRequest' },
);
const counts = (description: string) =>
  Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: { type: 'integer' }, description });
export const Receipt = Shape(
  {
    id: Id(),
    user_id: Id(),
    user_name: Text(511),
    via: Text(20, 'scim, or the kind of actor that deactivated the person.'),
    credential_id: Nullable(Id()),
    ended: counts('What ended before the answer, and how many of it.'),
    left_behind: counts(
      'What works on without the person and may need a decision, such as keys of apps that they made.',
    ),
    created_at: Timestamp(),
  },
  { title: 'DeprovisioningReceipt' },
);

const access = { roles: ['it_admin', 'admin'] } as const;

export const provisioning = family('provisioning', 'SCIM 2.0: secrets, settings, the log, and receipts of who left.', {
  getProvisioning: endpoint({
    method: 'GET',
    path: '/v1/admin/provisioning',
    summary: 'Read the provisioning settings',
    scope: 'admin.provisioning.read',
    ...access,
    reply: Provisioning,
    example: {},
  }),
  replaceProvisioning: endpoint({
    method: 'PUT',
    path: '/v1/admin/provisioning',
    summary: 'Replace the provisioning settings',
    description: 'Omitted settings get their defaults.',
    scope: 'admin.provisioning.write',
    ...access,
    body: Shape({
      reactivates: Optional(settings.reactivates),
      binds_secrets: Optional(settings.binds_secrets),
      assigns_roles: Optional(settings.assigns_roles),
      adopts_teams: Optional(settings.adopts_teams),
      group_team_type: Optional(settings.group_team_type),
      guard_percent: Optional(settings.guard_percent),
      log_values: Optional(settings.log_values),
      log_days: Optional(settings.log_days),
    }),
    documented: 'json',
    reply: Provisioning,
    example: { body: { guard_percent: 10, log_values: 'masked' } },
  }),
  liftSyncGuard: endpoint({
    method: 'POST',
    path: '/v1/admin/provisioning/guard/lift',
    summary: 'Let leavers through for an hour',
    description: 'Clears the notice. The provider’s next attempt succeeds.',
    scope: 'admin.provisioning.write',
    ...access,
    reply: Provisioning,
    example: {},
  }),
  listScimSecrets: endpoint({
    method: 'GET',
    path: '/v1/admin/provisioning/secrets',
    summary: 'List the SCIM secrets',
    description: 'Newest first, revoked ones included.',
    scope: 'admin.provisioning.read',
    ...access,
    list: ScimSecret,
    example: {},
  }),
  createScimSecret: endpoint({
    method: 'POST',
    path: '/v1/admin/provisioning/secrets',
    summary: 'Create or rotate a SCIM secret',
    description: 'The secret is in the answer and never again. The provider’s former secret goes on for overlap_hours.',
    scope: 'admin.provisioning.write',
    ...access,
    status: 201,
    body: Shape({
      provider: Optional(RequiredText(64, 'direct (default) or a provider of the operator’s settings.')),
      overlap_hours: Optional(Type.Integer({ minimum: 0, maximum: 720, description: 'Default 24.' })),
    }),
    documented: 'json',
    reply: NewScimSecret,
    example: { body: { provider: 'idp-a' } },
  }),
  revokeScimSecret: endpoint({
    method: 'DELETE',
    path: '/v1/admin/provisioning/secrets/{id}',
    summary: 'Revoke a SCIM secret',
    description: 'It is refused at once, on every node.',
    scope: 'admin.provisioning.write',
    ...access,
    reply: ScimSecret,
    example: { params: { id: 1 } },
  }),
  listScimRequests: endpoint({
    method: 'GET',
    path: '/v1/admin/provisioning/requests',
    summary: 'Read the provisioning log',
    description: 'Every SCIM request with its outcome and what it changed, newest first.',
    scope: 'admin.provisioning.read',
    ...access,
    query: Shape({
      user_id: Optional(Id('Only requests about this person.')),
      outcome: Optional(OneOf(['succeeded', 'failed'])),
      from: Optional(Timestamp('Not before.')),
      to: Optional(Timestamp('Before.')),
    }),
    list: ScimRequest,
    example: { query: { outcome: 'failed' } },
  }),
  listReceipts: endpoint({
    method: 'GET',
    path: '/v1/admin/provisioning/receipts',
    summary: 'List deprovisioning receipts',
    description: 'What ended with each person who was deactivated, by whatever way, newest first.',
    scope: 'admin.provisioning.read',
    ...access,
    query: Shape({ user_id: Optional(Id()) }),
    list: Receipt,
    example: { query: { user_id: 2 } },
  }),
});
