import { call } from '../../kernel/call.ts';
import type { BodyOf, Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';
import { change, put } from '../../kernel/rows.ts';

export type CalendarEvent = ReplyOf<Contract['GET /v1/events/{id}']>;
/** As lists have it. */
export type ListedEvent = ReplyOf<Contract['GET /v1/events']>[number];
export type Answer = NonNullable<CalendarEvent['my_rsvp']>;
export type NewEvent = BodyOf<Contract['PUT /v1/events/{id}']>;

export const upcoming = () =>
  list('events/upcoming', 'events', (skip, take) =>
    call('GET /v1/events', { query: { skip, take, state: 'upcoming' } }),
  );
export const past = () =>
  list('events/past', 'events', (skip, take) => call('GET /v1/events', { query: { skip, take, state: 'past' } }));
export const readEvent = (id: number) => call('GET /v1/events/{id}', { params: { id }, query: { sign_url: true } });
/** As it is kept: what its pictures are called, not where they are for an hour. */
export const readEventToEdit = (id: number) => call('GET /v1/events/{id}', { params: { id } });

const EVENTS_MAX = 500;
/** What begins in this time; what began before it and still goes on is not among them. */
export const eventsBetween = async (starts_after: string, starts_before: string) =>
  (await call('GET /v1/events', { query: { starts_after, starts_before, take: EVENTS_MAX } })).data;

export async function saveEvent(id: number | undefined, event: NewEvent) {
  const { data } = id
    ? await call('PUT /v1/events/{id}', { params: { id }, body: event })
    : await call('POST /v1/events', { body: event });
  put('events', data);
  return data;
}
export const deleteEvent = (id: number) => call('DELETE /v1/events/{id}', { params: { id } });
export const attendeesOf = async (id: number) =>
  (await call('GET /v1/events/{id}/attendees', { params: { id }, query: { take: 100 } })).data;

/** Shown at once, and taken back if there is no seat left. */
export async function answerEvent(id: number, status: Answer) {
  const undo = change<CalendarEvent>('events', id, { my_rsvp: status });
  try {
    const { data } = await call('POST /v1/events/{id}/rsvp', { params: { id }, body: { status } });
    const { status: my_rsvp, ...counts } = data;
    change<CalendarEvent>('events', id, { my_rsvp, ...counts });
  } catch (error) {
    undo();
    throw error;
  }
}
