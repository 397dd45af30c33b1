import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, test } from 'node:test';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';

const atrium = await startAtrium({ request_days: 0 });
const second = await atrium.secondNode();
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/eL9GtQAAAABJRU5ErkJggg==',
  'base64',
);
const files = () =>
  globSync('**/*', { cwd: `${atrium.services.config.data_dir}/files`, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
const DAY = 24 * 60 * 60_000;

const create = async (json: object = {}) =>
  (await atrium.call('POST', '/v1/badges', { json: { title: 'Badge', ...json } })).body.data;
const assign = (id: number, json: object) => atrium.call('POST', `/v1/badges/${id}/users`, { json });
const holdersOf = async (id: number) =>
  (await atrium.call('GET', `/v1/badges/${id}/users`)).body.data.map(({ user }: { user: { id: number } }) => user.id);
const countOf = async (id: number) => (await atrium.call('GET', `/v1/badges/${id}`)).body.data.badge_received_count;
const eventsOf = async (id: number) =>
  (await atrium.outbox())
    .filter(({ payload }) => payload.badge?.id === id)
    .map(({ action, payload }) => [action, payload.user?.id, payload.badge?.badge_received_count]);

describe('a badge', () => {
  test('has every field of the interface, in its form', async () => {
    const badge = await create({
      title: 'Mentor',
      description: 'Teaches.',
      value: 30,
      award_msg: 'Thank you!',
      award_confetti: true,
      award_confetti_colours: ['#ffd700', 'red'],
      rules: [{ type: 'badge_held', badge_id: 1 }],
    });
    assert.deepEqual(
      { ...badge, created_at: 0, updated_at: 0 },
      {
        id: badge.id,
        title: 'Mentor',
        description: 'Teaches.',
        type: 'standard',
        value: 30,
        rules_active: false,
        rules_needed: 'all',
        award_msg: 'Thank you!',
        award_confetti: true,
        award_confetti_colours: ['#ffd700', 'red'],
        badge_received_count: 0,
        image: null,
        award_image: null,
        rules: [{ type: 'badge_held', badge_id: 1 }],
        created_at: 0,
        updated_at: 0,
        permalink: `http://northwind.localhost/badges/${badge.id}`,
      },
    );
  });

  test('is written as JSON, multipart or urlencoded alike', async () => {
    const wanted = {
      value: 7,
      award_confetti: true,
      award_confetti_colours: ['#fff'],
      rules: [{ type: 'kudos_received', threshold: 3 }],
    };
    const flat = {
      title: 'Badge',
      value: '7',
      award_confetti: '1',
      'award_confetti_colours[]': '#fff',
      'rules[0][type]': 'kudos_received',
      'rules[0][threshold]': '3',
    };
    const replies = [
      await atrium.call('POST', '/v1/badges', { json: { title: 'Badge', ...wanted } }),
      await atrium.call('POST', '/v1/badges', { form: flat }),
      await atrium.call('POST', '/v1/badges', { urlencoded: new URLSearchParams(flat).toString() }),
    ];
    for (const { body } of replies) {
      const { value, award_confetti, award_confetti_colours, rules } = body.data;
      assert.deepEqual({ value, award_confetti, award_confetti_colours, rules }, wanted);
    }
  });

  test(`shows its pictures, keeps them when a PUT omits them, \
and loses them by null or an empty field, with their files`, async () => {
    const form = new FormData();
    form.append('title', 'Pictured');
    form.append('image', new Blob([png]), 'a.png');
    form.append('award_image', new Blob([png]), 'b.png');
    const { id, image, award_image } = (await atrium.call('POST', '/v1/badges', { form })).body.data;
    const status = async (url: string) => (await fetch(atrium.url + new URL(url).pathname)).status;
    assert.deepEqual([await status(image), await status(award_image)], [200, 200]);
    const kept = (await atrium.call('PUT', `/v1/badges/${id}`, { json: { title: 'Pictured' } })).body.data;
    assert.deepEqual([kept.image, kept.award_image], [image, award_image]);
    const one = (await atrium.call('PUT', `/v1/badges/${id}`, { json: { title: 'Pictured', image: null } })).body.data;
    assert.deepEqual([one.image, one.award_image], [null, award_image]);
    const none = (await atrium.call('PUT', `/v1/badges/${id}`, { form: { title: 'Pictured', award_image: '' } })).body
      .data;
    assert.equal(none.award_image, null);
    await atrium.drain();
    assert.deepEqual([await status(image), await status(award_image), files().length], [404, 404, 0]);
  });

  test('with a picture that is none is refused, and leaves neither row nor file', async () => {
    const stored = async () => [await atrium.rows('select count(*) from badges'), files().length];
    const before = await stored();
    const form = new FormData();
    form.append('title', 'Broken');
    form.append('image', new Blob([png]), 'a.png');
    form.append('award_image', new Blob(['<svg onload="alert(1)"/>']), 'b.png');
    const reply = await atrium.call('POST', '/v1/badges', { form });
    assert.deepEqual(
      [reply.status, reply.body.code, reply.body.meta.errors[0].path],
      [400, 'image_invalid', 'award_image'],
    );
    assert.deepEqual(await stored(), before);
  });

  test('names the field of a rule that makes no sense', async () => {
    for (const [rule, path] of [
      [{ type: 'years_of_service' }, 'rules[0].threshold'],
      [{ type: 'years_of_service', threshold: 101 }, 'rules[0].threshold'],
      [{ type: 'kudos_received', threshold: 0 }, 'rules[0].threshold'],
      [{ type: 'badge_held' }, 'rules[0].badge_id'],
      [{ type: 'badge_held', badge_id: 999 }, 'rules[0].badge_id'],
      [{ type: 'badge_held', badge_id: 1, threshold: 2 }, 'rules[0].threshold'],
      [{ type: 'luck', threshold: 2 }, 'rules[0].type'],
    ] as const) {
      const reply = await atrium.call('POST', '/v1/badges', { json: { title: 'X', rules: [rule] } });
      assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, path]);
    }
    const colour = await atrium.call('POST', '/v1/badges', {
      json: { title: 'X', award_confetti_colours: ['#fff', 'url(x)'] },
    });
    assert.deepEqual([colour.status, colour.body.meta.errors[0].path], [400, 'award_confetti_colours[1]']);
  });
});

