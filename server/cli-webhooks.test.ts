import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyWebhook } from '../sdk/webhook.js';
import {
  authorised,
  credentialsOf,
  dataFolder,
  endAllAfterTests,
  entries,
  run,
  serve,
  until,
} from './testing/processes.ts';
import { answering, startReceiver } from './testing/receiver.ts';

endAllAfterTests();
const receiver = await startReceiver();
const command = (data: string, ...args: string[]) => run([entries.cli, ...args], { env: { ATRIUM_DATA: data } });
const listening = async (data: string, org: string, ...more: string[]) => {
  const process = command(data, 'webhooks', 'listen', '--org', org, '--forward', receiver.url, ...more);
  const [, secret = ''] = await process.printed(/Signing secret: (\S+)/);
  return { ...process, secret };
};

test('beside a server, `webhooks listen` forwards what happens, signed, and leaves nothing behind', async () => {
  const data = dataFolder();
  const server = await serve(data);
  const key = await credentialsOf(server);
  const call = (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, { ...init, headers: { 'content-type': 'application/json', ...authorised(key) } });
  const listener = await listening(data, key.service_id, '--events', 'page.*');
  receiver.answer = answering(500);
  await call('/v1/pages', { method: 'POST', body: JSON.stringify({ title: 'Heard', html_content: '' }) });
  await listener.printed(/page\.created {2}[\w-]{36} {2}attempt 1 {2}500/);
  receiver.answer = answering(204);
  await listener.printed(/page\.created {2}[\w-]{36} {2}attempt 2 {2}204/);
  const event = verifyWebhook(receiver.received[0]?.body ?? '', receiver.received[0]?.headers ?? {}, listener.secret);
  assert.ok(event.action === 'page.created' && event.page.title === 'Heard');

  const trigger = command(data, 'webhooks', 'trigger', 'page.deleted', '--org', key.service_id);
  const [, delivery = ''] = await trigger.printed(/delivery (\d+)/);
  await listener.printed(/page\.deleted {2}[\w-]{36} {2}attempt 1 {2}204/);
  await until(
    async () =>
      (
        (await (await call('/v1/webhooks')).json()) as { data: { last_delivery: { state: string } | null }[] }
      ).data.some(({ last_delivery }) => last_delivery?.state === 'delivered'),
    'settled',
  );
  assert.equal(await command(data, 'webhooks', 'replay', delivery, '--org', key.service_id).exit, 0);
  const [, event_id = ''] = await listener.printed(/page\.deleted {2}([\w-]{36}) {2}attempt 2 {2}204/);
  await until(
    async () => (await command(data, 'webhooks', 'replay', event_id, '--org', key.service_id).exit) === 0,
    'the delivery is settled, and its event is sent again',
  );
  await listener.printed(/page\.deleted {2}[\w-]{36} {2}attempt 3 {2}204/);
  const [, shown = ''] = await listener.printed(/Webhook (\d+) forwards/);
  const again = command(data, 'webhooks', 'trigger', 'page.updated', '--org', key.service_id, '--webhook', shown);
  assert.equal(await again.exit, 0);
  await listener.printed(/page\.updated {2}[\w-]{36} {2}attempt 1 {2}204/);

  listener.kill('SIGINT');
  assert.equal(await listener.exit, 0);
  const { data: left } = (await (await call('/v1/webhooks')).json()) as { data: { listened_until: string | null }[] };
  assert.deepEqual(
    left.filter(({ listened_until }) => listened_until !== null),
    [],
  );
});

test('what it is told wrong is one sentence; without a server there is nothing to listen to', async () => {
  const data = dataFolder();
  const made = command(data, 'org', 'create', 'Asleep', '--json');
  assert.equal(await made.exit, 0, made.stdout());
  const org = String(JSON.parse(made.stdout()).organisation_id);
  for (const [args, sentence] of [
    [['listen', '--org', org, '--forward', receiver.url], /No server runs/],
    [['listen', '--org', org, '--forward', 'http://10.0.0.1/'], /No server runs/],
    [['listen', '--org', org, '--forward', 'ftp://10.0.0.1/'], /must begin with https/],
    [['listen', '--org', org, '--forward', receiver.url, '--events', 'page.exploded'], /there is no "page\.exploded"/],
    [['trigger', 'page.created', '--org', org], /Nobody listens/],
    [['trigger', 'page.exploded', '--org', org], /There is no event "page\.exploded"/],
    [['replay', '999', '--org', org], /has no delivery 999/],
  ] as const) {
    const wrong = command(data, 'webhooks', ...args);
    assert.notEqual(await wrong.exit, 0);
    assert.match(wrong.stderr(), sentence);
  }
});
