import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
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
  id: t.Id(),
  external_id: t.Nullable(t.ExternalId()),
  title: t.Text(500),
  description: t.Text(DESCRIPTION_MAX, 'Plain text; what calendars show.'),
  html_content: t.Text(
    2_000_000,
    'Sanitised. Images are asset://{id}, or signed URLs that expire when sign_url asks for them.',
  ),
  starts_at: t.Timestamp(),
  ends_at: t.Timestamp('The first moment after the event; of an all-day event midnight after its last day.'),
  timezone: t.Text(64, 'IANA time zone of the place.'),
  all_day: t.Flag('From midnight to midnight in its time zone.'),
  location: t.Text(500),
  url: t.Nullable(t.Text(2048, 'Where to join or read more.')),
  capacity: t.Nullable(t.Integer({ description: 'Seats. Null: as many as come.' })),
  going_count: t.Integer(),
  maybe_count: t.Integer(),
  declined_count: t.Integer(),
  cover_image: t.Nullable(ContentFile),
  my_rsvp: t.Nullable(t.OneOf(rsvps, "The signed-in person's answer; null for keys and in webhooks.")),
  is_archived: t.Flag(),
  creator: Person,
  ...postedFields,
};
export const Event = t.Object(fields, { title: 'Event' });
export const EventWithLanguages = t.Object(
  { ...fields, languages: t.Array(t.Text(35, 'Languages it is translated into.')) },
  { title: 'EventWithLanguages' },
);

const Moment = (description: string) => t.String({ minLength: 10, maxLength: 40, description });
const optional = {
  description: t.Optional(t.Text(DESCRIPTION_MAX, 'Omitted: the words of html_content.')),
  html_content: t.Optional(t.Html(2_000_000, 'Omitted: the description as paragraphs.')),
  timezone: t.Optional(t.Timezone("IANA time zone. Default: the organisation's; kept on replace.")),
  all_day: t.Optional(t.Flag()),
  location: t.Optional(t.Text(500)),
  url: t.Optional(t.Nullable(t.String({ format: 'uri', pattern: '^https?://', maxLength: 2048 }))),
  capacity: t.Optional(
    t.Nullable(t.Integer({ minimum: 1, maximum: 1_000_000, description: 'Omitted or null: no limit.' })),
  ),
  is_archived: t.Optional(
    t.Flag('Takes it off the calendar; archived before its end, it is cancelled. Kept on replace when omitted.'),
  ),
  ...newCover,
  ...newPosted,
};
export const EventReplacement = t.Object({
  title: t.RequiredText(500),
  starts_at: Moment('ISO 8601 timestamp with a time zone; of an all-day event also a date.'),
  ends_at: Moment('After starts_at. Of an all-day event also a date: its last day.'),
  ...optional,
});
export const NewEvent = t.Object({ ...EventReplacement.properties, ...authorship });
export type NewEvent = t.Static<typeof NewEvent>;
export type EventReplacement = t.Static<typeof EventReplacement>;

export const Attendee = t.Object(
  { user: Person, status: t.OneOf(rsvps), created_at: t.Timestamp('The first answer.') },
  { title: 'Attendee' },
);
export const Rsvp = t.Object(
  {
    status: t.Nullable(t.OneOf(rsvps)),
    going_count: t.Integer(),
    maybe_count: t.Integer(),
    declined_count: t.Integer(),
  },
  { title: 'Rsvp' },
);
const attendee = {
  user_id: t.Optional(t.Id('Who answers. A key names somebody; a signed-in person answers for themselves.')),
  user_external_id: t.Optional(t.ExternalId('The same by external id.')),
};
export const NewRsvp = t.Object({
  status: t.OneOf(rsvps),
  ...attendee,
  created_at: t.Optional(t.Timestamp('For imports, by a key or an admin; never in the future.')),
});

export const EVENT_STATES = ['published', 'upcoming', 'past', 'archived', 'all'] as const;
const errors = { ...postedErrors, ...fileErrors } as const;
const reading = {
  ...inLanguage,
  sign_url: t.Optional(t.Flag('1: expiring signed image URLs in html_content. 0 or absent: internal references.')),
};
const times = { title: 'Summer party', starts_at: '2027-06-18T16:00:00Z', ends_at: '2027-06-18T22:00:00Z' };

