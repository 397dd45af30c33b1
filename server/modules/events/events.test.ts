import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const second = await atrium.secondNode();
const plain = { title: 'T', starts_at: '2030-05-01T10:00:00Z', ends_at: '2030-05-01T12:00:00Z' };
const create = (json: object) => atrium.call('POST', '/v1/events', { json: { ...plain, ...json } });
const painted = sharp({ create: { width: 30, height: 20, channels: 3, background: '#0f766e' } });
const png = new Blob([new Uint8Array(await painted.png().toBuffer())]);
const event = async (json: object = {}) => (await create(json)).body.data;
const get = async (id: number, query = '') => (await atrium.call('GET', `/v1/events/${id}${query}`)).body.data;
const put = (id: number, json: object) => atrium.call('PUT', `/v1/events/${id}`, { json: { ...plain, ...json } });
const answer = (id: number, json: object, node = atrium) => node.call('POST', `/v1/events/${id}/rsvp`, { json });
const key = atrium.keyWith;
const as = (email: string) => signIn(atrium, email);
const [ben, emi, carla] = [
  await as('ben.lindqvist@northwind.example'),
  await as('emi.tanaka@northwind.example'),
  await as('carla.mendes@northwind.example'),
];
const inSpaces = (...spaces: number[]) => ({ audience: { type: 'spaces', spaces } });
const ids = (reply: { body: { data: { id: number }[] } }) => reply.body.data.map(({ id }) => id);
const refused = ({
  status,
  body,
}: {
  status: number;
  body: { code: string; meta: { errors: { path: unknown }[] } };
}) => [status, body.code, body.meta.errors[0]?.path];
const stored = async () => [
  await atrium.rows(
    'select (select count(*) from events) as events, (select count(*) from event_audiences) as audiences',
  ),
  (await atrium.outbox()).length,
];
const actions = async () =>
  (await atrium.outbox()).map(({ action, payload }) => `${action} ${payload.event?.id} ${payload.event?.is_archived}`);

