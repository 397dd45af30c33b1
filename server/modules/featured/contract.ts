import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { contentNouns } from '../content/contract.ts';

/** The nouns of what a space may feature. */
export const featurable = contentNouns;
export const Featured = t.Object(
  {
    is_archived: t.Flag('With the space: then nothing of it is shown in the space.'),
    items: t.Array(t.Object({ type: t.OneOf(featurable), id: t.Id(), permalink: t.Url() })),
  },
  { title: 'Featured' },
);

export const featured = family('spaces', 'Rooms with members, roles and content.', {
  getFeatured: endpoint('GET /v1/spaces/{id}/featured', 'Read what a space features', {
    description: 'What it shows at its top, in order: what the caller sees of it and what is published.',
    reply: Featured,
    example: { params: { id: 1 } },
  }),
  putFeatured: endpoint('PUT /v1/spaces/{id}/featured', 'Replace what a space features', {
    description: 'For owners of the space. An empty list features nothing.',
    body: t.Object({ items: t.Array(t.Object({ type: t.OneOf(featurable), id: t.Id() }), { maxItems: 20 }) }),
    reply: Featured,
    errors: { space_archived: 409 },
    example: { params: { id: 1 }, body: { items: [{ type: 'article', id: 1 }] } },
  }),
});
