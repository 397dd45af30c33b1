import { refuse } from '../../kernel/contract/errors.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import { contentFor } from '../content/access.ts';
import { saved } from './contract.ts';
import { deleteSaved, insertSaved, listSaved } from './queries.ts';

export const savedRoutes = routes(saved, {
  listSaved: ({ tx, actor, query, services }) => listSaved(services.db.byIndex(tx.organisation_id), actor, query),
  async save({ tx, actor, params: { type, id } }) {
    await contentFor(tx, actor, type, id);
    const item = await insertSaved(tx, actor.user_id, type, id);
    return item ?? refuse('too_many_saved', 'There is no room for more: take something out first.');
  },
  async unsave({ tx, actor, params: { type, id } }) {
    await deleteSaved(tx, actor.user_id, type, id);
    return toJson({ type, id });
  },
});
