import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { authorship, contentNouns, Person, ReactionCounts, reactionNames } from '../content/contract.ts';

export const things = [...contentNouns, 'comment'] as const;
export const Reaction = t.Object(
  {
    reaction: t.OneOf(reactionNames),
    user_id: t.Id(),
    user_external_id: t.Nullable(t.ExternalId()),
    user: Person,
    created_at: t.Timestamp(),
  },
  { title: 'Reaction' },
);
const params = t.Object({ type: t.OneOf(things), id: t.Id() });
const first = { type: 'update', id: 1 } as const;
const { user_id, user_external_id, created_at } = authorship;
const Reacted = t.Object({ user_id: t.Id(), reaction: t.Nullable(t.OneOf(reactionNames)), reactions: ReactionCounts });
const writes = { params, scope: 'likes.*.write', reply: Reacted, errors: { user_not_found: 400 } } as const;

export const reactions = family('reactions', 'How people react; a like is one of their reactions.', {
  listReactions: endpoint('GET /v1/reactions/{type}/{id}', 'List who reacted', {
    description: 'Oldest first.',
    scope: 'likes.*.read',
    params,
    query: t.Object({ reaction: t.Optional(t.OneOf(reactionNames)) }),
    list: Reaction,
    example: { params: first },
  }),
  setReaction: endpoint('PUT /v1/reactions/{type}/{id}', 'React to something', {
    description:
      'As the caller, or as the person whom a key names. A person has one reaction to a thing, and another takes its ' +
      'place, a like too.',
    ...writes,
    body: t.Object({ reaction: t.OneOf(reactionNames), user_id, user_external_id, created_at }),
    example: { params: first, body: { reaction: 'celebrate', user_external_id: 'E-1004' } },
  }),
  deleteReaction: endpoint('DELETE /v1/reactions/{type}/{id}', 'Take a reaction back', {
    ...writes,
    query: t.Object({ user_id, user_external_id }),
    example: { params: first, query: { user_external_id: 'E-1004' } },
  }),
});
