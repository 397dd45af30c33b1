import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

const Values = (description: string) => t.Nullable(t.Unsafe<unknown>({ type: 'object', description }));
const Changed = {
  type: t.Text(100, 'For example page, space_member, api_key.'),
  id: t.Nullable(t.Id()),
  key: Values('What names it where it has no id.'),
  change: t.OneOf(['created', 'changed', 'deleted', 'more', 'none'], '`more`: so many further rows, as `rows` in key.'),
  before: Values('What was changed, as it was.'),
  after: Values('`{masked: true}`: secret or personal. Long texts are `{characters, sha256}`.'),
};
export const AuditEntry = t.Object(
  {
    organisation_id: t.Id(),
    sequence: t.Id('Its place in the chain, without gaps.'),
    at: t.Timestamp(),
    action: t.Text(200, 'operationId, or the work that ran.'),
    request_id: t.Nullable(t.Text(100)),
    actor: t.Object({
      type: t.OneOf(['person', 'app', 'program', 'provisioning', 'system', 'unknown']),
      id: t.Nullable(t.Id()),
    }),
    on_behalf_of: t.Nullable(t.Id('The person an app or a program acted for.')),
    credential: t.Nullable(
      t.Object({ type: t.Text(20, 'key, personal_key, session, jwt, app, grant, scim.'), id: t.Id() }),
    ),
    ...Changed,
    others: t.Array(t.Object(Changed), { description: 'What else the operation changed.' }),
    ip: t.Nullable(t.Text(100)),
    user_agent: t.Nullable(t.Text(200)),
    previous_hash: t.Text(64),
    hash: t.Text(64, 'sha256 of all the rest as JSON by RFC 8785, hexadecimal.'),
  },
  { title: 'AuditEntry' },
);

const filter = {
  actor_id: t.Optional(t.Id('A person: what they did, or was done for them.')),
  app_id: t.Optional(t.Id()),
  credential_type: t.Optional(t.RequiredText(20)),
  credential_id: t.Optional(t.Id()),
  action: t.Optional(t.RequiredText(100)),
  object_type: t.Optional(t.RequiredText(100)),
  object_id: t.Optional(t.Id()),
  request_id: t.Optional(t.RequiredText(100)),
  from: t.Optional(t.Timestamp('This moment or later.')),
  to: t.Optional(t.Timestamp('Earlier than this.')),
};
const reads = { scope: 'admin.audit.read', roles: ['admin'] } as const;

export const formats = ['jsonl', 'csv', 'ocsf'] as const;
export const audit = family('audit', 'Who changed what, when and from where.', {
  listAuditEntries: endpoint('GET /v1/audit', 'List the audit log', {
    ...reads,
    description: 'Newest first; one entry an operation. `meta.head` is the end of the chain: keep it elsewhere.',
    query: t.Object(filter),
    list: AuditEntry,
    meta: t.Object({ head: t.Object({ sequence: t.Integer(), hash: t.Text(64) }) }),
    example: { query: { action: 'createPage' } },
  }),
  exportAudit: endpoint('GET /v1/audit/export', 'Export the audit log', {
    ...reads,
    description:
      'Oldest first, however long. `jsonl`: a line an entry and a last one that seals it, for `atrium audit verify`. ' +
      '`ocsf`: a line an event of OCSF 1.3.',
    query: t.Object({ format: t.Optional(t.OneOf(formats, 'Default: jsonl.')), ...filter }),
    media: 'application/x-ndjson',
    example: { query: { format: 'jsonl', action: 'createPage' } },
  }),
});

const seconds = (description: string) => t.Integer({ minimum: 0, maximum: 99_999_999_999, description });
export const SecurityEvent = t.Object(
  {
    id: t.Id(),
    created_at_timestamp: t.Integer({ description: 'Unix seconds.' }),
    created_at: t.Timestamp(),
    service_id: t.Id('Also under the name of the installation’s brand.'),
    user_email: t.Nullable(t.Text(254)),
    event: t.Text(200),
    ip_address: t.Nullable(t.Text(100)),
    user_agent: t.Nullable(t.Text(200)),
    note: t.Text(500),
  },
  { title: 'SecurityEvent' },
);
export const siem = family('siem', 'What happened, for security information and event management.', {
  listSecurityEvents: endpoint('GET /v1/siem/{start}/{end}', 'Export what happened', {
    description: 'From `start` to before `end`, at most 31 days; oldest first, all at once.',
    roles: ['admin'],
    params: t.Object({ start: seconds('Unix seconds.'), end: seconds('Unix seconds.') }),
    reply: t.Array(SecurityEvent),
    example: { params: { start: 1795305600, end: 1797897600 } },
  }),
});
