import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

/** What stands for a secret in answers. Sent back in a PUT, it keeps what is stored. */
export const MASK = '********';
export const scopes = ['public', 'all'] as const;
export const statuses = ['active', 'pending', 'refused'] as const;
export const states = ['pending', 'delivered', 'failed', 'withheld'] as const;

const deliveryFields = {
  id: t.Id(),
  webhook_id: t.Id(),
  event_id: t.Text(36, '`meta.id`: the same for every attempt.'),
  action: t.Text(100),
  state: t.OneOf(
    states,
    '`withheld`: not sent, because the content is not public any more (`not_public`), its maker may not read it ' +
      'any more (`not_readable`) or the subscription cannot be read (`secret_unreadable`).',
  ),
  attempts: t.Integer({ description: 'Made so far, those before a redelivery included.' }),
  next_attempt_at: t.Nullable(t.Timestamp()),
  last_attempt_at: t.Nullable(t.Timestamp()),
  last_status: t.Nullable(t.Integer({ description: 'HTTP status of the last answer.' })),
  last_failure: t.Nullable(
    t.Text(
      100,
      'Why the last attempt failed: `status_503`, `refused_address`, `dns_failed`, `connect_timeout`, ' +
        '`connection_refused`, `connection_failed`, `tls_failed`, `response_timeout`, `connection_closed`, ' +
        '`invalid_response`, `interrupted`, or `token_…` for the token request.',
    ),
  ),
  created_at: t.Timestamp(),
};
export const Delivery = t.Object(deliveryFields, { title: 'WebhookDelivery' });

const Attempt = t.Object({
  attempt: t.Integer({ description: '`meta.attempt`' }),
  sent_at: t.Timestamp(),
  latency_ms: t.Integer(),
  status: t.Nullable(t.Integer()),
  failure: t.Nullable(t.Text(100)),
  request_headers: t.Texts(100, 10_000, 'Secrets are masked.'),
  request_body: t.Nullable(t.Text(100_000_000, 'As it was sent. Null when the event is not kept any more.')),
  answer: t.Nullable(t.Text(10_000, 'The first 4 KiB of the answer, or what went wrong.')),
});
export const DeliveryLog = t.Object({ ...deliveryFields, log: t.Array(Attempt) }, { title: 'WebhookDeliveryLog' });

const Authentication = t.Object({
  type: t.OneOf(['none', 'oauth2'] as const),
  login_url: t.Nullable(t.Url('Where a token is fetched (OAuth 2.0 client credentials).')),
  client_id: t.Nullable(t.Text(1000)),
  form_params: t.Texts(20, 2000, 'Further fields of the token request; values are masked.'),
});
const webhookFields = {
  id: t.Id(),
  name: t.Text(255),
  url: t.Url(),
  authentication: Authentication,
  custom_headers: t.Texts(20, 8000, 'Values are masked.'),
  events: t.Array(t.Text(100)),
  content_scope: t.OneOf(
    scopes,
    '`public`: only what everybody in the organisation may see, when it happens and still when it is sent.',
  ),
  status: t.OneOf(
    statuses,
    '`pending`: it asks for what an admin must approve, and neither collects nor sends anything until one does.',
  ),
  decided_by: t.Nullable(t.Id('Who approved or refused it, where somebody had to.')),
  decided_at: t.Nullable(t.Timestamp()),
  active: t.Flag('A suspended subscription (false) goes on collecting; nothing is sent.'),
  last_delivery: t.Nullable(Delivery),
  failing_since: t.Nullable(t.Timestamp('Since then every attempt failed.')),
  suspended_at: t.Nullable(t.Timestamp()),
  notice: t.Nullable(t.Text(1000, 'For its owner: why it was suspended.')),
  listened_until: t.Nullable(t.Timestamp('Of a temporary subscription of `atrium webhooks listen`.')),
  created_by: t.Nullable(t.Id()),
  created_at: t.Timestamp(),
  updated_at: t.Timestamp(),
};
export const Webhook = t.Object(webhookFields, { title: 'Webhook' });
const WithSecret = t.Object(
  { ...webhookFields, signing_secret: t.Text(200, 'Standard Webhooks secret (whsec_…). Shown this once.') },
  { title: 'WebhookWithSecret' },
);

