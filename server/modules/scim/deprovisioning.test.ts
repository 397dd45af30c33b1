import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { everythingOf, personWithPassword, trustedApp } from '../../testing/leavers.ts';
import { scimOf } from '../../testing/scim.ts';
import { connectTestSocket, openTestSocket } from '../../testing/sockets.ts';
import { PASSWORD } from '../../testing/world.ts';

const atrium = await startAtrium();
const scim = scimOf(atrium);
const jwtFor = await trustedApp(atrium);
const active = (value: unknown) => ({ body: { Operations: [{ op: 'replace', path: 'active', value }] } });

const ways: Record<string, (id: number) => Promise<number>> = {
  'PATCH by SCIM': async (id) => (await scim('PATCH', `/Users/${id}`, active('False'))).status,
  'PUT by SCIM': async (id) => {
    const { body } = await scim('GET', `/Users/${id}`);
    return (await scim('PUT', `/Users/${id}`, { body: { ...body, active: false } })).status;
  },
  'DELETE by SCIM': async (id) => ((await scim('DELETE', `/Users/${id}`)).status === 204 ? 200 : 500),
  'POST /Bulk': async (id) =>
    (
      await scim('POST', '/Bulk', {
        body: { Operations: [{ method: 'PATCH', path: `/Users/${id}`, data: active(false).body }] },
      })
    ).body.Operations[0].status === '200'
      ? 200
      : 500,
  'DELETE by the API': async (id) => (await atrium.call('DELETE', `/v1/users/${id}`)).status,
  'PUT by the API': async (id) => {
    const { email, first_name, last_name } = (await atrium.call('GET', `/v1/users/${id}`)).body.data;
    return (await atrium.call('PUT', `/v1/users/${id}`, { json: { email, first_name, last_name, is_active: false } }))
      .status;
  },
};
let number = 0;
for (const [way, leave] of Object.entries(ways))
  test(`${way} ends every way in before the answer, and leaves a receipt and one event`, async () => {
    const person = await personWithPassword(atrium, number++);
    const { session, key, feed } = await everythingOf(atrium, person);
    const socket = await openTestSocket(atrium.url, { cookie: session.cookie });
    const statuses = async () => [
      (await session.call('GET', '/v1/sessions/current')).status,
      (await atrium.call('GET', '/v1/pages', { key })).status,
      (await atrium.call('GET', '/v1/chat/channels', { key: null, headers: await jwtFor(person) })).status,
      (await atrium.call('GET', feed, { key: null, service_id: null })).status,
    ];
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    assert.equal(await leave(person.id), 200);
    assert.deepEqual(await statuses(), [401, 401, 401, 404]);
    assert.equal(await socket.closed, 4401);
    assert.deepEqual(await atrium.rows(`select id from jobs where kind = 'remind'`), []);
    assert.deepEqual(await atrium.rows('select id from push_subscriptions where user_id = $1', [person.id]), []);
    assert.equal(
      (await atrium.call('POST', '/v1/sessions', { key: null, json: { email: person.email, password: PASSWORD } }))
        .status,
      401,
    );
    const [receipt] = (await atrium.call('GET', `/v1/admin/provisioning/receipts?user_id=${person.id}`)).body.data;
    assert.deepEqual(
      [receipt.ended, receipt.via],
      [
        {
          sessions: 1,
          passcodes: 0,
          grants: 0,
          drafts: 0,
          socket_tickets: 0,
          personal_keys: 1,
          push_subscriptions: 1,
          calendar_feeds: 1,
          jobs: 1,
        },
        way.includes('API') ? 'key' : 'scim',
      ],
    );
    const events = (await atrium.outbox())
      .filter(({ payload }) => payload.user?.id === person.id)
      .map(({ action }) => action);
    assert.deepEqual(events, [
      'user.created',
      ...(way === 'PUT by the API' ? ['user.updated'] : []),
      'user.deactivated',
    ]);
    const user = (await atrium.call('GET', `/v1/users/${person.id}`)).body.data;
    assert.deepEqual([user.is_active, user.has_access], [false, false]);
  });

test('reactivation restores access and not the old session, key, calendar address or job', async () => {
  const person = await personWithPassword(atrium, number++);
  const { session, key, feed } = await everythingOf(atrium, person);
  await scim('PATCH', `/Users/${person.id}`, active(false));
  assert.equal((await scim('PATCH', `/Users/${person.id}`, active(true))).body.active, true);
  assert.equal((await session.call('GET', '/v1/sessions/current')).status, 401);
  assert.equal((await atrium.call('GET', '/v1/pages', { key })).status, 401);
  assert.equal((await atrium.call('GET', feed, { key: null, service_id: null })).status, 404);
  await signIn(atrium, person.email, PASSWORD);
  assert.deepEqual(
    (await atrium.outbox())
      .filter(({ payload }) => payload.user?.id === person.id)
      .map(({ action }) => action)
      .slice(1),
    ['user.deactivated', 'user.reactivated'],
  );
});

test('a personal key never does more than its person may, and a role that is taken away is gone from it', async () => {
  const person = await personWithPassword(atrium, number++);
  await atrium.call('PUT', `/v1/admin/users/${person.id}/roles`, { json: { roles: ['it_admin'] } });
  const session = await signIn(atrium, person.email, PASSWORD);
  assert.equal((await session.call('POST', '/v1/keys', { json: { name: 'All', scopes: ['*'] } })).status, 403);
  const { api_key, id } = (
    await session.call('POST', '/v1/keys', { json: { name: 'Users', scopes: ['users.*.write'] } })
  ).body.data;
  const write = async () => (await atrium.call('DELETE', '/v1/users/999999', { key: api_key })).status;
  assert.equal(await write(), 404);
  await atrium.call('PUT', `/v1/admin/users/${person.id}/roles`, { json: { roles: [] } });
  assert.equal(await write(), 403);
  assert.deepEqual(
    (await session.call('GET', '/v1/keys')).body.data.map((key: { id: number }) => key.id),
    [id],
  );
  assert.equal((await session.call('DELETE', `/v1/keys/${id}`)).status, 200);
  assert.equal(await write(), 401);
});

