import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';
import { list } from '../../kernel/lists.ts';
import { change } from '../../kernel/rows.ts';

export type CalendarEvent = ReplyOf<Contract['GET /v1/events/{id}']>;
export type Answer = NonNullable<CalendarEvent['my_rsvp']>;

export const upcoming = () =>
  list('events/upcoming', 'events', (skip, take) =>
    call('GET /v1/events', { query: { skip, take, state: 'upcoming' } }),
  );
export const readEvent = (id: number) => call('GET /v1/events/{id}', { params: { id }, query: { sign_url: true } });

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
