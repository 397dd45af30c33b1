// The event as a family of content: it takes place, and people answer whether they come.
import type { Listing } from '../../kernel/data/listing.ts';
import { cleared, hidden, kept } from '../../kernel/data/rows.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { fileOf } from '../assets/queries.ts';
import { postedAccess } from '../content/access.ts';
import { type PostedFamily, translated } from '../content/family.ts';
import { postedList } from '../content/lists.ts';
import { isPublished, reachesAll } from '../content/reach.ts';
import { onlySpace, postedColumns } from '../content/shown.ts';
import type { SpaceRole } from '../spaces/contract.ts';
import { personOf } from '../users/queries.ts';
import { eventDeleted, eventPublished, eventUpdated } from './events.ts';

export const eventsList = postedList('event');
/** The calendar's order. Its slices always have a condition, so its totals are counted and need no blocks. */
export const startsList: Listing = { table: 'events', at: 'starts_at', id: 'id', newestFirst: false };

const editors: readonly SpaceRole[] = ['owner', 'admin', 'moderator', 'editor', 'events_editor'];

/** Scalar: what the person answered to the event `t`; of an app, null. */
export const myRsvp = (actor: Actor | undefined): Sql =>
  actor && actor.kind !== 'key'
    ? sql`(
        select a.status from event_attendees a
        where a.organisation_id = $1 and a.event_id = t.id and a.user_id = ${actor.user_id})`
    : trusted('null');

export const eventFamily: PostedFamily = {
  noun: 'event',
  name: 'events',
  columns: {
    external_id: kept('text'),
    title: translated(cleared('text')),
    description: translated(cleared('text', '')),
    html_content: { ...translated(cleared('text', '')), hasReferences: true },
    language: kept('text'),
    starts_at: cleared('timestamptz'),
    ends_at: cleared('timestamptz'),
    timezone: cleared('text'),
    all_day: cleared('boolean', false),
    location: translated(cleared('text', '')),
    url: cleared('text'),
    capacity: cleared('integer'),
    archived_at: hidden(cleared('timestamptz')),
    archived_with_space: hidden(cleared('boolean', false)),
    audience_type: hidden(kept('text', 'Global')),
    list_class: hidden(kept('smallint')),
  },
  list: eventsList,
  postedAt: 't.created_at',
  shown: ({ now, actor }) => sql`
    t.going_count, t.maybe_count, t.declined_count, t.is_archived, ${trusted(personOf('t.creator_id'))} as creator,
    ${fileOf('event', 'cover', now)} as cover_image, ${myRsvp(actor)} as my_rsvp, ${postedColumns('event', actor)}`,
  // Calendars tell versions of an event apart by it (RFC 5545 3.8.7.4).
  changing: trusted(', revision = t.revision + 1'),
  isPublic: sql`(${isPublished} and ${reachesAll})`,
  space_id: onlySpace('event'),
  events: { added: eventPublished, updated: eventUpdated, deleted: eventDeleted },
  editors,
  isOpenToAll: false,
  ...postedAccess('event', editors),
};
