import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { routes } from '../../kernel/http/routes.ts';
import { getThing } from '../comments/access.ts';
import { deleteReaction, listReactions, setReaction } from '../likes/queries.ts';
import { authorOf, importedAt } from '../users/access.ts';
import { reactions } from './contract.ts';

export const reactionRoutes = routes(reactions, {
  async listReactions(call) {
    const { type, id, reaction, ...page } = call.query;
    await getThing(call, type, id);
    return listReactions(call.tx, type, id, page, reaction);
  },
  async setReaction(call) {
    const { tx, actor, body } = call;
    const { type, id, reaction } = body;
    await getThing(call, type, id);
    const user_id = await authorOf(tx, actor, body);
    const created_at = importedAt(tx, actor, body.created_at);
    return (await setReaction(tx, type, id, reaction, user_id, created_at)) ?? refuseNotFound();
  },
  async deleteReaction(call) {
    const { tx, actor, query } = call;
    await getThing(call, query.type, query.id);
    return (await deleteReaction(tx, query.type, query.id, await authorOf(tx, actor, query))) ?? refuseNotFound();
  },
});
