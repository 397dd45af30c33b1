// The one way out: whatever path deactivates a person comes through here.
import type { Json, Tx } from '../../kernel/db.ts';
import { notFound } from '../../kernel/errors.ts';
import { badgeUsersList } from '../badges/queries.ts';
import { tellPersonEnded } from '../chat/events.ts';
import { endSubscriptions } from '../push/queries.ts';
import { endSessions } from '../sessions/queries.ts';
import { spaceMembersList } from '../spaces/queries.ts';
import { teamMembersList } from '../teams/queries.ts';
import { activateUser, classifyMemberships, deactivateUser, findUser, lockUser } from './queries.ts';

const memberships = [teamMembersList, spaceMembersList, badgeUsersList];

/** Ends access before it returns: sessions and push subscriptions are gone in the same commit, sockets right after it. What the person wrote stays. */
export const deactivate = (tx: Tx, id: number): Promise<Json> =>
  tx.transaction(async (inside) => {
    const user = (await lockUser(inside, id)) ?? notFound();
    if (!user.is_active) return (await findUser(tx, id)) ?? notFound();
    await endSessions(inside, [id]);
    await endSubscriptions(inside, id);
    tellPersonEnded(inside, id);
    await classifyMemberships(inside, id, 1, memberships);
    return (await deactivateUser(inside, id)) ?? notFound();
  });

/** Access comes back, former sessions do not. */
export const reactivate = (tx: Tx, id: number): Promise<Json> =>
  tx.transaction(async (inside) => {
    const user = (await lockUser(inside, id)) ?? notFound();
    if (user.is_active) return (await findUser(tx, id)) ?? notFound();
    await classifyMemberships(inside, id, 0, memberships);
    return (await activateUser(inside, id)) ?? notFound();
  });
