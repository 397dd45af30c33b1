// The client in this process; `npm run test:sdk` runs the same checks on other versions of Node and in a browser.
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { SignJWT } from 'jose';
import { WebSocket } from 'ws';
import { startAtrium } from '../server/testing/atrium.ts';
import { findingsIn } from '../server/testing/findings.ts';
import { openChat } from './chat.js';
import { createClient } from './client.js';
import { checksIn } from './testing/checks.js';
import { checkedWorld } from './testing/world.ts';

const atrium = await startAtrium();
const { given, proxy } = await checkedWorld(atrium, 3_000_000);
after(() => assert.deepEqual(proxy.violations, []));

describe('the client', () => {
  for (const [name, check] of Object.entries(checksIn({ ...given, inspect: hidden, WebSocket }))) test(name, check);
});

function hidden(value: unknown) {
  return inspect(value, { depth: 20, showHidden: true });
}

test('a JWT is made anew for every attempt, since each is good for one; the chat opens with one', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'own' }] };
  await atrium.call('PUT', '/v1/admin/apps/1/jwt-settings', { json: { jwks, scopes: ['*'] } });
  const jwt = () => {
    const exp = Math.floor(atrium.clock.micros() / 1_000_000) + 300;
    const claims = { iss: '1', sub: String(given.ben_id), jti: randomUUID(), exp };
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'own' }).sign(privateKey);
  };
  const wait = async () => {};
  const ben = createClient({ baseUrl: given.url, organisationId: 1, jwt, jwtKeyId: 'own', wait });
  const trouble = { headers: { 'x-trouble': 'jwt 2 cut-after' } };
  const { data } = await ben.listChannels({}, trouble);
  assert.ok(Array.isArray(data));
  const chat = openChat(ben, { WebSocket });
  for await (const event of chat) {
    assert.ok(event.event === 'ready' && event.user_id === given.ben_id);
    break;
  }
});

test('the request log finds no fault with it', async () => assert.deepEqual(await findingsIn(atrium), []));
