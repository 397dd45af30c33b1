import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const person = (name: string) => signIn(atrium, `${name}@northwind.example`);
const ada = await person('ada.okafor');
const ben = await person('ben.lindqvist');
const carla = await person('carla.mendes');
const dmitri = await person('dmitri.petrov');
const emi = await person('emi.tanaka');

const direct = async (from: typeof ada, to: typeof ada) =>
  (await from.call('POST', '/v1/chat/channels', { json: { type: 'direct', user_ids: [to.user.id] } })).body.data;
const say = async (from: typeof ada, channel_url: string, message: string) =>
  (await from.call('POST', `/v1/chat/channels/${channel_url}/messages`, { json: { message } })).body.data;

test('two people have one direct channel, whoever opens it and also when both do at once', async () => {
  const opened = await Promise.all([direct(ada, ben), direct(ben, ada), direct(ada, ben), direct(ben, ada)]);
  assert.equal(new Set(opened.map(({ channel_url }) => channel_url)).size, 1);
  assert.deepEqual([opened[0].name, opened[1].name], ['Ben Lindqvist', 'Ada Okafor']);
});

test('what two people say is seen by them alone, and by no key', async () => {
  const channel = await direct(ada, dmitri);
  await say(ada, channel.channel_url, 'Only for you.');
  const path = `/v1/chat/channels/${channel.channel_url}`;
  for (const call of [ben.call, atrium.call]) {
    for (const at of ['', '/messages', '/members']) assert.equal((await call('GET', path + at)).status, 404);
    const listed = (await call('GET', '/v1/chat/channels?take=100')).body.data;
    assert.ok(
      listed.length > 0 && listed.every((each: { channel_url: string }) => each.channel_url !== channel.channel_url),
    );
  }
  assert.equal((await ben.call('POST', `${path}/messages`, { json: { message: 'hello' } })).status, 404);
  assert.equal((await dmitri.call('GET', `${path}/messages`)).body.data[0].text, 'Only for you.');
});

test('unread counts what others wrote after what I read, and reading never goes back', async () => {
  const { channel_url } = await direct(ada, emi);
  const first = await say(ada, channel_url, 'one');
  await say(ada, channel_url, 'two');
  await say(emi, channel_url, 'mine');
  await say(ada, channel_url, 'three');
  const unread = async () => (await emi.call('GET', `/v1/chat/channels/${channel_url}`)).body.data.unread_count;
  assert.equal(await unread(), 1, 'writing marks what was there as read');
  const read = (await emi.call('POST', `/v1/chat/channels/${channel_url}/read`, { json: {} })).body.data;
  assert.deepEqual([read.unread_count, await unread()], [0, 0]);
  const back = (
    await emi.call('POST', `/v1/chat/channels/${channel_url}/read`, { json: { message_id: first.message_id } })
  ).body.data;
  assert.deepEqual([back.read_sequence, back.unread_count], [read.read_sequence, 0]);
});

test('history is newest first with an exact total, also after deleting, and pages by message', async () => {
  const { channel_url } = await direct(ben, emi);
  const sent = [];
  for (let n = 1; n <= 7; n++) sent.push(await say(ben, channel_url, `n${n}`));
  const path = `/v1/chat/channels/${channel_url}/messages`;
  const texts = (reply: { body: { data: { text: string }[] } }) => reply.body.data.map(({ text }) => text);
  assert.equal((await ben.call('DELETE', `${path}/${sent[3].message_id}`)).status, 200);
  const page = await ben.call('GET', `${path}?take=2&skip=1`);
  assert.deepEqual([texts(page), page.body.meta.pagination.total_records], [['n6', 'n5'], 6]);
  assert.deepEqual(texts(await ben.call('GET', `${path}?before=${sent[4].message_id}`)), ['n3', 'n2', 'n1']);
  assert.deepEqual(texts(await ben.call('GET', `${path}?after=${sent[4].message_id}`)), ['n7', 'n6']);
  await atrium.drain();
  assert.equal((await ben.call('GET', path)).body.meta.pagination.total_records, 6);
});

