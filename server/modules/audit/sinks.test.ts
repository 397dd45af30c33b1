import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';
import { answering, startReceiver } from '../../testing/receiver.ts';

const atrium = await startAtrium({ env: 'development' });
const receiver = await startReceiver();
const goal = async (title: string) => (await atrium.call('POST', '/v1/goals', { json: { title } })).body.data.id;
const told = () =>
  receiver.received.flatMap(({ body }) =>
    body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
const sinkOf = async () => (await atrium.call('GET', '/v1/admin/audit-sinks')).body.data[0];

test('a sink is sent every entry from its own on, in order, again after a failure, until it is deleted', async () => {
  await goal('Before');
  const json = { url: receiver.url, authorization: 'Splunk 1234' };
  const made = await atrium.call('POST', '/v1/admin/audit-sinks', { json });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  receiver.answer = answering(503);
  const id = await goal('After');
  await atrium.drain();
  assert.equal(receiver.received.length, 1);
  const failed = await sinkOf();
  assert.deepEqual([failed.failures, failed.last_error, failed.has_authorization], [1, 'status_503', true]);
  receiver.answer = answering(204);
  receiver.received.splice(0);
  await atrium.drain();
  assert.equal(receiver.received.length, 0, 'not before its time');
  atrium.clock.advance(11_000);
  await atrium.drain();
  const [first] = receiver.received;
  assert.deepEqual(
    [first?.headers.authorization, first?.headers['content-type']],
    ['Splunk 1234', 'application/x-ndjson'],
  );
  const entries = told();
  assert.deepEqual(entries.map(({ action }) => action).slice(0, 2), ['createAuditSink', 'createGoal']);
  assert.deepEqual([entries[1].id, entries[1].previous_hash], [id, entries[0].hash]);
  assert.doesNotMatch(JSON.stringify(entries), /1234/);
  assert.equal((await sinkOf()).last_sequence, entries.at(-1).sequence);
  assert.equal((await atrium.call('DELETE', `/v1/admin/audit-sinks/${made.body.data.id}`)).status, 200);
  receiver.received.splice(0);
  await goal('Later');
  await atrium.drain();
  assert.equal(receiver.received.length, 0);
});

test('an address that the guard refuses is refused when it is given', async () => {
  const json = { url: 'https://169.254.169.254/latest' };
  const { status, body } = await atrium.call('POST', '/v1/admin/audit-sinks', { json });
  assert.deepEqual([status, body.code], [400, 'address_refused']);
});
