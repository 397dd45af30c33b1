import { byBothKeys, endpoint, Nullable, Shape, Timestamp, Url } from '../../kernel/contract/contract.ts';

const media = 'text/calendar; charset=utf-8';
export const CalendarFeed = Shape(
  { created_at: Nullable(Timestamp('Null: it has no address.')) },
  { title: 'CalendarFeed' },
);
export const NewCalendarFeed = Shape(
  { url: Url('Shown once. Whoever has it reads your calendar, until you revoke it.'), created_at: Timestamp() },
  { title: 'NewCalendarFeed' },
);
const feed = { path: '/v1/me/calendar-feed', scope: null, actors: 'session', example: {} } as const;

export const calendars = byBothKeys(
  {
    getCalendar: endpoint({
      method: 'GET',
      path: '/v1/events/calendar.ics',
      summary: 'The calendar as iCalendar',
      description:
        'Events that the caller sees, from 31 days ago on, in order of time, at most 1,000; for a person without those they declined. What was archived before its end is cancelled.',
      scope: 'events.*.read',
      media,
      example: {},
    }),
    getEventCalendar: endpoint({
      method: 'GET',
      path: '/v1/events/{id}/calendar.ics',
      summary: 'One event as iCalendar',
      scope: 'events.*.read',
      media,
      example: { params: { id: 1 } },
    }),
    createCalendarFeed: endpoint({
      ...feed,
      method: 'POST',
      summary: 'Make the address of my calendar',
      description:
        'For calendar programs, which cannot sign in. Revokes the address made before. It ends with your access.',
      status: 201,
      reply: NewCalendarFeed,
    }),
    getCalendarFeed: endpoint({
      ...feed,
      method: 'GET',
      summary: 'Does my calendar have an address?',
      reply: CalendarFeed,
    }),
    deleteCalendarFeed: endpoint({
      ...feed,
      method: 'DELETE',
      summary: 'Revoke the address of my calendar',
      reply: CalendarFeed,
    }),
  },
  'EV-1',
);
