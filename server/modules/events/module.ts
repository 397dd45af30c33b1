import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { contentFamilies } from '../content/family.ts';
import { followingSpaces } from '../content/following.ts';
import { publicNow } from '../content/lists.ts';
import { followsSpace } from '../spaces/following.ts';
import * as declared from './events.ts';
import { eventFamily, eventsList } from './family.ts';
import { archiveEventsOf } from './queries.ts';
import { eventRoutes } from './routes.ts';
import { attendeesList } from './rsvps.ts';

export const events: Module = {
  name: 'events',
  tables: ['events', 'event_translations', 'event_audiences', 'event_attendees'],
  routes: [eventRoutes],
  events: Object.values(declared),
  visibility: { event: publicNow(eventFamily) },
  lists: [eventsList, attendeesList],
  contributes: [
    everybodysFamily('events'),
    contentFamilies(eventFamily),
    followsSpace({ ...followingSpaces(eventFamily), archived: archiveEventsOf }),
  ],
};