export const EventType = t.Object(
  {
    action: t.Text(100),
    summary: t.Text(500),
    schema: t.Unsafe<unknown>({ type: 'object', description: 'JSON Schema of the payload.' }),
    sample: t.Unsafe<unknown>({ type: 'object' }),
  },
  { title: 'EventType' },
);

export const NewWebhook = t.Object({
  name: t.RequiredText(255),
  url: t.Url('https, a public address, without user name and password. Redirects are not followed.'),
  authentication: t.Optional(
    t.Object({
      type: t.OneOf(['none', 'oauth2'] as const),
      login_url: t.Optional(t.Nullable(t.Url())),
      client_id: t.Optional(t.Nullable(t.Text(1000))),
      client_secret: t.Optional(
        t.Nullable(t.Text(2000, 'Stored encrypted, never returned. A replacement without it keeps the stored one.')),
      ),
      form_params: t.Optional(t.Texts(20, 2000, 'Further fields of the token request, such as scope or audience.')),
    }),
  ),
  custom_headers: t.Optional(
    t.Texts(20, 8000, `Sent with every delivery; stored encrypted. The value ${MASK} keeps the stored one.`),
  ),
  events: t.Array(t.RequiredText(100), { minItems: 1, maxItems: 200, description: 'See GET /v1/webhooks/events.' }),
  content_scope: t.Optional(t.OneOf(scopes, 'Default: public.')),
  active: t.Optional(t.Flag('Default: true.')),
});

export const managers = ['developer', 'admin'] as const;
const admin = { scope: 'admin.webhooks.write', roles: managers } as const;
const adminRead = { ...admin, scope: 'admin.webhooks.read' } as const;
/** Admins, and keys that hold what it reads. */
const decides = { scope: 'admin.approvals.write', roles: ['admin'], errors: { not_pending: 409 } } as const;
const savedErrors = { name_taken: 409, address_refused: 400, secret_unreadable: 409 };
const example = {
  name: 'Search index',
  url: 'https://hooks.northwind.example/search',
  custom_headers: { 'X-Team': 'search' },
  events: ['page.created', 'page.updated', 'page.deleted'],
  content_scope: 'public',
};
const deliveryPath = '/v1/admin/webhooks/{id}/deliveries/{delivery_id}';
const params = { id: 1, delivery_id: 1 };

