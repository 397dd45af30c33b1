import { routes } from '../../kernel/http/routes.ts';
import { deleteRow, getRow, insertRow, replaceRow, storingPictures } from '../pictures/rows.ts';
import { importedAt } from '../users/access.ts';
import { goals } from './contract.ts';
import { goalFamily, listGoals } from './queries.ts';

export const goalRoutes = routes(goals, {
  listGoals: ({ tx, query }) => listGoals(tx, query),
  getGoal: ({ tx, params }) => getRow(tx, goalFamily, params.id),
  createGoal: ({ tx, actor, services, body }) =>
    storingPictures({ tx, services }, goalFamily, body, (goal) =>
      insertRow(tx, goalFamily, { ...goal, created_at: importedAt(tx, actor, goal.created_at) }),
    ),
  replaceGoal: ({ tx, services, params, body }) =>
    storingPictures({ tx, services }, goalFamily, body, (goal) => replaceRow(tx, goalFamily, params.id, goal)),
  deleteGoal: ({ tx, params }) => deleteRow(tx, goalFamily, params.id),
});
