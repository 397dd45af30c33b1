import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

/** As many as a person has. */
export const DRAFTS_MAX = 200;

export const Draft = t.Object(
  {
    key: t.Text(200),
    fields: t.Texts(50, 2_000_000, 'What was written, by the names that the client chose.'),
    version: t.Integer(),
    updated_at: t.Timestamp(),
  },
  { title: 'Draft' },
);
const params = t.Object({
  key: t.String({ pattern: '^[\\w.:-]{1,200}$', description: 'Chosen by the client: what is being written.' }),
});
const own = { scope: '*.*.write', actors: 'person' } as const;

export const drafts = family('drafts', 'What people have begun to write, the same on all their devices.', {
  listDrafts: endpoint('GET /v1/drafts', 'List my drafts', {
    description: 'By key.',
    ...own,
    list: Draft,
    example: {},
  }),
  getDraft: endpoint('GET /v1/drafts/{key}', 'Read a draft of mine', {
    ...own,
    params,
    reply: Draft,
    example: { params: { key: 'plans' } },
  }),
  keepDraft: endpoint('PUT /v1/drafts/{key}', 'Keep a draft', {
    description:
      'With the version that it was made from, none for a new one. Where another device kept one meanwhile: a 409, ' +
      'with that in meta.draft.',
    ...own,
    params,
    body: t.Object({
      fields: Draft.properties.fields,
      version: t.Optional(t.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
    }),
    reply: Draft,
    errors: { draft_changed: 409, too_many_drafts: 409 },
    example: { params: { key: 'update' }, body: { fields: { text: 'The new store' } } },
  }),
  deleteDraft: endpoint('DELETE /v1/drafts/{key}', 'Forget a draft', {
    ...own,
    params,
    reply: t.Object({ key: t.Text(200) }),
    example: { params: { key: 'plans' } },
  }),
});
