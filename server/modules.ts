// THE list of modules, in reading order.
import type { Authenticator } from './kernel/auth.ts';
import type { Chore, Job } from './kernel/jobs.ts';
import { foldLists, type Listing } from './kernel/listing.ts';
import type { Event } from './kernel/outbox.ts';
import { removePicture } from './kernel/pictures.ts';
import type { Routes, Services } from './kernel/routes.ts';
import { sql } from './kernel/sql.ts';
import { keyAuthenticator } from './modules/apps/access.ts';
import { appRoutes } from './modules/apps/routes.ts';
import { postedList } from './modules/content/queries.ts';
import { organisationRoutes } from './modules/organisations/routes.ts';
import * as pageEvents from './modules/pages/events.ts';
import { pagesList } from './modules/pages/queries.ts';
import { pageRoutes } from './modules/pages/routes.ts';
import * as postEvents from './modules/posts/events.ts';
import { kudosRoutes, updateRoutes } from './modules/posts/routes.ts';
import { deleteOldRequests, requestsList } from './modules/scim/queries.ts';
import { provisioningRoutes } from './modules/scim/routes.ts';
import { sessionAuthenticator } from './modules/sessions/access.ts';
import { deleteStaleSessions } from './modules/sessions/queries.ts';
import { sessionRoutes } from './modules/sessions/routes.ts';
import * as spaceEvents from './modules/spaces/events.ts';
import { spaceMembersList } from './modules/spaces/queries.ts';
import { spaceRoutes } from './modules/spaces/routes.ts';
import { teamMembersList, teamsList } from './modules/teams/queries.ts';
import { teamRoutes } from './modules/teams/routes.ts';
import * as userEvents from './modules/users/events.ts';
import { usersList } from './modules/users/queries.ts';
import { userRoutes } from './modules/users/routes.ts';

export const modules: readonly Routes[] = [
  organisationRoutes,
  sessionRoutes,
  appRoutes,
  userRoutes,
  teamRoutes,
  provisioningRoutes,
  spaceRoutes,
  pageRoutes,
  updateRoutes,
  kudosRoutes,
];

export const events: readonly Event[] = [userEvents, spaceEvents, pageEvents, postEvents].flatMap(
  (family) => Object.values(family) as Event[],
);

export const authenticators = ({ clock, config }: Services): Authenticator[] => [
  keyAuthenticator(clock),
  sessionAuthenticator(clock, config),
];

/** Lists whose totals are kept in blocks. */
export const countedLists: readonly Listing[] = [
  usersList,
  teamsList,
  teamMembersList,
  requestsList,
  spaceMembersList,
  pagesList,
  postedList('update'),
  postedList('kudos'),
];

export const jobs = [removePicture] as unknown as readonly Job<never>[];

export const chores: readonly Chore[] = [
  deleteOldRequests,
  (tx) => foldLists(tx, countedLists),
  (tx, { config }) => deleteStaleSessions(tx, config.session_days),
  (tx) => tx.rows(sql`delete from deletions where organisation_id = $1 and deleted_at < ${tx.now()}::timestamptz - interval '10 minutes'`),
];
