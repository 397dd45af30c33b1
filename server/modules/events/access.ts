import type { Key } from '../../kernel/contract/contract.ts';
import { refuse, refuseForbidden, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { contentFor, reachesPerson } from '../content/access.ts';
import { namedPerson } from '../users/access.ts';
import type { RsvpStatus } from './contract.ts';
import { findAnswer, lockEvent } from './rsvps.ts';

type Named = { user_id?: number; user_external_id?: string };

export interface Invitation {
  event_id: number;
  user_id: number;
  /** The field that names the person, if it is not who asks. */
  named_by: 'user_id' | 'user_external_id' | undefined;
}

/** The event, which who asks must see, and who answers: oneself, or whom a key or an admin names. */
export async function invitationFor(tx: Tx, actor: Actor, key: Key, named: Named): Promise<Invitation> {
  const { id: event_id } = await contentFor(tx, actor, 'event', key);
  const user_id =
    (await namedPerson(tx, named)) ??
    (actor.kind !== 'key' ? actor.user_id : refuseInvalid('user_id', 'must name who answers'));
  if (user_id === actor.user_id) return { event_id, user_id, named_by: undefined };
  if (!isUnbounded(actor)) refuseForbidden('Only an admin can answer for somebody else.');
  return { event_id, user_id, named_by: named.user_id === undefined ? 'user_external_id' : 'user_id' };
}

/**
 * May this person give this answer now? Takes the event's row, so that of many who ask at once only as many go as fit.
 */
export async function claimSeat(tx: Tx, actor: Actor, { event_id, user_id, named_by }: Invitation, status: RsvpStatus) {
  if (named_by !== undefined && !(await reachesPerson(tx, 'event', event_id, user_id)))
    refuse('user_not_found', 'The event is not for this person.', { path: named_by });
  const event = (await lockEvent(tx, event_id)) ?? refuseNotFound();
  if (event.is_archived) refuse('event_archived', 'The event is archived.');
  // Imports bring the answers of past events with them.
  if (event.is_over && actor.kind !== 'key') refuse('event_over', 'The event is over.');
  if (status !== 'going' || event.capacity === null || event.going_count < event.capacity) return;
  if ((await findAnswer(tx, event_id, user_id)) !== 'going') refuse('event_full', 'Every seat is taken.');
}
