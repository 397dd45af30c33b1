import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json } from '../../kernel/data/db.ts';
import { routes } from '../../kernel/http/routes.ts';
import { setPhoto } from '../users/photos.ts';
import { directory } from './contract.ts';
import * as queries from './queries.ts';

export const directoryRoutes = routes(directory, {
  listDirectory: ({ tx, actor, query }) => queries.listDirectory(tx, actor, query),
  listPositions: ({ tx, query }) => queries.listPositions(tx, query.manager_id, query),
  listManagers: async ({ tx, params }) => ((await queries.listManagers(tx, params.id)) as Json) ?? refuseNotFound(),
  replaceMyProfile: async ({ tx, actor, body }) =>
    (await queries.replaceProfile(tx, actor.user_id, body)) ?? refuseNotFound(),
  putMyPhoto: ({ tx, actor, services, body }) => setPhoto(tx, services, actor.user_id, body.image),
});
