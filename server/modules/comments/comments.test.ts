// Comments, likes and acknowledgements hang on content of every noun alike.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { contentExamples, contentNouns, plurals } from '../content/contract.ts';

const atrium = await startAtrium();
const emi = await signIn(atrium, 'emi.tanaka@northwind.example');
const dmitri = await signIn(atrium, 'dmitri.petrov@northwind.example');
const data = async (method: string, path: string, json?: object) =>
  (await atrium.call(method, path, json ? { json } : {})).body.data;
const newUpdate = async (json: object = {}) => (await data('POST', '/v1/updates', { text: 'x', ...json })).id as number;

describe('comments', () => {
  for (const noun of contentNouns) {
    const { id, external_id } = contentExamples[noun];
    test(`on ${noun} content: a key that cannot read that reads no comment, like or confirmation on it`, async () => {
      const name = `${plurals[noun]}.*.read`;
      const narrow = await atrium.keyWith(['comments.*.*', 'likes.*.*', 'acknowledgements.*.*', 'campaigns.*.*']);
      const wider = await atrium.keyWith([name, 'comments.*.*', 'likes.*.*', 'spaces.*.read']);
      const comment = await data('POST', `/v1/${plurals[noun]}/${id}/comments`, { text: 'Between us' });
      const under = `/v1/${plurals[noun]}/${id}`;
      for (const path of ['/comments', `/comments/${comment.id}/replies`, `/comments/${comment.id}/likes`, '/likes']) {
        const reply = await atrium.call('GET', under + path, { key: narrow });
        assert.deepEqual([reply.status, reply.body.meta.required_scopes], [403, [name]], path);
        assert.equal((await atrium.call('GET', under + path, { key: wider })).status, 200, path);
      }
      const json = { text: 'Changed' };
      for (const method of ['GET', 'PUT', 'DELETE'])
        assert.equal((await atrium.call(method, `/v1/comments/${comment.id}`, { key: narrow, json })).status, 404);
      assert.equal((await atrium.call('GET', `/v1/comments/${comment.id}`, { key: wider })).status, 200);
      await atrium.call('DELETE', `/v1/comments/${comment.id}`);
    });
    test(`on ${noun} content: threads, both keys, exact counts, oldest first`, async () => {
      const under = `/v1/${plurals[noun]}/${id}/comments`;
      const first = await data('POST', under, {
        text: ' ',
        external_user_id: 'E-1005',
        created_at: '2019-01-01T00:00:00.000001Z',
        comment_external_id: `X-${noun}`,
      });
      assert.deepEqual(
        [first.text, first.user_external_id, first.created_at, first.id],
        [' ', 'E-1005', '2019-01-01T00:00:00.000001Z', first.comment_id],
      );
      const byExternalId = `/v1/${plurals[noun]}/by-external-id/${external_id}/comments`;
      const reply = await data('POST', `${byExternalId}/${first.id}/replies`, { text: 'Reply' });
      const nested = await data('POST', under, { text: 'Nested', comment_parent_id: reply.id });
      assert.equal(nested.comment_parent_id, first.id, 'a reply to a reply joins the thread');
      const update = await data('GET', '/v1/updates/1');
      const shapeOf = (person: object) => Object.keys(person);
      const like = await data('POST', `${under}/${first.id}/likes`, { user_external_id: 'E-1005' });
      const [listed] = await data('GET', `${under}/${first.id}/likes`);
      for (const { creator, user } of [first, like, listed]) {
        assert.deepEqual([creator.external_id, shapeOf(creator)], ['E-1005', shapeOf(update.creator)]);
        assert.deepEqual(creator, user);
      }
      assert.deepEqual(shapeOf(reply.creator), shapeOf(update.creator));
      const list = (await atrium.call('GET', byExternalId)).body;
      assert.deepEqual(
        [list.data[0].id, list.data[0].replies_count, list.meta.pagination.total_records],
        [first.id, 2, 2],
      );
      const replies = (await atrium.call('GET', `${under}/${first.id}/replies?take=1`)).body;
      assert.deepEqual([replies.data[0].id, replies.meta.pagination.total_records], [reply.id, 2]);
      assert.equal((await atrium.call('DELETE', `/v1/comments/by-external-id/X-${noun}`)).status, 200);
      assert.equal((await atrium.call('GET', `/v1/comments/${reply.id}`)).status, 404, 'with its replies');
      const [row] = await atrium.rows<{ comments_count: number }>(
        `select comments_count from ${plurals[noun]} where organisation_id = 1 and id = ${id}`,
      );
      assert.equal(row?.comments_count, 1);
    });
  }

  test('a reply that races with the deletion of its thread is counted exactly, or refused', async () => {
    const id = await newUpdate();
    const { id: thread } = await data('POST', `/v1/updates/${id}/comments`, { text: 'Thread' });
    const reply = () =>
      atrium.call('POST', `/v1/updates/${id}/comments/${thread}/replies`, { json: { text: 'Me too' } });
    const replies = [reply(), reply(), reply(), reply()];
    const deleted = atrium.call('DELETE', `/v1/comments/${thread}`);
    const statuses = (await Promise.all([...replies, deleted, reply(), reply(), reply()])).map(({ status }) => status);
    assert.ok(
      statuses.every((status) => [200, 201, 400, 404].includes(status)),
      statuses.join(),
    );
    assert.equal((await data('GET', `/v1/updates/${id}`)).comments_count, 0);
    assert.deepEqual(
      await atrium.rows(`select id from comments where organisation_id = 1 and kind = 'update' and content_id = ${id}`),
      [],
    );
  });

  test('bad input names its field and writes nothing', async () => {
    const before = await atrium.rows(
      'select id, comments_count from updates union all select id, null from comments order by 1',
    );
    const under = '/v1/updates/1/comments';
    for (const [json, status, path] of [
      [{}, 400, 'text'],
      [{ text: '' }, 400, 'text'],
      [{ text: 'x', comment_parent_id: 999 }, 400, 'comment_parent_id'],
      [{ text: 'x', comment_parent_id: 1 }, 400, 'comment_parent_id'],
      [{ text: 'x', user_external_id: 'nobody' }, 400, 'user_external_id'],
      [{ text: 'x', external_user_id: 'nobody' }, 400, 'external_user_id'],
      [{ text: 'x', mentioned_user_ids: [4, 999] }, 400, 'mentioned_user_ids[1]'],
      [{ text: 'x', created_at: '2999-01-01T00:00:00Z' }, 400, 'created_at'],
      [{ text: 'x', comment_external_id: 'C-1' }, 409, 'comment_external_id'],
    ] as const) {
      const reply = await atrium.call('POST', under, { json });
      assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [status, path], JSON.stringify(reply.body));
    }
    assert.equal((await atrium.call('POST', '/v1/updates/999/comments', { json: { text: 'x' } })).status, 404);
    assert.equal(
      (await atrium.call('GET', '/v1/kudos/1/comments/2/replies')).status,
      404,
      'a comment of other content',
    );
    assert.deepEqual(
      await atrium.rows('select id, comments_count from updates union all select id, null from comments order by 1'),
      before,
    );
  });

  test(`only who sees the content comments on it and reads what is said; \
authors change their own, editors and moderators delete`, async () => {
    const id = await newUpdate({ audience: { type: 'spaces', spaces: [3] } });
    const under = `/v1/updates/${id}/comments`;
    const said = (
      await dmitri.call('POST', under, { json: { text: 'Hi @Ben', mentioned_user_external_ids: ['E-1002'] } })
    ).body.data;
    assert.deepEqual([said.user_id, said.mentions], [4, [{ type: 'user', id: 2, name: 'Ben Lindqvist' }]]);
    for (const path of [under, `/v1/comments/${said.id}`, `${under}/${said.id}/likes`])
      assert.equal((await emi.call('GET', path)).status, 404);
    assert.equal((await emi.call('POST', under, { json: { text: 'x' } })).status, 404);
    const open = (await dmitri.call('POST', '/v1/updates/1/comments', { json: { text: 'mine' } })).body.data;
    assert.equal(
      (await dmitri.call('POST', '/v1/updates/1/comments', { json: { text: 'x', user_id: 2 } })).status,
      403,
    );
    assert.equal((await emi.call('PUT', `/v1/comments/${open.id}`, { json: { text: 'x' } })).status, 403);
    assert.equal((await emi.call('DELETE', `/v1/comments/${open.id}`)).status, 403);
    const changed = await dmitri.call('PUT', `/v1/comments/${open.id}`, { json: { text: 'changed' } });
    assert.deepEqual([changed.body.data.text, changed.body.data.updated_at > open.updated_at], ['changed', true]);
    const ben = await signIn(atrium, 'ben.lindqvist@northwind.example');
    assert.equal((await ben.call('DELETE', `/v1/comments/${open.id}`)).status, 200, 'the author of the update');
  });

  test('deleting content takes all that hangs on it', async () => {
    const id = await newUpdate({ requires_acknowledgement: true });
    const { id: comment } = await data('POST', `/v1/updates/${id}/comments`, { text: 'x' });
    await data('POST', `/v1/updates/${id}/comments/${comment}/likes`, {});
    await data('POST', `/v1/updates/${id}/likes`, {});
    await data('POST', `/v1/updates/${id}/acknowledgement`, { user_id: 4 });
    await atrium.call('DELETE', `/v1/updates/${id}`);
    for (const table of ['comments', 'likes', 'acknowledgements'])
      assert.deepEqual(
        await atrium.rows(`select 1 from ${table} where kind = 'update' and content_id = ${id}`),
        [],
        table,
      );
    assert.deepEqual(await atrium.rows(`select 1 from likes where kind = 'comment' and content_id = ${comment}`), []);
  });

  test('a comment that races with the deletion of its content is there whole or not at all', async () => {
    for (let round = 0; round < 10; round++) {
      const id = await newUpdate();
      const replies = await Promise.all([
        atrium.call('DELETE', `/v1/updates/${id}`),
        ...Array.from({ length: 8 }, () => atrium.call('POST', `/v1/updates/${id}/comments`, { json: { text: 'x' } })),
      ]);
      assert.equal(replies[0]?.status, 200);
      for (const { status } of replies.slice(1)) assert.ok(status === 201 || status === 404, String(status));
      assert.deepEqual(await atrium.rows(`select 1 from comments where kind = 'update' and content_id = ${id}`), []);
    }
  });
});

