// Who comes. Every answer takes the event's row first, so the seats and the counts beside them are right at any moment.
import type { Json, Tx } from '../../kernel/data/db.ts';
import { counted, type Listing, listRows, uncounted } from '../../kernel/data/listing.ts';
import { jsonOf, sql, trusted } from '../../kernel/data/sql.ts';
import { personOf } from '../users/queries.ts';
import { type RsvpStatus, rsvps } from './contract.ts';

/** One bucket an event; class: the place of the answer in `rsvps`. */
export const attendeesList: Listing = { table: 'event_attendees', at: 'created_at', id: 'user_id', newestFirst: true };

/** The event's row, kept until the transaction ends. */
export const lockEvent = (tx: Tx, id: number) =>
  tx.row<{ capacity: number | null; going_count: number; is_archived: boolean; is_over: boolean }>(sql`
    select capacity, going_count, is_archived, ends_at <= ${tx.now()}::timestamptz as is_over from events
    where organisation_id = $1 and id = ${id} for update`);
/** The lists' counts of an event that is deleted. */
export const forgetAttendees = (tx: Tx, event_id: number) =>
  tx.rows(sql`with ${uncounted([attendeesList], event_id)} select`);
export const findAnswer = (tx: Tx, event_id: number, user_id: number) =>
  tx.value<RsvpStatus>(sql`
    select status from event_attendees
    where organisation_id = $1 and event_id = ${event_id} and user_id = ${user_id}`);

const counts = 'going_count, maybe_count, declined_count';
const recount = trusted(
  rsvps
    .map(
      (status) =>
        `${status}_count = t.${status}_count
          + (select count(*) from answer where status = '${status}')
          - (select count(*) from was where status = '${status}')`,
    )
    .join(',\n        '),
);
/** Null withdraws. The caller holds the event's row. */
export const replaceAnswer = (
  tx: Tx,
  event_id: number,
  user_id: number,
  status: RsvpStatus | null,
  created_at?: string,
) =>
  tx.json(sql`
    with was as (
      select * from event_attendees
      where organisation_id = $1 and event_id = ${event_id} and user_id = ${user_id}),
    gone as (
      delete from event_attendees a using was
      where ${status === null}::boolean
        and a.organisation_id = $1 and a.event_id = was.event_id and a.user_id = was.user_id),
    answer as (
      insert into event_attendees as a (organisation_id, event_id, user_id, status, created_at)
      select $1, ${event_id}::bigint, ${user_id}::bigint, ${status}::text, ${created_at ?? tx.now()}::timestamptz
      where ${status !== null}::boolean
      on conflict (organisation_id, event_id, user_id) do update set status = excluded.status returning *),
    minus as (${counted(attendeesList, 'was', -1)}),
    plus as (${counted(attendeesList, 'answer', 1)}),
    event as (
      update events t set ${recount}
      where t.organisation_id = $1 and t.id = ${event_id} returning ${trusted(counts)})
    ${jsonOf(sql`select ${status}::text as status, ${trusted(counts)} from event`)}`) as Promise<Json>;

export const listAttendees = (tx: Tx, event_id: number, status: RsvpStatus | undefined, skip: number, take: number) =>
  listRows(
    tx,
    attendeesList,
    { skip, take, bucket: event_id, classes: status ? [rsvps.indexOf(status)] : rsvps.map((_, n) => n) },
    jsonOf(sql`
      select ${trusted(personOf('a.user_id'))} as user, a.status, iso(a.created_at) as created_at
      from event_attendees a where a.organisation_id = $1 and a.event_id = ${event_id} and a.user_id = listed.id`),
  );