export const webhooks = family('webhooks', 'Subscriptions to events, and what was delivered to them.', {
  listWebhooks: endpoint('GET /v1/webhooks', 'List webhook subscriptions', {
    description: 'Ordered by id.',
    query: t.Object({ status: t.Optional(t.OneOf(statuses)) }),
    list: Webhook,
    example: {},
  }),
  getWebhook: endpoint('GET /v1/webhooks/{id}', 'Read a webhook subscription', {
    reply: Webhook,
    example: { params: { id: 1 } },
  }),
  listEventTypes: endpoint('GET /v1/webhooks/events', 'List the events that can be subscribed to', {
    description:
      'Each with the schema of its payload and a sample. A new event is never added to an existing subscription by ' +
      'itself.',
    list: EventType,
    example: { query: { take: 5 } },
  }),
  createWebhook: endpoint('POST /v1/admin/webhooks', 'Create a webhook subscription', {
    ...admin,
    description:
      'The signing secret is in the answer and never again. It delivers what its maker may read: a key needs the ' +
      'read scope of every event’s family, and content_scope `all` reaches the spaces of its scopes, while the key ' +
      'is good. A developer’s with content_scope `all` or user events is `pending` until an admin approves it.',
    status: 201,
    body: NewWebhook,
    reply: WithSecret,
    errors: { ...savedErrors, too_many_webhooks: 409 },
    example: { body: example },
  }),
  replaceWebhook: endpoint('PUT /v1/admin/webhooks/{id}', 'Replace a webhook subscription', {
    ...admin,
    description: 'Its log and signing secret stay. What needs approval needs it again, unless an admin replaces it.',
    body: NewWebhook,
    reply: Webhook,
    errors: savedErrors,
    example: { params: { id: 1 }, body: example },
  }),
  deleteWebhook: endpoint('DELETE /v1/admin/webhooks/{id}', 'Delete a webhook subscription with its log', {
    ...admin,
    reply: t.Object({ id: t.Id() }),
    example: { params: { id: 1 } },
  }),
  approveWebhook: endpoint('POST /v1/admin/webhooks/{id}/approve', 'Approve a pending webhook subscription', {
    ...decides,
    description: 'It hears what happens from now on. Who made it is told.',
    reply: Webhook,
    example: { params: { id: 2 } },
  }),
  refuseWebhook: endpoint('POST /v1/admin/webhooks/{id}/refuse', 'Refuse a pending webhook subscription', {
    ...decides,
    reply: Webhook,
    example: { params: { id: 3 } },
  }),
  suspendWebhook: endpoint('POST /v1/admin/webhooks/{id}/suspend', 'Suspend a webhook subscription', {
    ...admin,
    description: 'It goes on collecting events; nothing is sent until it is resumed.',
    reply: Webhook,
    example: { params: { id: 1 } },
  }),
  resumeWebhook: endpoint('POST /v1/admin/webhooks/{id}/resume', 'Resume a webhook subscription', {
    ...admin,
    description: 'What it has collected is sent.',
    reply: Webhook,
    example: { params: { id: 1 } },
  }),
  rotateWebhookSecret: endpoint('POST /v1/admin/webhooks/{id}/rotate-secret', 'Make a new signing secret', {
    ...admin,
    description: 'For 24 hours deliveries carry two signatures, by the new and by the former secret.',
    reply: WithSecret,
    errors: { secret_unreadable: 409 },
    example: { params: { id: 1 } },
  }),
  sendWebhookSample: endpoint('POST /v1/admin/webhooks/{id}/samples', 'Send a sample of an event', {
    ...admin,
    description: 'Made-up content, on the same way as a real event: same guard, signature, attempts and log.',
    status: 201,
    body: t.Object({ event: t.RequiredText(100) }),
    reply: Delivery,
    example: { params: { id: 1 }, body: { event: 'page.created' } },
  }),
  recoverWebhook: endpoint('POST /v1/admin/webhooks/{id}/recover', 'Deliver again what failed since a moment', {
    ...admin,
    description:
      'What was given up at or after `since`, whenever it happened, and what was withheld then as ' +
      '`secret_unreadable`. At most 10,000 at once, oldest first; call again while `recovered` is that many. ' +
      '`meta.id` stays, `meta.attempt` goes on.',
    body: t.Object({ since: t.Timestamp() }),
    reply: t.Object({ recovered: t.Integer() }),
    example: { params: { id: 1 }, body: { since: '2026-01-01T00:00:00Z' } },
  }),
  listWebhookDeliveries: endpoint('GET /v1/admin/webhooks/{id}/deliveries', 'List the deliveries of a subscription', {
    ...adminRead,
    description: 'Newest first; kept for 30 days by default.',
    list: Delivery,
    query: t.Object({
      state: t.Optional(t.OneOf(states)),
      action: t.Optional(t.Text(100)),
      failure: t.Optional(t.Text(100, 'Kind of the last failure.')),
      event_id: t.Optional(t.String({ format: 'uuid' })),
      since: t.Optional(t.Timestamp('Created at or after.')),
      until: t.Optional(t.Timestamp('Created before.')),
    }),
    example: { params: { id: 1 }, query: { state: 'failed' } },
  }),
  getWebhookDelivery: endpoint(`GET ${deliveryPath}`, 'Read a delivery with every attempt', {
    ...adminRead,
    reply: DeliveryLog,
    example: { params },
  }),
  redeliverWebhook: endpoint(`POST ${deliveryPath}/redeliver`, 'Deliver again', {
    ...admin,
    description: 'Up to five further attempts. `meta.id` stays, `meta.attempt` goes on.',
    reply: Delivery,
    errors: { delivery_pending: 409 },
    example: { params },
  }),
});
