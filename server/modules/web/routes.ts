import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { articleFamily } from '../articles/family.ts';
import { contentFor, isModerator } from '../content/access.ts';
import { countUnread } from '../notifications/queries.ts';
import { csrfTokenOf, secretIn } from '../sessions/access.ts';
import { getSignedIn } from '../sessions/queries.ts';
import { mayIn, spaceFor } from '../spaces/access.ts';
import type { SpaceRole } from '../spaces/contract.ts';
import { listSpacesLedBy } from '../spaces/queries.ts';
import { start } from './contract.ts';

export const startRoutes = routes(start, {
  async getSession({ tx, actor, client }) {
    const [signedIn, organisation, unread_notifications] = await Promise.all([
      getSignedIn(tx, actor.credential_id, csrfTokenOf(secretIn(client))),
      tx.row(sql`select id, name, locale, timezone from organisations where id = $1`),
      countUnread(tx, actor),
    ]);
    return signedIn
      ? toJson({ ...JSON.parse(signedIn), organisation, can: actor.scopes, unread_notifications })
      : refuseNotFound();
  },
  async getRights({ tx, actor, query: { type, id = 0 } }) {
    if (type === 'organisation') return toJson(await rightsOf(tx, actor));
    const can =
      type === 'space'
        ? rightsIn(actor, await spaceFor(tx, actor, id, 'know'))
        : (await contentFor(tx, actor, type, id)).may_edit
          ? ['edit']
          : [];
    return toJson({ can, spaces: [] });
  },
});

const written = ['write_articles', 'write_pages', 'write_documents'];
async function rightsOf(tx: Tx, actor: Actor) {
  const spaces = await listSpacesLedBy(tx, actor);
  return {
    can: isModerator(actor) ? written : [],
    spaces: spaces
      .map(({ id, name, ...space }) => ({ id, name, can: rightsIn(actor, space) }))
      .filter((space) => space.can.length > 0),
  };
}
function rightsIn(actor: Actor, space: { is_archived: boolean; role: SpaceRole | null }): string[] {
  if (space.is_archived) return [];
  const writesArticles = isUnbounded(actor) || (space.role !== null && articleFamily.editors.includes(space.role));
  return [
    ...(mayIn(actor, space, 'manage') ? ['edit'] : []),
    ...(writesArticles ? ['write_articles'] : []),
    ...(mayIn(actor, space, 'edit_pages') ? ['write_pages'] : []),
    ...(mayIn(actor, space, 'edit_documents') ? ['write_documents'] : []),
  ];
}
