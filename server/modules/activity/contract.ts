import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { Person, postedNouns } from '../content/contract.ts';

export const activityTypes = [
  'page',
  'article',
  'update',
  'kudos',
  'event',
  'document',
  'comment',
  'badge',
  'space',
  'user',
] as const;
export type ActivityType = (typeof activityTypes)[number];
export const actions = ['created', 'published', 'posted', 'assigned', 'joined'] as const;

const Activity = t.Object(
  {
    type: t.OneOf(activityTypes),
    id: t.Id('Of the object.'),
    action: t.OneOf(actions),
    actor: t.Nullable(Person),
    object: t.Object({
      type: t.OneOf(activityTypes),
      id: t.Id(),
      title: t.Text(1000, 'Its title, name or first words.'),
      content_type: t.Nullable(t.Text(20, 'What a comment is on.')),
      content_id: t.Nullable(t.Id()),
      permalink: t.Url(),
    }),
    created_at: t.Timestamp('When it happened.'),
  },
  { title: 'Activity' },
);
const ids = (of: string) => t.Optional(t.IdList(`Only what is posted to these ${of}, and comments on it.`));
const listed = {
  scope: '*.*.read',
  query: t.Object({
    types: t.Optional(t.Array(t.OneOf(activityTypes), { 'x-separated': true, maxItems: 20 })),
    space_ids: ids('spaces'),
    team_ids: ids('teams'),
    user_id: t.Optional(t.Id('Only what this person did.')),
  }),
  list: Activity,
  example: { query: { take: 10 } },
} as const;

export const activity = family('activity', 'What happened, and what is new.', {
  listActivity: endpoint('GET /v1/activity', 'List what happened', {
    description:
      'Newest first: posts, pages, documents, comments, badges given, spaces created, people who joined; ' +
      'as far as the caller may read it, and the credential its type. The newest 1,000 things are listed.',
    ...listed,
  }),
  listPersonsActivity: endpoint('GET /v1/jwt/activity', 'List what happened, by a user JWT', {
    description: 'As `GET /v1/activity`, for the person whom the JWT names.',
    actors: 'person',
    ...listed,
  }),
  readFeed: endpoint('GET /v1/feed', 'Read the home feed', {
    description:
      'Updates, kudos, articles and events that the person may read. `newest` has all of them, newest first; ' +
      '`relevant` puts must-reads that they have not confirmed first, then the newest 200, in which mentions of them ' +
      'and posts to their own spaces and teams count as younger. Pages follow one another by `after`.',
    scope: '*.*.read',
    actors: 'person',
    query: t.Object({
      sort: t.Optional(t.OneOf(['newest', 'relevant'])),
      types: t.Optional(t.Array(t.OneOf(postedNouns), { 'x-separated': true, maxItems: 10 })),
      language: t.Optional(t.Language()),
      after: t.Optional(t.Text(100, 'meta.next of the last answer.')),
      take: t.Optional(t.Integer({ minimum: 1, maximum: 100, description: 'Default 20.' })),
    }),
    reply: t.Array(
      t.Object(
        {
          type: t.OneOf(postedNouns),
          id: t.Id(),
          reason: t.OneOf(
            ['must_read', 'mention', 'own', 'new'],
            'Why it stands where it does, by relevance: own is a post to one of their spaces or teams.',
          ),
          posted_at: t.Timestamp('When it reached its readers.'),
          resource: t.Unsafe<Record<string, unknown>>({
            type: 'object',
            description: 'In the shape that its own endpoint answers with.',
          }),
        },
        { title: 'FeedItem' },
      ),
    ),
    meta: t.Object({
      next: t.Nullable(t.Text(100, 'The next `after`; null: that was all.')),
      has_more: t.Flag(),
    }),
    example: { query: { take: 10 } },
  }),
});
