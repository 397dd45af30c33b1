// The endpoints that the app calls, as types: the contracts of the server, and nothing of them at run time.
import type { Static, TSchema } from 'typebox';
import type { activity } from '../../server/modules/activity/contract.ts';
import type { apps } from '../../server/modules/apps/contract.ts';
import type { articles } from '../../server/modules/articles/contract.ts';
import type { assets } from '../../server/modules/assets/contract.ts';
import type { badges } from '../../server/modules/badges/contract.ts';
import type { billboards } from '../../server/modules/billboards/contract.ts';
import type { bots } from '../../server/modules/bots/contract.ts';
import type { calendars } from '../../server/modules/calendars/contract.ts';
import type { campaigns } from '../../server/modules/campaigns/contract.ts';
import type { chat } from '../../server/modules/chat/contract.ts';
import type { directory } from '../../server/modules/directory/contract.ts';
import type { documents } from '../../server/modules/documents/contract.ts';
import type { drafts } from '../../server/modules/drafts/contract.ts';
import type { events } from '../../server/modules/events/contract.ts';
import type { featured } from '../../server/modules/featured/contract.ts';
import type { goals } from '../../server/modules/goals/contract.ts';
import type { livestreams } from '../../server/modules/livestreams/contract.ts';
import type { notifications } from '../../server/modules/notifications/contract.ts';
import type { oauth } from '../../server/modules/oauth/contract.ts';
import type { pages } from '../../server/modules/pages/contract.ts';
import type { polls } from '../../server/modules/polls/contract.ts';
import type { kudos, updates } from '../../server/modules/posts/contract.ts';
import type { saved } from '../../server/modules/saved/contract.ts';
import type { search } from '../../server/modules/search/contract.ts';
import type { sessions } from '../../server/modules/sessions/contract.ts';
import type { spaces } from '../../server/modules/spaces/contract.ts';
import type { suggestions } from '../../server/modules/suggestions/contract.ts';
import type { teams } from '../../server/modules/teams/contract.ts';
import type { users } from '../../server/modules/users/contract.ts';
import type { start } from '../../server/modules/web/contract.ts';

type EndpointsOf<F> = F extends { endpoints: infer E } ? E[keyof E] : never;
type Declared = EndpointsOf<
  | typeof activity
  | typeof apps
  | typeof billboards
  | typeof calendars
  | typeof campaigns
  | typeof directory
  | typeof featured
  | typeof goals
  | typeof livestreams
  | typeof articles
  | typeof assets
  | typeof badges
  | typeof bots
  | typeof chat
  | typeof documents
  | typeof drafts
  | typeof events
  | typeof kudos
  | typeof notifications
  | typeof oauth
  | typeof pages
  | typeof polls
  | typeof search
  | typeof saved
  | typeof sessions
  | typeof spaces
  | typeof start
  | typeof suggestions
  | typeof teams
  | typeof updates
  | typeof users
>;
type Route = { method: string; path: string };
export type Contract = { [E in Extract<Declared, Route> as `${E['method']} ${E['path']}`]: E };
type Of<E, Name extends string, Otherwise = never> = E extends { [K in Name]: infer S extends TSchema }
  ? Static<S>
  : Otherwise;
export type ReplyOf<E> = E extends { list: infer S extends TSchema } ? Static<S>[] : Of<E, 'reply', undefined>;
/** What stands beside the data, but for the pagination. */
export type MetaOf<E> = Of<E, 'meta', object>;
export type QueryOf<E> = Partial<Of<E, 'query', object>> & (E extends { list: TSchema } ? Partial<Paging> : object);
export type BodyOf<E> = Of<E, 'body', undefined>;
interface Paging {
  skip: number;
  take: number;
}
