import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

export const kinds = ['key', 'personal_key', 'jwt', 'grant', 'app', 'scim'] as const;
export type Kind = (typeof kinds)[number];

const Kept = (what: string) =>
  t.Nullable(
    t.Unsafe<unknown>({
      type: 'object',
      description: `${what}, without secrets and what is about people. Null: none, too large, or not kept.`,
    }),
  );
const Names = (description: string) => t.Array(t.Text(100), { description });
export const LoggedRequest = t.Object(
  {
    request_id: t.Text(100, 'As in `X-Request-Id`.'),
    at: t.Timestamp('When its head was read.'),
    kind: t.OneOf(kinds, 'What it was made with.'),
    key_id: t.Nullable(t.Id()),
    app_id: t.Nullable(t.Id()),
    scim_secret_id: t.Nullable(t.Id()),
    user_id: t.Nullable(t.Id('For whom, by a user JWT.')),
    method: t.Text(10, '`SOCKET` for what was asked over a socket.'),
    path: t.Text(500, 'With its query.'),
    operation: t.Nullable(t.Text(100, 'operationId.')),
    status: t.Integer({ description: '499: the client was gone before it was answered.' }),
    code: t.Nullable(t.Text(100)),
    ms: t.Unsafe<number>({ type: 'number' }),
    request_bytes: t.Nullable(t.Integer()),
    answer_bytes: t.Nullable(t.Integer()),
    ignored_fields: Names('Fields that the endpoint does not have.'),
    cleared_fields: Names('Fields that had a value before this replacement, which left them out.'),
    request: Kept('The body'),
    answer: Kept('What a write or a refusal was answered'),
  },
  { title: 'LoggedRequest' },
);

export const RequestSettings = t.Object(
  {
    keeps_bodies: t.Flag('Bodies are kept, without secrets and what is about people.'),
    days: t.Integer({ description: 'How long calls are kept; a setting of the installation. 0: there is no log.' }),
  },
  { title: 'RequestSettings' },
);

const filter = {
  operation: t.Optional(t.RequiredText(100, 'operationId, for example createPage.')),
  status: t.Optional(
    t.String({ pattern: '^([1-5]\\d\\d|[1-5]xx)$', description: 'For example 404, or 4xx for all of them.' }),
  ),
  request_id: t.Optional(t.RequiredText(100)),
  from: t.Optional(t.Timestamp('This moment or later.')),
  to: t.Optional(t.Timestamp('Earlier than this.')),
};
export const ofWhom = {
  key_id: t.Optional(t.Id()),
  app_id: t.Optional(t.Id('All keys and JWTs of the app.')),
};

export const roles = ['admin', 'developer'] as const;
const reads = { scope: 'admin.requests.read', roles } as const;
/** Whatever is good reads of itself; a signed-in person of their personal keys. */
const own = { scope: null, actors: 'credential' } as const;

export const requests = family('requests', 'What programs asked for, and what they could do better.', {
  listOwnRequests: endpoint('GET /v1/requests', 'List the calls of my key', {
    ...own,
    description: 'Of the key that asks; of a signed-in person, those of their personal keys. Newest first, 7 days.',
    query: t.Object(filter),
    list: LoggedRequest,
    example: { query: { status: '4xx' } },
  }),
  listRequests: endpoint('GET /v1/admin/requests', 'List the calls of keys and apps', {
    ...reads,
    description:
      'Newest first; calls of one second may be in another order. Admins, and keys, see those of all; developers ' +
      'those of the apps that they made and of their own keys. Calls of signed-in people are never kept.',
    query: t.Object({ ...ofWhom, ...filter }),
    list: LoggedRequest,
    example: { query: { app_id: 1, status: '2xx' } },
  }),
  getRequestSettings: endpoint('GET /v1/admin/requests/settings', 'Read what the request log keeps', {
    ...reads,
    reply: RequestSettings,
    example: {},
  }),
  replaceRequestSettings: endpoint('PUT /v1/admin/requests/settings', 'Set what the request log keeps', {
    scope: 'admin.requests.write',
    roles: ['admin'],
    description: 'Without bodies, those that were kept are removed as well.',
    body: t.Object({ keeps_bodies: t.Flag() }),
    reply: RequestSettings,
    example: { body: { keeps_bodies: true } },
  }),
});
