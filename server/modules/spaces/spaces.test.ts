import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium, type TestAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
/** Gives a person of the cast a password and signs them in. */
const as = (target: TestAtrium, email: string) => signIn(target, email);
const key = atrium.keyWith;
const names = (reply: { body: { data: { name: string }[] } }) => reply.body.data.map(({ name }) => name);
const roleOf = async (space: number, user: number) =>
  (
    await atrium.rows<{ role: string }>('select role from space_members where space_id = $1 and user_id = $2', [
      space,
      user,
    ])
  )[0]?.role;

test('a space has every field, and lists filter by type in any case', async () => {
  const space = (await atrium.call('GET', '/v1/spaces/by-external-id/S-NEWS')).body.data;
  assert.deepEqual(
    { ...space, created_at: 0, updated_at: 0, sequence: 0 },
    {
      id: 1,
      external_id: 'S-NEWS',
      parent_space_id: null,
      name: 'Company news',
      description: 'What everybody should know.',
      avatar_url: 'http://northwind.localhost/avatars/initials/434e.png',
      visibility: 'public',
      is_external: false,
      is_corporate: true,
      is_mandatory: false,
      is_read_only: true,
      is_default: false,
      auto_unenrol: false,
      categories: [{ id: 1, name: 'General', description: 'For everybody.' }],
      is_archived: false,
      member_count: 5,
      created_at: 0,
      updated_at: 0,
      sequence: 0,
      permalink: 'http://northwind.localhost/spaces/1',
    },
  );
  assert.deepEqual(names(await atrium.call('GET', '/v1/spaces?type=CORPORATE')), ['Company news']);
  assert.deepEqual(names(await atrium.call('GET', '/v1/spaces?type=Community')), [
    'Store teams',
    'Sales Berlin',
    'Board',
  ]);
  assert.equal((await atrium.call('GET', '/v1/spaces?type=other')).status, 400);
});

describe('visibility holds in every list and read', () => {
  test('a key sees the visibilities that its scopes name', async () => {
    for (const [scopes, expected] of [
      [['spaces.public.read'], ['Company news', 'Store teams']],
      [
        ['spaces.public.read', 'spaces.private.read'],
        ['Company news', 'Store teams', 'Sales Berlin'],
      ],
      [['spaces.*.read'], ['Company news', 'Store teams', 'Sales Berlin', 'Board']],
    ] as const) {
      const reply = await atrium.call('GET', '/v1/spaces', { key: await key([...scopes]) });
      assert.deepEqual([names(reply), reply.body.meta.pagination.total_records], [expected, expected.length]);
    }
    const open = await key(['spaces.public.read']);
    for (const path of ['/v1/spaces/3', '/v1/spaces/4', '/v1/spaces/by-external-id/S-BOARD', '/v1/spaces/3/users'])
      assert.equal((await atrium.call('GET', path, { key: open })).status, 404, path);
  });
  test(`a person knows of private spaces, sees inside those they belong to, \
and never hears of hidden ones`, async () => {
    const emi = await as(atrium, 'emi.tanaka@northwind.example');
    assert.deepEqual(names(await emi.call('GET', '/v1/spaces')), ['Company news', 'Store teams', 'Sales Berlin']);
    assert.equal((await emi.call('GET', '/v1/spaces/3')).status, 200);
    assert.equal((await emi.call('GET', '/v1/spaces/3/users')).status, 403);
    assert.equal((await emi.call('GET', '/v1/spaces/4')).status, 404);
    assert.equal((await emi.call('GET', '/v1/spaces/4/users')).status, 404);
    const dmitri = await as(atrium, 'dmitri.petrov@northwind.example');
    assert.equal((await dmitri.call('GET', '/v1/spaces/3/users')).status, 200);
    const listed = (await emi.call('GET', '/v1/users?expand=spaces&take=100')).body.data.flatMap(
      (user: { spaces: { name: string }[] }) => user.spaces.map(({ name }) => name),
    );
    assert.ok(!listed.includes('Board'));
    assert.ok(listed.includes('Company news'));
    assert.ok(!listed.includes('Sales Berlin'), 'who belongs to a private space is its members’ to know');
    for (const space of [3, 4])
      assert.deepEqual((await emi.call('GET', `/v1/users?in_spaces=${space}`)).body.data, [], String(space));
    const { data } = (await dmitri.call('GET', '/v1/users?in_spaces=3&expand=spaces')).body;
    assert.ok(data.length > 1);
    for (const { spaces } of data) assert.ok(spaces.some(({ name }: { name: string }) => name === 'Sales Berlin'));
  });
});