test('what the person made for the organisation works on, and is counted in the receipt', async () => {
  const person = await personWithPassword(atrium, number++);
  await atrium.call('PUT', `/v1/admin/users/${person.id}/roles`, {
    json: { roles: ['developer', 'it_admin', 'admin'] },
  });
  const session = await signIn(atrium, person.email, PASSWORD);
  const make = async (path: string, json: object) => {
    const { status, body } = await session.call('POST', path, { json });
    assert.equal(status, 201, JSON.stringify(body));
    return body.data;
  };
  const { api_key } = await make('/v1/admin/apps/1/keys', { name: 'Shop', scopes: ['pages.*.read'] });
  await make('/v1/admin/provisioning/secrets', { provider: 'idp-b' });
  await make('/v1/admin/webhooks', {
    name: 'Shop',
    url: 'https://hooks.example.com/shop',
    events: ['kudos.published'],
  });
  await make('/v1/spaces', { name: 'Mine alone' });
  const { id: shared } = await make('/v1/spaces', { name: 'Ours' });
  await atrium.call('PATCH', `/v1/spaces/${shared}/users`, { json: { ids_to_set_as_owner: [1] } });
  await scim('PATCH', `/Users/${person.id}`, active(false));
  assert.equal((await atrium.call('GET', '/v1/pages', { key: api_key })).status, 200);
  const [receipt] = (await atrium.call('GET', `/v1/admin/provisioning/receipts?user_id=${person.id}`)).body.data;
  assert.deepEqual(receipt.left_behind, { app_keys: 1, scim_secrets: 1, webhooks: 1, bots: 0, spaces: 1 });
});

test('a bot has nothing to say to somebody who left, and is heard again when they are back', async () => {
  const person = await personWithPassword(atrium, number++);
  const opened = await atrium.call('POST', '/v1/chat/bots/channels', {
    json: { bot_userid: 'bot_helpdesk', user_id: person.id },
  });
  const { channel_url } = opened.body;
  const say = () =>
    atrium.call('POST', '/v1/chat/bots/message', {
      json: { bot_userid: 'bot_helpdesk', channel_url, type: 'message', message: 'Hello' },
    });
  assert.equal((await say()).status, 200, JSON.stringify(opened.body));
  await scim('PATCH', `/Users/${person.id}`, active(false));
  assert.equal((await say()).body.code, 'bot_not_in_channel');
  await scim('PATCH', `/Users/${person.id}`, active(true));
  assert.equal((await say()).status, 200);
});

test(`has_access=false signs a frontline person out before the answer, \
sockets included; keys work again with access`, async () => {
  const person = await personWithPassword(atrium, number++);
  const put = (has_access: boolean) =>
    atrium.call('PUT', '/v1/users/frontline-status', {
      json: { users: [{ external_id: `L-${number - 1}`, is_frontline: true, has_access }] },
    });
  const { session, key } = await everythingOf(atrium, person);
  const socket = await openTestSocket(atrium.url, { cookie: session.cookie });
  assert.equal((await put(false)).status, 200);
  assert.equal(await socket.closed, 4401);
  assert.equal((await atrium.call('GET', '/v1/pages', { key })).status, 401);
  await put(true);
  assert.equal((await session.call('GET', '/v1/sessions/current')).status, 401);
  assert.equal((await atrium.call('GET', '/v1/pages', { key })).status, 200);
});

test('a socket that has not said hello is closed too', async () => {
  const person = await personWithPassword(atrium, number++);
  const { session } = await everythingOf(atrium, person);
  const socket = await connectTestSocket(atrium.url, { cookie: session.cookie });
  await scim('PATCH', `/Users/${person.id}`, active(false));
  assert.equal(await socket.closed, 4401);
});

test('two nodes, the same create 50 times at once: one 201, 49 times 409 uniqueness, one row', async () => {
  const nodes = [scim, scimOf(await atrium.secondNode())];
  const body = {
    userName: 'fifty@northwind.example',
    externalId: 'fifty',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Brand new' },
  };
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (nodes[n % 2] as typeof scim)('POST', '/Users', { body })),
  );
  assert.deepEqual(
    Object.entries(Object.groupBy(replies, ({ status }) => String(status))).map(([status, all]) => [
      status,
      all?.length,
    ]),
    [
      ['201', 1],
      ['409', 49],
    ],
  );
  assert.ok(replies.every(({ status, body: answer }) => status === 201 || answer.scimType === 'uniqueness'));
  assert.equal((await atrium.rows(`select id from users where email = 'fifty@northwind.example'`)).length, 1);
  assert.equal((await atrium.rows(`select id from teams where name = 'Brand new'`)).length, 1);
});

test('two nodes, the same former person created 50 times at once: one comes back, 49 times 409', async () => {
  const nodes = [scim, scimOf(await atrium.secondNode())];
  const person = await personWithPassword(atrium, number++);
  await scim('DELETE', `/Users/${person.id}`);
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      (nodes[n % 2] as typeof scim)('POST', '/Users', { body: { userName: person.email.toUpperCase() } }),
    ),
  );
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array.from({ length: 49 }, () => 409)]);
  assert.equal(replies.find(({ status }) => status === 201)?.body.id, String(person.id));
});
