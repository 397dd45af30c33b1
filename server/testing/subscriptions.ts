// Webhook subscriptions of a test: made, fed with pages and read as their owner does.
import assert from 'node:assert/strict';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import type { TestAtrium } from './atrium.ts';
import { answering, type Receiver } from './receiver.ts';

export function subscriptionsOf(atrium: TestAtrium, receiver: Receiver) {
  let made = 0;
  const newWebhook = (more: object = {}) => ({
    name: `Receiver ${made++}`,
    url: receiver.url,
    events: ['page.created', 'page.updated', 'page.deleted'],
    content_scope: 'all',
    ...more,
  });
  const subscribe = async (more: object = {}) => {
    const reply = await atrium.call('POST', '/v1/admin/webhooks', { json: newWebhook(more) });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    receiver.received.length = 0;
    receiver.answer = answering(204);
    return reply.body.data as { id: number; signing_secret: string };
  };
  const end = async ({ id }: { id: number }) =>
    assert.equal((await atrium.call('DELETE', `/v1/admin/webhooks/${id}`)).status, 200);
  const createPage = async (more: object = {}) =>
    (await atrium.call('POST', '/v1/pages', { json: { title: 'News', html_content: '<p>News</p>', ...more } })).body
      .data as { id: number };
  const webhookOf = async ({ id }: { id: number }) => (await atrium.call('GET', `/v1/webhooks/${id}`)).body.data;
  const deliveriesOf = async ({ id }: { id: number }, query = '') =>
    (await atrium.call('GET', `/v1/admin/webhooks/${id}/deliveries${query}`)).body.data as {
      id: number;
      state: string;
      attempts: number;
      last_failure: string | null;
      event_id: string;
      next_attempt_at: string | null;
    }[];
  const logOf = async (webhook: { id: number }, delivery_id: number) =>
    (await atrium.call('GET', `/v1/admin/webhooks/${webhook.id}/deliveries/${delivery_id}`)).body.data;

  return { createPage, deliveriesOf, end, logOf, newWebhook, subscribe, webhookOf };
}

/** By the stock library. */
export const signedBy = (secret: string, body: string, headers: Record<string, string>) => {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signature = new StandardWebhook(secret).sign(headers['webhook-id'] ?? '', at, body);
  return headers['webhook-signature']?.split(' ').includes(signature) ?? false;
};