describe('create and read', () => {
  test('an import (multipart) keeps author and date, and has every field', async () => {
    const form = new FormData();
    for (const [name, value] of [
      ...Object.entries({
        ...plain,
        external_id: 'X-1',
        timezone: 'Europe/Lisbon',
        location: 'Room 1',
        url: 'https://example.org/join',
      }),
      ['html_content', '<p onclick="x()">Bring <b>ideas</b></p>'],
      ['capacity', '20'],
      ['audience[type]', 'spaces'],
      ['audience[spaces][]', '2'],
      ['user_external_id', 'E-1002'],
      ['created_at', '2019-02-03T04:05:06.123456Z'],
      ['language', 'en'],
    ] as const)
      form.append(name, value);
    const reply = await atrium.call('POST', '/v1/events', { form });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    const { id, sequence, updated_at, creator, ...rest } = reply.body.data;
    assert.equal(creator.external_id, 'E-1002');
    assert.deepEqual(rest, {
      external_id: 'X-1',
      title: 'T',
      description: 'Bring ideas',
      html_content: '<p>Bring <b>ideas</b></p>',
      starts_at: '2030-05-01T10:00:00.000000Z',
      ends_at: '2030-05-01T12:00:00.000000Z',
      timezone: 'Europe/Lisbon',
      all_day: false,
      location: 'Room 1',
      url: 'https://example.org/join',
      capacity: 20,
      cover_image: null,
      going_count: 0,
      maybe_count: 0,
      declined_count: 0,
      my_rsvp: null,
      is_archived: false,
      language: 'en',
      audience: { type: 'spaces', spaces: [{ id: 2, name: 'Store teams' }], teams: [] },
      reactions: {},
      likes_count: 0,
      comments_count: 0,
      created_at: '2019-02-03T04:05:06.123456Z',
      permalink: `http://northwind.localhost/events/${id}`,
    });
    const { languages, ...read } = (await atrium.call('GET', '/v1/events/by-external-id/X-1')).body.data;
    assert.deepEqual([read, languages], [reply.body.data, []]);
    const { action, payload, is_public, space_id } = (await atrium.outbox()).at(-1) ?? {};
    assert.deepEqual([action, payload, is_public, space_id], ['event.published', { event: read }, true, 2]);
  });

  test('an all-day event covers whole days of its time zone, whether days or moments are given', async () => {
    const day = async (starts_at: string, ends_at: string, timezone = 'Europe/Berlin') => {
      const made = await event({ all_day: true, timezone, starts_at, ends_at });
      return [made.starts_at, made.ends_at];
    };
    const mayFirst = ['2030-04-30T22:00:00.000000Z', '2030-05-01T22:00:00.000000Z'];
    assert.deepEqual(await day('2030-05-01', '2030-05-01'), mayFirst);
    assert.deepEqual(await day('2030-05-01T10:00:00+02:00', '2030-05-01T11:00:00+02:00'), mayFirst);
    assert.deepEqual(await day(...(mayFirst as [string, string])), mayFirst, 'what is read can be written back');
    assert.deepEqual(
      await day('2030-04-30T22:00:00Z', '2030-04-30T22:00:00Z'),
      mayFirst,
      'one midnight given twice is that day',
    );
    // Summer time begins in between: the two days have 47 hours.
    assert.deepEqual(await day('2030-03-30', '2030-03-31'), [
      '2030-03-29T23:00:00.000000Z',
      '2030-03-31T22:00:00.000000Z',
    ]);
  });

  test('bad input names its field and leaves neither row nor event', async () => {
    const before = await stored();
    for (const [json, status, code, path] of [
      [{ ends_at: '2030-05-01T09:00:00Z' }, 400, 'invalid_request', 'ends_at'],
      [{ ends_at: plain.starts_at }, 400, 'invalid_request', 'ends_at'],
      [{ all_day: true, starts_at: '2030-05-02', ends_at: '2030-05-01' }, 400, 'invalid_request', 'ends_at'],
      [{ starts_at: '2030-05-01' }, 400, 'invalid_request', 'starts_at'],
      [{ starts_at: '2030-05-01T10:00:00' }, 400, 'invalid_request', 'starts_at'],
      [{ all_day: true, starts_at: '2030-02-30' }, 400, 'invalid_request', 'starts_at'],
      [{ ends_at: '+012030-05-01T10:00:00Z' }, 400, 'invalid_request', 'ends_at'],
      [{ timezone: 'Mars/Olympus' }, 400, 'invalid_request', 'timezone'],
      [{ url: 'javascript:alert(1)' }, 400, 'invalid_request', 'url'],
      [{ capacity: 0 }, 400, 'invalid_request', 'capacity'],
      [{ created_at: '2999-01-01T00:00:00Z' }, 400, 'invalid_request', 'created_at'],
      [{ user_external_id: 'nobody' }, 400, 'invalid_request', 'user_external_id'],
      [{ language: 'not a tag' }, 400, 'invalid_request', 'language'],
      [inSpaces(1, 999), 400, 'invalid_request', 'audience.spaces[1]'],
      [{ external_id: 'EV-1' }, 409, 'external_id_taken', 'external_id'],
    ] as const)
      assert.deepEqual(refused(await create(json)), [status, code, path], JSON.stringify(json));
    assert.deepEqual(await stored(), before);
  });
});

