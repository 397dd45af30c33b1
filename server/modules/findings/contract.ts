import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { kinds, ofWhom } from '../requests/contract.ts';

const whose = {
  kind: t.OneOf([...kinds, 'webhook']),
  key_id: t.Nullable(t.Id()),
  app_id: t.Nullable(t.Id()),
  scim_secret_id: t.Nullable(t.Id()),
  webhook_id: t.Nullable(t.Id('Of a subscription that a person made.')),
};
export const Finding = t.Object(
  {
    id: t.Id(),
    rule: t.Text(100),
    ...whose,
    subject: t.Text(300, 'What it is about: an operation, a path.'),
    seen: t.Text(2000),
    request_ids: t.Array(t.Text(100), { description: 'The last ten; of a slow receiver, ids of events.' }),
    occurrences: t.Integer(),
    first_at: t.Timestamp(),
    last_at: t.Timestamp(),
    why: t.Text(500),
    advice: t.Text(500),
    chapter: t.Text(100, 'Of the guides.'),
  },
  { title: 'Finding' },
);
const Summary = t.Object(
  {
    ...whose,
    week: t.CalendarDate('Its Monday, UTC.'),
    calls: t.Integer(),
    refused: t.Integer(),
    ms: t.Unsafe<number>({ type: 'number', description: 'On the average.' }),
    operations: t.Array(t.Object({ operation: t.Text(100), calls: t.Integer(), refused: t.Integer() }), {
      description: 'The ten that were called most.',
    }),
    findings: t.Integer(),
  },
  { title: 'RequestSummary' },
);

const reads = { scope: 'admin.requests.read', roles: ['admin', 'developer'] } as const;
const own = { scope: null, actors: 'credential' } as const;
const filter = { rule: t.Optional(t.RequiredText(100)) };
export const findings = family('findings', 'What the request log says about programs.', {
  listOwnFindings: endpoint('GET /v1/findings', 'List what my key could do better', {
    ...own,
    description: 'Of the key that asks; of a signed-in person, their personal keys. A minute behind, for 30 days.',
    query: t.Object(filter),
    list: Finding,
    example: {},
  }),
  listFindings: endpoint('GET /v1/admin/findings', 'List what programs could do better', {
    ...reads,
    description: 'Of those whose calls one sees.',
    query: t.Object({ ...ofWhom, ...filter }),
    list: Finding,
    example: { query: { rule: 'repeated_create' } },
  }),
  listOwnSummaries: endpoint('GET /v1/requests/summaries', 'List the weeks of my key', {
    ...own,
    description: 'How often what was called, and how often it was refused; newest first, for a quarter of a year.',
    list: Summary,
    example: {},
  }),
  listSummaries: endpoint('GET /v1/admin/requests/summaries', 'List the weeks of keys and apps', {
    ...reads,
    description: 'Of those whose calls one sees.',
    query: t.Object(ofWhom),
    list: Summary,
    example: { query: { app_id: 1 } },
  }),
});
