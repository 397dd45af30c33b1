import type { Key } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { tombstones } from '../../kernel/data/deletion.ts';
import { counted, type Listing, listRows, uncounted } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { fileOf, signedHtml } from '../assets/queries.ts';
import type { AudienceTargets } from '../audiences/access.ts';
import { isKey, sees, state } from '../content/access.ts';
import {
  insertedAudience,
  type PostedFilter,
  personOf,
  postedColumns,
  postedList,
  postedSlice,
  reachOf,
  recounted,
} from '../content/queries.ts';
import type { EVENT_STATES } from './contract.ts';
import { eventDeleted, eventPublished, eventUpdated } from './events.ts';
import { attendeesList } from './rsvps.ts';
import type { Times } from './times.ts';

export const eventsList = postedList('event');
/** The calendar's order. Its slices always have a condition, so its totals are counted and need no blocks. */
export const startsList: Listing = { table: 'events', at: 'starts_at', id: 'id', newestFirst: false };

/** SQL: the event `t` ends after this moment. The index in order of time is entered where the longest event could have begun. */
export const endsAfter = (moment: Sql): Sql => sql`t.ends_at > ${moment} and t.starts_at > ${moment}
  - coalesce((select max(longest.ends_at - longest.starts_at) from events longest where longest.organisation_id = $1), interval '0')`;

const texts = ['title', 'description', 'location', 'language'];
const translation = (language: string | undefined) =>
  language === undefined
    ? trusted('')
    : sql` left join event_translations tr on tr.organisation_id = $1 and tr.event_id = t.id and lower(tr.language) = lower(${language})`;
/** Scalar: what the person answered to the event `t`; of an app, null. */
export const myRsvp = (actor: Actor | undefined) =>
  actor && actor.kind !== 'key'
    ? sql`(select a.status from event_attendees a where a.organisation_id = $1 and a.event_id = t.id and a.user_id = ${actor.user_id})`
    : trusted('null');
/** How an event is read: in a language, with signed addresses of its pictures. */
export interface Reading {
  language?: string;
  sign_url?: boolean;
}
/** An event as the interface shows it; needs `t`, and `tr` with the wanted translation where there is one. */
const columns = (now: string, actor?: Actor, { language, sign_url }: Reading = {}): Sql => {
  const text = (name: string) => (language === undefined ? `t.${name}` : `coalesce(tr.${name}, t.${name})`);
  return sql`${trusted(`t.id, t.external_id, ${texts.map((name) => `${text(name)} as ${name}`).join(', ')}`)}, ${sign_url ? signedHtml(text('html_content'), 'event', now) : trusted(text('html_content'))} as html_content,
  ${trusted(`iso(t.starts_at) as starts_at, iso(t.ends_at) as ends_at, t.timezone, t.all_day, t.url, t.capacity, t.going_count, t.maybe_count, t.declined_count, t.is_archived,
  ${personOf('t.creator_id')} as creator`)}, ${fileOf('event', 'cover', now)} as cover_image, ${myRsvp(actor)} as my_rsvp, ${postedColumns('event', actor)}`;
};

/** CTE `shown` from a CTE of event rows: all of each, as the outbox carries it. */
const shown = (source: string, now: string) => sql`
  shown as (
    select (select row_to_json(r) from (select ${columns(now)}) r) as json, t.list_bucket = 0 and t.list_class <= 1 as is_public,
      (select max(a.space_id) from event_audiences a where a.organisation_id = $1 and a.event_id = t.id having count(*) = 1) as space_id
    from ${trusted(source)} t)`;

export interface EventFilter extends PostedFilter, Reading {
  state?: (typeof EVENT_STATES)[number];
  starts_after?: string;
  starts_before?: string;
}
export function listEvents(
  tx: Tx,
  actor: Actor,
  { state: wanted = 'published', starts_after, starts_before, ...filter }: EventFilter,
) {
  const given = (is_given: boolean, condition: Sql) => (is_given ? [condition] : []);
  const states = { archived: [state.archived], all: [state.published, state.archived] }[wanted as string] ?? [
    state.published,
  ];
  const times = [
    ...given(wanted === 'upcoming', endsAfter(sql`${tx.now()}::timestamptz`)),
    ...given(wanted === 'past', sql`t.ends_at <= ${tx.now()}::timestamptz`),
    ...given(starts_after !== undefined, sql`t.starts_at > ${starts_after}::timestamptz`),
    ...given(starts_before !== undefined, sql`t.starts_at < ${starts_before}::timestamptz`),
  ];
  const list = times.length === 0 ? eventsList : { ...startsList, newestFirst: wanted === 'past' };
  return listRows(
    tx,
    list,
    postedSlice(actor, 'event', filter, states, times),
    sql`select row_to_json(r)::text as json from (
      select ${columns(tx.now(), actor, filter)} from events t${translation(filter.language)} where t.organisation_id = $1 and t.id = listed.id) r`,
  );
}

