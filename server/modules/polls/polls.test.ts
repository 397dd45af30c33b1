// Polls: one vote a person, exact counts whatever comes at once, and results for those who have voted.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { randomOf } from '../../testing/random.ts';

const atrium = await startAtrium();
const [ada, ben, emi, dmitri] = (await Promise.all(
  ['ada.okafor', 'ben.lindqvist', 'emi.tanaka', 'dmitri.petrov'].map((name) =>
    signIn(atrium, `${name}@northwind.example`),
  ),
)) as [Person, Person, Person, Person];
type Person = Awaited<ReturnType<typeof signIn>>;
const ask = async (poll: object = {}, more: object = {}) => {
  const json = { text: 'Where?', poll: { options: ['Park', 'Lake', 'Roof'], ...poll }, ...more };
  return (await atrium.call('POST', '/v1/updates', { json })).body.data;
};
const vote = (who: Person, id: number, ...options: number[]) =>
  who.call('PUT', `/v1/updates/${id}/poll/votes`, { json: { options } });
const pollFor = async (call: typeof atrium.call, id: number) => (await call('GET', `/v1/updates/${id}`)).body.data.poll;
// biome-ignore lint/suspicious/noExplicitAny: replies of several shapes.
type Row = any;
const counts = (poll: Row) => poll.options.map(({ votes_count }: Row) => votes_count);

describe('polls', () => {
  test('results are for those who have voted, for keys, and for everybody once it has ended', async () => {
    const ends_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id, poll } = await ask({ ends_at });
    assert.deepEqual(
      [poll.options.map(({ text }: { text: string }) => text), poll.is_open, poll.is_multiple, poll.voters_count],
      [['Park', 'Lake', 'Roof'], true, false, 0],
    );
    const { data: first } = (await vote(emi, id, 2)).body;
    assert.deepEqual([counts(first), first.my_votes, first.voters_count], [[0, 1, 0], [2], 1]);
    const unseen = await pollFor(dmitri.call, id);
    assert.deepEqual([counts(unseen), unseen.my_votes, unseen.voters_count], [[null, null, null], [], 1]);
    assert.deepEqual(counts(await pollFor(atrium.call, id)), [0, 1, 0]);
    const listed = (await dmitri.call('GET', '/v1/updates?take=100')).body.data.find(
      (row: { id: number }) => row.id === id,
    );
    assert.deepEqual(listed.poll, unseen);
    assert.equal((await dmitri.call('GET', `/v1/updates/${id}/poll/votes`)).status, 403);
    await atrium.rows(`update polls set ends_at = now() - interval '1 hour' where update_id = $1`, [id]);
    const late = await vote(dmitri, id, 1);
    assert.deepEqual([late.status, late.body.code], [409, 'poll_ended']);
    const over = await pollFor(dmitri.call, id);
    assert.deepEqual([over.is_open, counts(over)], [false, [0, 1, 0]]);
  });

  test('a vote is changed and not added; several answers are one voter', async () => {
    const { id } = await ask({ is_multiple: true });
    await vote(emi, id, 1, 3, 3);
    await vote(ben, id, 3);
    const changed = (await vote(emi, id, 2, 3)).body.data;
    assert.deepEqual([counts(changed), changed.my_votes, changed.voters_count], [[0, 1, 2], [2, 3], 2]);
    const { data, meta } = (await emi.call('GET', `/v1/updates/${id}/poll/votes`)).body;
    const voters = Object.fromEntries(data.map(({ user, options }: Row) => [user.id, options]));
    assert.deepEqual(voters, { [ben.user.id]: [3], [emi.user.id]: [2, 3] });
    assert.equal(meta.pagination.total_records, 2);
    const ofOne = (await emi.call('GET', `/v1/updates/${id}/poll/votes?option=2`)).body;
    assert.deepEqual([ofOne.data.length, ofOne.data[0].user.id], [1, emi.user.id]);
    const single = await ask();
    const refused = await vote(emi, single.id, 1, 2);
    assert.deepEqual([refused.status, refused.body.meta.errors[0].path], [400, 'options']);
    assert.equal((await vote(emi, single.id, 4)).body.meta.errors[0].path, 'options[0]');
  });

  test('of many votes at once the counts are those of the votes', async () => {
    const { id } = await ask({ is_multiple: true });
    const random = randomOf(95);
    const all = [ada, ben, emi, dmitri];
    const some = () => [1, 2, 3].filter(() => random.chance(0.5));
    await Promise.all(
      Array.from({ length: 60 }, () => {
        const options = some();
        return vote(random.pick(all), id, ...(options.length > 0 ? options : [2]));
      }),
    );
    const votes = await atrium.rows<{ n: number; user_id: number }>(
      'select n, user_id from poll_votes where update_id = $1',
      [id],
    );
    const poll = await pollFor(atrium.call, id);
    assert.deepEqual(
      counts(poll),
      [1, 2, 3].map((one) => votes.filter(({ n }) => n === one).length),
    );
    assert.equal(poll.voters_count, new Set(votes.map(({ user_id }) => user_id)).size);
  });

  test('an anonymous poll tells nobody who voted, and no program votes', async () => {
    const { id } = await ask({ is_anonymous: true });
    await vote(emi, id, 1);
    for (const call of [emi.call, ada.call, atrium.call])
      assert.equal((await call('GET', `/v1/updates/${id}/poll/votes`)).status, 403);
    const byKey = await atrium.call('PUT', `/v1/updates/${id}/poll/votes`, { json: { options: [1] } });
    assert.equal(byKey.status, 403);
  });

  test('who does not see the update does not vote; a changed one keeps its poll, a deleted one takes it', async () => {
    const space = await atrium.call('POST', '/v1/spaces', { json: { name: 'Hidden', visibility: 'hidden' } });
    const hidden = await ask({}, { audience: { type: 'spaces', spaces: [space.body.data.id] } });
    assert.equal((await vote(emi, hidden.id, 1)).status, 404);
    assert.equal((await vote(ben, 3, 1)).status, 404, 'no poll');
    const { id } = await ask();
    await vote(emi, id, 1);
    const put = await atrium.call('PUT', `/v1/updates/${id}`, { json: { text: 'Where and when?' } });
    assert.deepEqual([put.status, counts(put.body.data.poll)], [200, [1, 0, 0]]);
    await atrium.call('DELETE', `/v1/updates/${id}`);
    for (const table of ['polls', 'poll_options', 'poll_votes'])
      assert.deepEqual(await atrium.rows(`select 1 from ${table} where update_id = $1`, [id]), [], table);
  });

  test('a poll has two to ten answers and an end that lies ahead', async () => {
    for (const [poll, path] of [
      [{ options: ['One'] }, 'poll.options'],
      [{ options: Array(11).fill('x') }, 'poll.options'],
      [{ options: ['One', ''] }, 'poll.options[1]'],
      [{ options: ['One', 'Two'], ends_at: '2020-01-01T00:00:00Z' }, 'poll.ends_at'],
    ] as const) {
      const { status, body } = await atrium.call('POST', '/v1/updates', { json: { text: 'x', poll } });
      assert.deepEqual([status, body.meta.errors[0].path], [400, path]);
    }
  });
});