describe('replace', () => {
  test('clears what is omitted, keeps identifiers, zone and audience; the same again is silent', async () => {
    const made = await event({
      external_id: 'R-1',
      timezone: 'Asia/Tokyo',
      location: 'Here',
      capacity: 3,
      url: 'https://a.example',
      ...inSpaces(2),
    });
    const { body } = await put(made.id, { title: 'New' });
    const { title, external_id, timezone, location, capacity, url, audience } = body.data;
    assert.deepEqual(
      { title, external_id, timezone, location, capacity, url, audience },
      {
        title: 'New',
        external_id: 'R-1',
        timezone: 'Asia/Tokyo',
        location: '',
        capacity: null,
        url: null,
        audience: made.audience,
      },
    );
    const before = await stored();
    assert.deepEqual((await put(made.id, { title: 'New' })).body.data, body.data);
    assert.deepEqual(await stored(), before);
    const twin = await atrium.call('PUT', '/v1/events/by-external-id/R-1', {
      json: { ...plain, title: 'Newer', ...inSpaces(4) },
    });
    assert.deepEqual(twin.body.data.audience.spaces, [{ id: 4, name: 'Board' }]);
    const { is_public, space_id } = (await atrium.outbox()).at(-1) ?? {};
    assert.deepEqual([is_public, space_id], [false, 4]);
    assert.equal((await put(9_999, {})).status, 404);
  });

  test('another language becomes a translation; reading it falls back to the own one', async () => {
    const { id } = await event({ language: 'en', title: 'Party', location: 'Roof', description: 'Come' });
    const reply = await put(id, {
      language: 'de',
      title: 'Fest',
      location: 'Dach',
      description: 'Kommt',
      starts_at: '2031-01-01T00:00:00Z',
      ends_at: '2031-01-02T00:00:00Z',
    });
    assert.deepEqual([reply.body.data.title, reply.body.data.starts_at], ['Fest', '2030-05-01T10:00:00.000000Z']);
    const [german, french] = [await get(id, '?language=DE'), await get(id, '?language=fr')];
    assert.deepEqual(
      [german.title, german.description, german.location, german.language],
      ['Fest', 'Kommt', 'Dach', 'de'],
    );
    assert.deepEqual([french.title, french.language, french.languages], ['Party', 'en', ['de']]);
    const listed = (await atrium.call('GET', '/v1/events?language=de&take=1')).body.data[0];
    assert.deepEqual([listed.id, listed.title], [id, 'Fest']);
  });
});

test(`a cover image and pictures in the text come with the event, show by signed addresses, \
and go with it`, async () => {
  const send = (method: string, path: string, cover: Blob, more: object = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...plain, ...more })) form.append(name, String(value));
    form.append('cover_image', cover, 'cover.png');
    return atrium.call(method, path, { form });
  };
  const files = () => atrium.rows('select id from assets where organisation_id = 1 order by id');
  const known = await files();
  const before = await stored();
  const reply = await send('POST', '/v1/events', new Blob(['<svg onload="x()"/>']));
  assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'cover_image']);
  assert.equal((await create({ html_content: '<img src="asset://999999" />' })).status, 400);
  assert.deepEqual([await stored(), await files()], [before, known]);

  const made = (await send('POST', '/v1/events', png, { html_content: '<img src="asset://1" />' })).body.data;
  assert.deepEqual([made.cover_image.content_type, made.cover_image.width], ['image/png', 30]);
  assert.equal((await fetch(atrium.url + made.cover_image.url.replace('http://northwind.localhost', ''))).status, 200);
  assert.equal(made.html_content, '<img src="asset://1" />');
  assert.match(
    (await get(made.id, '?sign_url=1')).html_content,
    /<img src="http[^"]*\/files\/1\/1\/original\/[^"]*signature=/,
  );
  const other = (await send('PUT', `/v1/events/${made.id}`, png, { language: 'de' })).body.data;
  assert.notEqual(other.cover_image.asset_id, made.cover_image.asset_id);
  assert.equal((await put(made.id, { title: 'Kept' })).body.data.cover_image.asset_id, other.cover_image.asset_id);
  assert.equal((await put(made.id, { cover_image_id: null })).body.data.cover_image, null);
  await put(made.id, { cover_image_id: 1 });
  assert.equal((await atrium.call('DELETE', `/v1/events/${made.id}`)).status, 200);
  assert.equal((await atrium.outbox()).at(-1)?.payload.event?.id, made.id);
  await atrium.drain();
  assert.deepEqual(await files(), known, 'what came with it is gone, what was uploaded by itself stays');
});

