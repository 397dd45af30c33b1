import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { contentNouns } from '../content/contract.ts';

/** As many as a person keeps. */
export const SAVED_MAX = 1000;

const Saved = t.Object({ type: t.OneOf(contentNouns), id: t.Id(), saved_at: t.Timestamp() }, { title: 'Saved' });
const SavedItem = t.Object(
  {
    ...Saved.properties,
    resource: t.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'In the shape that its own endpoint answers with.',
    }),
  },
  { title: 'SavedItem' },
);
/** What somebody keeps is of no use to a program. */
const own = { scope: '*.*.read', actors: 'person' } as const;
const params = t.Object({ type: t.OneOf(contentNouns), id: t.Id() });
const example = { params: { type: 'update', id: 1 } } as const;

export const saved = family('saved', 'What people keep for later.', {
  listSaved: endpoint('GET /v1/saved', 'List what I saved', {
    description: 'Newest first; what I do not see any more is not among it.',
    ...own,
    query: t.Object({ language: t.Optional(t.Language()) }),
    list: SavedItem,
    example: {},
  }),
  save: endpoint('PUT /v1/saved/{type}/{id}', 'Save something', {
    operation: 'saveContent',
    ...own,
    params,
    reply: Saved,
    errors: { too_many_saved: 409 },
    example,
  }),
  unsave: endpoint('DELETE /v1/saved/{type}/{id}', 'Save something no longer', {
    operation: 'unsaveContent',
    ...own,
    params,
    reply: t.Object({ type: t.OneOf(contentNouns), id: t.Id() }),
    example,
  }),
});
