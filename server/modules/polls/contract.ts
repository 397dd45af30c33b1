import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { Person } from '../content/contract.ts';

const OPTIONS_MAX = 10;
const TEXT_MAX = 200;
const Option = t.Integer({ minimum: 1, maximum: OPTIONS_MAX });
export const Poll = t.Object(
  {
    options: t.Array(
      t.Object({
        id: Option,
        text: t.Text(TEXT_MAX),
        votes_count: t.Nullable(t.Integer({ description: 'Null for a person who has not voted, until it ends.' })),
      }),
    ),
    is_multiple: t.Flag('Several answers.'),
    is_anonymous: t.Flag('Nobody is told who voted for what.'),
    ends_at: t.Nullable(t.Timestamp()),
    is_open: t.Flag(),
    voters_count: t.Integer(),
    my_votes: t.Array(Option, { description: 'Of the person who reads it; none for keys and in webhooks.' }),
  },
  { title: 'Poll' },
);
export const NewPoll = t.Object({
  options: t.Array(t.RequiredText(TEXT_MAX), { minItems: 2, maxItems: OPTIONS_MAX }),
  is_multiple: t.Optional(t.Flag('Several answers.')),
  is_anonymous: t.Optional(t.Flag('Nobody is told who voted for what.')),
  ends_at: t.Optional(t.Nullable(t.Timestamp('In the future.'))),
});
export type NewPoll = t.Static<typeof NewPoll>;
const Voter = t.Object({ user: Person, options: t.Array(Option), created_at: t.Timestamp() }, { title: 'Voter' });

export const polls = family('polls', 'Questions on updates, with answers to choose from.', {
  vote: endpoint('PUT /v1/updates/{id}/poll/votes', 'Vote in a poll', {
    operation: 'votePoll',
    description: 'One vote a person, which can be changed until the poll ends. No program votes.',
    scope: 'updates.*.write',
    actors: 'person',
    body: t.Object({ options: t.Array(Option, { minItems: 1, maxItems: OPTIONS_MAX }) }),
    reply: Poll,
    errors: { poll_ended: 409 },
    example: { params: { id: 1 }, body: { options: [1] } },
  }),
  listVoters: endpoint('GET /v1/updates/{id}/poll/votes', 'List who voted', {
    operation: 'listPollVotes',
    description: 'For those who see the results, unless the poll is anonymous. Oldest first.',
    scope: 'updates.*.read',
    query: t.Object({ option: t.Optional(Option) }),
    list: Voter,
    example: { params: { id: 1 } },
  }),
});