describe('who sees and who writes', () => {
  test('an event of a hidden space is there for its members and for keys that see hidden spaces', async () => {
    const { id } = await event(inSpaces(4));
    const bounded = await key(['events.*.*', 'spaces.public.read']);
    for (const call of [emi.call, (method: string, path: string) => atrium.call(method, path, { key: bounded })]) {
      for (const path of ['', '/attendees', '/calendar.ics'])
        assert.equal((await call('GET', `/v1/events/${id}${path}`)).status, 404);
      for (const query of ['', '?state=upcoming', '?space_ids=4', '?space_ids=all'])
        assert.ok(!ids(await call('GET', `/v1/events${query}`)).includes(id), query);
    }
    assert.equal((await emi.call('POST', `/v1/events/${id}/rsvp`, { json: { status: 'going' } })).status, 404);
    assert.ok(ids(await atrium.call('GET', '/v1/events?space_ids=4')).includes(id));
  });

  test('an event of a team is there for its members', async () => {
    const { id } = await event({ audience: { type: 'teams', teams: [3] } });
    assert.equal((await carla.call('GET', `/v1/events/${id}`)).status, 200);
    assert.equal((await emi.call('GET', `/v1/events/${id}`)).status, 404);
    assert.ok(ids(await carla.call('GET', '/v1/events?team_ids=all')).includes(id));
  });

  test("an event follows its space's visibility", async () => {
    const { id } = await event(inSpaces(3));
    assert.equal((await emi.call('GET', `/v1/events/${id}`)).status, 404);
    const turn = (visibility: string) =>
      atrium.call('PUT', '/v1/spaces/3', { json: { name: 'Sales Berlin', visibility } });
    await turn('public');
    assert.ok(ids(await emi.call('GET', '/v1/events')).includes(id));
    await turn('private');
    assert.ok(!ids(await emi.call('GET', '/v1/events')).includes(id));
  });

  test('events are the work of editors of a space; everybody is addressed by moderators and admins', async () => {
    const write = (person: typeof ben, json: object) =>
      person.call('POST', '/v1/events', { json: { ...plain, ...json } });
    assert.deepEqual(refused(await write(emi, inSpaces(2))), [403, 'forbidden', 'audience.spaces[0]']);
    assert.equal((await write(emi, {})).status, 403);
    const own = await write(ben, inSpaces(2));
    assert.equal(own.status, 201);
    assert.equal((await emi.call('PUT', `/v1/events/${own.body.data.id}`, { json: plain })).status, 403);
    assert.equal((await emi.call('DELETE', `/v1/events/${own.body.data.id}`)).status, 403);
    await atrium.call('PATCH', '/v1/spaces/2/users', { json: { ids_to_set_as_events_editor: [5] } });
    assert.equal((await write(emi, inSpaces(2))).status, 201);
    assert.equal(
      (await emi.call('PUT', `/v1/events/${own.body.data.id}`, { json: { ...plain, title: 'By Emi' } })).status,
      200,
    );
  });
});

test('lists are in order of time where time is asked for, and their totals are exact', async () => {
  const far = { timezone: 'UTC', user_id: 3 };
  const make = async (starts_at: string, ends_at: string) => (await event({ ...far, starts_at, ends_at })).id;
  const late = await make('2041-01-02T00:00:00Z', '2041-01-03T00:00:00Z');
  const early = await make('2040-01-02T00:00:00Z', '2040-01-03T00:00:00Z');
  const gone = await make('2001-01-02T00:00:00Z', '2001-01-03T00:00:00Z');
  const running = await make('2000-01-01T00:00:00Z', '2050-01-01T00:00:00Z');
  const older = await make('1999-01-01T00:00:00Z', '1999-01-02T00:00:00Z');
  const list = async (query: string) => {
    const reply = await atrium.call('GET', `/v1/events?creator_id=3&${query}`);
    assert.equal(reply.body.meta.pagination.total_records, reply.body.data.length);
    return ids(reply);
  };
  assert.deepEqual(await list(''), [older, running, gone, early, late]);
  assert.deepEqual(await list('state=upcoming'), [running, early, late]);
  assert.deepEqual(await list('state=past'), [gone, older]);
  assert.deepEqual(await list('starts_after=2001-01-01T00:00:00Z&starts_before=2040-06-01T00:00:00Z'), [gone, early]);
  assert.deepEqual(await list('state=archived'), []);
  await put(early, { ...far, is_archived: true });
  assert.deepEqual([await list('state=archived'), await list('state=upcoming')], [[early], [running, late]]);
  assert.equal((await list('state=all')).length, 5);
  const total = async () => (await atrium.call('GET', '/v1/events?take=1')).body.meta.pagination.total_records;
  const [{ count }] = (await atrium.rows<{ count: number }>(
    'select count(*) from events where organisation_id = 1 and not is_archived',
  )) as [{ count: number }];
  assert.equal(await total(), count);
  await atrium.drain();
  assert.equal(await total(), count);
});

