import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { signIn, startAtrium } from '../../testing/atrium.ts';
import { PASSWORD } from '../../testing/world.ts';

const atrium = await startAtrium({ request_days: 0 });
const person = (n: number) => ({
  email: `person.${n}@northwind.example`,
  first_name: 'Person',
  last_name: String(n),
  external_id: `P-${n}`,
});
const create = async (n: number, more: object = {}) =>
  (await atrium.call('POST', '/v1/users', { json: { ...person(n), ...more } })).body.data;
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYPj/HwADAgH/eL9GtQAAAABJRU5ErkJggg==',
  'base64',
);

test('a user has every field of the interface', async () => {
  const user = (await atrium.call('GET', '/v1/users/2')).body.data;
  assert.deepEqual(
    { ...user, created_at: 0, updated_at: 0 },
    {
      id: 2,
      external_id: 'E-1002',
      email: 'ben.lindqvist@northwind.example',
      name: 'Ben Lindqvist',
      first_name: 'Ben',
      last_name: 'Lindqvist',
      display_name: null,
      avatar_url: 'http://northwind.localhost/avatars/initials/424c.png',
      job_title: 'Head of sales',
      timezone: 'Europe/Berlin',
      locale: 'en',
      hire_date: '2018-09-15',
      manager_id: 1,
      date_of_birth: null,
      mobile_phone: null,
      direct_dial: '+49 30 5550102',
      has_logged_in: false,
      created_at: 0,
      permalink: 'http://northwind.localhost/directory/people/2',
      is_frontline: false,
      has_access: true,
      is_active: true,
      roles: ['user'],
      updated_at: 0,
    },
  );
  assert.match(user.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
});

test(`by id, e-mail in any case, and external id it is the same user; \
expand adds teams, spaces and manager`, async () => {
  const byId = (await atrium.call('GET', '/v1/users/2')).body.data;
  assert.deepEqual((await atrium.call('GET', '/v1/users/by-email/BEN.lindqvist%40northwind.example')).body.data, byId);
  assert.deepEqual((await atrium.call('GET', '/v1/users/by-external-id/E-1002')).body.data, byId);
  const expanded = (await atrium.call('GET', '/v1/users/by-external-id/E-1002?expand=teams,spaces,manager')).body.data;
  assert.deepEqual(expanded.teams, [
    { id: 1, name: 'Sales' },
    { id: 2, name: 'Berlin' },
  ]);
  assert.deepEqual(
    expanded.spaces.map(({ name }: { name: string }) => name),
    ['Company news', 'Store teams', 'Sales Berlin'],
  );
  assert.equal(expanded.manager.email, 'ada.okafor@northwind.example');
  assert.equal((await atrium.call('GET', '/v1/users?expand=secrets')).status, 400);
});

test('an external id may hold any characters, and ids may be above 2^31', async () => {
  await atrium.rows(`select setval(pg_get_serial_sequence('users', 'id'), 3000000000)`);
  const user = await create(1, { external_id: 'a/b c?%|ü' });
  assert.equal(user.id, 3_000_000_001);
  assert.equal(
    (await atrium.call('GET', `/v1/users/by-external-id/${encodeURIComponent('a/b c?%|ü')}`)).body.data.id,
    user.id,
  );
});

test(`a taken e-mail address (in any case) or external id \
is a 409, an unknown manager a 400, and nothing is stored`, async () => {
  const before = await atrium.rows('select id from users');
  const attempt = async (more: object) => {
    const reply = await atrium.call('POST', '/v1/users', { json: { ...person(2), ...more } });
    return [reply.status, reply.body.code, reply.body.meta.errors[0].path];
  };
  assert.deepEqual(await attempt({ email: 'ADA.okafor@northwind.example' }), [409, 'email_taken', 'email']);
  assert.deepEqual(await attempt({ external_id: 'E-1001' }), [409, 'external_id_taken', 'external_id']);
  assert.deepEqual(await attempt({ manager_id: 999 }), [400, 'manager_not_found', 'manager_id']);
  assert.deepEqual(await attempt({ manager_external_id: 'E-9' }), [400, 'manager_not_found', 'manager_external_id']);
  assert.deepEqual(await atrium.rows('select id from users'), before);
});

test('PUT clears omitted profile fields and keeps identity, access and frontline', async () => {
  const { id } = await create(3, {
    job_title: 'Baker',
    hire_date: '2020-02-29',
    is_frontline: true,
    has_access: false,
    mobile_phone: '1',
    manager_external_id: 'E-1001',
  });
  const { body } = await atrium.call('PUT', `/v1/users/${id}`, {
    json: { email: person(3).email, first_name: 'New', last_name: 'Name' },
  });
  const { name, job_title, hire_date, mobile_phone, manager_id, external_id, is_frontline, has_access } = body.data;
  assert.deepEqual(
    { name, job_title, hire_date, mobile_phone, manager_id, external_id, is_frontline, has_access },
    {
      name: 'New Name',
      job_title: '',
      hire_date: null,
      mobile_phone: null,
      manager_id: null,
      external_id: 'P-3',
      is_frontline: true,
      has_access: false,
    },
  );
  assert.equal((await atrium.call('PUT', '/v1/users/by-external-id/none', { json: person(4) })).status, 404);
});

test('deactivation leaves the lists, ends sessions before the answer, and is undone by is_active', async () => {
  const target = await startAtrium();
  await target.call('PUT', '/v1/admin/users/2/roles', { json: { roles: ['admin'] } });
  const ada = await signIn(target, 'ada.okafor@northwind.example', PASSWORD);
  const count = async (path: string) => (await target.call('GET', path)).body.meta.pagination.total_records;
  const [users, members, team] = [
    await count('/v1/users'),
    await count('/v1/spaces/1/users'),
    await count('/v1/teams/2/users'),
  ];
  const reply = await target.call('DELETE', '/v1/users/1');
  assert.equal(reply.body.data.is_active, false);
  assert.equal((await ada.call('GET', '/v1/sessions/current')).status, 401);
  assert.equal(
    (
      await target.call('POST', '/v1/sessions', {
        key: null,
        json: { email: 'ada.okafor@northwind.example', password: PASSWORD },
      })
    ).status,
    401,
  );
  assert.deepEqual(
    [await count('/v1/users'), await count('/v1/spaces/1/users'), await count('/v1/teams/2/users')],
    [users - 1, members - 1, team - 1],
  );
  assert.equal(await count('/v1/users?is_active=all'), users);
  assert.equal((await target.call('GET', '/v1/spaces/1')).body.data.member_count, members - 1);
  const { email, first_name, last_name } = reply.body.data;
  const back = await target.call('PUT', '/v1/users/1', { json: { email, first_name, last_name, is_active: true } });
  assert.equal(back.body.data.is_active, true);
  await target.drain();
  assert.deepEqual([await count('/v1/users'), await count('/v1/spaces/1/users')], [users, members]);
  assert.equal((await ada.call('GET', '/v1/sessions/current')).status, 401);
  const actions = (await target.outbox()).map(({ action }) => action).filter((action) => /activated/.test(action));
  assert.deepEqual(actions, ['user.deactivated', 'user.reactivated']);
});

test('the list filters by e-mail, teams and spaces, in each form a client writes them', async () => {
  const ids = async (query: string) =>
    (await atrium.call('GET', `/v1/users?${query}`)).body.data.map(({ id }: { id: number }) => id);
  assert.deepEqual(await ids('email=Ada.Okafor@northwind.example'), [1]);
  for (const query of [
    'in_teams=2,3',
    'in_teams=2|3',
    'in_teams[]=2&in_teams[]=3',
    'in_teams=2&in_teams=3',
    'in_teams[0]=2&in_teams[1]=3',
  ])
    assert.deepEqual(await ids(query), [1, 2, 3, 4], query);
  assert.deepEqual(await ids('in_spaces=3&in_teams=2'), [2, 4]);
  assert.deepEqual(await ids('take=2&skip=1'), [2, 3]);
  const page = await atrium.call('GET', '/v1/users?take=2&skip=0&in_teams=2');
  assert.equal(page.body.meta.pagination.total_records, 3);
  const next = new URL(page.body.meta.pagination.next_page);
  assert.deepEqual(
    [next.origin, next.searchParams.get('skip'), next.searchParams.get('in_teams')],
    [atrium.url, '2', '2'],
  );
  const last = await atrium.call('GET', next.pathname + next.search);
  assert.deepEqual([last.body.data.length, last.body.meta.pagination.next_page], [1, null]);
  const past = await atrium.call('GET', '/v1/users?skip=100000');
  assert.deepEqual([past.status, past.body.data, past.body.meta.pagination.next_page], [200, [], null]);
});

test('frontline status: a thousand at once, all or nothing, unknown and repeated ones named', async () => {
  const rows = Array.from({ length: 1000 }, (_, n) => `(1, 'F-${n}', 'f${n}@x.example', 'F', '${n}', now(), now())`);
  await atrium.rows(
    `insert into users (organisation_id, external_id, email, first_name, last_name, created_at, updated_at)
     values ${rows.join(',')}`,
  );
  const users = rows.map((_, n) => ({ external_id: `F-${n}`, is_frontline: true, has_access: n % 2 === 0 }));
  const reply = await atrium.call('PUT', '/v1/users/frontline-status', { json: { users } });
  assert.equal(reply.body.data.length, 1000);
  assert.deepEqual(Object.keys(reply.body.data[1]), [
    'id',
    'external_id',
    'email',
    'name',
    'is_frontline',
    'has_access',
    'permalink',
  ]);
  assert.deepEqual([reply.body.data[1].external_id, reply.body.data[1].has_access], ['F-1', false]);

  const before = await atrium.rows(`select external_id, is_frontline, has_access from users order by id`);
  const bad = await atrium.call('PUT', '/v1/users/frontline-status', {
    json: {
      users: [
        { ...users[0], has_access: false },
        { external_id: 'nobody', is_frontline: true, has_access: true },
      ],
    },
  });
  assert.deepEqual([bad.status, bad.body.meta.errors[0].path], [400, 'users[1].external_id']);
  const twice = await atrium.call('PUT', '/v1/users/frontline-status', { json: { users: [users[0], users[0]] } });
  assert.deepEqual([twice.status, twice.body.meta.errors[0].path], [400, 'users[1].external_id']);
  const many = await atrium.call('PUT', '/v1/users/frontline-status', { json: { users: [...users, users[0]] } });
  assert.deepEqual([many.status, many.body.meta.errors[0].path], [400, 'users']);
  assert.deepEqual(await atrium.rows(`select external_id, is_frontline, has_access from users order by id`), before);
});

test('a profile photo replaces the initials; the former file is removed by a job', async () => {
  const upload = (bytes: Buffer<ArrayBuffer>) => {
    const form = new FormData();
    form.append('image', new Blob([bytes]), '../../etc/passwd.png');
    return atrium.call('PUT', '/v1/users/by-external-id/E-1003/profile-photo', { form });
  };
  const photo = async (avatar_url: string) => {
    const response = await fetch(atrium.url + new URL(avatar_url).pathname);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  };
  const first = (await upload(png)).body.data.avatar_url;
  assert.deepEqual(await photo(first), { status: 200, type: 'image/png', bytes: png });
  const second = (await upload(png)).body.data.avatar_url;
  await atrium.drain();
  assert.deepEqual([(await photo(first)).status, (await photo(second)).status], [404, 200]);
  const text = await upload(Buffer.from('<svg onload=alert(1)>'));
  assert.deepEqual([text.status, text.body.code, text.body.meta.errors[0].path], [400, 'image_invalid', 'image']);
  const notFile = await atrium.call('PUT', '/v1/users/3/profile-photo', {
    json: { image: 'https://example.com/me.png' },
  });
  assert.deepEqual([notFile.status, notFile.body.meta.errors[0].path], [400, 'image']);
});

test('initials of any script are a picture that can be a photo; what they once were leads there', async () => {
  const initials = async (text: string, ending = 'png') =>
    fetch(`${atrium.url}/avatars/initials/${Buffer.from(text).toString('hex')}.${ending}`);
  const seen = new Set<string>();
  // The last one is of no script that is drawn.
  for (const text of ['AB', 'ЖЯ', 'ΩΔ', '陳明', 'あア', '김박', 'مع', 'עב', 'कख', 'กข', '😀', '👩', '?', '𐎠']) {
    const reply = await initials(text);
    assert.equal(reply.headers.get('content-type'), 'image/png', text);
    const bytes = Buffer.from(await reply.arrayBuffer());
    const { width, height } = await sharp(bytes).metadata();
    const { channels } = await sharp(bytes).stats();
    assert.deepEqual([width, height], [512, 512]);
    assert.ok(
      channels.some(({ min, max }) => min < 150 && max > 250),
      `${text} is white on a colour`,
    );
    seen.add(bytes.toString('base64'));
  }
  assert.equal(seen.size, 14);
  const formerly = await initials('AB', 'svg');
  assert.deepEqual([formerly.redirected, formerly.headers.get('content-type')], [true, 'image/png']);
  for (const hex of ['', 'zz', 'c3', '00', Buffer.from('abcde').toString('hex')])
    assert.equal((await fetch(`${atrium.url}/avatars/initials/${hex}.png`)).status, 404, hex);
});

test('many lookups of one moment are few statements, and each gets its own answer', async () => {
  const { statements } = atrium.services.db;
  const before = statements.count;
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, n) =>
      atrium.call('GET', `/v1/users/by-external-id/${n % 3 === 0 ? 'none' : `F-${n}`}`),
    ),
  );
  replies.forEach((reply, n) => {
    assert.deepEqual([reply.status, reply.body.data?.external_id], n % 3 === 0 ? [404, undefined] : [200, `F-${n}`]);
  });
  assert.ok(
    statements.count - before < 400,
    `${statements.count - before} statements for 200 reads with 200 key checks`,
  );
});

test('who administers people without being an admin cannot take the place of one', async () => {
  assert.equal((await atrium.call('PUT', '/v1/admin/users/4/roles', { json: { roles: ['it_admin'] } })).status, 200);
  const dmitri = await signIn(atrium, 'dmitri.petrov@northwind.example');
  const ada = { first_name: 'Ada', last_name: 'Okafor', job_title: 'Director' };
  const replace = (id: number, json: object) => dmitri.call('PUT', `/v1/users/${id}`, { json });
  const taken = await replace(1, { ...ada, email: 'mine@northwind.example' });
  assert.deepEqual([taken.status, taken.body.code], [403, 'forbidden']);
  const { status, body } = await replace(1, { ...ada, email: 'Ada.Okafor@northwind.example' });
  assert.deepEqual([status, body.data?.job_title], [200, 'Director']);
  const other = { first_name: 'Carla', last_name: 'Mendes', email: 'carla@northwind.example' };
  assert.equal((await replace(3, other)).status, 200);
});
