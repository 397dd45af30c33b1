// What a person is told, and why; what they are not told.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { openTestSocket } from '../../testing/sockets.ts';

const atrium = await startAtrium();
const [ada, ben, dmitri, emi] = [
  await signIn(atrium, 'ada.okafor@northwind.example'),
  await signIn(atrium, 'ben.lindqvist@northwind.example'),
  await signIn(atrium, 'dmitri.petrov@northwind.example'),
  await signIn(atrium, 'emi.tanaka@northwind.example'),
];
type Person = typeof ada;

/** Events reach the worker, then people. */
const settled = async () => {
  await atrium.drain();
  await atrium.drain();
};
// The badges that Northwind's people have by rules.
await settled();
const toldTo = async (person: Person, query = '') => {
  await settled();
  return (await person.call('GET', `/v1/notifications?take=100${query}`)).body.data as {
    id: number;
    topic: string;
    thing: { type: string; id: number; title: string; permalink: string };
    reasons: { reason: string; text: string; people_count: number; comment_id: number | null }[];
    is_read: boolean;
    is_muted: boolean;
  }[];
};
const about = async (person: Person, type: string, id: number) =>
  (await toldTo(person))
    .filter(({ thing }) => thing.type === type && thing.id === id)
    .flatMap(({ topic, reasons }) => reasons.map(({ reason }) => `${topic}: ${reason}`))
    .sort();
const made = async (by: Pick<Person, 'call'>, path: string, json: object) => {
  const { status, body } = await by.call('POST', path, { json });
  assert.ok(status < 300, JSON.stringify(body));
  return body.data.id as number;
};
const post = (by: Person, json: object = {}) => made(by, '/v1/updates', { text: 'Some news', ...json });
const comment = (by: Person, id: number, json: object = {}) =>
  made(by, `/v1/updates/${id}/comments`, { text: 'Well', ...json });
const inSpace = (...spaces: number[]) => ({ audience: { type: 'spaces', spaces } });

describe('a person is told', () => {
  test('of comments on what they wrote, replies and mentions: one row, with every reason once', async () => {
    const id = await post(ben);
    const first = await comment(emi, id);
    await comment(dmitri, id, { comment_parent_id: first, mentioned_user_ids: [2] });
    assert.deepEqual(await about(ben, 'update', id), ['conversation: comment', 'conversation: mention']);
    assert.deepEqual(await about(emi, 'update', id), ['conversation: reply']);
    assert.deepEqual(await about(dmitri, 'update', id), [], 'nobody hears of their own act');
    const [row] = await toldTo(ben);
    assert.equal(row?.thing.title, 'Some news');
    assert.equal(new URL(row?.thing.permalink ?? '').pathname, `/updates/${id}`);
    assert.deepEqual(
      row?.reasons.map(({ text }) => text),
      ['Mentioned by Dmitri Petrov', 'Comment from Emi Tanaka'],
    );
    const [inGerman] = await toldTo(ben, '&language=de-CH');
    assert.equal(inGerman?.reasons[1]?.text, 'Kommentar von Emi Tanaka');
  });

  test('of a mention in a post, in its translation and in a draft once it is out, each time once', async () => {
    const named = (id: number) => `<p><a data-user-id="${id}" href="/x">@x</a></p>`;
    const article = { title: 'T', html_content: named(4), is_draft: true };
    const { body } = await ada.call('POST', '/v1/articles', { json: article });
    const { id } = body.data;
    assert.deepEqual(await about(dmitri, 'article', id), []);
    const out = { ...article, is_draft: false };
    assert.equal((await ada.call('PUT', `/v1/articles/${id}`, { json: out })).status, 200);
    assert.deepEqual(await about(dmitri, 'article', id), ['conversation: mention']);
    await ada.call('PUT', `/v1/articles/${id}`, { json: { ...out, language: 'de', html_content: named(5) } });
    assert.deepEqual(await about(emi, 'article', id), ['conversation: mention']);
  });

  test('of kudos, of a badge, of what is to be confirmed, again where it has changed', async () => {
    const kudos = await made(ben, '/v1/kudos', { text: 'Thanks', recipients: { users: [2, 4] } });
    assert.deepEqual(await about(dmitri, 'kudos', kudos), ['kudos: kudos']);
    assert.deepEqual(await about(ben, 'kudos', kudos), []);
    const badge = await made(atrium, '/v1/badges', { title: 'Night owl' });
    await atrium.call('POST', `/v1/badges/${badge}/users`, { json: { user_ids: [5] } });
    assert.deepEqual(await about(emi, 'badge', badge), ['badge: badge']);
    const asked = { text: 'Read me', requires_acknowledgement: true, ...inSpace(2) };
    const id = await post(ada, asked);
    assert.deepEqual(await about(emi, 'update', id), ['must_read: must_read']);
    await emi.call('POST', '/v1/notifications/read', { json: { thing: { type: 'update', id } } });
    await ada.call('PUT', `/v1/updates/${id}`, { json: { ...asked, text: 'Read me again' } });
    assert.ok((await toldTo(emi, '&is_read=0')).some(({ thing }) => thing.type === 'update' && thing.id === id));
  });

  test('of an invitation, of its change and that it does not take place', async () => {
    const times = { starts_at: '2035-01-01T10:00:00Z', ends_at: '2035-01-01T11:00:00Z' };
    const event = { title: 'Party', ...times, ...inSpace(2) };
    const id = await made(ada, '/v1/events', event);
    assert.deepEqual(await about(emi, 'event', id), ['event: invited']);
    await emi.call('POST', `/v1/events/${id}/rsvp`, { json: { status: 'going' } });
    await ada.call('PUT', `/v1/events/${id}`, { json: { ...event, location: 'Roof' } });
    assert.deepEqual(await about(emi, 'event', id), ['event: changed', 'event: invited']);
    assert.deepEqual(await about(dmitri, 'event', id), ['event: invited'], 'who did not answer');
    await ada.call('PUT', `/v1/events/${id}`, { json: { ...event, is_archived: true } });
    assert.deepEqual(await about(emi, 'event', id), ['event: cancelled', 'event: changed', 'event: invited']);
  });

  test('that they were added to a space or given a role; approvers and authors of what is to be approved', async () => {
    const space = await made(ada, '/v1/spaces', { name: 'Cellar', visibility: 'hidden' });
    const change = (json: object) => ada.call('PATCH', `/v1/spaces/${space}/users`, { json });
    assert.equal((await change({ ids_to_add: [5, 2] })).status, 200);
    await change({ ids_to_set_as_moderator: [2] });
    assert.deepEqual(await about(emi, 'space', space), ['space: added']);
    assert.deepEqual(await about(ben, 'space', space), ['space: added', 'space: role_given']);
    assert.deepEqual(await about(ada, 'space', space), []);
    await atrium.rows('update organisations set content_approvals = true where id = 1');
    const id = await post(emi, inSpace(space));
    assert.deepEqual(await about(ben, 'update', id), ['approval: approval_asked']);
    await ben.call('POST', `/v1/updates/${id}/approve`);
    await atrium.rows('update organisations set content_approvals = false where id = 1');
    assert.deepEqual(await about(emi, 'update', id), ['approval: approved']);
  });
});

