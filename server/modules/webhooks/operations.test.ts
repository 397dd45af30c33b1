// What an administrator sees of deliveries and does about them.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { events } from '../../modules.ts';
import { startAtrium, world } from '../../testing/atrium.ts';
import { answering, startReceiver } from '../../testing/receiver.ts';
import { signedBy, subscriptionsOf } from '../../testing/subscriptions.ts';

const atrium = await startAtrium({ env: 'development' });
const receiver = await startReceiver();
const { createPage, deliveriesOf, end, logOf, newWebhook, subscribe, webhookOf } = subscriptionsOf(atrium, receiver);
const HOUR_MS = 3_600_000;

/** Recovers the one delivery that was lost since then, and says with which attempts it comes. */
const attemptsAfterRecovery = async ({ id }: { id: number }, since: string): Promise<number[]> => {
  const reply = await atrium.call('POST', `/v1/admin/webhooks/${id}/recover`, { json: { since } });
  assert.equal(reply.body.data.recovered, 1);
  await atrium.drain();
  return receiver.received.map(({ json }) => json.meta.attempt);
};

describe('operations', () => {
  test(`the log shows every attempt as it was: headers, exact body, status, the first 4 KiB of the answer, \
latency`, async () => {
    const webhook = await subscribe({ custom_headers: { 'X-Api-Key': 'swordfish' } });
    receiver.answer = answering(500, 'x'.repeat(9000));
    await createPage();
    await atrium.drain();
    receiver.answer = answering(200, 'thanks\0');
    atrium.clock.advance(15_000);
    await atrium.drain();
    const [delivery] = await deliveriesOf(webhook);
    const { log } = await logOf(webhook, delivery?.id ?? 0);
    assert.deepEqual(
      log.map(({ attempt, status, failure }: Record<string, unknown>) => [attempt, status, failure]),
      [
        [1, 500, 'status_500'],
        [2, 200, null],
      ],
    );
    assert.deepEqual([log[0].answer.length, log[1].answer], [4096, 'thanks\uFFFD']);
    for (const [n, { headers, body }] of receiver.received.entries()) {
      assert.equal(log[n].request_body, body);
      assert.equal(log[n].request_headers['webhook-signature'], headers['webhook-signature']);
      assert.equal(log[n].request_headers['X-Api-Key'], '********');
      assert.ok(log[n].latency_ms < 5000);
    }
    const { last_delivery, failing_since } = await webhookOf(webhook);
    assert.deepEqual([last_delivery.id, last_delivery.last_status, failing_since], [delivery?.id, 200, null]);
    await end(webhook);
  });

  test('lists are filtered by state, event, kind of failure and time', async () => {
    const webhook = await subscribe();
    receiver.answer = (response, { json }) => answering(json.action === 'page.updated' ? 418 : 200)(response);
    const page = await createPage();
    await atrium.call('PUT', `/v1/pages/${page.id}`, { json: { title: 'Other', html_content: '' } });
    await atrium.drain();
    const count = async (query: string) => (await deliveriesOf(webhook, query)).length;
    assert.deepEqual(
      [
        await count(''),
        await count('?state=delivered'),
        await count('?action=page.updated'),
        await count('?failure=status_418'),
        await count('?failure=status_500'),
      ],
      [2, 1, 1, 1, 0],
    );
    assert.deepEqual(
      [await count(`?until=${atrium.clock.now()}`), await count(`?since=${atrium.clock.now()}`)],
      [2, 0],
    );
    const [{ event_id = '' } = {}] = await deliveriesOf(webhook);
    assert.equal(await count(`?event_id=${event_id}`), 1);
    await end(webhook);
  });

  test(`a delivery is sent again with the same meta.id and the next attempt; one that is on its \
way is a 409`, async () => {
    const webhook = await subscribe();
    await createPage();
    await atrium.drain();
    const [delivery] = await deliveriesOf(webhook);
    const again = () => atrium.call('POST', `/v1/admin/webhooks/${webhook.id}/deliveries/${delivery?.id}/redeliver`);
    assert.equal((await again()).status, 200);
    const second = await again();
    assert.deepEqual([second.status, second.body.code], [409, 'delivery_pending']);
    await atrium.drain();
    assert.deepEqual(
      receiver.received.map(({ json }) => [json.meta.id, json.meta.attempt]),
      [
        [delivery?.event_id, 1],
        [delivery?.event_id, 2],
      ],
    );
    const { log } = await logOf(webhook, delivery?.id ?? 0);
    assert.deepEqual(
      log.map((each: Record<string, unknown>) => [each.attempt, each.status, each.request_body]),
      receiver.received.map(({ body }, n) => [n + 1, 204, body]),
    );
    for (const [n, { headers }] of receiver.received.entries())
      for (const [name, value] of Object.entries(log[n].request_headers)) assert.equal(headers[name], value, name);
    await end(webhook);
  });

  test('what failed since a moment is recovered, and nothing else', async () => {
    const webhook = await subscribe();
    receiver.answer = answering(500);
    const fail = async () => {
      await createPage();
      for (let attempt = 0; attempt < 5; attempt++) {
        await atrium.drain();
        atrium.clock.advance(2 * HOUR_MS);
      }
    };
    await fail();
    // Happened before the moment, and is given up after it.
    await createPage();
    await atrium.drain();
    atrium.clock.advance(2 * HOUR_MS);
    const since = atrium.clock.now();
    for (let attempt = 1; attempt < 5; attempt++) {
      await atrium.drain();
      atrium.clock.advance(2 * HOUR_MS);
    }
    receiver.received.length = 0;
    receiver.answer = answering(204);
    assert.deepEqual(await attemptsAfterRecovery(webhook, since), [6]);
    await end(webhook);
  });

  test('what a node could not sign, because it had another key, goes by itself once the key is back', async () => {
    const webhook = await subscribe();
    const sealed = (
      await atrium.rows<{ text: string }>(`select signing_secret_sealed as text from webhooks where id = $1`, [
        webhook.id,
      ])
    )[0]?.text;
    await atrium.rows(`update webhooks set signing_secret_sealed = 'v1.AAAA' where id = $1`, [webhook.id]);
    await createPage();
    await atrium.drain();
    assert.equal((await deliveriesOf(webhook))[0]?.last_failure, 'secret_unreadable');
    await atrium.rows(`update webhooks set signing_secret_sealed = $2 where id = $1`, [webhook.id, sealed]);
    await atrium.drain();
    assert.deepEqual(
      receiver.received.map(({ json }) => json.meta.attempt),
      [1],
    );
    await end(webhook);
  });

  test('while a subscription is saved whose name server is slow, its events go on', async () => {
    const silent = createSocket('udp4');
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
    const slow = await startAtrium({ env: 'development', egress_dns: `127.0.0.1:${silent.address().port}` });
    const made = await slow.call('POST', '/v1/admin/webhooks', { json: newWebhook() });
    receiver.received.length = 0;
    const asked = once(silent, 'message');
    let saved = false;
    const url = 'https://slow.example.org/hook';
    const saving = slow
      .call('PUT', `/v1/admin/webhooks/${made.body.data.id}`, { json: newWebhook({ url }) })
      .then((reply) => {
        saved = true;
        return reply;
      });
    await asked;
    await slow.call('POST', '/v1/pages', { json: { title: 'News', html_content: '' } });
    await slow.drain();
    assert.deepEqual([receiver.received.length, saved], [1, false]);
    assert.equal((await saving).body.data.url, url);
    silent.close();
    await slow.finish();
  });

  test('a suspended subscription collects, and sends everything when it is resumed', async () => {
    const webhook = await subscribe();
    assert.equal((await atrium.call('POST', `/v1/admin/webhooks/${webhook.id}/suspend`)).body.data.active, false);
    for (let n = 0; n < 12; n++) await createPage();
    await atrium.drain();
    assert.deepEqual([receiver.received.length, (await deliveriesOf(webhook, '?state=pending')).length], [0, 12]);
    await atrium.call('POST', `/v1/admin/webhooks/${webhook.id}/resume`);
    await atrium.drain();
    assert.equal(receiver.received.length, 12);
    await end(webhook);
  });

  test(`a subscription that fails for days is suspended with a notice to its owner; one success in between \
starts anew`, async () => {
    const webhook = await subscribe();
    receiver.answer = answering(500);
    await createPage();
    await atrium.drain();
    assert.ok((await webhookOf(webhook)).failing_since);
    receiver.answer = answering(204);
    atrium.clock.advance(15_000);
    await atrium.drain();
    assert.equal((await webhookOf(webhook)).failing_since, null);
    receiver.answer = answering(500);
    await createPage();
    await atrium.drain();
    atrium.clock.advance(121 * HOUR_MS);
    await createPage();
    await atrium.drain();
    const { active, notice, suspended_at } = await webhookOf(webhook);
    assert.deepEqual([active, typeof suspended_at], [false, 'string']);
    assert.match(notice, /Suspended automatically/);
    await atrium.call('POST', `/v1/admin/webhooks/${webhook.id}/resume`);
    const resumed = await webhookOf(webhook);
    assert.deepEqual([resumed.active, resumed.notice, resumed.failing_since], [true, null, null]);
    await end(webhook);
  });

  test('a sample of every event goes the way of a real one', async () => {
    const webhook = await subscribe({ content_scope: 'public' });
    for (const { action } of events) {
      const reply = await atrium.call('POST', `/v1/admin/webhooks/${webhook.id}/samples`, { json: { event: action } });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
    }
    await atrium.drain();
    assert.deepEqual(
      receiver.received.map(({ json }) => json.action).sort(),
      events.map(({ action }) => action).sort(),
    );
    for (const { body, headers } of receiver.received) assert.ok(signedBy(webhook.signing_secret, body, headers));
    await end(webhook);
  });

  test('log and outbox are kept for 30 days; deleting a subscription deletes its log', async () => {
    const webhook = await subscribe();
    const rows = async (table: string, where = '') =>
      (await atrium.rows<{ count: number }>(`select count(*)::int as count from ${table} ${where}`))[0]?.count;
    const mine = `where webhook_id = ${webhook.id}`;
    const logged = `where not exists (
         select from webhooks w join webhook_deliveries d on d.webhook_id = w.id
         where w.id = 1 and d.id = delivery_id)`;
    receiver.answer = answering(500);
    await createPage();
    await atrium.drain();
    assert.deepEqual([await rows('webhook_deliveries', mine), await rows('webhook_attempts', logged)], [1, 1]);
    atrium.clock.advance(29 * 24 * HOUR_MS);
    await atrium.drain();
    assert.deepEqual([await rows('webhook_deliveries', mine), await rows('webhook_attempts', logged)], [1, 2]);
    atrium.clock.advance(2 * 24 * HOUR_MS);
    await atrium.drain();
    assert.deepEqual(
      [await rows('webhook_deliveries', mine), await rows('webhook_attempts', logged), await rows('outbox')],
      [0, 0, 0],
    );
    await atrium.call('POST', `/v1/admin/webhooks/${webhook.id}/resume`);
    await createPage();
    await atrium.drain();
    assert.deepEqual([await rows('webhook_deliveries', mine), await rows('webhook_attempts')], [1, 1]);
    await end(webhook);
    assert.deepEqual([await rows('webhook_deliveries', mine), await rows('webhook_attempts')], [0, 0]);
    // An attempt that ended while its subscription was being deleted.
    await atrium.rows(
      `insert into webhook_attempts (organisation_id, delivery_id, attempt, sent_at, latency_ms, request_headers)
       select $1, coalesce(max(id), 0), 1, $2, 1, '{}' from webhook_deliveries`,
      [world.northwind.organisation_id, atrium.clock.now()],
    );
    atrium.clock.advance(31 * 24 * HOUR_MS);
    await atrium.drain();
    assert.equal(await rows('webhook_attempts'), 0);
  });
});