describe('answers', () => {
  const attendees = async (id: number, query = '') =>
    (await atrium.call('GET', `/v1/events/${id}/attendees${query}`)).body;

  test(`counts and lists follow every answer, a changed one and a withdrawn one; \
one person has one answer`, async () => {
    const { id } = await event();
    assert.deepEqual((await emi.call('POST', `/v1/events/${id}/rsvp`, { json: { status: 'maybe' } })).body.data, {
      status: 'maybe',
      going_count: 0,
      maybe_count: 1,
      declined_count: 0,
    });
    await answer(id, { status: 'going', user_external_id: 'E-1002', created_at: '2020-01-01T00:00:00Z' });
    await emi.call('POST', `/v1/events/${id}/rsvp`, { json: { status: 'going' } });
    await answer(id, { status: 'declined', user_id: 3 });
    const read = (await emi.call('GET', `/v1/events/${id}`)).body.data;
    assert.deepEqual([read.going_count, read.maybe_count, read.declined_count, read.my_rsvp], [2, 0, 1, 'going']);
    const going = await attendees(id, '?status=going&take=1');
    assert.deepEqual(
      [going.data[0].user.id, going.data[0].status, going.meta.pagination.total_records],
      [5, 'going', 2],
    );
    const all = await attendees(id);
    assert.deepEqual(
      all.data.map((item: { user: { id: number } }) => item.user.id),
      [3, 5, 2],
    );
    assert.equal(all.data[2].created_at, '2020-01-01T00:00:00.000000Z');
    for (let twice = 0; twice < 2; twice++)
      assert.equal((await emi.call('DELETE', `/v1/events/${id}/rsvp`)).body.data.going_count, 1);
    assert.equal((await atrium.call('DELETE', `/v1/events/${id}/rsvp?user_id=3`)).body.data.declined_count, 0);
    await atrium.drain();
    assert.equal((await attendees(id)).meta.pagination.total_records, 1);
  });

  test('of forty people asking two nodes at once for the last three seats exactly three get one', async () => {
    const people = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const json = { email: `guest${n}@northwind.example`, first_name: 'Guest', last_name: `${n}` };
        return (await atrium.call('POST', '/v1/users', { json })).body.data.id as number;
      }),
    );
    const { id } = await event({ capacity: 4 });
    await answer(id, { status: 'going', user_id: 2 });
    const replies = await Promise.all(
      people.map((user_id, n) => answer(id, { status: 'going', user_id }, n % 2 ? atrium : second)),
    );
    const outcomes = Map.groupBy(replies, ({ status, body }) => body.code ?? status);
    assert.deepEqual([outcomes.get(200)?.length, outcomes.get('event_full')?.length], [3, 37]);
    assert.equal((await get(id)).going_count, 4);
    assert.equal((await attendees(id, '?status=going')).meta.pagination.total_records, 4);
    assert.equal((await answer(id, { status: 'going', user_id: 2 })).status, 200, 'who has a seat keeps it');
    assert.equal((await answer(id, { status: 'maybe', user_id: 3 })).status, 200, 'maybe takes no seat');
    await answer(id, { status: 'declined', user_id: 2 });
    assert.equal((await answer(id, { status: 'going', user_id: 3 })).status, 200, 'a seat given back is free');
  });

  test('people answer for themselves; a key says for whom, and only for whom the event is', async () => {
    const { id } = await event(inSpaces(3));
    assert.deepEqual(refused(await answer(id, { status: 'going' })), [400, 'invalid_request', 'user_id']);
    assert.deepEqual(refused(await answer(id, { status: 'going', user_id: 5 })), [400, 'user_not_found', 'user_id']);
    assert.deepEqual(refused(await answer(id, { status: 'going', user_external_id: 'x' })), [
      400,
      'invalid_request',
      'user_external_id',
    ]);
    assert.equal((await answer(id, { status: 'going', user_id: 4 })).status, 200);
    assert.equal(
      (await ben.call('POST', `/v1/events/${id}/rsvp`, { json: { status: 'going', user_id: 4 } })).status,
      403,
    );
    assert.equal((await ben.call('DELETE', `/v1/events/${id}/rsvp?user_id=4`)).status, 403);
    await atrium.call('PATCH', '/v1/spaces/3/users', { json: { ids_to_remove: [4] } });
    assert.equal((await answer(id, { status: 'maybe', user_id: 4 })).status, 400);
    const withdrawn = await atrium.call('DELETE', `/v1/events/${id}/rsvp?user_id=4`);
    assert.deepEqual([withdrawn.status, withdrawn.body.data.going_count], [200, 0], 'of who left the space');
  });

  test('what is over or archived is not answered any more; imports may answer what is over', async () => {
    const past = await event({ starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z' });
    assert.deepEqual(
      refused(await emi.call('POST', `/v1/events/${past.id}/rsvp`, { json: { status: 'going' } })).slice(0, 2),
      [409, 'event_over'],
    );
    assert.equal((await answer(past.id, { status: 'going', user_id: 5 })).status, 200);
    const archived = await event({ is_archived: true });
    assert.deepEqual(refused(await answer(archived.id, { status: 'going', user_id: 5 })).slice(0, 2), [
      409,
      'event_archived',
    ]);
  });

  test('a deleted event takes its answers and their totals with it', async () => {
    const { id } = await event();
    await answer(id, { status: 'going', user_id: 5 });
    await atrium.drain();
    await answer(id, { status: 'going', user_id: 4 });
    assert.equal((await atrium.call('DELETE', `/v1/events/${id}`)).status, 200);
    for (const table of ['list_blocks', 'list_totals', 'list_changes'])
      assert.deepEqual(
        await atrium.rows(`select from ${table} where list = 'event_attendees' and bucket = $1`, [id]),
        [],
      );
    assert.equal((await answer(id, { status: 'going', user_id: 4 })).status, 404);
  });
});