describe('assigning', () => {
  test('by id and by external id, each person once, with one event each that shows badge and person', async () => {
    const { id } = await create();
    const reply = await assign(id, { user_id: 1, user_ids: [1, 2], user_external_ids: ['E-1002', 'E-1003'] });
    assert.deepEqual([reply.status, reply.body.meta.users_added, reply.body.data.badge_received_count], [201, 3, 3]);
    const again = await assign(id, { user_ids: [1, 2, 3] });
    assert.deepEqual([again.status, again.body.meta.users_added], [201, 0]);
    assert.deepEqual((await eventsOf(id)).toSorted(), [
      ['badge.assigned', 1, 3],
      ['badge.assigned', 2, 3],
      ['badge.assigned', 3, 3],
    ]);
    const [event] = (await atrium.outbox()).filter(({ payload }) => payload.badge?.id === id);
    assert.deepEqual([event?.payload.user?.email, event?.is_public], ['ada.okafor@northwind.example', true]);
  });

  test('keeps the past moment of an import, and lists newest first with exact totals', async () => {
    const { id } = await create();
    await assign(id, { user_id: 1, created_at: '2019-05-01T08:00:00.123456Z' });
    await assign(id, { user_id: 2, created_at: '2021-05-01T08:00:00Z' });
    await assign(id, { user_id: 3, created_at: '2020-05-01T08:00:00Z' });
    assert.deepEqual(await holdersOf(id), [2, 3, 1]);
    const last = (await atrium.call('GET', `/v1/badges/${id}/users?skip=2&take=1`)).body;
    assert.deepEqual([last.data[0].created_at, last.meta.pagination.total_records], ['2019-05-01T08:00:00.123456Z', 3]);
    const future = await assign(id, { user_id: 4, created_at: '2999-01-01T00:00:00Z' });
    assert.deepEqual([future.status, future.body.meta.errors[0].path], [400, 'created_at']);
  });

  test('an unknown person among them is named, and nobody gets it', async () => {
    const { id } = await create();
    const reply = await assign(id, { user_ids: [1, 999], user_external_ids: ['nobody'] });
    assert.deepEqual(reply.body.meta.errors.map(({ path }: { path: string }) => path).toSorted(), [
      'user_external_ids[0]',
      'user_ids[1]',
    ]);
    assert.equal((await assign(id, {})).status, 400);
    assert.deepEqual([await holdersOf(id), await eventsOf(id)], [[], []]);
  });

  test('on two nodes at once counts everybody once', async () => {
    const { id } = await create();
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? atrium : second).call('POST', `/v1/badges/${id}/users`, {
          json: { user_ids: n % 3 ? [1, 2, 3] : [3, 2, 4] },
        }),
      ),
    );
    assert.equal(
      replies.reduce((sum, { body }) => sum + body.meta.users_added, 0),
      4,
    );
    assert.deepEqual([await countOf(id), (await eventsOf(id)).length], [4, 4]);
    await atrium.drain();
    assert.deepEqual([await countOf(id), (await holdersOf(id)).length], [4, 4]);
  });

  test('a deactivated person is neither listed nor counted, and is again after coming back', async () => {
    const { id } = await create();
    await assign(id, { user_ids: [4, 5] });
    await atrium.call('DELETE', '/v1/users/5');
    assert.deepEqual([await holdersOf(id), await countOf(id)], [[4], 1]);
    await atrium.call('PUT', '/v1/users/5', {
      json: { email: 'emi.tanaka@northwind.example', first_name: 'Emi', last_name: 'Tanaka', is_active: true },
    });
    assert.deepEqual([(await holdersOf(id)).toSorted(), await countOf(id)], [[4, 5], 2]);
  });
});