describe('likes', () => {
  test('liking twice, also at once, is one like; counts stay exact', async () => {
    const id = await newUpdate();
    const path = `/v1/updates/${id}/likes`;
    const likes = await Promise.all(
      Array.from({ length: 12 }, (_, n) => atrium.call('POST', path, { json: { user_id: 1 + (n % 3) } })),
    );
    assert.deepEqual([...new Set(likes.map(({ status }) => status))], [200]);
    const { body } = await atrium.call('GET', path);
    assert.deepEqual(body.data.map((like: { user_id: number }) => like.user_id).sort(), [1, 2, 3]);
    assert.deepEqual(
      [body.meta.pagination.total_records, (await data('GET', `/v1/updates/${id}`)).likes_count],
      [3, 3],
    );
    assert.equal((await data('DELETE', `${path}?user_external_id=E-1002`)).likes_count, 2);
    assert.equal((await data('DELETE', `${path}?user_external_id=E-1002`)).likes_count, 2, 'again');
    const imported = await data('POST', path, {
      external_user_id: 'E-1005',
      created_at: '2018-01-02T03:04:05.678901Z',
    });
    assert.deepEqual([imported.user_external_id, imported.created_at], ['E-1005', '2018-01-02T03:04:05.678901Z']);
    assert.equal((await data('GET', path))[0].user_id, 5, 'oldest first');
    assert.equal((await emi.call('DELETE', `${path}?user_id=1`)).status, 403);
  });
});

