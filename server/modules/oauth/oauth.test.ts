// A person lets an assistant in: the protocol's own client finds its way from the refusal at /mcp to a token.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { type OAuthTokens, UnauthorizedError } from '@modelcontextprotocol/client';
import { Assistant } from '../../testing/assistant.ts';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium({ mcp: 'on' });
const admin = { name: 'Northwind', domain: atrium.url };
assert.equal((await atrium.call('PUT', '/v1/admin/organisation', { json: admin })).status, 200);
const callback = 'http://127.0.0.1:7777/callback';

const email = 'ben.lindqvist@northwind.example';
const { call, user } = await signIn(atrium, email);

/** As the page does it, from the address to which the program has sent the person. */
async function agreed(asked: URL | undefined, more: object = {}) {
  const { response_type, ...given } = Object.fromEntries(asked?.searchParams ?? []);
  assert.equal(response_type, 'code');
  const { body } = await call('POST', '/v1/oauth/authorization', { json: { ...given, ...more } });
  return new URL(body.data.redirect_to).searchParams;
}
async function letIn(more: object = {}) {
  const assistant = new Assistant(atrium.url, callback);
  await assert.rejects(assistant.connect(), UnauthorizedError);
  const back = await agreed(assistant.asked, more);
  await assistant.transport().finishAuth(back);
  return assistant;
}
const namesOf = async (client: Awaited<ReturnType<Assistant['connect']>>) =>
  (await client.listTools()).tools.map(({ name }) => name);
const token = (form: object) =>
  atrium.call('POST', '/oauth/token', { key: null, urlencoded: new URLSearchParams({ ...form }).toString() });

test('registered, asked, agreed: the assistant acts as the person, as far as they have granted', async () => {
  const assistant = await letIn();
  const client = await assistant.connect();
  const who = await client.callTool({ name: 'getUser', arguments: { id: user.id } });
  assert.equal((who.structuredContent as { data: { email: string } }).data.email, email);
  assert.equal(assistant.kept?.scope, 'read write');
  assert.ok((await namesOf(client)).includes('createUpdate'));
  const reader = await (await letIn({ scope: 'read' })).connect();
  assert.ok(!(await namesOf(reader)).includes('createUpdate'));
  const { body } = await call('GET', '/v1/oauth/grants');
  assert.deepEqual(
    body.data.map(({ program, scopes }: { program: { name: string }; scopes: string[] }) => [program.name, scopes]),
    [
      ['Judge', ['read']],
      ['Judge', ['read', 'write']],
    ],
  );
  const ended = await call('DELETE', `/v1/oauth/grants/${body.data[1].id}`);
  assert.equal(ended.status, 200);
  const headers = { Authorization: `Bearer ${assistant.kept?.access_token}` };
  assert.equal((await atrium.call('POST', '/mcp', { key: null, json: {}, headers })).status, 401);
});

test('a token is good for /mcp alone, for an hour, and is renewed once', async () => {
  const assistant = await letIn();
  const first = assistant.kept as OAuthTokens;
  const direct = { key: null, headers: { Authorization: `Bearer ${first.access_token}` } };
  assert.equal((await atrium.call('GET', '/v1/users', direct)).status, 401);
  atrium.clock.advance(61 * 60_000);
  await assistant.connect();
  assert.notEqual(assistant.kept?.access_token, first.access_token, 'the client has renewed it by itself');
  const client_id = String(assistant.clientInformation()?.client_id);
  const form = { grant_type: 'refresh_token', client_id, refresh_token: String(first.refresh_token) };
  assert.equal((await token(form)).body.error, 'invalid_grant');
  const renewed = { ...form, refresh_token: String(assistant.kept?.refresh_token) };
  assert.equal((await token(renewed)).body.error, 'invalid_grant', 'in two hands: all of it has ended');
});

test('a code is good once, in its minute, for its program, verifier and address', async () => {
  const register = { redirect_uris: [callback], client_name: 'Second' };
  const { body: client } = await atrium.call('POST', '/oauth/register', { key: null, json: register });
  const code_verifier = 'v'.repeat(43);
  const asked = {
    client_id: client.client_id,
    redirect_uri: 'http://127.0.0.1:9999/callback',
    code_challenge: hash('sha256', code_verifier, 'base64url'),
    code_challenge_method: 'S256',
  };
  const code = async () => {
    const { body } = await call('POST', '/v1/oauth/authorization', { json: asked });
    return String(new URL(body.data.redirect_to).searchParams.get('code'));
  };
  const form = async () => ({
    grant_type: 'authorization_code',
    client_id: client.client_id,
    code_verifier,
    code: await code(),
  });
  const wrong = [{ code_verifier: 'w'.repeat(43) }, { client_id: 'x' }, { redirect_uri: 'https://evil.example/' }];
  for (const other of wrong) assert.equal((await token({ ...(await form()), ...other })).body.error, 'invalid_grant');
  const late = await form();
  atrium.clock.advance(61_000);
  assert.equal((await token(late)).body.error, 'invalid_grant');
  const good = await form();
  const answers = await Promise.all([token(good), token(good), token(good)]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400]);
  const access_token = answers.find(({ status }) => status === 200)?.body.access_token;
  const headers = { Authorization: `Bearer ${access_token}` };
  assert.equal((await token(good)).status, 400);
  assert.equal((await atrium.call('POST', '/mcp', { key: null, json: {}, headers })).status, 401, 'used twice: ended');
  const plain = await call('POST', '/v1/oauth/authorization', { json: { ...asked, code_challenge_method: 'plain' } });
  assert.equal(plain.status, 400);
});

test('where a program may send people is what it has registered, and nothing that a browser acts on', async () => {
  for (const uri of [
    'http://example.org/',
    'javascript:alert(1)',
    'https://a.example/#x',
    'data:text/html,x',
    'x',
    7,
  ]) {
    const { status, body } = await atrium.call('POST', '/oauth/register', {
      key: null,
      json: { redirect_uris: [uri] },
    });
    assert.deepEqual([status, body.error], [400, 'invalid_redirect_uri'], String(uri));
  }
  const redirect_uris = ['https://app.example/back', 'cursor://back'];
  const { body } = await atrium.call('POST', '/oauth/register', { key: null, json: { redirect_uris } });
  const ask = (redirect_uri: string, client_id = body.client_id) =>
    call('GET', `/v1/oauth/authorization?${new URLSearchParams({ client_id, redirect_uri })}`);
  assert.equal((await ask('https://app.example/back')).body.data.redirect_host, 'app.example');
  assert.equal((await ask('https://app.example:444/back')).status, 400);
  assert.equal((await ask('https://app.example/back', 'nobody')).body.code, 'unknown_client');
  assert.equal((await atrium.call('GET', '/v1/oauth/grants')).status, 403, 'a key has granted nothing');
});

test('who leaves is represented by nobody', async () => {
  const assistant = await letIn();
  await atrium.call('DELETE', `/v1/users/${user.id}`);
  const form = {
    grant_type: 'refresh_token',
    client_id: String(assistant.clientInformation()?.client_id),
    refresh_token: String(assistant.kept?.refresh_token),
  };
  assert.equal((await token(form)).body.error, 'invalid_grant');
  const headers = { Authorization: `Bearer ${assistant.kept?.access_token}` };
  assert.equal((await atrium.call('POST', '/mcp', { key: null, json: {}, headers })).status, 401);
});