describe('unassigning', () => {
  test('by path and by body; who does not hold it is a 404 by path and not counted by body', async () => {
    const { id } = await create();
    await assign(id, { user_ids: [1, 2, 3] });
    assert.equal((await atrium.call('DELETE', `/v1/badges/${id}/users/1`)).body.data.badge_received_count, 2);
    assert.equal((await atrium.call('DELETE', `/v1/badges/${id}/users/1`)).status, 404);
    const reply = await atrium.call('DELETE', `/v1/badges/${id}/users`, {
      json: { user_ids: [1], user_external_id: 'E-1002' },
    });
    assert.deepEqual([reply.status, reply.body.meta], [200, { users_added: 0, users_removed: 1 }]);
    assert.deepEqual((await eventsOf(id)).slice(3), [
      ['badge.unassigned', 1, 2],
      ['badge.unassigned', 2, 1],
    ]);
  });

  test('deleting a badge takes it from everybody, one event each', async () => {
    const { id } = await create();
    await assign(id, { user_ids: [1, 2] });
    assert.deepEqual((await atrium.call('DELETE', `/v1/badges/${id}`)).body.data, { id });
    assert.deepEqual((await eventsOf(id)).slice(2).toSorted(), [
      ['badge.unassigned', 1, 0],
      ['badge.unassigned', 2, 0],
    ]);
    assert.equal((await atrium.call('GET', `/v1/badges/${id}/users`)).status, 404);
    await atrium.drain();
    assert.deepEqual(
      await atrium.rows(
        `select 1 from list_blocks where list = 'badge_users' and bucket = $1
         union all select 1 from badge_users where badge_id = $1`,
        [id],
      ),
      [],
    );
  });
});