export const findEvent = (tx: Tx, actor: Actor, key: Key, reading: Reading) =>
  tx.json(sql`
    select row_to_json(r)::text as json from (
      select ${columns(tx.now(), actor, reading)},
        (select coalesce(json_agg(x.language order by x.language), '[]') from event_translations x where x.organisation_id = $1 and x.event_id = t.id) as languages
      from (select * from events t where t.organisation_id = $1 and ${isKey(key)} and ${sees(actor, 'event')}) t${translation(reading.language)}) r`);
export const getEvent = (tx: Tx, actor: Actor, id: number) =>
  tx.json(
    sql`select row_to_json(r)::text as json from (select ${columns(tx.now(), actor)} from events t where t.organisation_id = $1 and t.id = ${id}) r`,
  ) as Promise<Json>;

/** Emits the event as it is now; returns it as the actor sees it. */
const announce = (tx: Tx, actor: Actor, id: number, event: Event) => {
  const now = tx.now();
  return tx.json(sql`
    with posted as (select * from events where organisation_id = $1 and id = ${id}), ${shown('posted', now)},
    event as (${emitted(event, 'shown', now)})
    select row_to_json(r)::text as json from (select ${columns(now, actor)} from posted t) r`) as Promise<Json>;
};
export const announcePublished = (tx: Tx, actor: Actor, id: number) => announce(tx, actor, id, eventPublished);
export const announceUpdated = (tx: Tx, actor: Actor, id: number) => announce(tx, actor, id, eventUpdated);

/** The event's time zone, or the organisation's for a new one. */
export const getTimezone = async (tx: Tx, id?: number) =>
  (
    await tx.row<{ timezone: string }>(
      sql`select coalesce((select timezone from events where organisation_id = $1 and id = ${id ?? null}), (select timezone from organisations where id = $1)) as timezone`,
    )
  )?.timezone ?? 'UTC';

export interface EventFields extends Times {
  title: string;
  timezone: string;
  description?: string | undefined;
  html_content?: string | undefined;
  all_day?: boolean | undefined;
  location?: string | undefined;
  url?: string | null | undefined;
  capacity?: number | null | undefined;
  language?: string | null | undefined;
  external_id?: string | null | undefined;
  is_archived?: boolean | undefined;
}
export interface NewEventRow extends EventFields {
  creator_id: number;
  created_at?: string | undefined;
  audience: AudienceTargets;
}
/** Event, audience and count; announce it when its audience stands. */
export const insertEvent = async (tx: Tx, event: NewEventRow) => {
  const at = tx.now();
  const added = await tx.row<{ id: number }>(sql`
    with added as (
      insert into events (organisation_id, external_id, title, description, html_content, starts_at, ends_at, timezone, all_day, location, url, capacity, archived_at, audience_type, creator_id, language,
        created_at, updated_at, list_class)
      values ($1, ${event.external_id ?? null}, ${event.title}, ${event.description ?? ''}, ${event.html_content ?? ''}, ${event.starts_at}, ${event.ends_at}, ${event.timezone}, ${event.all_day ?? false},
        ${event.location ?? ''}, ${event.url ?? null}, ${event.capacity ?? null}, case when ${event.is_archived ?? false} then ${at}::timestamptz end, ${event.audience.type}, ${event.creator_id}, ${event.language ?? null},
        ${event.created_at ?? at}, ${at}, ${reachOf(event.audience)})
      returning *),
    audience as (${insertedAudience('event', 'added', event.audience)}),
    change as (${counted(eventsList, 'added', 1)})
    select id from added`);
  return added?.id ?? 0;
};

const fieldNames = [
  ...[
    'title',
    'description',
    'html_content',
    'starts_at',
    'ends_at',
    'timezone',
    'all_day',
    'location',
    'url',
    'capacity',
  ],
  ...['language', 'external_id', 'archived_at', 'archived_with_space', 'audience_type', 'list_class'],
];
const fieldsOf = (alias: string) => trusted(fieldNames.map((name) => `${alias}.${name}`).join(', '));
const touched = (tx: Tx) =>
  sql`updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond'), sequence = nextval('content_sequence'), revision = t.revision + 1`;