test('archiving a space takes its events along and brings back exactly those', async () => {
  const space = async (name: string) =>
    (await atrium.call('POST', '/v1/spaces', { json: { name } })).body.data.id as number;
  const [one, other] = [await space('One'), await space('Other')];
  const [alone, both, before] = [
    await event(inSpaces(one)),
    await event(inSpaces(one, other)),
    await event(inSpaces(one)),
  ];
  await put(before.id, { is_archived: true });
  const known = (await actions()).length;
  const turn = (id: number, verb: 'archive' | 'unarchive') => atrium.call('POST', `/v1/spaces/${id}/${verb}`);
  const archived = async () =>
    (await Promise.all([alone, both, before].map(({ id }) => get(id)))).map(({ is_archived }) => is_archived);
  await turn(one, 'archive');
  assert.deepEqual(await archived(), [true, false, true], 'the other space is open still');
  assert.deepEqual(refused(await create(inSpaces(one))), [409, 'space_archived', 'audience.spaces[0]']);
  await turn(other, 'archive');
  assert.deepEqual(await archived(), [true, true, true]);
  await turn(other, 'unarchive');
  assert.deepEqual(await archived(), [true, false, true]);
  await turn(one, 'unarchive');
  assert.deepEqual(await archived(), [false, false, true], 'what was archived before stays archived');
  assert.deepEqual(
    (await actions()).slice(known).filter((action) => action.startsWith('event')),
    [
      `event.updated ${alone.id} true`,
      `event.updated ${both.id} true`,
      `event.updated ${both.id} false`,
      `event.updated ${alone.id} false`,
    ],
  );
  await turn(one, 'archive');
  assert.deepEqual(refused(await put(alone.id, { is_archived: false })), [409, 'space_archived', 'is_archived']);
  await turn(one, 'unarchive');
  await Promise.all([turn(one, 'archive'), second.call('POST', `/v1/spaces/${other}/archive`)]);
  assert.deepEqual(await archived(), [true, true, true], 'two spaces archived at once leave nothing behind');
  const moved = await put(both.id, inSpaces(2));
  assert.deepEqual([moved.status, moved.body.data.is_archived], [200, false], 'posted to an open space, it is back');
});
