import {
  byBothKeys,
  ExternalId,
  endpoint,
  Flag,
  Id,
  List,
  Nullable,
  OneOf,
  Optional,
  RequiredText,
  Shape,
  type Static,
  Text,
  Timestamp,
  Timezone,
  Type,
} from '../../kernel/contract/contract.ts';
import { ContentFile, fileErrors, newCover } from '../assets/contract.ts';
import {
  authorship,
  Deleted,
  inLanguage,
  newPosted,
  Person,
  postedErrors,
  postedFields,
  postedFilters,
} from '../content/contract.ts';

export const rsvps = ['going', 'maybe', 'declined'] as const;
export const DESCRIPTION_MAX = 10_000;
export type RsvpStatus = (typeof rsvps)[number];

const fields = {
  id: Id(),
  external_id: Nullable(ExternalId()),
  title: Text(500),
  description: Text(DESCRIPTION_MAX, 'Plain text; what calendars show.'),
  html_content: Text(
    2_000_000,
    'Sanitised. Images are asset://{id}, or signed URLs that expire when sign_url asks for them.',
  ),
  starts_at: Timestamp(),
  ends_at: Timestamp('The first moment after the event; of an all-day event midnight after its last day.'),
  timezone: Text(64, 'IANA time zone of the place.'),
  all_day: Flag('From midnight to midnight in its time zone.'),
  location: Text(500),
  url: Nullable(Text(2048, 'Where to join or read more.')),
  capacity: Nullable(Type.Integer({ description: 'Seats. Null: as many as come.' })),
  going_count: Type.Integer(),
  maybe_count: Type.Integer(),
  declined_count: Type.Integer(),
  cover_image: Nullable(ContentFile),
  my_rsvp: Nullable(OneOf(rsvps, "The signed-in person's answer; null for keys and in webhooks.")),
  is_archived: Flag(),
  creator: Person,
  ...postedFields,
};
export const Event = Shape(fields, { title: 'Event' });
export const EventWithLanguages = Shape(
  { ...fields, languages: List(Text(35, 'Languages it is translated into.')) },
  { title: 'EventWithLanguages' },
);

const Moment = (description: string) => Type.String({ minLength: 10, maxLength: 40, description });
const optional = {
  description: Optional(Text(DESCRIPTION_MAX, 'Omitted: the words of html_content.')),
  html_content: Optional(Text(2_000_000, 'Omitted: the description as paragraphs.')),
  timezone: Optional(Timezone("IANA time zone. Default: the organisation's; kept on replace.")),
  all_day: Optional(Flag()),
  location: Optional(Text(500)),
  url: Optional(Nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 }))),
  capacity: Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Omitted or null: no limit.' })),
  ),
  is_archived: Optional(
    Flag('Takes it off the calendar; archived before its end, it is cancelled. Kept on replace when omitted.'),
  ),
  ...newCover,
  ...newPosted,
};
export const EventReplacement = Shape({
  title: RequiredText(500),
  starts_at: Moment('ISO 8601 timestamp with a time zone; of an all-day event also a date.'),
  ends_at: Moment('After starts_at. Of an all-day event also a date: its last day.'),
  ...optional,
});
export const NewEvent = Shape({ ...EventReplacement.properties, ...authorship });
export type NewEvent = Static<typeof NewEvent>;
export type EventReplacement = Static<typeof EventReplacement>;

export const Attendee = Shape(
  { user: Person, status: OneOf(rsvps), created_at: Timestamp('The first answer.') },
  { title: 'Attendee' },
);
export const Rsvp = Shape(
  {
    status: Nullable(OneOf(rsvps)),
    going_count: Type.Integer(),
    maybe_count: Type.Integer(),
    declined_count: Type.Integer(),
  },
  { title: 'Rsvp' },
);
const attendee = {
  user_id: Optional(Id('Who answers. A key names somebody; a signed-in person answers for themselves.')),
  user_external_id: Optional(ExternalId('The same by external id.')),
};
export const NewRsvp = Shape({
  status: OneOf(rsvps),
  ...attendee,
  created_at: Optional(Timestamp('For imports, by a key or an admin; never in the future.')),
});