describe('members and roles', () => {
  test('multipart with indexed names adds and promotes; other memberships and roles stay', async () => {
    const form = new FormData();
    form.append('ids_to_add[0]', '3');
    form.append('ids_to_set_as_pages_editor[0]', '5');
    form.append('external_ids_to_set_as_owner[0]', 'E-1001');
    const reply = await atrium.call('PATCH', '/v1/spaces/2/users', { form });
    assert.deepEqual([reply.status, reply.body.meta], [200, { users_added: 2, users_removed: 0, users_updated: 1 }]);
    assert.deepEqual(
      [await roleOf(2, 3), await roleOf(2, 5), await roleOf(2, 1), await roleOf(2, 2), await roleOf(2, 4)],
      ['member', 'pages_editor', 'owner', 'owner', 'member'],
    );
    const listed = (await atrium.call('GET', '/v1/spaces/2/users?space_role=pages_editor')).body.data;
    assert.deepEqual(
      [listed.length, listed[0].email, listed[0].space_role],
      [1, 'emi.tanaka@northwind.example', 'pages_editor'],
    );
  });
  test('every role can be given', async () => {
    for (const role of [
      'editor',
      'pages_editor',
      'news_editor',
      'events_editor',
      'documents_editor',
      'member',
      'moderator',
      'admin',
      'owner',
    ]) {
      assert.equal(
        (
          await atrium.call('PATCH', '/v1/spaces/by-external-id/S-STORES/users', {
            json: { [`external_ids_to_set_as_${role}`]: ['E-1004'] },
          })
        ).status,
        200,
      );
      assert.equal(await roleOf(2, 4), role);
    }
  });
  test(`contradictions name the field and the person, at least one operation is needed, \
nothing is half-written`, async () => {
    const attempt = async (json: object) => {
      const reply = await atrium.call('PATCH', '/v1/spaces/2/users', { json });
      return [reply.status, reply.body.meta.errors[0].path];
    };
    const before = await atrium.rows('select * from space_members order by space_id, user_id');
    assert.deepEqual(await attempt({ ids_to_add: [5], external_ids_to_remove: ['E-1005'] }), [
      400,
      'external_ids_to_remove',
    ]);
    assert.deepEqual(await attempt({ ids_to_set_as_editor: [5], ids_to_set_as_owner: [5] }), [
      400,
      'ids_to_set_as_editor',
    ]);
    assert.deepEqual(await attempt({ ids_to_remove: [5], ids_to_set_as_owner: [999] }), [
      400,
      'ids_to_set_as_owner[0]',
    ]);
    assert.deepEqual(await attempt({ something: 1 }), [400, {}]);
    assert.deepEqual(await atrium.rows('select * from space_members order by space_id, user_id'), before);
  });
  test('an admin of the space manages members, but only an owner makes owners or archives', async () => {
    await atrium.call('PATCH', '/v1/spaces/3/users', { json: { ids_to_set_as_admin: [4] } });
    const dmitri = await as(atrium, 'dmitri.petrov@northwind.example');
    assert.equal((await dmitri.call('PATCH', '/v1/spaces/3/users', { json: { ids_to_add: [5] } })).status, 200);
    assert.equal(
      (await dmitri.call('PATCH', '/v1/spaces/3/users', { json: { ids_to_set_as_owner: [5] } })).status,
      403,
    );
    assert.equal((await dmitri.call('PATCH', '/v1/spaces/3/users', { json: { ids_to_remove: [2] } })).status, 403);
    assert.equal((await dmitri.call('POST', '/v1/spaces/3/archive')).status, 403);
    const ben = await as(atrium, 'ben.lindqvist@northwind.example');
    assert.equal((await ben.call('POST', '/v1/spaces/3/archive')).status, 200);
    assert.equal((await ben.call('POST', '/v1/spaces/3/unarchive')).status, 200);
    const emi = await as(atrium, 'emi.tanaka@northwind.example');
    assert.equal((await emi.call('PATCH', '/v1/spaces/3/users', { json: { ids_to_add: [1] } })).status, 403);
    assert.equal((await emi.call('PUT', '/v1/spaces/3', { json: { name: 'Mine' } })).status, 403);
  });
});