/** Returns whether anything changed. Same values again: nothing is written. */
export const updateEvent = async (tx: Tx, id: number, event: EventFields, audience: AudienceTargets | undefined) =>
  (
    await tx.rows(sql`
    with was as (select * from events where organisation_id = $1 and id = ${id} for update),
    wanted as (
      select was.id, ${event.title}::text as title, ${event.description ?? ''}::text as description, ${event.html_content ?? ''}::text as html_content, ${event.starts_at}::timestamptz as starts_at, ${event.ends_at}::timestamptz as ends_at,
        ${event.timezone}::text as timezone, ${event.all_day ?? false}::boolean as all_day, ${event.location ?? ''}::text as location, ${event.url ?? null}::text as url, ${event.capacity ?? null}::int as capacity,
        coalesce(${event.language ?? null}::text, was.language) as language, coalesce(${event.external_id ?? null}::text, was.external_id) as external_id,
        case when coalesce(${event.is_archived ?? null}::boolean, was.is_archived and not (was.archived_with_space and ${audience !== undefined}::boolean)) then coalesce(was.archived_at, ${tx.now()}::timestamptz) end as archived_at,
        was.archived_with_space and ${event.is_archived === undefined && audience === undefined}::boolean as archived_with_space,
        ${audience ? sql`${audience.type}::text` : trusted('was.audience_type')} as audience_type, (${audience ? reachOf(audience) : trusted('was.list_class')})::smallint as list_class
      from was),
    changed as (
      update events t set (${trusted(fieldNames.join(', '))}) = (${fieldsOf('w')}), ${touched(tx)}
      from wanted w where t.organisation_id = $1 and t.id = w.id and (${fieldsOf('t')}) is distinct from (${fieldsOf('w')}) returning t.*),
    ${recounted(eventsList)}
    select id from changed`)
  ).length > 0;

/** For a change beside the row itself (audience, cover image), which calendars and receivers must notice. */
export const touchEvent = (tx: Tx, id: number) =>
  tx.rows(sql`update events t set ${touched(tx)} where t.organisation_id = $1 and t.id = ${id}`);

export interface Translation {
  language: string;
  title: string;
  description: string;
  html_content: string;
  location: string;
}
/** Returns whether the translation is new or other than before. */
export const upsertTranslation = async (
  tx: Tx,
  event_id: number,
  { language, title, description, html_content, location }: Translation,
) =>
  (
    await tx.rows(sql`
    with written as (
      insert into event_translations as x (organisation_id, event_id, language, title, description, html_content, location, updated_at)
      values ($1, ${event_id}, ${language}, ${title}, ${description}, ${html_content}, ${location}, ${tx.now()})
      on conflict (organisation_id, event_id, language) do update set (title, description, html_content, location, updated_at) = (excluded.title, excluded.description, excluded.html_content, excluded.location, excluded.updated_at)
      where (x.title, x.description, x.html_content, x.location) is distinct from (excluded.title, excluded.description, excluded.html_content, excluded.location) returning x.event_id)
    update events t set ${touched(tx)} from written where t.organisation_id = $1 and t.id = written.event_id returning t.id`)
  ).length > 0;

/** Returns whether there was an event to delete. */
export const deleteEvent = async (tx: Tx, id: number) => {
  const at = tx.now();
  const gone = await tx.rows(sql`
    with doomed as (select * from events where organisation_id = $1 and id = ${id} for update), ${shown('doomed', at)},
    gone as (delete from events t using doomed d where t.organisation_id = $1 and t.id = d.id returning t.*),
    event as (${emitted(eventDeleted, '(select shown.* from shown where exists (select from gone))', at)}),
    change as (${counted(eventsList, 'gone', -1)}),
    tombstone as (${tombstones('event', id, 'gone', at)})
    select id from gone`);
  // Answers that were given while this waited for the row are seen from here on.
  await tx.rows(sql`with ${uncounted([attendeesList], id)} select`);
  return gone.length > 0;
};

/**
 * Events follow their spaces, one space at a time and after the space itself changed: an event that has no other open space
 * goes with it, and exactly what went with a space comes back with one of its spaces.
 */
export async function archiveEventsOf(tx: Tx, space_id: number, archived: boolean): Promise<void> {
  const isOpenElsewhere = sql`exists (
    select from event_audiences a join spaces s on s.organisation_id = $1 and s.id = a.space_id where a.organisation_id = $1 and a.event_id = t.id and s.id <> ${space_id} and not s.is_archived)`;
  const follows = archived ? sql`not t.is_archived and not ${isOpenElsewhere}` : trusted('t.archived_with_space');
  await tx.rows(sql`
    with was as (
      select t.* from events t where t.organisation_id = $1 and ${follows}
        and t.id in (select a.event_id from event_audiences a where a.organisation_id = $1 and a.space_id = ${space_id})
      order by t.id for update),
    changed as (
      update events t set archived_at = ${archived ? tx.now() : null}::timestamptz, archived_with_space = ${archived}::boolean, ${touched(tx)}
      from was where t.organisation_id = $1 and t.id = was.id returning t.*),
    ${shown('changed', tx.now())},
    event as (${emitted(eventUpdated, 'shown', tx.now())}),
    ${recounted(eventsList)}
    select id from changed`);
}
