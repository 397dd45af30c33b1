import { ECDH } from 'node:crypto';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import { EgressFailure } from '../../kernel/delivery/egress.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes, type Services } from '../../kernel/http/routes.ts';
import { push } from './contract.ts';
import { vapidKey } from './keys.ts';
import * as queries from './queries.ts';

const SUBSCRIPTIONS_MAX = 20;

export const pushRoutes = routes(push, {
  getPushKey: async ({ tx, services }) => toJson({ public_key: (await vapidKey(tx, services.sealing)).publicKey }),
  listPushSubscriptions: ({ tx, actor, query }) => queries.listSubscriptions(tx, actor.user_id, query.skip, query.take),
  async createPushSubscription({ tx, actor, body, client, services }) {
    await refuseUnlessOutside(services, body.endpoint);
    refuseUnlessPoint(body.keys.p256dh);
    if ((await queries.countSubscriptions(tx, actor.user_id)) >= SUBSCRIPTIONS_MAX)
      refuse('too_many_subscriptions', `A person has at most ${SUBSCRIPTIONS_MAX} subscriptions. End one first.`);
    return (await queries.upsertSubscription(tx, actor.user_id, body, client.user_agent)) ?? refuseNotFound();
  },
  deletePushSubscription: async ({ tx, actor, params }) =>
    (await queries.deleteSubscription(tx, actor.user_id, params.id)) ?? refuseNotFound(),
  getPushSettings: ({ tx, actor }) => queries.getSettings(tx, actor.user_id),
  async putPushSettings({ tx, actor, body }) {
    if ((body.quiet_from === null) !== (body.quiet_until === null))
      refuseInvalid('quiet_until', 'must be given with quiet_from, or both be null');
    return queries.upsertSettings(tx, actor.user_id, body);
  },
});

/** A notification is encrypted for this point of the curve; for any other text that fails. */
function refuseUnlessPoint(p256dh: string) {
  try {
    ECDH.convertKey(p256dh, 'prime256v1', 'base64url');
  } catch {
    refuseInvalid('keys.p256dh', 'must be a point of P-256');
  }
}

/** A subscription names a server that is called later: the guard judges it now as it will then. */
async function refuseUnlessOutside({ egress }: Services, endpoint: string) {
  await egress.check(endpoint).catch((error) => {
    if (error instanceof EgressFailure) refuse('url_refused', error.message, { path: 'endpoint' });
    throw error;
  });
}
