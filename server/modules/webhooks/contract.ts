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
  Texts,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';

/** What stands for a secret in answers. Sent back in a PUT, it keeps what is stored. */
export const MASK = '********';
export const scopes = ['public', 'all'] as const;
export const states = ['pending', 'delivered', 'failed', 'withheld'] as const;

const deliveryFields = {
  id: Id(),
  webhook_id: Id(),
  event_id: Text(36, '`meta.id`: the same for every attempt.'),
  action: Text(100),
  state: OneOf(
    states,
    '`withheld`: not sent, because the content is not public any more (`not_public`) or the subscription cannot be read (`secret_unreadable`).',
  ),
  attempts: Type.Integer({ description: 'Made so far, those before a redelivery included.' }),
  next_attempt_at: Nullable(Timestamp()),
  last_attempt_at: Nullable(Timestamp()),
  last_status: Nullable(Type.Integer({ description: 'HTTP status of the last answer.' })),
  last_failure: Nullable(
    Text(
      100,
      'Why the last attempt failed: `status_503`, `refused_address`, `dns_failed`, `connect_timeout`, `connection_refused`, `connection_failed`, `tls_failed`, `response_timeout`, `connection_closed`, `invalid_response`, `interrupted`, or `token_…` for the token request.',
    ),
  ),
  created_at: Timestamp(),
};
export const Delivery = Shape(deliveryFields, { title: 'WebhookDelivery' });

const Attempt = Shape({
  attempt: Type.Integer({ description: '`meta.attempt`' }),
  sent_at: Timestamp(),
  latency_ms: Type.Integer(),
  status: Nullable(Type.Integer()),
  failure: Nullable(Text(100)),
  request_headers: Texts(100, 10_000, 'Secrets are masked.'),
  request_body: Nullable(Text(100_000_000, 'As it was sent. Null when the event is not kept any more.')),
  answer: Nullable(Text(10_000, 'The first 4 KiB of the answer, or what went wrong.')),
});
export const DeliveryLog = Shape({ ...deliveryFields, log: List(Attempt) }, { title: 'WebhookDeliveryLog' });

const Authentication = Shape({
  type: OneOf(['none', 'oauth2'] as const),
  login_url: Nullable(Url('Where a token is fetched (OAuth 2.0 client credentials).')),
  client_id: Nullable(Text(1000)),
  form_params: Texts(20, 2000, 'Further fields of the token request; values are masked.'),
});
const webhookFields = {
  id: Id(),
  name: Text(255),
  url: Url(),
  authentication: Authentication,
  custom_headers: Texts(20, 8000, 'Values are masked.'),
  events: List(Text(100)),
  content_scope: OneOf(
    scopes,
    '`public`: only what everybody in the organisation may see, when it happens and still when it is sent.',
  ),
  active: Flag('A suspended subscription (false) goes on collecting; nothing is sent.'),
  last_delivery: Nullable(Delivery),
  failing_since: Nullable(Timestamp('Since then every attempt failed.')),
  suspended_at: Nullable(Timestamp()),
  notice: Nullable(Text(1000, 'For its owner: why it was suspended.')),
  listened_until: Nullable(Timestamp('Of a temporary subscription of `atrium webhooks listen`.')),
  created_by: Nullable(Id()),
  created_at: Timestamp(),
  updated_at: Timestamp(),
};
export const Webhook = Shape(webhookFields, { title: 'Webhook' });
const WithSecret = Shape(
  { ...webhookFields, signing_secret: Text(200, 'Standard Webhooks secret (whsec_…). Shown this once.') },
  { title: 'WebhookWithSecret' },
);

export const EventType = Shape(
  {
    action: Text(100),
    summary: Text(500),
    schema: Type.Unsafe<unknown>({ type: 'object', description: 'JSON Schema of the payload.' }),
    sample: Type.Unsafe<unknown>({ type: 'object' }),
  },
  { title: 'EventType' },
);

export const NewWebhook = Shape({
  name: RequiredText(255),
  url: Url('https, a public address, without user name and password. Redirects are not followed.'),
  authentication: Optional(
    Shape({
      type: OneOf(['none', 'oauth2'] as const),
      login_url: Optional(Nullable(Url())),
      client_id: Optional(Nullable(Text(1000))),
      client_secret: Optional(
        Nullable(Text(2000, 'Stored encrypted, never returned. A replacement without it keeps the stored one.')),
      ),
      form_params: Optional(Texts(20, 2000, 'Further fields of the token request, such as scope or audience.')),
    }),
  ),
  custom_headers: Optional(
    Texts(20, 8000, `Sent with every delivery; stored encrypted. The value ${MASK} keeps the stored one.`),
  ),
  events: Type.Array(RequiredText(100), { minItems: 1, maxItems: 200, description: 'See GET /v1/webhooks/events.' }),
  content_scope: Optional(OneOf(scopes, 'Default: public.')),
  active: Optional(Flag('Default: true.')),
});

