import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { contentNouns } from '../content/contract.ts';
import { mentionTypes } from '../mentions/contract.ts';

export const Suggestion = t.Object(
  {
    type: t.OneOf(mentionTypes),
    id: t.Id(),
    name: t.Text(511),
    note: t.Text(255, 'Job title of a person, type of a team, visibility of a space.'),
    avatar_url: t.Url(),
    is_outside: t.Flag('Not in the audience that was asked about: they would not be told.'),
  },
  { title: 'Suggestion' },
);

export const suggestions = family('suggestions', 'What somebody may mean while they type.', {
  listSuggestions: endpoint('GET /v1/suggest', 'Suggest whom to mention', {
    description:
      'People by the beginning of first, full or last name, teams and spaces by that of their name; at most eight of ' +
      'each, by name. Say for whom the text is: content that there is (`type` and `id`), the `channel_url` of a ' +
      'chat, or the `space_ids` and `team_ids` of content to be; otherwise it is for everybody.',
    scope: 'users.*.read',
    actors: 'person',
    query: t.Object({
      q: t.Optional(t.Text(100)),
      kinds: t.Optional(t.Array(t.OneOf(mentionTypes), { 'x-separated': true, maxItems: 3 })),
      type: t.Optional(t.OneOf(contentNouns)),
      id: t.Optional(t.Id()),
      channel_url: t.Optional(t.Text(64)),
      space_ids: t.Optional(t.IdList()),
      team_ids: t.Optional(t.IdList()),
    }),
    reply: t.Array(Suggestion),
    example: { query: { q: 'em' } },
  }),
});
