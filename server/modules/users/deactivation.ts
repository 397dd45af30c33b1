// The one way out: whatever path deactivates a person, or takes their access for a while, comes through here. What
// ends, stays or is shown no more with them is said by the modules that know it.
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import type { Listing } from '../../kernel/data/listing.ts';
import type { Sql } from '../../kernel/data/sql.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { extensionPoint } from '../../kernel/module.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { tellPeopleEnded } from '../../kernel/people/in-flight.ts';
import { refuseLastAdmins } from './admins.ts';
import { activateUser, deactivateUser, findUser, lockUser } from './queries.ts';
import { classifyMemberships, countLeftBehind, insertReceipt } from './receipts.ts';

/** What ends with a person: each ends its part within the transaction and says how many there were. */
export interface Ending {
  readonly name: string;
  readonly end: (tx: Tx, user_ids: readonly number[]) => Promise<number>;
  /** Also when the person only has no access for a while. */
  readonly isSignIn?: boolean;
}
export const endsWithPerson = extensionPoint<Ending>();
/** Lists of people that show active ones: their rows have user_id, created_at and list_class. */
export const listsPeople = extensionPoint<Listing>();
/** What works on without the person who made it: a count, as a scalar on `$1` and their id. */
export const outlivesPerson = extensionPoint<{ readonly name: string; readonly count: (user_id: number) => Sql }>();

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
 * Ends access in the same commit. It returns when no node has a socket of the person open or works on a request of
 * theirs. What the person wrote stays. The row's lock makes a sign-in of the same moment wait, and then fail.
 */
export const deactivate = (tx: Tx, id: number, { via, credential_id, actor, services }: Cause): Promise<Json> =>
  tx.transaction(async (inside) => {
    const user = (await lockUser(inside, id)) ?? refuseNotFound();
    if (!user.is_active) return (await findUser(tx, id)) ?? refuseNotFound();
    await refuseLastAdmins(inside, [id]);
    const ended: Record<string, number> = {};
    for (const { name, end } of endsWithPerson.all) ended[name] = await end(inside, [id]);
    await classifyMemberships(inside, id, 1, listsPeople.all);
    await insertReceipt(inside, {
      user_id: id,
      via,
      credential_id,
      ended,
      left_behind: await countLeftBehind(inside, id, outlivesPerson.all),
    });
    if (actor) services.inFlight.spare(actor);
    tellPeopleEnded(inside, [id]);
    return (await deactivateUser(inside, id)) ?? refuseNotFound();
  });

/**
 * Has access no more (frontline): signed out at once, on every node.
 * Keys and browsers work again when access comes back.
 */
export async function signOut(
  tx: Tx,
  ids: readonly number[],
  { actor, services }: Pick<Cause, 'actor' | 'services'>,
): Promise<void> {
  for (const { end, isSignIn } of endsWithPerson.all) if (isSignIn) await end(tx, ids);
  if (actor) services.inFlight.spare(actor);
  tellPeopleEnded(tx, ids);
}

/** Access comes back, former sessions do not. */
export const reactivate = (tx: Tx, id: number): Promise<Json> =>
  tx.transaction(async (inside) => {
    const user = (await lockUser(inside, id)) ?? refuseNotFound();
    if (user.is_active) return (await findUser(tx, id)) ?? refuseNotFound();
    await classifyMemberships(inside, id, 0, listsPeople.all);
    return (await activateUser(inside, id)) ?? refuseNotFound();
  });
