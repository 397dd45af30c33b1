// Events as RFC 5545 text. Times are in UTC, which needs no VTIMEZONE; all-day events are dates (3.3.4), which every
// reader sees on the same day. There is no METHOD, so DTSTAMP says when the event last changed (3.8.7.2), and no
// ORGANIZER or ATTENDEE, which would make invitations of what is only published (3.8.4.3).
import type { Entry } from './queries.ts';

export async function iCalendarOf(name: string, entries: readonly Entry[]): Promise<string> {
  const { default: ical } = await import('ical.js');
  // Lines have 75 octets at most (3.1); the library leaves out the space that begins a continued one.
  ical.foldLength = 74;
  const calendar = new ical.Component('vcalendar');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('prodid', '-//Atrium//Events//EN');
  // RFC 7986 5.1, and what programs read that do not know it; the library escapes them only when it is told that they
  // are text.
  for (const property of ['name', 'x-wr-calname'])
    calendar.addProperty(new ical.Property([property, {}, 'text', readable(name)]));
  for (const entry of entries) calendar.addSubcomponent(eventOf(ical, entry));
  return `${calendar.toString()}\r\n`;
}

type ICal = typeof import('ical.js').default;

function eventOf(ical: ICal, entry: Entry) {
  const event = new ical.Component('vevent');
  const moment = (text: string) => ical.Time.fromJSDate(new Date(text), true);
  const at = (text: string) => (entry.all_day ? ical.Time.fromDateString(dayOf(text, entry.timezone)) : moment(text));
  const properties: [name: string, value: unknown][] = [
    ['uid', entry.uid],
    ['sequence', entry.revision],
    ['dtstamp', moment(entry.updated_at)],
    ['created', moment(entry.created_at)],
    ['last-modified', moment(entry.updated_at)],
    ['dtstart', at(entry.starts_at)],
    ['dtend', at(entry.ends_at)],
    ['summary', readable(entry.title)],
    ['description', readable(entry.description)],
    ['location', readable(entry.location)],
    ['url', entry.url],
    ['status', entry.is_cancelled ? 'CANCELLED' : 'CONFIRMED'],
    // Only what one goes to takes one's time.
    ['transp', entry.is_going && !entry.is_cancelled ? 'OPAQUE' : 'TRANSPARENT'],
  ];
  for (const [name, value] of properties) if (value !== '') event.addPropertyWithValue(name, value);
  return event;
}

const dayOf = (moment: string, timezone: string) =>
  Temporal.Instant.from(moment).toZonedDateTimeISO(timezone).toPlainDate().toString();

/** 3.1: no control characters but tab; a line break is what becomes `\n`. */
const readable = (text: string) => text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '');
