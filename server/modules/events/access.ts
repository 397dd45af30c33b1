import type { Actor } from '../../kernel/auth.ts';
import type { Key, Role } from '../../kernel/contract.ts';
import type { Tx } from '../../kernel/db.ts';
import { forbidden, invalid, notFound, refuse } from '../../kernel/errors.ts';
import { contentFor } from '../content/access.ts';
import { actingAs, namedPerson } from '../users/access.ts';
import { findUser } from '../users/queries.ts';
import type { RsvpStatus } from './contract.ts';
import { findAnswer, lockEvent } from './rsvps.ts';

type Named = { user_id?: number; user_external_id?: string };

/** The event and the person who answers: oneself, or whom a key or an admin names. Both must see the event. */
export async function invitationFor(tx: Tx, actor: Actor, key: Key, named: Named): Promise<{ event_id: number; user_id: number }> {
  const { id: event_id } = await contentFor(tx, actor, 'event', key);
  const path = named.user_external_id !== undefined && named.user_id === undefined ? 'user_external_id' : 'user_id';
  const user_id = (await namedPerson(tx, named)) ?? (actor.kind === 'session' ? actor.user_id : invalid(path, 'must name who answers'));
  if (user_id === actor.user_id) return { event_id, user_id };
  if (actor.kind === 'session' && !actor.roles.includes('admin')) forbidden('Only an admin can answer for somebody else.');
  const { roles } = JSON.parse((await findUser(tx, user_id)) ?? notFound()) as { roles: Role[] };
  await contentFor(tx, actingAs(tx, user_id, roles), 'event', event_id).catch((error) =>
    error.code === 'not_found' ? refuse('user_not_found', 'The event is not for this person.', { path }) : Promise.reject(error),
  );
  return { event_id, user_id };
}

/** May this person give this answer now? Takes the event's row, so that of many who ask at once only as many go as fit. */
export async function claimSeat(tx: Tx, actor: Actor, event_id: number, user_id: number, status: RsvpStatus) {
  const event = (await lockEvent(tx, event_id)) ?? notFound();
  if (event.is_archived) refuse('event_archived', 'The event is archived.');
  // Imports bring the answers of past events with them.
  if (event.is_over && actor.kind === 'session') refuse('event_over', 'The event is over.');
  if (status !== 'going' || event.capacity === null || event.going_count < event.capacity) return;
  if ((await findAnswer(tx, event_id, user_id)) !== 'going') refuse('event_full', 'Every seat is taken.');
}
