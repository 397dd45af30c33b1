// Subscriptions as a destination of kernel/delivery: what each is sent of an event, and what becomes of one that fails.
import type { Tx } from '../../kernel/data/db.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import type { Batch, Destination } from '../../kernel/delivery/destination.ts';
import type { FirstAttempt } from '../../kernel/delivery/first-attempts.ts';
import type { Visibility } from '../../kernel/delivery/visibility.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { type Content, claimBatch, findBatchContents, findContents, giveBackBatch, writeBatch } from './batches.ts';
import { messagesOf, NOT_READABLE } from './messages.ts';
import { findTargets, makerIsGood, suspendFailing, type Target, updateFailing, updateRecovered } from './queries.ts';

export const webhookTables = {
  deliveries: 'webhook_deliveries',
  log: 'webhook_attempts',
  targets: 'webhooks',
  target_id: 'webhook_id',
} as const;

/** `listener`: the temporary subscription of a command, which nobody else sends to. */
export function webhookDestination(visibility: Visibility, listener?: number): Destination {
  const batches = {
    claim: claimBatch,
    giveBack: giveBackBatch,
    prepare: (tx: Tx, batch: Batch, services: Services) => firstAttempts(tx, services, visibility, batch),
    write: writeBatch,
  };
  return {
    ...webhookTables,
    ...(listener === undefined
      ? {
          open: sql`o.active and o.listened_until is null and o.status = 'active'
          and ${makerIsGood(trusted('o'), trusted('now()'))}`,
          batches,
        }
      : { open: sql`o.id = ${listener}` }),
    async prepare(tx, claimed, services) {
      const ids = claimed.map(({ id }) => id);
      const target_ids = claimed.map(({ target_id }) => target_id);
      const [targets, found] = await Promise.all([findTargets(tx, [...new Set(target_ids)]), findContents(tx, ids)]);
      const contents = new Map(found.map((content) => [content.id, content]));
      const wanted = claimed.flatMap(({ id, target_id, attempt_shown: attempt }) => {
        const [target, content] = [targets.get(target_id), contents.get(id)];
        return target && content?.payload != null ? [{ id, target, content, attempt }] : [];
      });
      const messages = await messagesOf(tx, services, visibility, wanted);
      return new Map(messages.map((message, n) => [wanted[n]?.id ?? 0, 'withheld' in message ? message : message()]));
    },
    async settled(tx, { delivered, failed }, { config }, logger) {
      if (delivered.length > 0) await updateRecovered(tx, delivered);
      if (failed.length === 0) return;
      await updateFailing(tx, failed);
      for (const { id, name, created_by } of await suspendFailing(tx, failed, config.webhook_suspend_hours))
        logger.warn({ webhook_id: id, name, created_by }, 'a failing webhook was suspended');
    },
  };
}

/** Every event of a batch for every subscription that wants it. */
async function firstAttempts(
  tx: Tx,
  services: Services,
  visibility: Visibility,
  { id, attempt }: Batch,
): Promise<FirstAttempt[]> {
  const [targets, contents] = await Promise.all([findTargets(tx), findBatchContents(tx, id)]);
  const wanted = contents.flatMap((content) =>
    [...targets.values()].flatMap((target) => (wants(target, content) ? [{ target, content, attempt }] : [])),
  );
  const messages = await messagesOf(tx, services, visibility, wanted);
  return wanted.flatMap(({ target, content }, n) => {
    const message = messages[n];
    // What its maker may not read when it happens is not for the subscription, and in no log of it.
    if (message && 'withheld' in message && message.withheld === NOT_READABLE) return [];
    return [{ target_id: target.id, outbox_id: content.id, message: (target.open && message) || 'due' }];
  });
}
/** A subscription hears nothing from before it was made. */
const wants = ({ events, status, content_scope, created_at }: Target, content: Content) =>
  status === 'active' &&
  events.includes(content.action) &&
  (content_scope === 'all' || content.is_public) &&
  created_at <= content.created_at;
