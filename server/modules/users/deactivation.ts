// The one way out: whatever path deactivates a person comes through here.
import type { Actor } from '../../kernel/auth.ts';
import type { Json, Tx } from '../../kernel/db.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Services } from '../../kernel/routes.ts';
import { countAppKeysBy, revokePersonalKeys } from '../apps/queries.ts';
import { badgeUsersList } from '../badges/queries.ts';
import { tellPersonEnded } from '../chat/events.ts';
import { endSubscriptions } from '../push/queries.ts';
import { endSessions } from '../sessions/queries.ts';
import { spaceMembersList } from '../spaces/queries.ts';
import { teamMembersList } from '../teams/queries.ts';
import { activateUser, classifyMemberships, deactivateUser, deleteJobsOf, findUser, insertReceipt, lockUser } from './queries.ts';

/** What ends with a person: each ends its part within the transaction and says how many there were. */
interface Ending {
  readonly name: string;
  readonly end: (tx: Tx, user_id: number) => Promise<number>;
}
const endings: readonly Ending[] = [
  { name: 'sessions', end: (tx, user_id) => endSessions(tx, [user_id]) },
  { name: 'personal_keys', end: revokePersonalKeys },
  { name: 'push_subscriptions', end: endSubscriptions },
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
 * Ends access in the same commit, its sockets right after it, and refuses what the person's requests on this node are still working on. What the
 * person wrote stays. The row's lock makes a sign-in of the same moment wait, and then fail.
 */
export const deactivate = (tx: Tx, id: number, { via, credential_id, actor, services }: Cause): Promise<Json> =>
  tx.transaction(async (inside) => {
    const user = (await lockUser(inside, id)) ?? notFound();
    if (!user.is_active) return (await findUser(tx, id)) ?? notFound();
    const ended: Record<string, number> = {};
    for (const { name, end } of endings) ended[name] = await end(inside, id);
    await classifyMemberships(inside, id, 1, memberships);
    const left_behind = { app_keys: await countAppKeysBy(inside, id) };
    await insertReceipt(inside, { user_id: id, via, credential_id, ended, left_behind });
    tellPersonEnded(inside, id);
    inside.afterCommit(() => services.inFlight.refuse(inside.organisation_id, id, actor));
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
