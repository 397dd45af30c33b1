// THE list of modules, in reading order.

import { foldLists, type Listing } from './kernel/data/listing.ts';
import { type Sql, sql } from './kernel/data/sql.ts';
import type { Event, Relay } from './kernel/delivery/outbox.ts';
import type { Destination } from './kernel/delivery/outgoing.ts';
import type { Visibility } from './kernel/delivery/visibility.ts';
import type { Routes, Services } from './kernel/http/routes.ts';
import type { Authenticator } from './kernel/people/auth.ts';
import type { Chore, Job } from './kernel/work/jobs.ts';
import { acknowledgementRoutes } from './modules/acknowledgements/routes.ts';
import { keyAuthenticator } from './modules/apps/access.ts';
import { jwtAuthenticator } from './modules/apps/jwt-access.ts';
import { deleteExpiredJwtUses } from './modules/apps/queries.ts';
import { appRoutes } from './modules/apps/routes.ts';
import * as articleEvents from './modules/articles/events.ts';
import { articleRoutes } from './modules/articles/routes.ts';
import { articlesDue, moveDueArticles } from './modules/articles/states.ts';
import { endUpload, removeFile, removeUnused } from './modules/assets/queries.ts';
import { assetRoutes } from './modules/assets/routes.ts';
import * as badgeEvents from './modules/badges/events.ts';
import { badgeUsersList } from './modules/badges/queries.ts';
import { badgeRoutes } from './modules/badges/routes.ts';
import { awardBadges, awardDaily } from './modules/badges/worker.ts';
import { billboardRoutes } from './modules/billboards/routes.ts';
import { deleteOldCallbacks } from './modules/bots/callback-queries.ts';
import { botCallbacks } from './modules/bots/callbacks.ts';
import { deleteExpiredKeys } from './modules/bots/keys.ts';
import { botRoutes } from './modules/bots/routes.ts';
import { calendarRoutes } from './modules/calendars/routes.ts';
import { campaignRoutes } from './modules/campaigns/routes.ts';
import { deleteStalePresence } from './modules/chat/live.ts';
import { messagesList } from './modules/chat/queries.ts';
import { chatRoutes } from './modules/chat/routes.ts';
import { commentRoutes } from './modules/comments/routes.ts';
import { postedList, publicPosts } from './modules/content/queries.ts';
import * as documentEvents from './modules/documents/events.ts';
import { documentsList, publicDocuments } from './modules/documents/queries.ts';
import { documentRoutes } from './modules/documents/routes.ts';
import * as eventEvents from './modules/events/events.ts';
import { eventRoutes } from './modules/events/routes.ts';
import { attendeesList } from './modules/events/rsvps.ts';
import { goalRoutes } from './modules/goals/routes.ts';
import { likeRoutes } from './modules/likes/routes.ts';
import { livestreamRoutes } from './modules/livestreams/routes.ts';
import { organisationRoutes } from './modules/organisations/routes.ts';
import * as pageEvents from './modules/pages/events.ts';
import { pagesList, publicPages } from './modules/pages/queries.ts';
import { pageRoutes } from './modules/pages/routes.ts';
import { removePicture } from './modules/pictures/queries.ts';
import * as postEvents from './modules/posts/events.ts';
import { kudosRoutes, updateRoutes } from './modules/posts/routes.ts';
import { pushRoutes } from './modules/push/routes.ts';
import { pushMessage, pushNote } from './modules/push/worker.ts';
import { deleteOldRequests, requestsList } from './modules/scim/log-queries.ts';
import { fetchPhoto } from './modules/scim/photos.ts';
import { provisioningRoutes } from './modules/scim/routes.ts';
import { sessionAuthenticator } from './modules/sessions/access.ts';
import { deleteStaleSessions } from './modules/sessions/queries.ts';
import { sessionRoutes } from './modules/sessions/routes.ts';
import * as spaceEvents from './modules/spaces/events.ts';
import { publicSpaces, spaceMembersList } from './modules/spaces/queries.ts';
import { spaceRoutes } from './modules/spaces/routes.ts';
import { teamMembersList, teamsList } from './modules/teams/queries.ts';
import { teamRoutes } from './modules/teams/routes.ts';
import * as userEvents from './modules/users/events.ts';
import { usersList } from './modules/users/queries.ts';
import { userRoutes } from './modules/users/routes.ts';
import { relayToWebhooks } from './modules/webhooks/batches.ts';
import { webhookDestination } from './modules/webhooks/delivery.ts';
import { deleteOldDeliveries } from './modules/webhooks/log.ts';
import { webhookRoutes } from './modules/webhooks/routes.ts';

export const events: readonly Event[] = [
  userEvents,
  spaceEvents,
  pageEvents,
  articleEvents,
  postEvents,
  eventEvents,
  documentEvents,
  badgeEvents,
].flatMap((family) => Object.values(family) as Event[]);

export const modules: readonly Routes[] = [
  organisationRoutes,
  sessionRoutes,
  appRoutes,
  userRoutes,
  teamRoutes,
  provisioningRoutes,
  spaceRoutes,
  pageRoutes,
  chatRoutes,
  botRoutes,
  articleRoutes,
  updateRoutes,
  kudosRoutes,
  eventRoutes,
  calendarRoutes,
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
  webhookRoutes(events),
  pushRoutes,
];

export const authenticators = ({ clock, config, egress }: Services): Authenticator[] => [
  jwtAuthenticator({ clock, egress }),
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
  postedList('event'),
  attendeesList,
  documentsList,
  badgeUsersList,
  messagesList,
];

export const jobs = [
  removePicture,
  removeUnused,
  removeFile,
  endUpload,
  awardBadges,
  pushMessage,
  pushNote,
  fetchPhoto,
] as unknown as readonly Job<never>[];

export const chores: readonly Chore[] = [
  deleteOldRequests,
  moveDueArticles,
  (tx) => foldLists(tx, countedLists),
  deleteExpiredJwtUses,
  deleteStalePresence,
  deleteExpiredKeys,
  (tx, { config }) => deleteOldCallbacks(tx, config.webhook_days),
  awardDaily,
  (tx, { config }) => deleteOldDeliveries(tx, config.webhook_days),
  (tx, { config }) => deleteStaleSessions(tx, config.session_days),
  (tx) =>
    tx.rows(
      sql`delete from deletions where organisation_id = $1 and deleted_at < ${tx.now()}::timestamptz - interval '10 minutes'`,
    ),
];

/** Which content everybody may see, by its key in payloads. */
export const visibility: Visibility = {
  page: publicPages,
  space: publicSpaces,
  article: publicPosts('article'),
  update: publicPosts('update'),
  kudos: publicPosts('kudos'),
  document: publicDocuments,
  user: 'always',
  badge: 'always',
  event: publicPosts('event'),
};

/** Who takes events from the outbox, and where rows are delivered to. */
export const relays: readonly Relay[] = [relayToWebhooks];
export const destinations: readonly Destination[] = [webhookDestination(visibility), botCallbacks];

/** When chores have something to do next; see kernel/work/jobs.ts. */
export const dueTimes: readonly Sql[] = [articlesDue];
