// First attempts in batches: what workers that die, targets that are slow and other organisations make of them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startAtrium, world } from '../../testing/atrium.ts';
import { answering, startReceiver } from '../../testing/receiver.ts';

const atrium = await startAtrium({ env: 'development' });
const receiver = await startReceiver();

let made = 0;
interface Owner {
  key?: string;
  service_id?: number;
}
const subscribe = async (owner: Owner = {}) => {
  const json = { name: `Receiver ${made++}`, url: receiver.url, events: ['page.created'], content_scope: 'all' };
  const reply = await atrium.call('POST', '/v1/admin/webhooks', { json, ...owner });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  receiver.received.length = 0;
  receiver.answer = answering(204);
  return reply.body.data as { id: number };
};
const end = async ({ id }: { id: number }) =>
  assert.equal((await atrium.call('DELETE', `/v1/admin/webhooks/${id}`)).status, 200);
const createPage = async (title = 'News', owner: Owner = {}) =>
  (await atrium.call('POST', '/v1/pages', { json: { title, html_content: '<p>News</p>' }, ...owner })).body.data as {
    id: number;
  };
const webhookOf = async ({ id }: { id: number }) => (await atrium.call('GET', `/v1/webhooks/${id}`)).body.data;
const deliveriesOf = async ({ id }: { id: number }) =>
  (await atrium.call('GET', `/v1/admin/webhooks/${id}/deliveries`)).body.data as {
    id: number;
    state: string;
    attempts: number;
    last_failure: string | null;
  }[];
const logOf = async (webhook: { id: number }, delivery_id: number) =>
  (await atrium.call('GET', `/v1/admin/webhooks/${webhook.id}/deliveries/${delivery_id}`)).body.data.log as {
    attempt: number;
  }[];

describe('a first attempt', () => {
  test(`whose worker died with a batch of first attempts is made by another one, with the next attempt, and \
never a sixth time`, async () => {
    const webhook = await subscribe();
    const page = await createPage();
    await createPage();
    await atrium.drain();
    assert.equal(receiver.received.length, 2);
    const died = (attempts: number) =>
      atrium.rows(
        `with lost as (delete from webhook_deliveries where webhook_id = $1 returning outbox_id)
         insert into webhook_batches (organisation_id, outbox_ids, attempts, leased_until)
         select $2, array_agg(outbox_id order by outbox_id), $3, $4::timestamptz + interval '30 seconds' from lost`,
        [webhook.id, world.northwind.organisation_id, attempts, atrium.clock.now()],
      );
    await died(1);
    await atrium.drain();
    assert.equal(receiver.received.length, 2, 'not before its lease is over');
    atrium.clock.advance(31_000);
    await atrium.drain();
    const again = receiver.received.slice(2);
    assert.deepEqual(again.map(({ json }) => [json.meta.attempt, json.page.id === page.id]).sort(), [
      [2, false],
      [2, true],
    ]);
    assert.deepEqual(
      again.map(({ json }) => json.meta.id).sort(),
      receiver.received
        .slice(0, 2)
        .map(({ json }) => json.meta.id)
        .sort(),
    );
    assert.deepEqual(
      (await deliveriesOf(webhook)).map(({ state, attempts }) => [state, attempts]),
      [
        ['delivered', 2],
        ['delivered', 2],
      ],
    );
    await died(5);
    atrium.clock.advance(31_000);
    await atrium.drain();
    assert.equal(receiver.received.length, 4);
    assert.deepEqual(
      (await deliveriesOf(webhook)).map(({ state, attempts, last_failure }) => [state, attempts, last_failure]),
      [
        ['failed', 5, 'interrupted'],
        ['failed', 5, 'interrupted'],
      ],
    );
    await end(webhook);
  });

  test(`that is answered slowly has a row meanwhile, and ends with one attempt; a batch that another worker \
took writes nothing`, async () => {
    const webhook = await subscribe();
    const asked = Promise.withResolvers<() => void>();
    receiver.answer = (response) => asked.resolve(() => answering(204)(response));
    await createPage();
    const drained = atrium.drain();
    const release = await asked.promise;
    for (;;) {
      const [waiting] = await deliveriesOf(webhook);
      if (waiting) {
        assert.deepEqual([waiting.state, waiting.attempts], ['pending', 1]);
        break;
      }
    }
    release();
    await drained;
    const [delivery] = await deliveriesOf(webhook);
    assert.deepEqual([delivery?.state, delivery?.attempts, receiver.received.length], ['delivered', 1, 1]);
    assert.equal((await logOf(webhook, delivery?.id ?? 0)).length, 1);

    receiver.answer = (response) => {
      void atrium.rows('update webhook_batches set attempts = attempts + 1').then(() => answering(204)(response));
    };
    await createPage();
    await atrium.drain();
    assert.deepEqual([(await deliveriesOf(webhook)).length, receiver.received.length], [1, 2]);
    receiver.answer = answering(204);
    atrium.clock.advance(46_000);
    await atrium.drain();
    assert.deepEqual([(await deliveriesOf(webhook))[0]?.attempts, receiver.received.length], [3, 3]);
    await end(webhook);
  });

  test('a success ends a failing period, even when it was on its way before the failure', async () => {
    const webhook = await subscribe();
    const slow = Promise.withResolvers<() => void>();
    receiver.answer = (response, { json }) =>
      json.page.title === 'Slow' ? slow.resolve(() => answering(204)(response)) : answering(500)(response);
    await createPage('Slow');
    await createPage();
    const drained = atrium.drain();
    const release = await slow.promise;
    while ((await webhookOf(webhook)).failing_since === null);
    release();
    await drained;
    assert.equal((await webhookOf(webhook)).failing_since, null);
    await end(webhook);
  });

  test('of one organisation does not wait for the backlog of another', async () => {
    const busy = await subscribe();
    const { organisation_id: service_id, api_key: key } = world.contoso;
    await subscribe({ key, service_id });
    const backlog = 2000;
    await createPage();
    await atrium.rows(
      `insert into outbox (organisation_id, action, payload, is_public, created_at)
       select organisation_id, action, payload, is_public, created_at
       from (select * from outbox where organisation_id = $1 order by id desc limit 1) o, generate_series(2, $2::int)`,
      [world.northwind.organisation_id, backlog],
    );
    const title = 'Of another';
    await createPage(title, { key, service_id });
    // Half of the backlog is answered; the rest waits for the other organisation's, as that may not wait for it.
    const seen = Promise.withResolvers<void>();
    receiver.answer = (response, { json }) => {
      if (json.page.title === title) seen.resolve();
      if (json.page.title === title || receiver.received.length < backlog / 2) answering(204)(response);
      else seen.promise.then(() => answering(204)(response));
    };
    atrium.workers.start();
    await seen.promise;
    await atrium.drain();
    await atrium.workers.stop();
    assert.equal(receiver.received.length, backlog + 1);
    await end(busy);
  });

  test('is made by workers that were stopped and started again', async () => {
    const webhook = await subscribe();
    for (let round = 1; round <= 2; round++) {
      const came = Promise.withResolvers<void>();
      receiver.answer = (response) => {
        answering(204)(response);
        came.resolve();
      };
      await createPage();
      atrium.workers.start();
      await came.promise;
      await atrium.workers.stop();
      assert.deepEqual(
        (await deliveriesOf(webhook)).map(({ state }) => state),
        Array(round).fill('delivered'),
      );
    }
    await end(webhook);
  });
});
