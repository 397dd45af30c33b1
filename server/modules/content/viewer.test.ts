// What content is to the person who reads it, and that what it says comes true.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { contentExamples, contentNouns, plurals } from './contract.ts';

const atrium = await startAtrium();
const [ada, ben, emi, dmitri] = await Promise.all(
  ['ada.okafor', 'ben.lindqvist', 'emi.tanaka', 'dmitri.petrov'].map((name) =>
    signIn(atrium, `${name}@northwind.example`),
  ),
);
type Person = NonNullable<typeof emi>;
const people = { admin: ada, moderator: ben, member: emi, other: dmitri } as Record<string, Person>;
const [emisCall, dmitrisCall] = [(emi as Person).call, (dmitri as Person).call];
// biome-ignore lint/suspicious/noExplicitAny: rows of every family.
type Row = any;
const data = async (call: typeof atrium.call, method: string, path: string, json?: object): Promise<Row> =>
  (await call(method, path, json ? { json } : {})).body.data;

describe('viewer', () => {
  for (const noun of contentNouns) {
    const path = `/v1/${plurals[noun]}`;
    const { id } = contentExamples[noun];
    test(`of ${noun} content: alone, in its list and on its comments, the like is the reader's own`, async () => {
      const under = `${path}/${id}`;
      const comment = await data(emisCall, 'POST', `${under}/comments`, { text: 'Mine' });
      assert.deepEqual(comment.viewer, { liked_by_me: false, reaction: null, may_edit: true, may_delete: true });
      await emisCall('POST', `${under}/likes`, { json: {} });
      await emisCall('POST', `${under}/comments/${comment.id}/likes`, { json: {} });
      for (const [call, isLiked] of [
        [emisCall, true],
        [dmitrisCall, false],
      ] as const) {
        const own = await data(call, 'GET', under);
        const listed = (await data(call, 'GET', `${path}?take=100${noun === 'page' ? '&space_ids=all' : ''}`)).find(
          (row: Row) => row.id === id,
        );
        assert.equal(own.viewer.liked_by_me, isLiked);
        assert.deepEqual(own.viewer, listed.viewer);
        assert.equal('acknowledged_by_me' in own.viewer, ['article', 'update', 'kudos'].includes(noun));
        const [said] = (await data(call, 'GET', `${under}/comments?take=100`)).filter(
          (row: Row) => row.id === comment.id,
        );
        assert.deepEqual([said.viewer.liked_by_me, said.viewer.may_edit], [isLiked, isLiked]);
      }
    });
    test(`of ${noun} content: who may delete can, and nobody else`, async () => {
      for (const person of Object.values(people)) {
        const made = await data(atrium.call, 'POST', path, {
          ...{ text: 'x', title: 'x', html_content: '<p>x</p>' },
          ...{ starts_at: '2030-01-01T09:00:00Z', ends_at: '2030-01-01T10:00:00Z', recipients: { users: [4] } },
        });
        const { viewer } = await data(person.call, 'GET', `${path}/${made.id}`);
        assert.equal(viewer.may_edit, viewer.may_delete);
        const { status } = await person.call('DELETE', `${path}/${made.id}`);
        assert.equal(viewer.may_delete, status === 200, `${status}`);
      }
    });
    test(`of ${noun} content: who may delete a comment can, and nobody else`, async () => {
      for (const person of Object.values(people)) {
        const made = await data(dmitrisCall, 'POST', `${path}/${id}/comments`, { text: 'Said' });
        const { viewer } = await data(person.call, 'GET', `/v1/comments/${made.id}`);
        const put = await person.call('PUT', `/v1/comments/${made.id}`, { json: { text: 'Said better' } });
        assert.equal(viewer.may_edit, put.status === 200, `${put.status}`);
        const { status } = await person.call('DELETE', `/v1/comments/${made.id}`);
        assert.equal(viewer.may_delete, status === 200, `${status}`);
      }
    });
    test(`of ${noun} content: a key is told nothing of it, and events neither`, async () => {
      const own = await data(atrium.call, 'GET', `${path}/${id}`);
      const [listed] = await data(atrium.call, 'GET', `${path}?take=1`);
      const [said] = await data(atrium.call, 'GET', `${path}/${id}/comments?take=1`);
      for (const row of [own, listed, said]) assert.ok(row && !('viewer' in row));
      for (const { payload } of await atrium.outbox())
        for (const row of Object.values(payload)) assert.ok(!('viewer' in row));
    });
  }

  test('a confirmation is of the present version', async () => {
    const text = { text: 'Read me', requires_acknowledgement: true };
    const { id } = await data(atrium.call, 'POST', '/v1/updates', text);
    const isConfirmed = async () => (await data(emisCall, 'GET', `/v1/updates/${id}`)).viewer.acknowledged_by_me;
    assert.equal(await isConfirmed(), false);
    await emisCall('POST', `/v1/updates/${id}/acknowledgement`, { json: {} });
    assert.equal(await isConfirmed(), true);
    await atrium.call('PUT', `/v1/updates/${id}`, { json: { ...text, text: 'Read me again' } });
    assert.equal(await isConfirmed(), false);
  });

  test('in the feed it is the same as alone', async () => {
    const { body } = await emisCall('GET', '/v1/feed?take=100');
    assert.ok(body.data.length > 3);
    for (const { type, id, resource } of body.data) {
      const own = await data(emisCall, 'GET', `/v1/${plurals[type as 'update']}/${id}`);
      assert.deepEqual(resource.viewer, own.viewer);
    }
  });
});
