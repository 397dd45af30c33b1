import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

export const changeTypes = [
  'page',
  'article',
  'update',
  'kudos',
  'event',
  'document',
  'space',
  'team',
  'user',
] as const;
export type ChangeType = (typeof changeTypes)[number];

export const Change = t.Object(
  {
    sequence: t.Integer({ description: 'Ever-increasing; where the list goes on.' }),
    type: t.OneOf(changeTypes),
    id: t.Id(),
    change: t.OneOf(
      ['created', 'changed', 'archived', 'deleted'],
      'How it is now. created: as it was first written. deleted: gone, or not visible to the caller any more.',
    ),
    resource: t.Nullable(
      t.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'As it is now, in the shape that its own endpoint answers with; null when it is deleted.',
      }),
    ),
  },
  { title: 'Change' },
);

export const changes = family('changes', 'What changed, in one order, for whoever keeps a copy.', {
  listChanges: endpoint('GET /v1/changes', 'List what changed', {
    description:
      'What was created, changed, archived or deleted after a sequence, once each, at its last change, in order and ' +
      'complete: nothing with a lower sequence appears later. Without `after` it begins with all there is. It has ' +
      'the types that the credential may read, and what the caller sees of them. Counters and what a resource says ' +
      'of others (names of its creator, its spaces) do not make it new.',
    scope: '*.*.read',
    query: t.Object({
      after: t.Optional(t.Integer({ minimum: 0, maximum: t.ID_MAX, description: 'meta.next of the last answer.' })),
      take: t.Optional(t.Integer({ minimum: 1, maximum: 500, description: 'How many to look at; default 50.' })),
      types: t.Optional(t.Array(t.OneOf(changeTypes), { 'x-separated': true, maxItems: 20 })),
    }),
    reply: t.Array(Change),
    meta: t.Object({
      next: t.Integer({ description: 'The next `after`.' }),
      has_more: t.Flag('There is more to read now. A page can have fewer rows than `take`, or none.'),
    }),
    errors: { changes_expired: 410 },
    example: { query: { take: 10 } },
  }),
});