describe('rules', () => {
  test('award the badge to whoever meets all of them, or any, once on two nodes', async () => {
    const years = { type: 'years_of_service', threshold: 10 };
    const held = { type: 'badge_held', badge_id: 1 };
    const all = await create({ rules_active: true, rules: [years, held] });
    const any = await create({ rules_active: true, rules_needed: 'any', rules: [years, held] });
    const inactive = await create({ rules: [years] });
    const none = await create({ rules_active: true });
    await Promise.all([atrium.drain(), second.drain(), atrium.drain()]);
    assert.deepEqual(
      [
        await holdersOf(all.id),
        (await holdersOf(any.id)).toSorted(),
        await holdersOf(inactive.id),
        await holdersOf(none.id),
      ],
      [[], [1, 4, 5], [], []],
    );
    assert.equal((await eventsOf(any.id)).length, 3);
  });

  test('one badge leads to another, and received kudos count once they are approved', async () => {
    const thanked = await create({ rules_active: true, rules: [{ type: 'kudos_received', threshold: 1 }] });
    const chained = await create({ rules_active: true, rules: [{ type: 'badge_held', badge_id: thanked.id }] });
    await atrium.drain();
    assert.deepEqual([await holdersOf(thanked.id), await holdersOf(chained.id)], [[4], [4]]);
  });

  test('an anniversary is found when the day comes in the organisation’s time zone, without any write', async () => {
    // A zone where it is another day than in UTC right now.
    const zone = new Date(atrium.clock.now()).getUTCHours() < 12 ? 'Etc/GMT+12' : 'Etc/GMT-14';
    await atrium.rows('update organisations set timezone = $1 where id = 1', [zone]);
    const { id } = await create({ rules_active: true, rules: [{ type: 'years_of_service', threshold: 1 }] });
    await atrium.drain();
    await atrium.rows(
      `update users set hire_date = ($1::timestamptz at time zone $2)::date + interval '2 days' - interval '1 year'
       where id = 3`,
      [atrium.clock.now(), zone],
    );
    atrium.clock.advance(DAY);
    await atrium.drain();
    assert.ok(!(await holdersOf(id)).includes(3));
    atrium.clock.advance(DAY);
    await atrium.drain();
    assert.ok((await holdersOf(id)).includes(3));
  });

  test('do not give back what was taken away; assigning by hand does', async () => {
    const { id } = await create({ rules_active: true, rules: [{ type: 'years_of_service', threshold: 10 }] });
    await atrium.drain();
    assert.deepEqual(await holdersOf(id), [1]);
    await atrium.call('DELETE', `/v1/badges/${id}/users/1`);
    atrium.clock.advance(DAY);
    await atrium.drain();
    assert.deepEqual(await holdersOf(id), []);
    await assign(id, { user_id: 1 });
    assert.deepEqual(await holdersOf(id), [1]);
  });
});

test('everybody reads badges, only moderators and admins write them', async () => {
  await atrium.rows('update users set has_access = true where id in (2, 4)');
  await atrium.rows(`update users set roles = '{user,moderator}' where id = 2`);
  const dmitri = await signIn(atrium, 'dmitri.petrov@northwind.example');
  const ben = await signIn(atrium, 'ben.lindqvist@northwind.example');
  assert.equal((await dmitri.call('GET', '/v1/badges/1/users')).status, 200);
  assert.equal((await dmitri.call('POST', '/v1/badges', { json: { title: 'Mine' } })).status, 403);
  assert.equal((await dmitri.call('POST', '/v1/badges/1/users', { json: { user_id: 4 } })).status, 403);
  assert.equal((await ben.call('POST', '/v1/badges/1/users', { json: { user_id: 2 } })).status, 201);
});

test('a list of badges is one statement', async () => {
  const { statements } = atrium.services.db;
  await atrium.call('GET', '/v1/badges');
  const measured = async (path: string) => {
    const before = statements.count;
    await atrium.call('GET', path, { key: world.northwind.api_key });
    return statements.count - before;
  };
  const one = await measured('/v1/badges?take=1');
  assert.equal(await measured('/v1/badges?take=100'), one);
});
