import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { sql } from '../../kernel/data/sql.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import { countUnread } from '../notifications/queries.ts';
import { csrfTokenOf, secretIn } from '../sessions/access.ts';
import { getSignedIn } from '../sessions/queries.ts';
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
});
