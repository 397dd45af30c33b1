// THE list of modules, from the ground up: a module uses only those above it in this list (`npm run check`). What a
// lower one asks of higher ones it asks through extension points; see kernel/module.ts.
import { install, type Module } from './kernel/module.ts';
import { acknowledgements } from './modules/acknowledgements/module.ts';
import { activity } from './modules/activity/module.ts';
import { apps } from './modules/apps/module.ts';
import { articles } from './modules/articles/module.ts';
import { assets } from './modules/assets/module.ts';
import { audiences } from './modules/audiences/module.ts';
import { audit } from './modules/audit/module.ts';
import { badges } from './modules/badges/module.ts';
import { billboards } from './modules/billboards/module.ts';
import { bots } from './modules/bots/module.ts';
import { calendars } from './modules/calendars/module.ts';
import { campaigns } from './modules/campaigns/module.ts';
import { changelog } from './modules/changelog/module.ts';
import { changes } from './modules/changes/module.ts';
import { chat } from './modules/chat/module.ts';
import { comments } from './modules/comments/module.ts';
import { content } from './modules/content/module.ts';
import { directory } from './modules/directory/module.ts';
import { docs } from './modules/docs/module.ts';
import { documents } from './modules/documents/module.ts';
import { drafts } from './modules/drafts/module.ts';
import { events as calendarEvents } from './modules/events/module.ts';
import { featured } from './modules/featured/module.ts';
import { findings } from './modules/findings/module.ts';
import { goals } from './modules/goals/module.ts';
import { health } from './modules/health/module.ts';
import { likes } from './modules/likes/module.ts';
import { livestreams } from './modules/livestreams/module.ts';
import { mcp } from './modules/mcp/module.ts';
import { mentions } from './modules/mentions/module.ts';
import { notifications } from './modules/notifications/module.ts';
import { oauth } from './modules/oauth/module.ts';
import { organisations } from './modules/organisations/module.ts';
import { pages } from './modules/pages/module.ts';
import { pictures } from './modules/pictures/module.ts';
import { polls } from './modules/polls/module.ts';
import { posts } from './modules/posts/module.ts';
import { push } from './modules/push/module.ts';
import { reactions } from './modules/reactions/module.ts';
import { requests } from './modules/requests/module.ts';
import { saved } from './modules/saved/module.ts';
import { scim } from './modules/scim/module.ts';
import { search } from './modules/search/module.ts';
import { sessions } from './modules/sessions/module.ts';
import { spaces } from './modules/spaces/module.ts';
import { suggestions } from './modules/suggestions/module.ts';
import { teams } from './modules/teams/module.ts';
import { users } from './modules/users/module.ts';
import { web } from './modules/web/module.ts';
import { webhooks } from './modules/webhooks/module.ts';

const families: readonly Module[] = [
  // Who there is, and how they get in.
  organisations,
  health,
  pictures,
  users,
  // Before apps, which take every bearer token for a key.
  oauth,
  apps,
  requests,
  sessions,
  teams,
  spaces,
  directory,
  scim,
  // What they write.
  assets,
  audiences,
  mentions,
  content,
  goals,
  badges,
  campaigns,
  pages,
  articles,
  polls,
  posts,
  calendarEvents,
  calendars,
  likes,
  comments,
  reactions,
  acknowledgements,
  featured,
  documents,
  livestreams,
  billboards,
  saved,
  drafts,
  // How they talk, and who else is told.
  push,
  chat,
  bots,
  // What they see.
  suggestions,
  activity,
  notifications,
  web,
  changes,
  search,
  audit,
];
/** The last ones speak of all others. */
const told = [...families, webhooks(families)];
const judged = [...told, findings(told)];
const known = [...judged, changelog(judged)];
export const modules: readonly Module[] = install([...known, docs(known), mcp(known)]);

const all = <T>(of: (module: Module) => readonly T[] | undefined): readonly T[] =>
  modules.flatMap((one) => of(one) ?? []);
export const routes = all((module) => module.routes);
export const events = all((module) => module.events);
export const lists = all((module) => module.lists);
export const relays = all((module) => module.relays);
export const visibility = Object.assign({}, ...modules.map((module) => module.visibility));
