import { refuse } from '../../kernel/contract/errors.ts';
import { routes } from '../../kernel/http/routes.ts';
import { spaceFor } from '../spaces/access.ts';
import { featured } from './contract.ts';
import * as queries from './queries.ts';

export const featuredRoutes = routes(featured, {
  getFeatured: async ({ tx, actor, params }) =>
    queries.getFeatured(tx, actor, (await spaceFor(tx, actor, params.id, 'see')).id),
  putFeatured: ({ tx, actor, params, body }) =>
    tx.transaction(async (inside) => {
      const { id, is_archived } = await spaceFor(inside, actor, params.id, 'own');
      if (is_archived) refuse('space_archived', 'The space is archived; bring it back first.');
      await queries.refuseUnlessPublished(inside, actor, body.items);
      await queries.replaceFeatured(inside, id, body.items);
      return queries.getFeatured(inside, actor, id);
    }),
});
