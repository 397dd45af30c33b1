import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { ending, pictureErrors, rowContract } from '../pictures/contract.ts';

export const Goal = t.Object(
  {
    id: t.Id(),
    title: t.Text(255),
    description: t.Text(2000),
    colour: t.Nullable(t.Colour()),
    image: t.Nullable(t.Url()),
    is_active: t.Flag('Offered to those who write; false keeps it only where it is used already.'),
    ...ending,
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
const row = rowContract(Goal, written, { documented: 'multipart', errors: pictureErrors });

export const goals = family('goals', 'Values of the company, which updates and kudos refer to.', {
  listGoals: endpoint('GET /v1/goals', 'List goals', {
    description: 'Ordered by id.',
    query: t.Object({ is_active: t.Optional(t.Flag()) }),
    list: Goal,
    example: { query: { is_active: 1 } },
  }),
  getGoal: endpoint('GET /v1/goals/{id}', 'Read a goal', row.gets),
  createGoal: endpoint('POST /v1/goals', 'Create a goal', {
    ...row.creates,
    example: { body: { title: 'Sustainable', description: 'We waste nothing.', colour: '#15803d' } },
  }),
  replaceGoal: endpoint('PUT /v1/goals/{id}', 'Replace a goal', {
    ...row.replaces,
    description: 'What is omitted is reset, but the picture is kept.',
    example: { params: { id: 1 }, body: { title: 'Customers first', colour: '#1d4ed8' } },
  }),
  deleteGoal: endpoint('DELETE /v1/goals/{id}', 'Delete a goal', {
    ...row.deletes,
    description: 'What referred to it stays, without it.',
  }),
});
