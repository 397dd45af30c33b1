// Reactions: one a person, counts exact whatever comes at once, and a like is one of them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { randomOf } from '../../testing/random.ts';
import { reactionNames } from '../content/contract.ts';
import { things } from './contract.ts';

const atrium = await startAtrium();
const [emi, dmitri] = await Promise.all(
  ['emi.tanaka', 'dmitri.petrov'].map((name) => signIn(atrium, `${name}@northwind.example`)),
);
type Person = NonNullable<typeof emi>;
const [emis, dmitris] = [(emi as Person).call, (dmitri as Person).call];
// biome-ignore lint/suspicious/noExplicitAny: rows of every family.
type Row = any;
const data = async (call: typeof atrium.call, method: string, path: string, json?: object): Promise<Row> =>
  (await call(method, path, json ? { json } : {})).body.data;
const paths: Record<string, string> = { page: 'pages', article: 'articles', update: 'updates', event: 'events' };
const pathOf = (type: string, id: number) => `/v1/${paths[type] ?? (type === 'comment' ? 'comments' : type)}/${id}`;
const newUpdate = async (): Promise<number> => (await data(atrium.call, 'POST', '/v1/updates', { text: 'x' })).id;
const react = (call: typeof atrium.call, id: number, reaction: string, more: object = {}) =>
  call('PUT', `/v1/reactions/update/${id}`, { json: { reaction, ...more } });

describe('reactions', () => {
  for (const type of things)
    test(`to ${type} content: another takes the place of the first, and the like is the interface's`, async () => {
      const { reactions, ...row } = await data(dmitris, 'GET', pathOf(type, 1));
      // Pages say it in their reactions alone.
      const likes_count = row.likes_count ?? reactions.like ?? 0;
      const state = async () => {
        const row = await data(dmitris, 'GET', pathOf(type, 1));
        return [row.likes_count ?? row.reactions.like ?? 0, row.reactions, row.viewer.liked_by_me, row.viewer.reaction];
      };
      assert.equal(reactions.like ?? 0, likes_count);
      const path = `/v1/reactions/${type}/1`;
      const answer = await data(dmitris, 'PUT', path, { reaction: 'thanks' });
      assert.deepEqual([answer.reaction, answer.reactions.thanks], ['thanks', 1]);
      assert.deepEqual(await state(), [likes_count, { ...reactions, thanks: 1 }, false, 'thanks']);
      await dmitris('PUT', path, { json: { reaction: 'like' } });
      const liked = { ...reactions, like: likes_count + 1 };
      assert.deepEqual(await state(), [likes_count + 1, liked, true, 'like']);
      await dmitris('PUT', path, { json: { reaction: 'sad' } });
      const rows = await data(dmitris, 'GET', path);
      const own = rows.find((row: Row) => row.user_id === dmitri?.user.id);
      assert.deepEqual([own.reaction, own.user.id], ['sad', dmitri?.user.id]);
      const { body } = await dmitris('GET', `${path}?reaction=sad`);
      assert.deepEqual([body.data.length, body.meta.pagination.total_records], [1, 1]);
      for (const [n, expected] of [null, null].entries()) {
        const taken = await data(dmitris, 'DELETE', path);
        assert.deepEqual([taken.reaction, taken.reactions], [expected, reactions], `time ${n}`);
      }
      assert.deepEqual(await state(), [likes_count, reactions, false, null]);
    });

  test('a like takes the place of another reaction, and taking a like back leaves another reaction', async () => {
    const id = await newUpdate();
    await react(emis, id, 'laugh');
    assert.equal((await data(emis, 'DELETE', `/v1/updates/${id}/likes`)).likes_count, 0);
    assert.deepEqual((await data(emis, 'GET', `/v1/updates/${id}`)).reactions, { laugh: 1 });
    assert.deepEqual(await data(emis, 'GET', `/v1/updates/${id}/likes`), []);
    await emis('POST', `/v1/updates/${id}/likes`, { json: {} });
    assert.deepEqual((await data(emis, 'GET', `/v1/updates/${id}`)).reactions, { like: 1 });
    assert.equal((await data(emis, 'GET', `/v1/updates/${id}/likes`)).length, 1);
  });

  test('of many at once, by few people, the counts are those of the rows', async () => {
    const id = await newUpdate();
    const random = randomOf(94);
    const people = [emis, dmitris];
    await Promise.all(
      Array.from({ length: 60 }, () => {
        const call = random.pick(people);
        const kind = random.next();
        if (kind < 0.2) return call('DELETE', `/v1/reactions/update/${id}`);
        if (kind < 0.3) return call('DELETE', `/v1/updates/${id}/likes`);
        if (kind < 0.4) return call('POST', `/v1/updates/${id}/likes`, { json: {} });
        return react(call, id, random.pick(reactionNames));
      }),
    );
    await react(dmitris, id, 'surprise');
    const { reactions, likes_count } = await data(emis, 'GET', `/v1/updates/${id}`);
    const counted: Record<string, number> = {};
    for (const { reaction } of await data(emis, 'GET', `/v1/reactions/update/${id}`))
      counted[reaction] = (counted[reaction] ?? 0) + 1;
    assert.deepEqual(reactions, counted);
    assert.equal(likes_count, counted.like ?? 0);
  });

  test('who does not see it neither reacts nor reads who did; what is gone is a 404', async () => {
    const space = await data(atrium.call, 'POST', '/v1/spaces', { name: 'Hidden', visibility: 'hidden' });
    const audience = { type: 'spaces', spaces: [space.id] };
    const { id } = await data(atrium.call, 'POST', '/v1/updates', { text: 'x', audience });
    const { id: comment } = await data(atrium.call, 'POST', `/v1/updates/${id}/comments`, { text: 'x' });
    for (const thing of [
      { type: 'update', id },
      { type: 'comment', id: comment },
      { type: 'kudos', id: 999_999 },
    ]) {
      const path = `/v1/reactions/${thing.type}/${thing.id}`;
      for (const [method, json] of [['PUT', { reaction: 'sad' }], ['GET'], ['DELETE']] as const)
        assert.equal((await emis(method, path, { json })).status, 404);
    }
    const narrow = await atrium.keyWith(['likes.*.*']);
    const json = { reaction: 'sad', user_external_id: 'E-1004' };
    assert.equal((await atrium.call('PUT', '/v1/reactions/update/1', { key: narrow, json })).status, 403);
  });

  test('an app reacts for people, at the time of an import, and for nobody who does not exist', async () => {
    const id = await newUpdate();
    const at = '2020-02-02T00:00:00.000000Z';
    const more = { user_external_id: 'E-1004', created_at: at };
    await react(atrium.call, id, 'celebrate', more);
    await react(atrium.call, id, 'celebrate', { ...more, created_at: '2021-02-02T00:00:00.000000Z' });
    const [{ created_at, user_external_id }] = await data(atrium.call, 'GET', `/v1/reactions/update/${id}`);
    assert.deepEqual([created_at, user_external_id], [at, 'E-1004'], 'the same again changes nothing');
    const refused = await react(atrium.call, id, 'celebrate', { user_external_id: 'nobody' });
    assert.deepEqual([refused.status, refused.body.meta.errors[0].path], [400, 'user_external_id']);
  });
});
