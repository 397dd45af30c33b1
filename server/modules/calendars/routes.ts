import type { FastifyInstance } from 'fastify';
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes, type Services } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { randomSecret, sha256 } from '../../kernel/people/secrets.ts';
import { actingAs } from '../users/access.ts';
import { calendars } from './contract.ts';
import { iCalendarOf } from './icalendar.ts';
import * as queries from './queries.ts';

export const calendarRoutes = routes(calendars, {
  getCalendar: async ({ tx, actor }) => ({ text: await calendarFor(tx, actor), file_name: 'calendar.ics' }),
  async getEventCalendar({ tx, actor, params }) {
    const entry = (await queries.findEntry(tx, actor, params.id)) ?? refuseNotFound();
    return { text: await iCalendarOf(entry.title, [entry]), file_name: 'event.ics' };
  },
  async createCalendarFeed({ tx, actor }) {
    const secret = randomSecret();
    const { web_url, created_at } = (await queries.upsertFeed(tx, actor.user_id, sha256(secret))) ?? refuseNotFound();
    return toJson({ url: `${web_url}/calendars/${tx.organisation_id}/${secret}.ics`, created_at });
  },
  getCalendarFeed: async ({ tx, actor }) => toJson((await queries.findFeed(tx, actor.user_id)) ?? noFeed),
  async deleteCalendarFeed({ tx, actor }) {
    await queries.deleteFeeds(tx, [actor.user_id]);
    return toJson(noFeed);
  },
});

const noFeed = { created_at: null };
const calendarFor = async (tx: Tx, actor: Actor) =>
  iCalendarOf(await queries.getOrganisationName(tx), await queries.listEntries(tx, actor));

/**
 * Calendar programs send no headers: the address itself is the credential,
 * and shows what its owner sees at this moment.
 */
export function mountCalendarFeeds(app: FastifyInstance, { db, inFlight }: Services) {
  app.get<{ Params: { organisation: string; secret: string } }>(
    '/calendars/:organisation/:secret.ics',
    async (request, reply) => {
      const { organisation, secret } = request.params;
      if (!/^[1-9]\d{0,15}$/.test(organisation)) return refuseNotFound();
      const tx = db.inOrganisation(Number(organisation));
      const { user_id, roles } = (await queries.findFeedOwner(tx, sha256(secret))) ?? refuseNotFound();
      const owner = actingAs(tx, user_id, roles);
      if (!inFlight.begin(request, reply, owner)) refuseNotFound();
      return reply
        .headers({ 'cache-control': 'private, no-cache', 'referrer-policy': 'no-referrer' })
        .type('text/calendar; charset=utf-8')
        .send(await calendarFor(tx, owner));
    },
  );
}
