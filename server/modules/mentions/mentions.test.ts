// Who is spoken of: in HTML, in comments and in chat; and whom somebody may mean while they type.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const emi = await signIn(atrium, 'emi.tanaka@northwind.example');
const ben = await signIn(atrium, 'ben.lindqvist@northwind.example');
const named = (type: string, id: number, name: string) => `<a data-${type}-id="${id}" href="/x/${id}">@${name}</a>`;
const mentionsOf = async (kind: string, id: number) =>
  (
    await atrium.rows<{ said: string }>(
      `select target_type || target_id as said from mentions
       where organisation_id = 1 and kind = $1 and content_id = $2 order by 1`,
      [kind, id],
    )
  ).map(({ said }) => said);

describe('in HTML', () => {
  test('elements name people, teams and spaces; they survive, and are found in every language', async () => {
    const html = `<p>${named('user', 5, 'Emi')} ${named('team', 1, 'Sales')} ${named('space', 1, 'News')}</p>`;
    for (const [path, kind, body] of [
      ['/v1/updates', 'update', { html }],
      ['/v1/kudos', 'kudos', { html, recipients: { users: [4] } }],
      ['/v1/articles', 'article', { title: 'T', html_content: html }],
      ['/v1/pages', 'page', { title: 'T', html_content: html }],
      [
        '/v1/events',
        'event',
        { title: 'T', html_content: html, starts_at: '2030-01-01T10:00:00Z', ends_at: '2030-01-01T11:00:00Z' },
      ],
    ] as const) {
      const { status, body: created } = await atrium.call('POST', path, { json: body });
      assert.equal(status, 201, JSON.stringify(created));
      assert.equal(created.data.html ?? created.data.html_content, html, path);
      const { id } = created.data;
      assert.deepEqual(await mentionsOf(kind, id), ['space1', 'team1', 'user5'], path);
      const other = named('user', 4, 'Dmitri');
      const translation = { ...body, html: other, html_content: other, language: 'de' };
      assert.equal((await atrium.call('PUT', `${path}/${id}`, { json: translation })).status, 200);
      assert.deepEqual(await mentionsOf(kind, id), ['space1', 'team1', 'user4', 'user5'], path);
      const without = { ...body, html: '<p>x</p>', html_content: '<p>x</p>' };
      assert.equal((await atrium.call('PUT', `${path}/${id}`, { json: without })).status, 200);
      assert.deepEqual(await mentionsOf(kind, id), ['user4'], path);
      await atrium.call('DELETE', `${path}/${id}${kind === 'article' ? '?permanent=1' : ''}`);
      assert.deepEqual(await mentionsOf(kind, id), [], path);
    }
  });

  test('what names nobody stays text, and so does a space that the writer does not know', async () => {
    const html = `<p>${named('user', 999, 'Nobody')} ${named('space', 4, 'Board')} data-user-id="3"
      <b title='data-user-id="3"'>x</b> <i data-user-id="0">y</i> <i data-user-id="9999999999999999">z</i></p>`;
    const { body } = await emi.call('POST', '/v1/updates', { json: { html } });
    assert.deepEqual(await mentionsOf('update', body.data.id), []);
    const wider = await atrium.call('POST', '/v1/updates', { json: { html } });
    assert.deepEqual(await mentionsOf('update', wider.body.data.id), ['space4'], 'a key for everything knows it');
  });
});

test('a comment and its replacement say whom they mention; a hidden space is not named to others', async () => {
  const path = '/v1/updates/1/comments';
  const json = { text: '@x', mentioned_user_ids: [5, 2], mentioned_team_ids: [1], mentioned_space_ids: [4, 2] };
  const { data } = (await atrium.call('POST', path, { json })).body;
  assert.deepEqual(data.mentions, [
    { type: 'user', id: 2, name: 'Ben Lindqvist' },
    { type: 'user', id: 5, name: 'Emi Tanaka' },
    { type: 'space', id: 2, name: 'Store teams' },
    { type: 'team', id: 1, name: 'Sales' },
  ]);
  const changed = await atrium.call('PUT', `/v1/comments/${data.id}`, { json: { text: 'y', mentioned_user_ids: [2] } });
  assert.deepEqual(changed.body.data.mentions, [{ type: 'user', id: 2, name: 'Ben Lindqvist' }]);
  for (const [field, id] of [
    ['mentioned_team_ids', 999],
    ['mentioned_space_ids', 4],
  ] as const) {
    const refused = await emi.call('POST', path, { json: { text: 'x', [field]: [1, id] } });
    assert.deepEqual([refused.status, refused.body.meta.errors[0].path], [400, `${field}[1]`]);
  }
  await atrium.call('DELETE', `/v1/comments/${data.id}`);
  assert.deepEqual(await mentionsOf('comment', data.id), []);
});