describe('a person is not told', () => {
  test('of what they may not see: not when it happens, and no more when they lose sight of it', async () => {
    const id = await post(ben, inSpace(3));
    await comment(dmitri, id, { mentioned_user_ids: [5] });
    assert.deepEqual(await about(emi, 'update', id), []);
    assert.deepEqual(await about(ben, 'update', id), ['conversation: comment']);
    const space = await made(ada, '/v1/spaces', { name: 'Attic', visibility: 'hidden' });
    const change = (json: object) => ada.call('PATCH', `/v1/spaces/${space}/users`, { json });
    await change({ ids_to_add: [5] });
    const own = await post(emi, inSpace(space));
    await comment(ada, own);
    await change({ ids_to_remove: [5] });
    assert.deepEqual(await about(emi, 'space', space), []);
    assert.equal((await toldTo(emi)).filter(({ thing }) => thing.type === 'space' && thing.id === space).length, 0);
  });

  test('of what was deleted: comments take their reasons, content its rows', async () => {
    const id = await post(ben);
    const said = await comment(emi, id);
    assert.deepEqual(await about(ben, 'update', id), ['conversation: comment']);
    const before = (await ben.call('GET', '/v1/notifications/count')).body.data.unread_count;
    await emi.call('DELETE', `/v1/comments/${said}`);
    assert.deepEqual(await about(ben, 'update', id), []);
    assert.equal((await ben.call('GET', '/v1/notifications/count')).body.data.unread_count, before - 1);
    await comment(emi, id);
    await ben.call('DELETE', `/v1/updates/${id}`);
    await settled();
    assert.deepEqual(
      await atrium.rows(`select 1 from notifications where thing_type = 'update' and thing_id = ${id}`),
      [],
    );
  });

  test('of what they have switched off or muted; what waits for them is told still', async () => {
    const off = { kinds: [{ kind: 'comment', in_app: false, push: true }] };
    const { body } = await ben.call('PUT', '/v1/notifications/settings', { json: off });
    assert.deepEqual(
      body.data.kinds.find(({ kind }: { kind: string }) => kind === 'comment'),
      { kind: 'comment', in_app: false, push: false },
    );
    const id = await post(ben);
    await comment(emi, id);
    assert.deepEqual(await about(ben, 'update', id), []);
    await ben.call('PUT', '/v1/notifications/settings', {
      json: { kinds: [{ kind: 'comment', in_app: true, push: true }] },
    });
    await ben.call('PUT', `/v1/notifications/mutes/update/${id}`, { json: {} });
    await comment(emi, id, { mentioned_user_ids: [2] });
    assert.deepEqual(await about(ben, 'update', id), []);
    await emi.call('PUT', '/v1/notifications/mutes/space/2', { json: { level: 'personal' } });
    const own = await post(emi, inSpace(2));
    await comment(ben, own);
    assert.deepEqual(await about(emi, 'update', own), [], 'a comment is not personal');
    await comment(ben, own, { mentioned_user_ids: [5] });
    assert.deepEqual(await about(emi, 'update', own), ['conversation: mention']);
    await emi.call('PUT', '/v1/notifications/mutes/space/2', { json: {} });
    const duty = await post(ben, { requires_acknowledgement: true, ...inSpace(2) });
    assert.deepEqual(await about(emi, 'update', duty), ['must_read: must_read']);
    const mutes = (await emi.call('GET', '/v1/notifications/mutes')).body.data;
    assert.deepEqual(
      mutes.map(({ type, id: of, level }: Record<string, unknown>) => [type, of, level]),
      [['space', 2, 'none']],
    );
    assert.equal((await emi.call('DELETE', '/v1/notifications/mutes/space/2')).status, 200);
    assert.equal((await emi.call('DELETE', '/v1/notifications/mutes/space/2')).status, 404);
    assert.equal(
      (await emi.call('PUT', '/v1/notifications/mutes/space/4', { json: {} })).status,
      404,
      'unknown to her',
    );
  });

  test('of what was imported: it happened long ago', async () => {
    const created_at = '2019-01-01T00:00:00Z';
    const kudos = await made(atrium, '/v1/kudos', {
      text: 'Long ago',
      user_id: 2,
      created_at,
      recipients: { users: [4] },
    });
    await made(atrium, `/v1/kudos/${kudos}/comments`, { text: 'Old', user_id: 5, created_at, mentioned_user_ids: [4] });
    assert.deepEqual(await about(dmitri, 'kudos', kudos), []);
    assert.deepEqual(await about(ben, 'kudos', kudos), []);
  });
});