export const managers = ['developer', 'admin'] as const;
const admin = { scope: 'admin.webhooks.write', roles: managers } as const;
const adminRead = { ...admin, scope: 'admin.webhooks.read' } as const;
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
  listWebhooks: endpoint({
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'List webhook subscriptions',
    description: 'Ordered by id.',
    scope: 'webhooks.*.read',
    list: Webhook,
    example: {},
  }),
  getWebhook: endpoint({
    method: 'GET',
    path: '/v1/webhooks/{id}',
    summary: 'Read a webhook subscription',
    scope: 'webhooks.*.read',
    reply: Webhook,
    example: { params: { id: 1 } },
  }),
  listEventTypes: endpoint({
    method: 'GET',
    path: '/v1/webhooks/events',
    summary: 'List the events that can be subscribed to',
    description:
      'Each with the schema of its payload and a sample. A new event is never added to an existing subscription by itself.',
    scope: 'webhooks.*.read',
    list: EventType,
    example: { query: { take: 5 } },
  }),
  createWebhook: endpoint({
    ...admin,
    method: 'POST',
    path: '/v1/admin/webhooks',
    summary: 'Create a webhook subscription',
    description: 'The signing secret is in the answer and never again.',
    status: 201,
    body: NewWebhook,
    documented: 'json',
    reply: WithSecret,
    errors: { ...savedErrors, too_many_webhooks: 409 },
    example: { body: example },
  }),
  replaceWebhook: endpoint({
    ...admin,
    method: 'PUT',
    path: '/v1/admin/webhooks/{id}',
    summary: 'Replace a webhook subscription',
    description: 'Its log and signing secret stay.',
    body: NewWebhook,
    documented: 'json',
    reply: Webhook,
    errors: savedErrors,
    example: { params: { id: 1 }, body: example },
  }),
  deleteWebhook: endpoint({
    ...admin,
    method: 'DELETE',
    path: '/v1/admin/webhooks/{id}',
    summary: 'Delete a webhook subscription with its log',
    reply: Shape({ id: Id() }),
    example: { params: { id: 1 } },
  }),
  suspendWebhook: endpoint({
    ...admin,
    method: 'POST',
    path: '/v1/admin/webhooks/{id}/suspend',
    summary: 'Suspend a webhook subscription',
    description: 'It goes on collecting events; nothing is sent until it is resumed.',
    reply: Webhook,
    example: { params: { id: 1 } },
  }),
  resumeWebhook: endpoint({
    ...admin,
    method: 'POST',
    path: '/v1/admin/webhooks/{id}/resume',
    summary: 'Resume a webhook subscription',
    description: 'What it has collected is sent.',
    reply: Webhook,
    example: { params: { id: 1 } },
  }),
  rotateWebhookSecret: endpoint({
    ...admin,
    method: 'POST',
    path: '/v1/admin/webhooks/{id}/rotate-secret',
    summary: 'Make a new signing secret',
    description: 'For 24 hours deliveries carry two signatures, by the new and by the former secret.',
    reply: WithSecret,
    errors: { secret_unreadable: 409 },
    example: { params: { id: 1 } },
  }),
  sendWebhookSample: endpoint({
    ...admin,
    method: 'POST',
    path: '/v1/admin/webhooks/{id}/samples',
    summary: 'Send a sample of an event',
    description: 'Made-up content, on the same way as a real event: same guard, signature, attempts and log.',
    status: 201,
    body: Shape({ event: RequiredText(100) }),
    documented: 'json',
    reply: Delivery,
    example: { params: { id: 1 }, body: { event: 'page.created' } },
  }),
  recoverWebhook: endpoint({
    ...admin,
    method: 'POST',
    path: '/v1/admin/webhooks/{id}/recover',
    summary: 'Deliver again what failed since a moment',
    description:
      'What was given up at or after `since`, whenever it happened, and what was withheld then as `secret_unreadable`. At most 10,000 at once, oldest first; call again while `recovered` is that many. `meta.id` stays, `meta.attempt` goes on.',
    body: Shape({ since: Timestamp() }),
    documented: 'json',
    reply: Shape({ recovered: Type.Integer() }),
    example: { params: { id: 1 }, body: { since: '2026-01-01T00:00:00Z' } },
  }),
  listWebhookDeliveries: endpoint({
    ...adminRead,
    method: 'GET',
    path: '/v1/admin/webhooks/{id}/deliveries',
    summary: 'List the deliveries of a subscription',
    description: 'Newest first; kept for 30 days by default.',
    list: Delivery,
    query: Shape({
      state: Optional(OneOf(states)),
      action: Optional(Text(100)),
      failure: Optional(Text(100, 'Kind of the last failure.')),
      event_id: Optional(Type.String({ format: 'uuid' })),
      since: Optional(Timestamp('Created at or after.')),
      until: Optional(Timestamp('Created before.')),
    }),
    example: { params: { id: 1 }, query: { state: 'failed' } },
  }),
  getWebhookDelivery: endpoint({
    ...adminRead,
    method: 'GET',
    path: deliveryPath,
    summary: 'Read a delivery with every attempt',
    reply: DeliveryLog,
    example: { params },
  }),
  redeliverWebhook: endpoint({
    ...admin,
    method: 'POST',
    path: `${deliveryPath}/redeliver`,
    summary: 'Deliver again',
    description: 'Up to five further attempts. `meta.id` stays, `meta.attempt` goes on.',
    reply: Delivery,
    errors: { delivery_pending: 409 },
    example: { params },
  }),
});
