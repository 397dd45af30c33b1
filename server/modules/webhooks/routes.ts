import type { Static } from 'typebox';
import { Refusal, refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import type { Event } from '../../kernel/delivery/outbox.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Routes, routes, type Services } from '../../kernel/http/routes.ts';
import { checkAddresses, storable } from './access.ts';
import { type DeliveryLog, webhooks } from './contract.ts';
import * as log from './log.ts';
import { askAdmins, decide, makerOf } from './makers.ts';
import { bodyOf } from './messages.ts';
import * as queries from './queries.ts';
import { payloadSchema, sampleOf } from './samples.ts';
import { openSecret, sealSecret } from './secrets.ts';
import { newSigningSecret } from './signing.ts';

const WEBHOOKS_MAX = 100;

/** `events`: every event that can be subscribed to. */
export const webhookRoutes = (events: readonly Event[]): Routes => {
  const byAction = new Map(events.map((event) => [event.action, event]));
  const actions = new Set(byAction.keys());
  return routes(webhooks, {
    listWebhooks: ({ tx, query }) => queries.listWebhooks(tx, query),
    getWebhook: ({ tx, params }) => requireWebhook(tx, params.id),
    async listEventTypes({ query: { skip, take } }) {
      const shown = events.slice(skip, skip + take);
      return { rows: shown.map((event) => toJson(typeOf(event))), total: events.length };
    },

    async createWebhook({ tx, actor, body, services }) {
      const row = storable(tx, services, actions, body);
      const maker = makerOf(actor, row, byAction);
      await checkAddresses(services, body);
      const secret = newSigningSecret();
      const signing_secret_sealed = sealSecret(services.sealing, tx.organisation_id, secret);
      const created = await tx.transaction(async (inside) => {
        await queries.lockWebhooks(inside);
        if ((await queries.countWebhooks(inside)) >= WEBHOOKS_MAX)
          refuse('too_many_webhooks', `There are ${WEBHOOKS_MAX} subscriptions already.`);
        const made = await queries.insertWebhook(inside, { ...row, signing_secret_sealed, maker });
        if (maker.status === 'pending') await askAdmins(inside, (JSON.parse(made) as { id: number }).id, row);
        return made;
      });
      return withSecret(created, secret);
    },
    async replaceWebhook({ tx, actor, params, body, services }) {
      const row = (known: queries.Secrets) => storable(tx, services, actions, body, known);
      row((await queries.findSecrets(tx, params.id)) ?? refuseNotFound());
      await checkAddresses(services, body);
      return tx.transaction(async (inside) => {
        const wanted = row((await queries.lockSecrets(inside, params.id)) ?? refuseNotFound());
        const maker = makerOf(actor, wanted, byAction);
        if (maker.status === 'pending') await askAdmins(inside, params.id, wanted);
        return (await queries.updateWebhook(inside, params.id, wanted, maker)) ?? refuseNotFound();
      });
    },
    deleteWebhook: async ({ tx, params }) => (await queries.deleteWebhook(tx, params.id)) ?? refuseNotFound(),
    approveWebhook: async ({ tx, actor, params }) => (await decide(tx, actor, params.id, 'active')) ?? refuseNotFound(),
    refuseWebhook: async ({ tx, actor, params }) => (await decide(tx, actor, params.id, 'refused')) ?? refuseNotFound(),
    suspendWebhook: async ({ tx, params }) => (await queries.updateActivity(tx, params.id, false)) ?? refuseNotFound(),
    resumeWebhook: async ({ tx, params }) => (await queries.updateActivity(tx, params.id, true)) ?? refuseNotFound(),
    rotateWebhookSecret: ({ tx, params, services }) => tx.transaction((inside) => rotate(inside, services, params.id)),

    async sendWebhookSample({ tx, params, body }) {
      const { status } = JSON.parse(await requireWebhook(tx, params.id)) as { status: queries.WebhookStatus };
      if (status !== 'active') refuse('pending_approval', 'An admin has to approve this subscription before it sends.');
      const event = byAction.get(body.event) ?? refuseInvalid('event', `is no event: ${body.event}`);
      return (await log.insertSample(tx, params.id, event.action, JSON.stringify(sampleOf(event)))) ?? refuseNotFound();
    },
    async recoverWebhook({ tx, params, body }) {
      await requireWebhook(tx, params.id);
      return log.recoverFailed(tx, params.id, body.since);
    },
    async listWebhookDeliveries({ tx, params, query }) {
      await requireWebhook(tx, params.id);
      return log.listDeliveries(tx, params.id, query);
    },
    getWebhookDelivery: ({ tx, params }) => readDelivery(tx, params.id, params.delivery_id),
    async redeliverWebhook({ tx, params }) {
      const again = await log.redeliver(tx, params.id, params.delivery_id);
      if (again) return again;
      if (!(await log.findDelivery(tx, params.id, params.delivery_id))) refuseNotFound();
      return refuse('delivery_pending', 'It is on its way, or waits for its next attempt.');
    },
  });
};

const typeOf = (event: Event) => ({
  action: event.action,
  summary: event.summary,
  schema: payloadSchema(event),
  sample: sampleOf(event),
});

const requireWebhook = async (tx: Tx, id: number) => (await queries.findWebhook(tx, id)) ?? refuseNotFound();
/** Shown this once. */
const withSecret = (webhook: Json, signing_secret: string) => toJson({ ...JSON.parse(webhook), signing_secret });

async function rotate(tx: Tx, { sealing }: Services, id: number) {
  const { signing_secret_sealed } = (await queries.lockSecrets(tx, id)) ?? refuseNotFound();
  try {
    openSecret(sealing, tx.organisation_id, signing_secret_sealed);
  } catch (cause) {
    const message = 'The former secret was sealed with another key: nothing could be signed with both.';
    throw new Refusal('secret_unreadable', message, { cause });
  }
  const secret = newSigningSecret();
  const sealed = sealSecret(sealing, tx.organisation_id, secret);
  return withSecret((await queries.updateSigningSecret(tx, id, sealed)) ?? refuseNotFound(), secret);
}

async function readDelivery(tx: Tx, webhook_id: number, id: number) {
  const found = (await log.findDelivery(tx, webhook_id, id)) ?? refuseNotFound();
  const delivery = JSON.parse(found.delivery) as Omit<Logged, 'log'>;
  const attempts = JSON.parse(found.log) as Logged['log'];
  const bodyAt = (attempt: number, sent_at: string) => {
    const timestamp = Math.floor(Date.parse(sent_at) / 1000);
    return found.payload && bodyOf({ ...delivery, payload: found.payload, attempt, timestamp });
  };
  const shown = attempts.map((each) => ({ ...each, request_body: bodyAt(each.attempt, each.sent_at) }));
  return toJson({ ...delivery, log: shown });
}
type Logged = Static<typeof DeliveryLog>;
