import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startAtrium } from '../server/testing/atrium.ts';
import { startReceiver } from '../server/testing/receiver.ts';
import { verifyWebhook, WebhookRefused } from './webhook.js';

const atrium = await startAtrium({ env: 'development' });
const receiver = await startReceiver();
const subscribe = async (url: string) =>
  (await atrium.call('POST', '/v1/admin/webhooks', { json: { name: url, url, events: ['page.created'] } })).body
    .data as {
    id: number;
    signing_secret: string;
  };
const webhook = await subscribe(receiver.url);
await atrium.call('POST', '/v1/pages', { json: { title: 'Opening hours', html_content: '<p>9 to 20</p>' } });
await atrium.drain();
const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] = receiver.received;
const secret = webhook.signing_secret;
const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const sent_ms = Number(headers['webhook-timestamp']) * 1000;
const reasonOf = (work: () => unknown) => {
  try {
    work();
    return 'accepted';
  } catch (error) {
    return error instanceof WebhookRefused ? error.reason : `${error}`;
  }
};

describe('verifyWebhook', () => {
  test('returns the event, typed by its action, from text or bytes and from headers of every shape', () => {
    const shapes = [
      headers,
      new Headers(headers),
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
    ];
    for (const shape of shapes) {
      const event = verifyWebhook(Buffer.from(body), shape, secret);
      assert.ok(event.action === 'page.created' && event.page.title === 'Opening hours' && event.meta.attempt === 1);
    }
    assert.equal(verifyWebhook(body, headers, [other, secret]).action, 'page.created');
  });

  test('refuses what was changed, signed by somebody else, or incomplete', () => {
    assert.equal(
      reasonOf(() => verifyWebhook(body.replace('9', '8'), headers, secret)),
      'wrong_signature',
    );
    assert.equal(
      reasonOf(() => verifyWebhook(body, headers, other)),
      'wrong_signature',
    );
    assert.equal(
      reasonOf(() => verifyWebhook(body, headers, [])),
      'wrong_signature',
    );
    assert.throws(
      () => verifyWebhook(body, headers, 'whsec_'),
      TypeError,
      'anybody could have signed with an empty secret',
    );
    for (const [name, value] of [
      ['webhook-id', 'another'],
      ['webhook-timestamp', String(sent_ms / 1000 + 1)],
      ['webhook-signature', 'v1,'],
      ['webhook-signature', `v2,${headers['webhook-signature']?.slice(3)}`],
    ] as const)
      assert.equal(
        reasonOf(() => verifyWebhook(body, { ...headers, [name]: value }, secret)),
        'wrong_signature',
        name,
      );
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      assert.equal(
        reasonOf(() => verifyWebhook(body, { ...headers, [name]: undefined }, secret)),
        'missing_header',
        name,
      );
  });

  test('refuses what is older or newer than five minutes, or than the given tolerance', () => {
    const at = (seconds: number, toleranceSeconds?: number) =>
      reasonOf(() =>
        verifyWebhook(body, headers, secret, {
          now: () => sent_ms + seconds * 1000,
          ...(toleranceSeconds ? { toleranceSeconds } : {}),
        }),
      );
    assert.deepEqual([at(299), at(301), at(-299), at(-301)], ['accepted', 'too_old', 'accepted', 'too_new']);
    assert.deepEqual([at(9, 10), at(11, 10)], ['accepted', 'too_old']);
  });

  test('accepts either secret while one is being replaced', async () => {
    const rotated = (await atrium.call('POST', `/v1/admin/webhooks/${webhook.id}/rotate-secret`)).body.data
      .signing_secret;
    receiver.received.length = 0;
    await atrium.call('POST', '/v1/pages', { json: { title: 'Again', html_content: '' } });
    await atrium.drain();
    const [again] = receiver.received;
    for (const one of [secret, rotated, [rotated, secret]])
      assert.equal(verifyWebhook(again?.body ?? '', again?.headers ?? {}, one).action, 'page.created');
  });
});

test('the package by its bare name has all that its parts have', async () => {
  const all = await import('@atrium/sdk');
  assert.equal(all.verifyWebhook, verifyWebhook);
  assert.deepEqual(Object.keys(all).sort(), [
    ...['AtriumError', 'CallbackRefused', 'WebhookRefused', 'changes', 'createBotHandler', 'createClient', 'each'],
    ...['openChat', 'reconcile', 'signIn', 'uploadFile', 'verifyCallback', 'verifyWebhook'],
  ]);
});

test('the example receiver runs as it is, and says what it was sent', async () => {
  const run = (env: Record<string, string>) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'examples/receiver.js'), '0'], {
      env: { ...process.env, ...env },
    });
    after(() => void child.kill());
    return { child, printed: (pattern: RegExp) => printed(child.stdout, pattern) };
  };
  // The secret is known when the subscription exists, and its address when the receiver runs:
  // so the first one is a placeholder.
  const placeholder = await subscribe('http://127.0.0.1:4/');
  const example = run({ WEBHOOK_SECRET: placeholder.signing_secret });
  const [, url = ''] = await example.printed(/Listening on (\S+)/);
  const json = { name: 'Example', url, events: ['page.created'] };
  assert.equal((await atrium.call('PUT', `/v1/admin/webhooks/${placeholder.id}`, { json })).status, 200);
  const line = example.printed(/page\.created [\w-]+, attempt 1\n {2}From the example http/);
  await atrium.call('POST', '/v1/pages', { json: { title: 'From the example', html_content: '' } });
  await atrium.drain();
  await line;
  const refused = printed(example.child.stderr, /Refused, missing_header: The header webhook-id is missing/);
  const unsigned = await fetch(url, { method: 'POST', body: '{}' });
  assert.deepEqual([unsigned.status, await unsigned.text()], [401, 'missing_header']);
  await refused;
});

const printed = (stream: NodeJS.ReadableStream, pattern: RegExp) =>
  new Promise<RegExpExecArray>((resolve) => {
    let text = '';
    const look = (chunk: Buffer) => {
      text += chunk;
      const found = pattern.exec(text);
      if (!found) return;
      stream.off('data', look);
      resolve(found);
    };
    stream.on('data', look);
  });
