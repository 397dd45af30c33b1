import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { signIn, startAtrium, type TestAtrium } from '../../testing/atrium.ts';
import { scimOf } from '../../testing/scim.ts';
import { PASSWORD } from '../../testing/world.ts';

const atrium = await startAtrium();
const scim = scimOf(atrium);
const active = (value: unknown) => ({ body: { Operations: [{ op: 'replace', path: 'active', value }] } });

async function personWithPassword(target: TestAtrium, n: number) {
  const email = `leaver.${n}@northwind.example`;
  const { body } = await scimOf(target)('POST', '/Users', {
    body: { userName: email, externalId: `L-${n}`, name: { givenName: 'Lee', familyName: String(n) }, password: PASSWORD },
  });
  return { id: Number(body.id), email };
}
async function everythingOf(target: TestAtrium, { id, email }: { id: number; email: string }) {
  const session = await signIn(target, email, PASSWORD);
  const key = (await session.call('POST', '/v1/keys', { json: { name: 'Mine', scopes: ['pages.*.read'] } })).body.data.api_key as string;
  await target.rows(
    `insert into push_subscriptions (organisation_id, user_id, endpoint, endpoint_sha256, p256dh, auth, user_agent, created_at)
     values (1, $1::bigint, 'https://push.example.com/' || $1, $1::text, 'x', 'y', '', now())`,
    [id],
  );
  await target.rows(
    `insert into jobs (organisation_id, kind, payload, run_at) values (1, 'remind', jsonb_build_object('user_id', $1::bigint), now() + interval '1 day')`,
    [id],
  );
  return { session, key };
}

const ways: Record<string, (id: number) => Promise<number>> = {
  'PATCH by SCIM': async (id) => (await scim('PATCH', `/Users/${id}`, active('False'))).status,
  'PUT by SCIM': async (id) => {
    const { body } = await scim('GET', `/Users/${id}`);
    return (await scim('PUT', `/Users/${id}`, { body: { ...body, active: false } })).status;
  },
  'DELETE by SCIM': async (id) => ((await scim('DELETE', `/Users/${id}`)).status === 204 ? 200 : 500),
  'POST /Bulk': async (id) =>
    (await scim('POST', '/Bulk', { body: { Operations: [{ method: 'PATCH', path: `/Users/${id}`, data: active(false).body }] } })).body
      .Operations[0].status === '200'
      ? 200
      : 500,
  'DELETE by the API': async (id) => (await atrium.call('DELETE', `/v1/users/${id}`)).status,
  'PUT by the API': async (id) => {
    const { email, first_name, last_name } = (await atrium.call('GET', `/v1/users/${id}`)).body.data;
    return (await atrium.call('PUT', `/v1/users/${id}`, { json: { email, first_name, last_name, is_active: false } })).status;
  },
};
let number = 0;
for (const [way, leave] of Object.entries(ways))
  test(`${way} ends session, personal key and pending job before the answer, and leaves a receipt and one event`, async () => {
    const person = await personWithPassword(atrium, number++);
    const { session, key } = await everythingOf(atrium, person);
    assert.equal((await atrium.call('GET', '/v1/pages', { key })).status, 200);
    assert.equal(await leave(person.id), 200);
    assert.equal((await session.call('GET', '/v1/sessions/current')).status, 401);
    assert.equal((await atrium.call('GET', '/v1/pages', { key })).status, 401);
    assert.deepEqual(await atrium.rows(`select id from jobs where kind = 'remind'`), []);
    assert.equal((await atrium.call('POST', '/v1/sessions', { key: null, json: { email: person.email, password: PASSWORD } })).status, 401);
    const [receipt] = (await atrium.call('GET', `/v1/admin/provisioning/receipts?user_id=${person.id}`)).body.data;
    assert.deepEqual(
      [receipt.ended, receipt.via],
      [{ sessions: 1, personal_keys: 1, push_subscriptions: 1, jobs: 1 }, way.includes('API') ? 'key' : 'scim'],
    );
    const events = (await atrium.outbox()).filter(({ payload }) => payload.user?.id === person.id).map(({ action }) => action);
    assert.deepEqual(events, ['user.created', ...(way === 'PUT by the API' ? ['user.updated'] : []), 'user.deactivated']);
    const user = (await atrium.call('GET', `/v1/users/${person.id}`)).body.data;
    assert.deepEqual([user.is_active, user.has_access], [false, false]);
  });