test('a message says whom it mentions, also when it is edited, and no more when it is deleted', async () => {
  const path = '/v1/chat/channels/demo-group/messages';
  const sent = await ben.call('POST', path, { json: { message: '@Dmitri', mentioned_user_ids: [4] } });
  assert.deepEqual(sent.body.data.mentions, [{ type: 'user', id: 4, name: 'Dmitri Petrov' }]);
  assert.equal(sent.body.data.type, 'MESG');
  const { message_id } = sent.body.data;
  const edited = await ben.call('PUT', `${path}/${message_id}`, { json: { message: 'All', mentioned_team_ids: [1] } });
  assert.deepEqual(edited.body.data.mentions, [{ type: 'team', id: 1, name: 'Sales' }]);
  await ben.call('DELETE', `${path}/${message_id}`);
  assert.deepEqual(await mentionsOf('message', message_id), []);
});

test('nodes of the version before go on writing and reading mentions of people in comments', async () => {
  await atrium.rows(`insert into comment_mentions (organisation_id, comment_id, user_id)
    select 1, 2, u from unnest('{3,4}'::bigint[]) u on conflict do nothing`);
  await atrium.rows('delete from comment_mentions where organisation_id = 1 and comment_id = 2 and user_id <> 3');
  assert.deepEqual(await mentionsOf('comment', 2), ['user3']);
});

describe('suggestions', () => {
  const suggest = async (by: typeof emi, query: string) =>
    (await by.call('GET', `/v1/suggest?${query}`)).body.data.map(
      ({ type, name, is_outside }: Record<string, unknown>) => `${type} ${name}${is_outside ? ' (outside)' : ''}`,
    );

  test('by the beginning of a name, in any case; hidden spaces for those who know them', async () => {
    assert.deepEqual(await suggest(emi, 'q=EM'), ['user Emi Tanaka']);
    assert.deepEqual(await suggest(emi, 'q=tana'), ['user Emi Tanaka']);
    assert.deepEqual(await suggest(emi, 'q=emi%20t'), ['user Emi Tanaka']);
    assert.deepEqual(await suggest(emi, 'q=s'), ['team Sales', 'space Sales Berlin', 'space Store teams']);
    assert.deepEqual(await suggest(emi, 'q=b&kinds=space'), []);
    assert.deepEqual(await suggest(ben, 'q=%25'), [], 'no pattern');
    assert.equal((await suggest(emi, '')).length > 5, true);
  });

  test('who would not be told is marked: by content, by chat, by the audience of content to be', async () => {
    const [space] = await atrium.rows<{ id: number }>(
      `select id from spaces where organisation_id = 1 and name = 'Sales Berlin'`,
    );
    const members = await atrium.rows<{ name: string }>(
      `select u.name from space_members m join users u on u.id = m.user_id where m.space_id = $1`,
      [space?.id],
    );
    const inside = new Set(['Ada Okafor', ...members.map(({ name }) => name)]);
    const audience = { type: 'spaces', spaces: [space?.id] };
    const { body } = await atrium.call('POST', '/v1/updates', { json: { text: 'x', audience } });
    const people = await atrium.rows<{ name: string }>(
      `select name from users where organisation_id = 1 and kind = 'person' order by lower(name) collate "C"`,
    );
    const expected = people.slice(0, 8).map(({ name }) => `user ${name}${inside.has(name) ? '' : ' (outside)'}`);
    assert.ok(inside.size > 1 && inside.size < people.length);
    assert.deepEqual(await suggest(ben, `kinds=user&space_ids=${space?.id}`), expected);
    assert.deepEqual(await suggest(ben, `kinds=user&type=update&id=${body.data.id}`), expected);
    assert.deepEqual(await suggest(ben, 'kinds=user&q=emi&channel_url=demo-group'), ['user Emi Tanaka (outside)']);
    assert.deepEqual(await suggest(ben, 'kinds=user&q=ada&channel_url=demo-group'), ['user Ada Okafor']);
    assert.equal(
      (await emi.call('GET', `/v1/suggest?type=update&id=${body.data.id}`)).status,
      inside.has('Emi Tanaka') ? 200 : 404,
    );
    assert.equal((await emi.call('GET', '/v1/suggest?type=update')).status, 400);
  });
});
