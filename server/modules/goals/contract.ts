import {
  Colour,
  endpoint,
  Flag,
  family,
  Id,
  Nullable,
  Optional,
  Picture,
  RequiredText,
  Shape,
  type Static,
  Text,
  Timestamp,
  Url,
} from '../../kernel/contract/contract.ts';

export const Goal = Shape(
  {
    id: Id(),
    title: Text(255),
    description: Text(2000),
    colour: Nullable(Colour()),
    image: Nullable(Url()),
    is_active: Flag('Offered to those who write; false keeps it only where it is used already.'),
    created_at: Timestamp(),
    updated_at: Timestamp(),
    permalink: Url(),
  },
  { title: 'Goal' },
);
const written = {
  title: RequiredText(255),
  description: Optional(Text(2000)),
  colour: Optional(Nullable(Colour('Hexadecimal (#1d4ed8) or a CSS name.'))),
  image: Optional(Picture()),
  is_active: Optional(Flag('Default true.')),
};
const GoalReplacement = Shape(written);
export type GoalReplacement = Static<typeof GoalReplacement>;
const errors = { image_invalid: 400 } as const;

export const goals = family('goals', 'Values of the company, which updates and kudos refer to.', {
  listGoals: endpoint({
    method: 'GET',
    path: '/v1/goals',
    summary: 'List goals',
    description: 'Ordered by id.',
    scope: 'goals.*.read',
    query: Shape({ is_active: Optional(Flag()) }),
    list: Goal,
    example: { query: { is_active: 1 } },
  }),
  getGoal: endpoint({
    method: 'GET',
    path: '/v1/goals/{id}',
    summary: 'Read a goal',
    scope: 'goals.*.read',
    reply: Goal,
    example: { params: { id: 1 } },
  }),
  createGoal: endpoint({
    method: 'POST',
    path: '/v1/goals',
    summary: 'Create a goal',
    scope: 'goals.*.write',
    status: 201,
    body: Shape({ ...written, created_at: Optional(Timestamp('For imports; never in the future.')) }),
    documented: 'multipart',
    reply: Goal,
    errors,
    example: { body: { title: 'Sustainable', description: 'We waste nothing.', colour: '#15803d' } },
  }),
  replaceGoal: endpoint({
    method: 'PUT',
    path: '/v1/goals/{id}',
    summary: 'Replace a goal',
    description: 'What is omitted is reset, but the picture is kept.',
    scope: 'goals.*.write',
    body: GoalReplacement,
    documented: 'multipart',
    reply: Goal,
    errors,
    example: { params: { id: 1 }, body: { title: 'Customers first', colour: '#1d4ed8' } },
  }),
  deleteGoal: endpoint({
    method: 'DELETE',
    path: '/v1/goals/{id}',
    summary: 'Delete a goal',
    description: 'What referred to it stays, without it.',
    scope: 'goals.*.write',
    reply: Shape({ id: Id() }),
    example: { params: { id: 1 } },
  }),
});
