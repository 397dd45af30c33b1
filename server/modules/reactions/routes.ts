import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { routes } from '../../kernel/http/routes.ts';
import { getThing } from '../comments/access.ts';
import { deleteReaction, listReactions, setReaction } from '../likes/queries.ts';
import { authorOf, importedAt } from '../users/access.ts';
import { reactions } from './contract.ts';

export const reactionRoutes = routes(reactions, {
  async listReactions({ tx, actor, params: { type, id }, query }) {
    await getThing({ tx, actor }, type, id);
    return listReactions(tx, type, id, query, query.reaction);
  },
  async setReaction({ tx, actor, params: { type, id }, body }) {
    await getThing({ tx, actor }, type, id);
    const user_id = await authorOf(tx, actor, body);
    const created_at = importedAt(tx, actor, body.created_at);
    return (await setReaction(tx, type, id, body.reaction, user_id, created_at)) ?? refuseNotFound();
  },
  async deleteReaction({ tx, actor, params: { type, id }, query }) {
    await getThing({ tx, actor }, type, id);
    return (await deleteReaction(tx, type, id, await authorOf(tx, actor, query))) ?? refuseNotFound();
  },
});
