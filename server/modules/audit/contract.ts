import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

const Values = (description?: string) =>
  t.Unsafe<object | null>({ type: ['object', 'null'], ...(description && { description }) });
const Whole = (description?: string) => t.Integer(description ? { description } : {});
const NullableId = () => t.Nullable(t.Integer());
const Word = (description?: string) => t.String(description ? { description } : {});
const Nullable = () => t.Nullable(t.String());

export const AuditEntry = t.Object(
  {
    organisation_id: Whole(),
    sequence: Whole('Place in the chain, without gaps.'),
    at: t.Timestamp(),
    action: Word('operationId, or what else ran.'),
    request_id: Nullable(),
    actor: t.Object({ type: Word('person, app, program, provisioning, system, unknown.'), id: NullableId() }),
    on_behalf_of: NullableId(),
    credential: Values('type, id.'),
    type: Word('Of the object, for example page.'),
    id: NullableId(),
    key: Values('Names what has no id.'),
    change: t.OneOf(['created', 'changed', 'deleted', 'more', 'none']),
    before: Values(),
    after: Values('What changed.'),
    others: t.Array(Values('Further rows: type to after.')),
    ip: Nullable(),
    user_agent: Nullable(),
    previous_hash: Word(),
    hash: Word('sha256 of all the rest (RFC 8785).'),
  },
  { title: 'AuditEntry' },
);

export const AuditSink = t.Object(
  {
    id: Whole(),
    url: Word(),
    format: Word(),
    has_authorization: t.Flag(),
    last_sequence: Whole('Up to here it has taken entries.'),
    failures: Whole('In a row.'),
    last_error: Nullable(),
    delivered_at: t.Nullable(t.Timestamp()),
    created_at: t.Timestamp(),
  },
  { title: 'AuditSink' },
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
const writes = { scope: 'admin.audit.write', roles: ['admin'] } as const;
const reads = { scope: 'admin.audit.read', roles: ['admin'] } as const;

export const formats = ['jsonl', 'csv', 'ocsf'] as const;
export const audit = family('audit', 'Who changed what, when and from where.', {
  listAuditEntries: endpoint('GET /v1/audit', 'List the audit log', {
    ...reads,
    description: 'Newest first, one entry an operation. `meta.head` is the end of the chain.',
    query: t.Object(filter),
    list: AuditEntry,
    meta: t.Object({ head: t.Object({ sequence: t.Integer(), hash: t.String() }) }),
    example: { query: { action: 'createPage' } },
  }),
  exportAudit: endpoint('GET /v1/audit/export', 'Export the audit log', {
    ...reads,
    description: 'Oldest first, however long. JSON Lines end with a seal; `atrium audit verify` takes them.',
    query: t.Object({ format: t.Optional(t.OneOf(formats, 'Default: jsonl.')), ...filter }),
    media: 'application/x-ndjson',
    example: { query: { action: 'createPage' } },
  }),
  listAuditSinks: endpoint('GET /v1/admin/audit-sinks', 'List where the audit log is sent', {
    ...reads,
    reply: t.Array(AuditSink),
    example: {},
  }),
  createAuditSink: endpoint('POST /v1/admin/audit-sinks', 'Send the audit log somewhere', {
    ...writes,
    description: 'Each entry from now on, in order, at least once, as lines of a POST.',
    status: 201,
    body: t.Object({
      url: t.Url(),
      format: t.Optional(t.OneOf(['jsonl', 'ocsf'])),
      authorization: t.Optional(t.WriteOnly(t.RequiredText(2000, 'The header Authorization.'))),
    }),
    reply: AuditSink,
    errors: { address_refused: 400, too_many_sinks: 409 },
    example: { body: { url: 'https://siem.example.com/atrium', authorization: 'Splunk 1234' } },
  }),
  deleteAuditSink: endpoint('DELETE /v1/admin/audit-sinks/{id}', 'Send the audit log there no more', {
    ...writes,
    reply: AuditSink,
    example: { params: { id: 1 } },
  }),
});

const seconds = () => t.Integer({ minimum: 0, maximum: 99_999_999_999, description: 'Unix seconds.' });
export const SecurityEvent = t.Object(
  {
    id: Whole(),
    created_at_timestamp: Whole(),
    created_at: t.Timestamp(),
    service_id: Whole(),
    user_email: Nullable(),
    event: Word('operationId.'),
    ip_address: Nullable(),
    user_agent: Nullable(),
    note: Word(),
  },
  { title: 'SecurityEvent' },
);
export const siem = family('siem', 'For security information and event management.', {
  listSecurityEvents: endpoint('GET /v1/siem/{start}/{end}', 'Export what happened', {
    description: 'At most 31 days, `end` not included; oldest first, all at once.',
    roles: ['admin'],
    params: t.Object({ start: seconds(), end: seconds() }),
    reply: t.Array(SecurityEvent),
    example: { params: { start: 1795305600, end: 1797897600 } },
  }),
});
