import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createKey } from '../../setup.ts';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';

const atrium = await startAtrium();
await atrium.rows(`update organisations set timezone = 'America/New_York' where id = 1`);
const as = async (name: string) => (await signIn(atrium, `${name}@northwind.example`)).call;
const [ada, ben, dmitri, carla] = [
  await as('ada.okafor'),
  await as('ben.lindqvist'),
  await as('dmitri.petrov'),
  await as('carla.mendes'),
];
const create = async (json: object) =>
  (await atrium.call('POST', '/v1/livestreams', { json: { title: 'Live', ...json } })).body.data;
const ids = async (query: string, call = atrium.call) =>
  (await call('GET', `/v1/livestreams?${query}`)).body.data.map(({ id }: { id: number }) => id);
const to = (spaces: number[], teams: number[] = []) => ({ audience: { is_global: false, spaces, teams } });

test('a livestream has every field that clients read', async () => {
  const stream = await create({
    title: 'Results',
    host_external_id: 'E-1002',
    started_at: '2026-01-01T10:00:00Z',
    ended_at: '2026-01-01T11:00:00Z',
    viewers_count: 12,
    is_recorded: true,
    recording_status: 'done',
    video: { url: 'https://video.example/1' },
    created_at: '2025-12-31T00:00:00Z',
    ...to([3], [2]),
  });
  assert.deepEqual([stream.host.id, stream.host.email], [2, 'ben.lindqvist@northwind.example']);
  assert.deepEqual(
    { ...stream, host: 0, updated_at: 0 },
    {
      id: stream.id,
      title: 'Results',
      description: '',
      host: 0,
      started_at: '2026-01-01T10:00:00.000000Z',
      ended_at: '2026-01-01T11:00:00.000000Z',
      audience: {
        is_global: false,
        type: 'spaces',
        spaces: [{ id: 3, name: 'Sales Berlin' }],
        teams: [{ id: 2, name: 'Berlin' }],
      },
      viewers_count: 12,
      is_recorded: true,
      recording_status: 'done',
      video: { url: 'https://video.example/1' },
      created_at: '2025-12-31T00:00:00.000000Z',
      updated_at: 0,
      permalink: `http://northwind.localhost/livestreams/${stream.id}`,
    },
  );
  const replaced = (await atrium.call('PUT', `/v1/livestreams/${stream.id}`, { json: { title: 'Results' } })).body.data;
  assert.deepEqual(
    [replaced.video, replaced.host.id, replaced.audience, replaced.viewers_count],
    [null, 2, stream.audience, 12],
  );
});

test('it starts once and ends once; what is recorded is processed then', async () => {
  const { id } = await create({ is_recorded: true });
  const act = (what: string) => atrium.call('POST', `/v1/livestreams/${id}/${what}`);
  assert.equal((await act('end')).body.code, 'not_live');
  const starts = await Promise.all(Array.from({ length: 5 }, () => act('start')));
  assert.deepEqual(starts.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409]);
  const ended = (await act('end')).body.data;
  assert.ok(ended.ended_at >= ended.started_at);
  assert.equal(ended.recording_status, 'processing');
  assert.deepEqual([(await act('end')).status, (await act('start')).body.code], [409, 'already_started']);
});

describe('who sees it', async () => {
  const everybody = await create({});
  const stores = await create(to([2]));
  const berlin = await create(to([3]));
  const board = await create(to([4]));
  const it = await create(to([], [3]));
  const all = [it.id, board.id, berlin.id, stores.id, everybody.id];
  const seen = async (call: typeof atrium.call) => (await ids('', call)).filter((id: number) => all.includes(id));

  test('people whom it is for, its host, moderators and admins', async () => {
    assert.deepEqual(await seen(ada), all);
    assert.deepEqual(await seen(dmitri), [berlin.id, stores.id, everybody.id]);
    assert.deepEqual(await seen(carla), [it.id, everybody.id]);
    assert.equal((await carla('GET', `/v1/livestreams/${board.id}`)).status, 404);
    const hosted = await create({ host_id: 3, ...to([4]) });
    assert.deepEqual(
      (await carla('GET', `/v1/livestreams/${hosted.id}`)).body.data.audience.spaces,
      [],
      'not which hidden space',
    );
    await atrium.rows(`update users set roles = '{user,moderator}' where id = 2`);
    assert.deepEqual(await seen(ben), all);
    await atrium.rows(`update users set roles = '{user}' where id = 2`);
  });

  test('keys by their space scopes', async () => {
    const tx = atrium.services.db.inOrganisation(world.northwind.organisation_id);
    const keyed = async (...scopes: string[]) => {
      const { api_key } = await createKey(tx, 2, scopes.join(), ['livestreams.*.*', ...scopes]);
      return ((method, path, options) => atrium.call(method, path, { key: api_key, ...options })) as typeof atrium.call;
    };
    assert.deepEqual(await seen(await keyed()), [it.id, stores.id, everybody.id]);
    assert.deepEqual(await seen(await keyed('spaces.private.read')), [it.id, berlin.id, stores.id, everybody.id]);
    const narrow = await keyed();
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['POST', '/start'],
      ['DELETE', ''],
    ] as const) {
      const reply = await narrow(
        method,
        `/v1/livestreams/${board.id}${path}`,
        method === 'PUT' ? { json: { title: 'X' } } : {},
      );
      assert.equal(reply.status, 404, `${method} ${path}`);
    }
    const unknown = await narrow('POST', '/v1/livestreams', { json: { title: 'X', ...to([1, 4]) } });
    assert.deepEqual([unknown.status, unknown.body.meta.errors[0].path], [400, 'audience.spaces[1]']);
  });

  test('only moderators, admins and keys change it', async () => {
    assert.equal((await dmitri('PUT', `/v1/livestreams/${stores.id}`, { json: { title: 'X' } })).status, 403);
  });
});

