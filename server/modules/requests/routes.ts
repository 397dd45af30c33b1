import { toJson } from '../../kernel/http/envelope.ts';
import { routes, type Services } from '../../kernel/http/routes.ts';
import { ownOf, seenBy } from './access.ts';
import { requests } from './contract.ts';
import { settled } from './log.ts';
import { findSettings, listCalls, upsertSettings } from './queries.ts';

const shownSettings = (keeps_bodies = true, { config }: Services) =>
  toJson({ keeps_bodies, days: config.request_days });

export const requestRoutes = routes(requests, {
  async listOwnRequests({ tx, actor, query, services }) {
    const of = ownOf(actor);
    await settled(services);
    return listCalls(tx, { ...query, of }, services.config.request_days);
  },
  async listRequests({ tx, actor, query, services }) {
    await settled(services);
    return listCalls(tx, { ...query, of: seenBy(actor, query) }, services.config.request_days);
  },
  getRequestSettings: async ({ tx, services }) => shownSettings(await findSettings(tx), services),
  async replaceRequestSettings({ tx, body, services }) {
    await settled(services);
    await upsertSettings(tx, body.keeps_bodies);
    return shownSettings(body.keeps_bodies, services);
  },
});