export const events = family('events', 'The calendar: events, who comes, and their translations.', {
  createEvent: endpoint('POST /v1/events', 'Create an event', {
    description: 'An all-day event covers whole days of its time zone: timestamps are widened to them.',
    status: 201,
    body: NewEvent,
    documented: 'multipart',
    reply: Event,
    errors,
    emits: ['event.published'],
    example: { body: { ...times, timezone: 'Europe/Berlin', location: 'Roof terrace', capacity: 80 } },
  }),
  listEvents: endpoint('GET /v1/events', 'List events', {
    description:
      'Newest first. `upcoming` (what has not ended yet), starts_after and starts_before put them in order of ' +
      'time, `past` in reverse. Without a state: all that is not archived.',
    query: t.Object({
      ...postedFilters,
      ...reading,
      state: t.Optional(t.OneOf(EVENT_STATES, 'Default published.')),
      starts_after: t.Optional(t.Timestamp()),
      starts_before: t.Optional(t.Timestamp()),
    }),
    list: Event,
    example: { query: { state: 'upcoming', take: 10 } },
  }),
  getEvent: endpoint('GET /v1/events/{id}', 'Read an event', {
    byExternalId: 'getEventByExternalId',
    query: t.Object(reading),
    reply: EventWithLanguages,
    example: { params: { id: 1, external_id: 'EV-1' } },
  }),
  replaceEvent: endpoint('PUT /v1/events/{id}', 'Replace an event', {
    byExternalId: 'replaceEventByExternalId',
    description:
      'Omitted all_day, location, url and capacity are cleared, and so are description and html_content when ' +
      'both are omitted; external_id, timezone, language, audience, cover image and is_archived are kept. With a ' +
      'language other than its own, title, description, html_content and location become that translation, ' +
      'and but for a cover image nothing else changes. A capacity below the number of those going sends nobody ' +
      'away. A PUT that changes nothing emits no event.',
    body: EventReplacement,
    documented: 'multipart',
    reply: Event,
    errors,
    emits: ['event.updated'],
    example: { params: { id: 1, external_id: 'EV-1' }, body: { ...times, all_day: false } },
  }),
  deleteEvent: endpoint('DELETE /v1/events/{id}', 'Delete an event', {
    byExternalId: 'deleteEventByExternalId',
    description: 'Of DELETEs that overlap one gets 200, the others 409.',
    reply: Deleted,
    errors: { concurrent_delete: 409 },
    emits: ['event.deleted'],
    example: { params: { id: 1, external_id: 'EV-1' } },
  }),
  answerEvent: endpoint('POST /v1/events/{id}/rsvp', 'Answer an invitation', {
    byExternalId: 'answerEventByExternalId',
    description:
      'Replaces an earlier answer. A seat is given to exactly as many as there are seats, however many ask at once.',
    body: NewRsvp,
    reply: Rsvp,
    errors: { user_not_found: 400, event_full: 409, event_over: 409, event_archived: 409 },
    example: { params: { id: 1, external_id: 'EV-1' }, body: { status: 'going', user_id: 5 } },
  }),
  withdrawAnswer: endpoint('DELETE /v1/events/{id}/rsvp', 'Withdraw an answer', {
    byExternalId: 'withdrawAnswerByExternalId',
    description: 'Withdrawing what was never answered changes nothing.',
    query: t.Object(attendee),
    reply: Rsvp,
    errors: { user_not_found: 400 },
    example: { params: { id: 1, external_id: 'EV-1' }, query: { user_id: 2 } },
  }),
  listAttendees: endpoint('GET /v1/events/{id}/attendees', 'List the answers to an invitation', {
    byExternalId: 'listAttendeesByExternalId',
    description: 'Latest first answer first.',
    query: t.Object({ status: t.Optional(t.OneOf(rsvps)) }),
    list: Attendee,
    example: { params: { id: 1, external_id: 'EV-1' }, query: { status: 'going' } },
  }),
});