describe('creating, replacing, archiving', () => {
  test('the creator becomes an owner; an unknown one is a 400 and no space is made', async () => {
    const { id } = (await atrium.call('POST', '/v1/spaces', { json: { name: 'New', user_external_id: 'E-1004' } })).body
      .data;
    assert.equal(await roleOf(id, 4), 'owner');
    const before = await atrium.rows('select id from spaces');
    for (const [more, path] of [
      [{ user_id: 999 }, 'user_id'],
      [{ parent_space_id: 999 }, 'parent_space_id'],
      [{ category_ids: [999] }, 'category_ids'],
      [{ external_id: 'S-NEWS' }, 'external_id'],
    ] as const) {
      const reply = await atrium.call('POST', '/v1/spaces', { json: { name: 'Bad', ...more } });
      assert.equal(reply.body.meta.errors[0].path, path);
    }
    assert.deepEqual(await atrium.rows('select id from spaces'), before);
  });
  test('PUT resets omitted attributes, but never opens a space by omission', async () => {
    await atrium.call('PUT', '/v1/spaces/4', { json: { name: 'Board', description: 'Secret', category_ids: [1] } });
    const reply = await atrium.call('PUT', '/v1/spaces/4', { json: { name: 'The board' } });
    const { visibility, external_id, description, categories } = reply.body.data;
    assert.deepEqual(
      { visibility, external_id, description, categories },
      { visibility: 'hidden', external_id: 'S-BOARD', description: '', categories: [] },
    );
    const [event] = (await atrium.outbox()).slice(-1);
    assert.deepEqual([event?.action, event?.is_public], ['space.updated', false]);
  });
  test('a space cannot be put below itself', async () => {
    const { id } = (await atrium.call('POST', '/v1/spaces', { json: { name: 'Child', parent_space_id: 2 } })).body.data;
    const reply = await atrium.call('PUT', '/v1/spaces/2', { json: { name: 'Store teams', parent_space_id: id } });
    assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'parent_space_id']);
  });
  test('archiving twice changes nothing the second time and sends one event', async () => {
    const count = async () =>
      (await atrium.outbox()).filter(({ action }) => action.startsWith('space.') && action.endsWith('archived')).length;
    const before = await count();
    const first = await atrium.call('POST', '/v1/spaces/2/archive');
    const second = await atrium.call('POST', '/v1/spaces/2/archive');
    assert.deepEqual([first.body.data.is_archived, second.body.data], [true, first.body.data]);
    assert.equal(
      (await atrium.call('POST', '/v1/pages', { json: { title: 'T', html_content: '', space_id: 2 } })).body.code,
      'space_archived',
    );
    assert.equal((await atrium.call('POST', '/v1/spaces/2/unarchive')).body.data.is_archived, false);
    assert.equal((await count()) - before, 2);
  });
  test('a space with pages is not deleted; an empty one is', async () => {
    assert.equal((await atrium.call('DELETE', '/v1/spaces/1')).body.code, 'space_not_empty');
    assert.equal((await atrium.call('DELETE', '/v1/spaces/4')).status, 200);
    assert.equal((await atrium.call('GET', '/v1/spaces/4')).status, 404);
  });
});