test('only who wrote a message edits it; a moderator who belongs to the channel deletes it', async () => {
  const { channel_url } = (
    await ben.call('POST', '/v1/chat/channels', { json: { type: 'group', name: 'Three', user_ids: [1, 4] } })
  ).body.data;
  const message = await say(ben, channel_url, 'frist');
  const path = `/v1/chat/channels/${channel_url}/messages/${message.message_id}`;
  assert.equal((await ada.call('PUT', path, { json: { message: 'no' } })).status, 403);
  assert.equal((await ben.call('PUT', path, { json: { message: '  ' } })).body.meta.errors[0].path, 'message');
  const edited = (await ben.call('PUT', path, { json: { message: 'first' } })).body.data;
  assert.deepEqual([edited.text, edited.is_edited, edited.sequence > message.sequence], ['first', true, true]);
  assert.equal((await dmitri.call('DELETE', path)).status, 403);
  assert.equal((await carla.call('DELETE', path)).status, 404);
  assert.equal((await ada.call('DELETE', path)).status, 200);
  assert.equal((await ada.call('DELETE', path)).status, 404);
  assert.equal((await ben.call('PUT', path, { json: { message: 'again' } })).status, 404);
});

test('a message that is sent again under the same client_message_id is stored once, also at once', async () => {
  const { channel_url } = await direct(ada, carla);
  const json = { message: 'exactly once', client_message_id: 'c-1' };
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => ada.call('POST', `/v1/chat/channels/${channel_url}/messages`, { json })),
  );
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(replies.map(({ body }) => body.data.message_id)).size, 1);
  assert.equal(
    (await ada.call('GET', `/v1/chat/channels/${channel_url}/messages`)).body.meta.pagination.total_records,
    1,
  );
});

test('members of a group: who opened it removes others, anybody leaves, a contradiction is named', async () => {
  const { channel_url } = (
    await ben.call('POST', '/v1/chat/channels', { json: { type: 'group', name: 'Team', user_ids: [4] } })
  ).body.data;
  const path = `/v1/chat/channels/${channel_url}/members`;
  assert.equal((await carla.call('PATCH', path, { json: { ids_to_add: [3] } })).status, 404, 'nobody adds themselves');
  const added = await dmitri.call('PATCH', path, { json: { external_ids_to_add: ['E-1005', 'E-1003'] } });
  assert.deepEqual([added.body.meta.users_added, added.body.data.member_count], [2, 4]);
  assert.equal(added.body.data.last_message.type, 'ADMM');
  assert.equal((await dmitri.call('PATCH', path, { json: { ids_to_remove: [3] } })).status, 403);
  assert.equal(
    (await carla.call('PATCH', path, { json: { ids_to_add: [1], ids_to_remove: [1] } })).body.meta.errors[0].path,
    'ids_to_add',
  );
  assert.equal((await ben.call('PATCH', path, { json: { ids_to_remove: [3] } })).body.meta.users_removed, 1);
  assert.equal((await carla.call('GET', `/v1/chat/channels/${channel_url}`)).status, 404);
  assert.equal((await emi.call('PATCH', path, { json: { ids_to_remove: [5] } })).status, 200, 'leaving');
  assert.equal((await ben.call('PATCH', path, { json: {} })).status, 400);
  const named = (await ben.call('PATCH', path, { json: { ids_to_add: [5, 999_999] } })).body.meta.errors;
  assert.deepEqual(named, [{ path: 'ids_to_add[1]', message: 'names no user: 999999' }]);
  assert.equal((await ben.call('GET', `${path}?take=1`)).body.meta.pagination.total_records, 2, 'nothing half-written');
});

