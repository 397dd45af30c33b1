import type { Tx } from '../../kernel/data/db.ts';
import { given, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { Reading } from '../content/family.ts';
import { listContent, type PostedFilter, postedSlice } from '../content/lists.ts';
import { state } from '../content/reach.ts';
import { moveContent } from '../content/statements.ts';
import type { EVENT_STATES } from './contract.ts';
import { eventUpdated } from './events.ts';
import { eventFamily, eventsList, startsList } from './family.ts';

/**
 * SQL: the event `t` ends after this moment. The index in order of time is entered where the longest event could have
 * begun.
 */
export const endsAfter = (moment: Sql): Sql => sql`
  t.ends_at > ${moment} and t.starts_at > ${moment} - coalesce((
    select max(longest.ends_at - longest.starts_at) from events longest
    where longest.organisation_id = $1), interval '0')`;

export interface EventFilter extends PostedFilter, Pick<Reading, 'language' | 'sign_url'> {
  state?: (typeof EVENT_STATES)[number];
  starts_after?: string;
  starts_before?: string;
}
export function listEvents(tx: Tx, actor: Actor, { state: wanted = 'published', ...filter }: EventFilter) {
  const { language, sign_url } = filter;
  const states = { archived: [state.archived], all: [state.published, state.archived] }[wanted as string];
  const now = sql`${tx.now()}::timestamptz`;
  const times = [
    ...(wanted === 'upcoming' ? [endsAfter(now)] : []),
    ...(wanted === 'past' ? [sql`t.ends_at <= ${now}`] : []),
    ...given(filter.starts_after, (moment) => sql`t.starts_at > ${moment}::timestamptz`),
    ...given(filter.starts_before, (moment) => sql`t.starts_at < ${moment}::timestamptz`),
  ];
  const list = times.length === 0 ? eventsList : { ...startsList, newestFirst: wanted === 'past' };
  const slice = postedSlice(actor, 'event', filter, states ?? [state.published], times);
  return listContent(tx, eventFamily, list, slice, { now: tx.now(), actor, language, sign_url });
}

/** The event's time zone, or the organisation's for a new one. */
export const getTimezone = async (tx: Tx, id?: number) =>
  (await tx.value<string>(sql`
    select coalesce(
      (select timezone from events where organisation_id = $1 and id = ${id ?? null}),
      (select timezone from organisations where id = $1))`)) ?? 'UTC';

/** SQL: `archived_at` of a new event. */
export const archivedAt = (isArchived: boolean | undefined, now: string): Sql =>
  isArchived ? sql`${now}::timestamptz` : trusted('null');
/**
 * What becomes of `was`: archived or not as it is asked for. What went with a space comes back when it is posted
 * elsewhere, and is no longer its space's when it is asked for by itself.
 */
export const archivalAfter = (isArchived: boolean | undefined, isRetargeted: boolean, now: string) => ({
  archived_at: sql`case
    when coalesce(${isArchived ?? null}::boolean,
      was.is_archived and not (was.archived_with_space and ${isRetargeted}::boolean))
    then coalesce(was.archived_at, ${now}::timestamptz) end`,
  archived_with_space: sql`was.archived_with_space and ${isArchived === undefined && !isRetargeted}::boolean`,
});

/**
 * Events follow their spaces, one space at a time and after the space itself changed: an event that has no other open
 * space goes with it, and exactly what went with a space comes back with one of its spaces.
 */
export async function archiveEventsOf(tx: Tx, space_id: number, isArchived: boolean): Promise<void> {
  const isOpenElsewhere = sql`exists (
    select from event_audiences a join spaces s on s.organisation_id = $1 and s.id = a.space_id
    where a.organisation_id = $1 and a.event_id = t.id and s.id <> ${space_id} and not s.is_archived)`;
  const follows = isArchived ? sql`not t.is_archived and not ${isOpenElsewhere}` : trusted('t.archived_with_space');
  const which = sql`
    select t.* from events t where t.organisation_id = $1 and ${follows} and t.id in (
      select a.event_id from event_audiences a where a.organisation_id = $1 and a.space_id = ${space_id})
    order by t.id for update`;
  const set = sql`
    archived_at = ${isArchived ? tx.now() : null}::timestamptz, archived_with_space = ${isArchived}::boolean`;
  await moveContent(tx, eventFamily, which, set, eventUpdated);
}
