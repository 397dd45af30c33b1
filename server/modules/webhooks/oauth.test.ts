import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import Provider from 'oidc-provider';
import { startAtrium } from '../../testing/atrium.ts';
import { answering, startReceiver } from '../../testing/receiver.ts';

const TOKEN_S = 5;
/** A real OAuth 2.0 server, whose tokens live for five seconds. */
async function startProvider() {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'atrium',
        client_secret: 'client-secret',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    ttl: { ClientCredentials: TOKEN_S },
    scopes: ['events:write'],
  } as never);
  const requests: string[] = [];
  const handle = provider.callback();
  server.on('request', (request, response) => {
    requests.push(request.url ?? '');
    handle(request, response);
  });
  return { issuer, provider, requests };
}

const { issuer, provider, requests } = await startProvider();
const atrium = await startAtrium({ env: 'development' });
const receiver = await startReceiver();
/** Asks the provider itself, as a careful receiver does. */
const isGood = async (authorization: string | undefined) => {
  const token = await provider.ClientCredentials.find(authorization?.replace('Bearer ', '') ?? '');
  return token !== undefined && !token.isExpired;
};
const oauth = { type: 'oauth2', login_url: `${issuer}/token`, client_id: 'atrium', client_secret: 'client-secret' };
let made = 0;
const subscribe = async (authentication: object) => {
  const json = {
    name: `OAuth ${made++}`,
    url: receiver.url,
    events: ['page.created'],
    content_scope: 'all',
    authentication,
  };
  const reply = await atrium.call('POST', '/v1/admin/webhooks', { json });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  receiver.received.length = 0;
  requests.length = 0;
  return reply.body.data as { id: number };
};
const end = ({ id }: { id: number }) => atrium.call('DELETE', `/v1/admin/webhooks/${id}`);
const createPage = () => atrium.call('POST', '/v1/pages', { json: { title: 'News', html_content: '' } });
const failuresOf = async ({ id }: { id: number }) =>
  (
    await atrium.rows<{ failure: string }>(
      `select a.failure from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
       where d.webhook_id = $1 and a.failure is not null`,
      [id],
    )
  ).map(({ failure }) => failure);
const guarded = () => {
  receiver.answer = async (response, { headers }) =>
    answering((await isGood(headers.authorization)) ? 204 : 401)(response);
};

describe('OAuth 2.0', () => {
  test(`tokens that live five seconds serve 500 deliveries, over more than one life, without \
a failed one`, async () => {
    const webhook = await subscribe(oauth);
    guarded();
    const began = performance.now();
    for (let n = 0; n < 50; n++) {
      await Promise.all(Array.from({ length: 10 }, createPage));
      await atrium.drain();
      const ahead_ms = (n + 1) * 130 - (performance.now() - began);
      if (ahead_ms > 0) await new Promise((resolve) => setTimeout(resolve, ahead_ms));
    }
    assert.equal(receiver.received.length, 500);
    assert.deepEqual(await failuresOf(webhook), []);
    const tokens = new Set(receiver.received.map(({ headers }) => headers.authorization)).size;
    assert.ok(tokens >= 2 && requests.length === tokens, `${tokens} tokens, fetched ${requests.length} times`);
    await end(webhook);
  });

  test('a token is fetched once for all that wait for it; a 401 fetches a new one, once', async () => {
    const webhook = await subscribe(oauth);
    guarded();
    await Promise.all(Array.from({ length: 20 }, createPage));
    await atrium.drain();
    assert.equal(requests.length, 1);
    for (const { headers } of receiver.received.splice(0))
      await (await provider.ClientCredentials.find(headers.authorization?.slice(7) ?? ''))?.destroy();
    await createPage();
    await atrium.drain();
    assert.deepEqual([receiver.received.length, requests.length, await failuresOf(webhook)], [2, 2, []]);
    receiver.received.length = 0;
    receiver.answer = answering(401);
    await createPage();
    await atrium.drain();
    assert.deepEqual([receiver.received.length, requests.length, await failuresOf(webhook)], [2, 3, ['status_401']]);
    await end(webhook);
  });

  test('custom form parameters are sent along; the standard headers stay', async () => {
    const webhook = await subscribe({ ...oauth, form_params: { scope: 'events:write' } });
    receiver.answer = async (response, { headers }) => {
      const token = await provider.ClientCredentials.find(headers.authorization?.slice(7) ?? '');
      answering(token?.scope === 'events:write' && headers['webhook-signature'] ? 204 : 401)(response);
    };
    await createPage();
    await atrium.drain();
    assert.deepEqual(await failuresOf(webhook), []);
    await end(webhook);
  });

  for (const [what, authentication, failure] of [
    ['a wrong secret', { ...oauth, client_secret: 'other' }, 'token_status_401'],
    ['a login server that is away', { ...oauth, login_url: 'http://127.0.0.1:2/token' }, 'token_connection_refused'],
    ['an answer without a token', { ...oauth, login_url: `${receiver.url}/no-token` }, 'token_invalid'],
  ] as const) {
    test(`${what} is a failed attempt with a name of its own, and no event goes out`, async () => {
      const webhook = await subscribe(authentication);
      receiver.answer = answering(200, '{"access_token":"two\\nlines"}');
      await createPage();
      await atrium.drain();
      assert.deepEqual(
        [await failuresOf(webhook), receiver.received.filter(({ path }) => path === '/hook')],
        [[failure], []],
      );
      await end(webhook);
    });
  }

  test('a replaced secret is used at once; one that is left out is kept', async () => {
    const webhook = await subscribe({ ...oauth, client_secret: 'wrong' });
    guarded();
    const replace = (authentication: object) =>
      atrium.call('PUT', `/v1/admin/webhooks/${webhook.id}`, {
        json: { name: 'Replaced', url: receiver.url, events: ['page.created'], content_scope: 'all', authentication },
      });
    assert.equal((await replace(oauth)).status, 200);
    assert.equal((await replace({ ...oauth, client_secret: undefined })).status, 200);
    await createPage();
    await atrium.drain();
    assert.deepEqual([await failuresOf(webhook), receiver.received.length], [[], 1]);
    await end(webhook);
  });
});
