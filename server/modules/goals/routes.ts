import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { routes } from '../../kernel/http/routes.ts';
import { withPictures } from '../pictures/queries.ts';
import { importedAt } from '../users/access.ts';
import { goals } from './contract.ts';
import * as queries from './queries.ts';

export const goalRoutes = routes(goals, {
  listGoals: ({ tx, query }) => queries.listGoals(tx, query),
  getGoal: async ({ tx, params }) => (await queries.findGoal(tx, params.id)) ?? refuseNotFound(),
  createGoal: ({ tx, actor, services, body: { image, ...goal } }) =>
    withPictures(services.storage, tx.organisation_id, { image }, (keys) =>
      queries.insertGoal(tx, { ...goal, image_key: keys.image, created_at: importedAt(tx, actor, goal.created_at) }),
    ),
  replaceGoal: ({ tx, services, params, body: { image, ...goal } }) =>
    withPictures(
      services.storage,
      tx.organisation_id,
      { image },
      async (keys) => (await queries.updateGoal(tx, params.id, { ...goal, image_key: keys.image })) ?? refuseNotFound(),
    ),
  deleteGoal: async ({ tx, params }) => (await queries.deleteGoal(tx, params.id)) ?? refuseNotFound(),
});
