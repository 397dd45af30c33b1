import { sql } from '../../kernel/data/sql.ts';
import { hearers } from '../../kernel/delivery/outbox.ts';
import type { Module } from '../../kernel/module.ts';
import { roleScopes, scopeFamilies } from '../../kernel/people/scopes.ts';
import { outlivesPerson } from '../users/deactivation.ts';
import { listHearers, relayToWebhooks } from './batches.ts';
import { webhookDestination } from './delivery.ts';
import { deleteOldDeliveries } from './log.ts';
import { webhookRoutes } from './routes.ts';
import { sendReadable } from './unreadable.ts';

export const webhooks = (others: readonly Module[]): Module => ({
  name: 'webhooks',
  tables: ['webhooks', 'webhook_deliveries', 'webhook_attempts', 'webhook_batches'],
  routes: [webhookRoutes(others.flatMap(({ events = [] }) => events))],
  chores: [sendReadable, (tx, { config }) => deleteOldDeliveries(tx, config.webhook_days)],
  relays: [relayToWebhooks],
  destinations: [webhookDestination(Object.assign({}, ...others.map(({ visibility }) => visibility)))],
  contributes: [
    hearers(listHearers),
    scopeFamilies({ name: 'webhooks', roles: { developer: ['*'] } }),
    roleScopes({ role: 'developer', scope: 'admin.webhooks.*' }),
    outlivesPerson({
      name: 'webhooks',
      count: (user_id) => sql`(
        select count(*) from webhooks w where w.organisation_id = $1 and w.created_by = ${user_id} and w.active)`,
    }),
  ],
});
