// THE list of modules, in reading order.
import type { Authenticator } from './kernel/auth.ts';
import type { Chore, Job } from './kernel/jobs.ts';
import { foldLists, type Listing } from './kernel/listing.ts';
import type { Event } from './kernel/outbox.ts';
import { removePicture } from './kernel/pictures.ts';
import type { Routes, Services } from './kernel/routes.ts';
import { type Sql, sql } from './kernel/sql.ts';
import { acknowledgementRoutes } from './modules/acknowledgements/routes.ts';
import { keyAuthenticator } from './modules/apps/access.ts';
import { appRoutes } from './modules/apps/routes.ts';
import * as articleEvents from './modules/articles/events.ts';
import { articleRoutes } from './modules/articles/routes.ts';
import { articlesDue, moveDueArticles } from './modules/articles/states.ts';
import { deleteStalePending, removeStored, removeUnused } from './modules/assets/queries.ts';
import { assetRoutes } from './modules/assets/routes.ts';
import * as badgeEvents from './modules/badges/events.ts';
import { badgeUsersList } from './modules/badges/queries.ts';
import { badgeRoutes } from './modules/badges/routes.ts';
import { awardBadges, awardDaily } from './modules/badges/worker.ts';
import { billboardRoutes } from './modules/billboards/routes.ts';
import { campaignRoutes } from './modules/campaigns/routes.ts';
import { commentRoutes } from './modules/comments/routes.ts';
import { postedList } from './modules/content/queries.ts';
import * as documentEvents from './modules/documents/events.ts';
import { documentsList } from './modules/documents/queries.ts';
import { documentRoutes } from './modules/documents/routes.ts';
import { goalRoutes } from './modules/goals/routes.ts';
import { likeRoutes } from './modules/likes/routes.ts';
import { livestreamRoutes } from './modules/livestreams/routes.ts';
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
  articleRoutes,
  updateRoutes,
  kudosRoutes,
  assetRoutes,
  ...commentRoutes,
  ...likeRoutes,
  ...acknowledgementRoutes,
  documentRoutes,
  badgeRoutes,
  goalRoutes,
  campaignRoutes,
  livestreamRoutes,
  billboardRoutes,
];

export const events: readonly Event[] = [
  userEvents,
  spaceEvents,
  pageEvents,
  articleEvents,
  postEvents,
  documentEvents,
  badgeEvents,
].flatMap((family) => Object.values(family) as Event[]);

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
  postedList('article'),
  postedList('update'),
  postedList('kudos'),
  documentsList,
  badgeUsersList,
];

export const jobs = [removePicture, removeUnused, awardBadges] as unknown as readonly Job<never>[];

export const chores: readonly Chore[] = [
  deleteOldRequests,
  moveDueArticles,
  (tx) => foldLists(tx, countedLists),
  awardDaily,
  async (tx, { storage }) => removeStored(tx, storage, await deleteStalePending(tx)),
  (tx, { config }) => deleteStaleSessions(tx, config.session_days),
  (tx) => tx.rows(sql`delete from deletions where organisation_id = $1 and deleted_at < ${tx.now()}::timestamptz - interval '10 minutes'`),
];

/** When chores have something to do next; see kernel/jobs.ts. */
export const dueTimes: readonly Sql[] = [articlesDue];