test(`a space channel has the members of its space and follows them; \
a read-only space lets its editors write`, async () => {
  const opened = await ben.call('POST', '/v1/chat/channels', { json: { type: 'space', space_id: 3 } });
  const { channel_url } = opened.body.data;
  assert.deepEqual([opened.body.data.name, opened.body.data.member_count], ['Sales Berlin', 2]);
  const again = await atrium.call('POST', '/v1/chat/channels', { json: { type: 'space', space_id: 3 } });
  assert.equal(again.body.data.channel_url, channel_url);
  const path = `/v1/chat/channels/${channel_url}`;
  assert.equal((await emi.call('GET', path)).status, 404);
  await say(ben, channel_url, 'Before Emi.');
  await atrium.call('PATCH', '/v1/spaces/3/users', { json: { ids_to_add: [5] } });
  const unread = async () => (await emi.call('GET', path)).body.data.unread_count;
  assert.equal(await unread(), 0, 'what was said before one joined is nothing unread');
  await say(ben, channel_url, 'Hello Emi.');
  assert.equal(await unread(), 1);
  assert.equal((await say(emi, channel_url, 'Here I am.')).text, 'Here I am.');
  await atrium.call('PATCH', '/v1/spaces/3/users', { json: { ids_to_remove: [5] } });
  assert.equal((await emi.call('GET', `${path}/messages`)).status, 404);

  const news = (await ada.call('POST', '/v1/chat/channels', { json: { type: 'space', space_id: 1 } })).body.data
    .channel_url;
  assert.equal(
    (await dmitri.call('POST', `/v1/chat/channels/${news}/messages`, { json: { message: 'me too' } })).status,
    403,
  );
  assert.equal((await say(ada, news, 'News.')).text, 'News.');
  assert.equal((await dmitri.call('GET', `/v1/chat/channels/${news}/messages`)).body.data[0].text, 'News.');

  const { message_id } = await say(ben, channel_url, 'Before.');
  assert.equal((await atrium.call('POST', '/v1/spaces/3/archive')).status, 200);
  const own = `/v1/chat/channels/${channel_url}/messages/${message_id}`;
  assert.equal((await ben.call('PUT', own, { json: { message: 'After.' } })).status, 403, 'editing is writing');
  assert.equal((await ben.call('DELETE', own)).status, 200, 'what one said can be taken back');
});

test('a key without the scope of messages lists channels and reads none of what is said', async () => {
  const key = (
    await ada.call('POST', '/v1/admin/apps/1/keys', { json: { name: 'Channels', scopes: ['chats.channels.read'] } })
  ).body.data.api_key;
  assert.equal((await atrium.call('GET', '/v1/chat/channels', { key })).status, 200);
  assert.equal((await atrium.call('GET', '/v1/chat/channels/demo-group/messages', { key })).status, 403);
});

test('the messages of another organisation are a 404 for every path', async () => {
  const contoso = { key: world.contoso.api_key, service_id: world.contoso.organisation_id };
  for (const path of ['', '/messages', '/members'])
    assert.equal((await atrium.call('GET', `/v1/chat/channels/demo-group${path}`, contoso)).status, 404);
  assert.equal((await atrium.call('GET', '/v1/chat/channels', contoso)).body.data.length, 0);
});

test('pressing a quick reply says its message as mine', async () => {
  const list = (await ada.call('GET', '/v1/chat/channels/demo-ada-bot/messages')).body.data;
  const asked = list.find((message: { data: unknown }) => message.data);
  const path = `/v1/chat/channels/demo-ada-bot/messages/${asked.message_id}/press`;
  const said = await ada.call('POST', path, { json: { label: 'No' } });
  assert.deepEqual(
    [said.status, said.body.data.text, said.body.data.user.id],
    [201, 'No, it still happens.', ada.user.id],
  );
  assert.equal((await ada.call('POST', path, { json: { label: 'Perhaps' } })).body.code, 'button_not_found');
});