describe('lists', async () => {
  const past = { created_at: '2020-01-01T00:00:00Z' };
  // New York is five hours behind UTC in March: 02:30 UTC on the 2nd is the evening of the 1st.
  const evening = await create({
    ...past,
    started_at: '2020-03-02T02:30:00Z',
    ended_at: '2020-03-02T04:00:00Z',
    is_recorded: true,
    ...to([1]),
  });
  const long = await create({ ...past, started_at: '2020-03-01T12:00:00Z', ended_at: '2020-03-05T12:00:00Z' });
  const march = async (query: string) => (await ids(query)).filter((id: number) => [evening.id, long.id].includes(id));

  test('by day, inclusive, in the organisation’s time zone, what was live on one of them', async () => {
    assert.deepEqual(await march('startDate=2020-03-01&endDate=2020-03-01'), [long.id, evening.id]);
    assert.deepEqual(await march('startDate=2020-03-02&endDate=2020-03-02'), [long.id]);
    assert.deepEqual(await march('endDate=2020-02-29'), []);
    assert.deepEqual(await march('startDate=2020-03-06'), []);
  });
  test('by moment, by audience and by recording', async () => {
    const at = (text: string) => Date.parse(text) / 1000;
    assert.deepEqual(await march(`from=${at('2020-03-02T04:00:00Z')}&to=${at('2020-03-03T00:00:00Z')}`), [
      long.id,
      evening.id,
    ]);
    assert.deepEqual(await march(`from=${at('2020-03-02T04:00:01Z')}&to=${at('2020-03-03T00:00:00Z')}`), [long.id]);
    assert.deepEqual(await march('is_recorded=1'), [evening.id]);
    assert.deepEqual(await march('is_global=true'), [long.id]);
    assert.deepEqual(await march('in_spaces=1|2'), [evening.id]);
    assert.deepEqual(await march('in_spaces=2'), []);
    assert.deepEqual(await march('in_spaces=all'), [evening.id]);
  });
  test('a range that ends before it starts names the field', async () => {
    for (const [query, path] of [
      ['startDate=2020-03-02&endDate=2020-03-01', 'endDate'],
      ['from=2&to=1', 'to'],
      ['startDate=yesterday', 'startDate'],
    ]) {
      const reply = await atrium.call('GET', `/v1/livestreams?${query}`);
      assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, path]);
    }
  });
});

test('bad input names its field and writes nothing', async () => {
  const before = await atrium.rows('select count(*) from livestreams');
  for (const [body, path] of [
    [{ started_at: '2026-01-02T00:00:00Z', ended_at: '2026-01-01T00:00:00Z' }, 'ended_at'],
    [{ ended_at: '2026-01-01T00:00:00Z' }, 'ended_at'],
    [{ recording_status: 'done' }, 'recording_status'],
    [{ video: { url: 'javascript:alert(1)' } }, 'video.url'],
    [{ host_id: 999 }, 'host_id'],
    [{ audience: { is_global: true, teams: [1] } }, 'audience.is_global'],
    [{ audience: { is_global: false } }, 'audience.spaces'],
    [{ audience: { is_global: false, teams: [1, 999] } }, 'audience.teams[1]'],
  ] as const) {
    const reply = await atrium.call('POST', '/v1/livestreams', { json: { title: 'X', ...body } });
    assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, path]);
  }
  assert.deepEqual(await atrium.rows('select count(*) from livestreams'), before);
});