test('reactivation restores access and not the old session, key or job', async () => {
  const person = await personWithPassword(atrium, number++);
  const { session, key } = await everythingOf(atrium, person);
  await scim('PATCH', `/Users/${person.id}`, active(false));
  assert.equal((await scim('PATCH', `/Users/${person.id}`, active(true))).body.active, true);
  assert.equal((await session.call('GET', '/v1/sessions/current')).status, 401);
  assert.equal((await atrium.call('GET', '/v1/pages', { key })).status, 401);
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
  const { api_key, id } = (await session.call('POST', '/v1/keys', { json: { name: 'Users', scopes: ['users.*.write'] } })).body.data;
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

test('what an app’s key made by the person does is told in the receipt, and works on', async () => {
  const person = await personWithPassword(atrium, number++);
  await atrium.call('PUT', `/v1/admin/users/${person.id}/roles`, { json: { roles: ['developer'] } });
  const session = await signIn(atrium, person.email, PASSWORD);
  const { api_key } = (await session.call('POST', '/v1/admin/apps/1/keys', { json: { name: 'Shop', scopes: ['pages.*.read'] } })).body.data;
  await scim('PATCH', `/Users/${person.id}`, active(false));
  assert.equal((await atrium.call('GET', '/v1/pages', { key: api_key })).status, 200);
  const [receipt] = (await atrium.call('GET', `/v1/admin/provisioning/receipts?user_id=${person.id}`)).body.data;
  assert.deepEqual(receipt.left_behind, { app_keys: 1 });
});

/** The order in which the server hands answers to their sockets: what a client reads first is the network's doing. */
const handed: { path: string; status: number }[] = [];
atrium.http.server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
  const end = response.end.bind(response) as (...parts: unknown[]) => ServerResponse;
  response.end = ((...parts: unknown[]) => {
    handed.push({ path: request.url ?? '', status: response.statusCode });
    return end(...parts);
  }) as typeof response.end;
});

test('200 times: with the person’s requests under way, none succeeds after the answer', async () => {
  const person = await personWithPassword(atrium, number++);
  const leaving = `/scim/v2/scim/Users/${person.id}`;
  let [before, after, refused] = [0, 0, 0];
  for (let turn = 0; turn < 200; turn++) {
    const { session, key } = await everythingOf(atrium, person);
    handed.length = 0;
    let running = true;
    const ask = async (request: () => Promise<unknown>) => {
      while (running) await request();
    };
    const asking = [
      ask(() => session.call('GET', '/v1/users/1')),
      ask(() => session.call('GET', '/v1/pages')),
      ask(() => session.call('PUT', '/v1/sessions/current/password', { json: { current_password: 'wrong', new_password: PASSWORD } })),
      ask(() => atrium.call('GET', '/v1/pages', { key })),
      ask(() => session.call('GET', '/v1/sessions/current')),
    ];
    await session.call('GET', '/v1/users/1');
    assert.equal((await scim('PATCH', `/Users/${person.id}`, active(false))).status, 200);
    running = false;
    await Promise.all(asking);
    const answered = handed.findIndex(({ path }) => path === leaving);
    assert.ok(answered > 0);
    handed.forEach(({ status }, place) => {
      if (status === 401) refused++;
      else if (place < answered) before++;
      else if (place > answered && status < 400) after++;
    });
    assert.equal((await scim('PATCH', `/Users/${person.id}`, active(true))).status, 200);
  }
  assert.equal(after, 0);
  assert.ok(before > 100 && refused > 400, `${before} before, ${refused} refused`);
});

test('two nodes, the same create 50 times at once: one 201, 49 times 409 uniqueness, one row', async () => {
  const nodes = [scim, scimOf(await atrium.secondNode())];
  const body = {
    userName: 'fifty@northwind.example',
    externalId: 'fifty',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Brand new' },
  };
  const replies = await Promise.all(Array.from({ length: 50 }, (_, n) => (nodes[n % 2] as typeof scim)('POST', '/Users', { body })));
  assert.deepEqual(
    Object.entries(Object.groupBy(replies, ({ status }) => String(status))).map(([status, all]) => [status, all?.length]),
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
