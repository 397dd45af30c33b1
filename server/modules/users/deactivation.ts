// The one way out: whatever path deactivates a person, or takes their access for a while, comes through here.

import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { revokePersonalKeys } from '../apps/queries.ts';
import { badgeUsersList } from '../badges/queries.ts';
import { deleteFeed } from '../calendars/queries.ts';
import { tellPeopleEnded } from '../chat/events.ts';
import { endSubscriptions } from '../push/queries.ts';
import { endSessions } from '../sessions/queries.ts';
import { spaceMembersList } from '../spaces/queries.ts';
import { teamMembersList } from '../teams/queries.ts';
import {
  activateUser,
  classifyMemberships,
  countLeftBehind,
  deactivateUser,
  deleteJobsOf,
  findUser,
  insertReceipt,
  lockUser,
} from './queries.ts';

/** What ends with a person: each ends its part within the transaction and says how many there were. */
interface Ending {
  readonly name: string;
  readonly end: (tx: Tx, user_id: number) => Promise<number>;
}
const endings: readonly Ending[] = [
  { name: 'sessions', end: (tx, user_id) => endSessions(tx, [user_id]) },
  { name: 'personal_keys', end: revokePersonalKeys },
  { name: 'push_subscriptions', end: endSubscriptions },
  { name: 'calendar_feeds', end: deleteFeed },
  { name: 'jobs', end: deleteJobsOf },
];
const memberships = [teamMembersList, spaceMembersList, badgeUsersList];

/** Whose doing it is, for the receipt. */
export interface Cause {
  readonly via: 'scim' | Actor['kind'];
  readonly credential_id: number;
  /** Their own request is answered, even if it is about themselves. */
  readonly actor?: Actor;
  readonly services: Services;
}
export const causeOf = ({ actor, services }: { actor: Actor; services: Services }): Cause => ({
  via: actor.kind,
  credential_id: actor.credential_id,
  actor,
  services,
});

/**
 * Ends access in the same commit. It returns when no node has a socket of the person open or works on a request of theirs.
 * What the person wrote stays. The row's lock makes a sign-in of the same moment wait, and then fail.
 */
export const deactivate = (tx: Tx, id: number, { via, credential_id, actor, services }: Cause): Promise<Json> =>
  tx.transaction(async (inside) => {
    const user = (await lockUser(inside, id)) ?? refuseNotFound();
    if (!user.is_active) return (await findUser(tx, id)) ?? refuseNotFound();
    const ended: Record<string, number> = {};
    for (const { name, end } of endings) ended[name] = await end(inside, id);
    await classifyMemberships(inside, id, 1, memberships);
    await insertReceipt(inside, {
      user_id: id,
      via,
      credential_id,
      ended,
      left_behind: await countLeftBehind(inside, id),
    });
    if (actor) services.inFlight.spare(actor);
    tellPeopleEnded(inside, [id]);
    return (await deactivateUser(inside, id)) ?? refuseNotFound();
  });

/** Has access no more (frontline): signed out at once, on every node. Keys and browsers work again when access comes back. */
export async function signOut(
  tx: Tx,
  ids: readonly number[],
  { actor, services }: Pick<Cause, 'actor' | 'services'>,
): Promise<void> {
  await endSessions(tx, ids);
  if (actor) services.inFlight.spare(actor);
  tellPeopleEnded(tx, ids);
}

/** Access comes back, former sessions do not. */
export const reactivate = (tx: Tx, id: number): Promise<Json> =>
  tx.transaction(async (inside) => {
    const user = (await lockUser(inside, id)) ?? refuseNotFound();
    if (user.is_active) return (await findUser(tx, id)) ?? refuseNotFound();
    await classifyMemberships(inside, id, 0, memberships);
    return (await activateUser(inside, id)) ?? refuseNotFound();
  });