test('read marks: one, all of a thing, all before one; other devices hear of it, nobody marks for others', async () => {
  const socket = await openTestSocket(atrium.url, { cookie: emi.cookie });
  const first = await post(emi);
  await comment(ben, first);
  const second = await post(emi);
  await comment(ben, second);
  const heard = socket.next('notifications.changed');
  await settled();
  await heard;
  const [latest, before] = await toldTo(emi, '&is_read=0');
  assert.deepEqual([latest?.thing.id, before?.thing.id], [second, first]);
  const read = async (person: Person, json: object) =>
    (await person.call('POST', '/v1/notifications/read', { json })).body.data.read_count;
  assert.equal(await read(ben, { ids: [latest?.id, before?.id] }), 0, 'it is not his');
  const again = socket.next('notifications.changed');
  assert.equal(await read(emi, { thing: { type: 'update', id: second } }), 1);
  await again;
  assert.equal(await read(emi, { ids: [latest?.id] }), 0, 'it is read');
  assert.ok((await read(emi, { until_id: before?.id })) >= 1);
  assert.equal((await emi.call('GET', '/v1/notifications/count')).body.data.unread_count, 0);
  assert.equal((await emi.call('GET', '/v1/session')).body.data.unread_notifications, 0);
  await comment(dmitri, second);
  assert.deepEqual(
    (await toldTo(emi, '&is_read=0')).map(({ thing }) => thing.id),
    [second],
    'what is new to it makes it unread',
  );
  await socket.close();
});

test('the requests of notifications.md work as printed', async () => {
  const guide = readFileSync(new URL('../../../docs/guides/notifications.md', import.meta.url), 'utf8');
  const requests = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  assert.equal(requests.length, 2);
  const env = { ...process.env, SESSION: emi.cookie.split('=')[1], CSRF_TOKEN: emi.csrf };
  for (const text of requests) {
    const command = text.replaceAll('http://127.0.0.1:4000', atrium.url);
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
    assert.equal(JSON.parse(stdout).status, 'success', stdout);
  }
});
