import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

export const Goal = t.Object(
  {
    id: t.Id(),
    title: t.Text(255),
    description: t.Text(2000),
    colour: t.Nullable(t.Colour()),
    image: t.Nullable(t.Url()),
    is_active: t.Flag('Offered to those who write; false keeps it only where it is used already.'),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
    permalink: t.Url(),
  },
  { title: 'Goal' },
);
const written = {
  title: t.RequiredText(255),
  description: t.Optional(t.Text(2000)),
  colour: t.Optional(t.Nullable(t.Colour('Hexadecimal (#1d4ed8) or a CSS name.'))),
  image: t.Optional(t.Picture()),
  is_active: t.Optional(t.Flag('Default true.')),
};
const GoalReplacement = t.Object(written);
export type GoalReplacement = t.Static<typeof GoalReplacement>;
const errors = { image_invalid: 400 } as const;

export const goals = family('goals', 'Values of the company, which updates and kudos refer to.', {
  listGoals: endpoint('GET /v1/goals', 'List goals', {
    description: 'Ordered by id.',
    query: t.Object({ is_active: t.Optional(t.Flag()) }),
    list: Goal,
    example: { query: { is_active: 1 } },
  }),
  getGoal: endpoint('GET /v1/goals/{id}', 'Read a goal', { reply: Goal, example: { params: { id: 1 } } }),
  createGoal: endpoint('POST /v1/goals', 'Create a goal', {
    status: 201,
    body: t.Object({ ...written, created_at: t.Optional(t.Timestamp('For imports; never in the future.')) }),
    documented: 'multipart',
    reply: Goal,
    errors,
    example: { body: { title: 'Sustainable', description: 'We waste nothing.', colour: '#15803d' } },
  }),
  replaceGoal: endpoint('PUT /v1/goals/{id}', 'Replace a goal', {
    description: 'What is omitted is reset, but the picture is kept.',
    body: GoalReplacement,
    documented: 'multipart',
    reply: Goal,
    errors,
    example: { params: { id: 1 }, body: { title: 'Customers first', colour: '#1d4ed8' } },
  }),
  deleteGoal: endpoint('DELETE /v1/goals/{id}', 'Delete a goal', {
    description: 'What referred to it stays, without it.',
    reply: t.Object({ id: t.Id() }),
    example: { params: { id: 1 } },
  }),
});