describe('enrolment rules', async () => {
  const target = await startAtrium();
  const inSpace = async (id = 4) =>
    (await target.call('GET', `/v1/spaces/${id}/users`)).body.data.map((user: { id: number }) => user.id);
  const rules = (list: number[][]) =>
    target.call('PUT', '/v1/spaces/4/default/rules', { json: { rules: list.map((team_ids) => ({ team_ids })) } });

  test('who is in every team of one rule is enrolled at once and on later team changes', async () => {
    assert.deepEqual(await inSpace(), [1]);
    assert.deepEqual((await rules([[1, 2], [3]])).body.data, { rules: [{ team_ids: [1, 2] }, { team_ids: [3] }] });
    assert.deepEqual(await inSpace(), [1, 2, 3, 4]);
    await target.call('PATCH', '/v1/teams/2/users', { json: { ids_to_add: [5] } });
    assert.deepEqual(await inSpace(), [1, 2, 3, 4, 5]);
    assert.equal((await target.call('GET', '/v1/spaces/4')).body.data.member_count, 5);
  });
  test('leaving a team keeps the membership', async () => {
    await target.call('PATCH', '/v1/teams/2/users', { json: { ids_to_remove: [5] } });
    assert.deepEqual(await inSpace(), [1, 2, 3, 4, 5]);
  });
  test('with auto_unenrol, those leave whom only a rule brought in', async () => {
    await target.call('PUT', '/v1/spaces/4', { json: { name: 'Board', is_default: true, auto_unenrol: true } });
    await target.call('PATCH', '/v1/spaces/4/users', { json: { ids_to_set_as_editor: [4] } });
    await target.call('PATCH', '/v1/teams/2/users', { json: { ids_to_remove: [4, 2] } });
    assert.deepEqual(await inSpace(), [1, 3, 4, 5]);
    await target.call('DELETE', '/v1/spaces/4/default/rules');
    assert.deepEqual(await inSpace(), [1, 4]);
    assert.equal((await target.call('GET', '/v1/spaces/4')).body.data.is_default, false);
  });
  test('an unknown team is a 400 that names it, and the former rules stay', async () => {
    await rules([[1]]);
    const { status, body } = await rules([[2], [1, 999]]);
    const [error] = body.meta.errors;
    assert.deepEqual([status, body.code, error.path], [400, 'team_ids_not_found', 'rules[1].team_ids[1]']);
    assert.match(error.message, /999/);
    assert.deepEqual((await target.call('GET', '/v1/spaces/4/default/rules')).body.data, {
      rules: [{ team_ids: [1] }],
    });
  });
  test('deleting a team removes its rules whole, so that none takes in more people', async () => {
    await rules([[1, 3], [2]]);
    await target.call('DELETE', '/v1/teams/3');
    assert.deepEqual((await target.call('GET', '/v1/spaces/4/default/rules')).body.data, {
      rules: [{ team_ids: [2] }],
    });
    await target.call('DELETE', '/v1/teams/2');
    assert.equal((await target.call('GET', '/v1/spaces/4')).body.data.is_default, false);
  });
  test('a default space without rules takes in everybody, and new people as they come', async () => {
    await target.call('PUT', '/v1/spaces/2', { json: { name: 'All', is_default: true } });
    assert.deepEqual(await inSpace(2), [1, 2, 3, 4, 5]);
    const { id } = (
      await target.call('POST', '/v1/users', { json: { email: 'new@x.example', first_name: 'N', last_name: 'P' } })
    ).body.data;
    assert.deepEqual(await inSpace(2), [1, 2, 3, 4, 5, id]);
  });
});

test('people join public spaces and leave them, but not as the last owner, nor into what is private', async () => {
  const emi = await signIn(atrium, 'emi.tanaka@northwind.example');
  const make = async (more: object) =>
    (await atrium.call('POST', '/v1/spaces', { json: { name: `Club ${JSON.stringify(more)}`, user_id: 2, ...more } }))
      .body.data.id as number;
  const [open, closed] = [await make({}), await make({ visibility: 'private' })];
  const { body } = await emi.call('POST', `/v1/spaces/${open}/membership`);
  assert.deepEqual(body.data, {
    ...{ space_role: 'member', see_inside: true, may_join: false, may_leave: true },
    ...{ may_manage: false, may_post: true },
  });
  assert.equal((await atrium.call('GET', `/v1/spaces/${open}`)).body.data.member_count, 2);
  assert.equal((await emi.call('POST', `/v1/spaces/${closed}/membership`)).status, 403);
  assert.equal((await emi.call('DELETE', `/v1/spaces/${open}/membership`)).body.data.may_join, true);
  const ben = await signIn(atrium, 'ben.lindqvist@northwind.example');
  assert.equal((await ben.call('GET', `/v1/spaces/${open}/membership`)).body.data.may_leave, false);
  const alone = await ben.call('DELETE', `/v1/spaces/${open}/membership`);
  assert.deepEqual([alone.status, alone.body.code], [409, 'last_owner']);
  await atrium.call('PATCH', `/v1/spaces/${open}/users`, { json: { ids_to_set_as_owner: [3] } });
  assert.equal((await ben.call('DELETE', `/v1/spaces/${open}/membership`)).status, 200);
});