describe('acknowledgements', () => {
  test('kudos and articles count and name who confirmed them as updates do', async () => {
    const asked = { requires_acknowledgement: true, audience: { type: 'spaces', spaces: [2] } };
    const kudos = await data('POST', '/v1/kudos', { text: 'x', recipients: { users: [5] }, ...asked });
    const article = await data('POST', '/v1/articles', { title: 'x', html_content: '<p>x</p>', ...asked });
    await data('POST', `/v1/kudos/${kudos.id}/acknowledgement`, { user_id: 4 });
    await data('POST', `/v1/articles/${article.id}/acknowledgement`, { user_id: 4 });
    const counted = await data('GET', `/v1/kudos/${kudos.id}/acknowledgement`);
    assert.deepEqual([counted.acknowledged_count, counted.audience_count], [1, 3]);
    const lists = [
      await data('GET', `/v1/kudos/${kudos.id}/acknowledgement/users`),
      await data('GET', `/v1/articles/${article.id}/acknowledgement/users`),
    ];
    for (const users of lists)
      assert.deepEqual(
        users.map((user: { id: number }) => user.id),
        [4],
      );
  });
  test('say who did and who did not, of the present version; a changed text asks again', async () => {
    const id = await newUpdate({
      requires_acknowledgement: true,
      acknowledgement_due_at: '2030-01-01T00:00:00Z',
      audience: { type: 'spaces', spaces: [2] },
    });
    const path = `/v1/updates/${id}/acknowledgement`;
    const ids = async (query = '') =>
      (await data('GET', `${path}/users${query}`)).map((user: { id: number }) => user.id);
    assert.deepEqual(await data('GET', path), {
      required: true,
      acknowledged_count: 0,
      audience_count: 3,
      due_at: '2030-01-01T00:00:00.000000Z',
      content_version: 1,
      acknowledged_at: null,
    });
    const own = await emi.call('POST', path, { json: {} });
    assert.ok(own.body.data.acknowledged_at);
    await data('POST', path, { user_external_id: 'E-1004', acknowledged_at: '2020-01-01T00:00:00Z' });
    await data('POST', path, { user_external_id: 'E-1004' });
    assert.deepEqual([await ids(), await ids('?status=pending')], [[4, 5], [2]]);
    const nobody = await atrium.call('POST', path, { json: {} });
    assert.deepEqual(
      [nobody.status, nobody.body.meta.errors[0].path],
      [400, 'user_id'],
      'an app confirms nothing by itself',
    );
    const secret = await newUpdate({ requires_acknowledgement: true, audience: { type: 'spaces', spaces: [3] } });
    const outsider = await atrium.call('POST', `/v1/updates/${secret}/acknowledgement`, {
      json: { user_external_id: 'E-1005' },
    });
    assert.deepEqual(
      [outsider.status, outsider.body.code, outsider.body.meta.errors[0].path],
      [400, 'user_not_found', 'user_external_id'],
    );
    assert.equal((await data('GET', path)).acknowledged_count, 2);
    await data('PUT', `/v1/updates/${id}`, { text: 'y', requires_acknowledgement: true });
    assert.deepEqual([await ids(), await ids('?status=pending')], [[], [2, 4, 5]]);
    const { content_version, acknowledged_count } = await data('GET', path);
    assert.deepEqual([content_version, acknowledged_count], [2, 0]);
    const late = await emi.call('POST', path, { json: { content_version: 1 } });
    assert.deepEqual(
      [late.status, late.body.code, late.body.meta.errors[0].path],
      [409, 'content_changed', 'content_version'],
    );
    assert.deepEqual(await ids(), [], 'nobody confirms what they have not read');
    assert.equal((await emi.call('POST', path, { json: { content_version: 2 } })).status, 200);
    assert.deepEqual(await ids(), [5]);
  });

  test('of everybody’s content the audience is every active person; content that asks for none refuses', async () => {
    const { audience_count } = await data('GET', '/v1/updates/1/acknowledgement');
    const [row] = await atrium.rows<{ n: number }>(
      `select count(*)::int as n from users where organisation_id = 1 and kind = 'person' and is_active`,
    );
    assert.equal(audience_count, row?.n);
    const id = await newUpdate();
    const reply = await atrium.call('POST', `/v1/updates/${id}/acknowledgement`, { json: { user_id: 4 } });
    assert.deepEqual([reply.status, reply.body.code], [409, 'acknowledgement_not_required']);
    assert.deepEqual(await data('GET', `/v1/updates/${id}/acknowledgement/users?status=pending`), []);
  });
});
