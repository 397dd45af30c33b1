import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

const media = 'text/calendar; charset=utf-8';
export const CalendarFeed = t.Object(
  { created_at: t.Nullable(t.Timestamp('Null: it has no address.')) },
  { title: 'CalendarFeed' },
);
export const NewCalendarFeed = t.Object(
  { url: t.Url('Shown once. Whoever has it reads your calendar, until you revoke it.'), created_at: t.Timestamp() },
  { title: 'NewCalendarFeed' },
);
const feed = { scope: null, actors: 'session', example: {} } as const;

export const calendars = family('calendars', 'Events for calendar programs (RFC 5545).', {
  getCalendar: endpoint('GET /v1/events/calendar.ics', 'The calendar as iCalendar', {
    description:
      'Events that the caller sees, from 31 days ago on, in order of time, at most 1,000; ' +
      'for a person without those they declined. What was archived before its end is cancelled.',
    scope: 'events.*.read',
    media,
    example: {},
  }),
  getEventCalendar: endpoint('GET /v1/events/{id}/calendar.ics', 'One event as iCalendar', {
    byExternalId: 'getEventCalendarByExternalId',
    scope: 'events.*.read',
    media,
    example: { params: { id: 1, external_id: 'EV-1' } },
  }),
  createCalendarFeed: endpoint('POST /v1/me/calendar-feed', 'Make the address of my calendar', {
    ...feed,
    description:
      'For calendar programs, which cannot sign in. Revokes the address made before. It ends with your access.',
    status: 201,
    reply: NewCalendarFeed,
  }),
  getCalendarFeed: endpoint('GET /v1/me/calendar-feed', 'Does my calendar have an address?', {
    ...feed,
    reply: CalendarFeed,
  }),
  deleteCalendarFeed: endpoint('DELETE /v1/me/calendar-feed', 'Revoke the address of my calendar', {
    ...feed,
    reply: CalendarFeed,
  }),
});