export const EVENT_STATES = ['published', 'upcoming', 'past', 'archived', 'all'] as const;
const errors = { ...postedErrors, ...fileErrors } as const;
const reading = {
  ...inLanguage,
  sign_url: Optional(Flag('1: expiring signed image URLs in html_content. 0 or absent: internal references.')),
};
const times = { title: 'Summer party', starts_at: '2027-06-18T16:00:00Z', ends_at: '2027-06-18T22:00:00Z' };

export const events = byBothKeys(
  {
    createEvent: endpoint({
      method: 'POST',
      path: '/v1/events',
      summary: 'Create an event',
      description: 'An all-day event covers whole days of its time zone: timestamps are widened to them.',
      scope: 'events.*.write',
      status: 201,
      body: NewEvent,
      documented: 'multipart',
      reply: Event,
      errors,
      emits: ['event.published'],
      example: { body: { ...times, timezone: 'Europe/Berlin', location: 'Roof terrace', capacity: 80 } },
    }),
    listEvents: endpoint({
      method: 'GET',
      path: '/v1/events',
      summary: 'List events',
      description:
        'Newest first. `upcoming` (what has not ended yet), starts_after and starts_before put them in order of time, `past` in reverse. Without a state: all that is not archived.',
      scope: 'events.*.read',
      query: Shape({
        ...postedFilters,
        ...reading,
        state: Optional(OneOf(EVENT_STATES, 'Default published.')),
        starts_after: Optional(Timestamp()),
        starts_before: Optional(Timestamp()),
      }),
      list: Event,
      example: { query: { state: 'upcoming', take: 10 } },
    }),
    getEvent: endpoint({
      method: 'GET',
      path: '/v1/events/{id}',
      summary: 'Read an event',
      scope: 'events.*.read',
      query: Shape(reading),
      reply: EventWithLanguages,
      example: { params: { id: 1 } },
    }),
    replaceEvent: endpoint({
      method: 'PUT',
      path: '/v1/events/{id}',
      summary: 'Replace an event',
      description:
        'Omitted all_day, location, url and capacity are cleared, and so are description and html_content when both are omitted; external_id, timezone, language, audience, cover image and is_archived are kept. With a language other than its own, title, description, html_content and location become that translation, and but for a cover image nothing else changes. A capacity below the number of those going sends nobody away. A PUT that changes nothing emits no event.',
      scope: 'events.*.write',
      body: EventReplacement,
      documented: 'multipart',
      reply: Event,
      errors,
      emits: ['event.updated'],
      example: { params: { id: 1 }, body: { ...times, all_day: false } },
    }),
    deleteEvent: endpoint({
      method: 'DELETE',
      path: '/v1/events/{id}',
      summary: 'Delete an event',
      description: 'Of DELETEs that overlap one gets 200, the others 409.',
      scope: 'events.*.write',
      reply: Deleted,
      errors: { concurrent_delete: 409 },
      emits: ['event.deleted'],
      example: { params: { id: 1 } },
    }),
    answerEvent: endpoint({
      method: 'POST',
      path: '/v1/events/{id}/rsvp',
      summary: 'Answer an invitation',
      description:
        'Replaces an earlier answer. A seat is given to exactly as many as there are seats, however many ask at once.',
      scope: 'events.*.write',
      body: NewRsvp,
      documented: 'json',
      reply: Rsvp,
      errors: { user_not_found: 400, event_full: 409, event_over: 409, event_archived: 409 },
      example: { params: { id: 1 }, body: { status: 'going', user_id: 5 } },
    }),
    withdrawAnswer: endpoint({
      method: 'DELETE',
      path: '/v1/events/{id}/rsvp',
      summary: 'Withdraw an answer',
      description: 'Withdrawing what was never answered changes nothing.',
      scope: 'events.*.write',
      query: Shape(attendee),
      reply: Rsvp,
      errors: { user_not_found: 400 },
      example: { params: { id: 1 }, query: { user_id: 2 } },
    }),
    listAttendees: endpoint({
      method: 'GET',
      path: '/v1/events/{id}/attendees',
      summary: 'List the answers to an invitation',
      description: 'Latest first answer first.',
      scope: 'events.*.read',
      query: Shape({ status: Optional(OneOf(rsvps)) }),
      list: Attendee,
      example: { params: { id: 1 }, query: { status: 'going' } },
    }),
  },
  'EV-1',
);
