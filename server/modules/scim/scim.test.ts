import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';
import { scimOf } from '../../testing/scim.ts';
import { PASSWORD } from '../../testing/world.ts';
import { basesOf } from './access.ts';
import { scimEndpoints } from './protocol.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const atrium = await startAtrium();
const scim = scimOf(atrium);
const create = async (userName: string, more: object = {}) => (await scim('POST', '/Users', { body: { userName, ...more } })).body;
const filtered = async (filter: string, list = '/Users') => (await scim('GET', `${list}?filter=${encodeURIComponent(filter)}`)).body;
const emails = async (filter: string) =>
  (await filtered(filter)).Resources.map(({ userName }: { userName: string }) => userName.split('@')[0]);
const patch = (...Operations: object[]) => ({ body: { Operations } });
const pathOf = (path: string) =>
  path.replace('{id}', path.startsWith('/ResourceTypes') ? 'User' : path.startsWith('/Schemas') ? ENTERPRISE : '1');

// ---- Credentials -------------------------------------------------------------------------------------------------

test('every endpoint on every base: no secret, an API key, a revoked or unknown secret is a 401 in SCIM’s form', async () => {
  const unknown = world.northwind.scim_secret.replace(/.{4}$/, 'AAAA');
  for (const { path: base } of basesOf(atrium.services.config.scim_providers))
    for (const { method, path } of scimEndpoints)
      for (const secret of [null, world.northwind.api_key, unknown, 'scim_1', 'x'.repeat(500)]) {
        const reply = await scim(method, pathOf(path), { base, secret, ...(method === 'GET' ? {} : { body: {} }) });
        assert.deepEqual(
          [reply.status, reply.body.status, reply.body.schemas],
          [401, '401', ['urn:ietf:params:scim:api:messages:2.0:Error']],
          `${method} ${base}${path}`,
        );
      }
});
test('a SCIM secret is no API key, and a session is no secret', async () => {
  assert.equal((await atrium.call('GET', '/v1/users', { key: world.northwind.scim_secret })).status, 401);
  const { cookie } = await signIn(atrium, 'ada.okafor@northwind.example', PASSWORD);
  assert.equal((await scim('GET', '/Users', { secret: null, headers: { cookie } })).status, 401);
});
test('another organisation’s ids are a 404, and its people are in no list', async () => {
  const secret = world.contoso.scim_secret;
  const list = (await scim('GET', '/Users', { secret })).body;
  assert.ok(list.Resources.every(({ userName }: { userName: string }) => !userName.includes('northwind')));
  for (const { method, path } of scimEndpoints.filter((each) => /(Users|Groups)\/\{id\}/.test(each.path))) {
    const body = { userName: 'a@b.example', displayName: 'X', Operations: [{ op: 'replace', value: { displayName: 'X' } }] };
    const reply = await scim(method, pathOf(path), { secret, ...(method === 'GET' ? {} : { body }) });
    assert.equal(reply.status, 404, `${method} ${path}`);
  }
});
test('rotation: both secrets work for the overlap, then only the new one; a revoked one is refused at once on every node', async () => {
  const other = scimOf(await atrium.secondNode());
  const rotate = async (body: object) => (await atrium.call('POST', '/v1/admin/provisioning/secrets', { json: body })).body.data;
  const status = async (secret: string) => (await other('GET', '/Users?count=0', { secret })).status;
  const first = await rotate({ provider: 'idp-a' });
  const second = await rotate({ provider: 'idp-a', overlap_hours: 2 });
  assert.deepEqual(
    [await status(first.scim_secret), await status(second.scim_secret), await status(world.northwind.scim_secret)],
    [200, 200, 200],
  );
  await atrium.rows(`update scim_secrets set expires_at = now() - interval '1 second' where id = $1`, [first.id]);
  assert.deepEqual([await status(first.scim_secret), await status(second.scim_secret)], [401, 200]);
  assert.equal((await atrium.call('DELETE', `/v1/admin/provisioning/secrets/${second.id}`)).status, 200);
  assert.equal(await status(second.scim_secret), 401);
  assert.equal((await atrium.rows('select from scim_secrets s where s::text like $1', [`%${second.scim_secret.slice(10)}%`])).length, 0);
  const reply = await atrium.call('POST', '/v1/admin/provisioning/secrets', { json: { provider: 'idp-z' } });
  assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'provider']);
});
test('with binds_secrets a secret works only under its provider’s base', async () => {
  await atrium.call('PUT', '/v1/admin/provisioning', { json: { binds_secrets: true } });
  const status = async (base: string) => (await scim('GET', '/Users?count=0', { base })).status;
  assert.deepEqual([await status('/scim/v2'), await status('/idp-a/v2/scim')], [200, 401]);
  await atrium.call('PUT', '/v1/admin/provisioning', { json: {} });
  assert.equal(await status('/idp-a/v2/scim'), 200);
});
test('provider segments are a setting', async () => {
  const own = await startAtrium({ scim_providers: ['okta=email'] });
  assert.equal(
    (await scimOf(own)('GET', '/Users/2', { base: '/okta/v2/scim' })).body[ENTERPRISE].manager.value,
    'ada.okafor@northwind.example',
  );
  assert.equal((await scimOf(own)('GET', '/Users/2', { base: '/idp-a/v2/scim' })).status, 404);
});

// ---- Filters and lists -------------------------------------------------------------------------------------------

test('every operator, and or not and parentheses, in any case', async () => {
  const target = await startAtrium();
  const own = scimOf(target);
  const find = async (filter: string) => {
    const { body, status } = await own('GET', `/Users?filter=${encodeURIComponent(filter)}`);
    assert.equal(status, 200, `${filter}: ${JSON.stringify(body)}`);
    assert.equal(body.totalResults, body.Resources.length);
    return body.Resources.map(({ id }: { id: string }) => Number(id));
  };
  const everybody = await find('id pr');
  for (const [filter, ids] of [
    ['userName eq "ADA.okafor@northwind.example"', [1]],
    ['USERNAME EQ "ada.okafor@northwind.example"', [1]],
    ['externalId eq "E-1002"', [2]],
    ['externalId eq "e-1002"', []],
    ['id eq "3"', [3]],
    ['id eq "none"', []],
    ['userName co "Lindq"', [2]],
    ['userName sw "carla"', [3]],
    ['name.familyName ew "ov"', [4]],
    ['name.formatted eq "Emi Tanaka"', [5]],
    ['displayName eq "Emi T."', [5]],
    ['title eq "Head of sales" or title eq "store lead"', [2, 4]],
    ['title co "lead" and not (userName sw "ben")', [4]],
    ['not (title pr)', everybody.filter((id: number) => id > 5)],
    ['(id eq "1" or id eq "2") and (id eq "2" or id eq "3")', [2]],
    ['id eq "1" or id eq "2" and id eq "3"', [1]],
    ['emails[type eq "work" and value co "ben"]', [2]],
    ['emails[type eq "home"]', []],
    ['emails eq "ben.lindqvist@northwind.example"', [2]],
    ['emails.value eq "BEN.lindqvist@northwind.example"', [2]],
    ['emails[type eq "work"].value eq "ben.lindqvist@northwind.example"', [2]],
    ['phoneNumbers[type eq "mobile"].value eq "+49 151 5550104"', [4]],
    ['phoneNumbers pr', [2, 4]],
    ['addresses[type eq "work" and locality eq "berlin"]', [1, 2, 4]],
    ['groups.value eq "3"', [3]],
    ['groups[display eq "IT"]', [3]],
    [`${ENTERPRISE}:department eq "sales"`, [2, 4, 5]],
    [`${ENTERPRISE}:manager.value eq "1"`, [2, 3]],
    [`${ENTERPRISE}:manager eq "2"`, [4]],
    ['department eq "IT"', [3]],
    ['locale eq "PT"', [3]],
    ['userType eq "x"', []],
    ['urn:custom:2.0:User:tax_Shift eq "Early"', []],
    ['id gt "3" and id le "5"', [4, 5]],
    ['meta.created gt "2000-01-01T00:00:00Z" and id eq "1"', [1]],
    ['meta.lastModified lt "2000-01-01T00:00:00Z"', []],
    ['active eq true and id eq "1"', [1]],
    ['active ne "True"', []],
    ['nickName eq null and id eq "1"', [1]],
    ['roles[value eq "it_admin"]', everybody.filter((id: number) => id === 1)],
    [`userName eq "o'hara\\"; drop table users; --"`, []],
  ] as const)
    assert.deepEqual(await find(filter), ids, filter);
});
test('what is no filter is a 400 invalidFilter', async () => {
  for (const filter of [
    'userName',
    'userName eq',
    'eq "x"',
    'userName is "x"',
    'userName eq x',
    'userName eq "x',
    '(userName eq "x"',
    'userName eq "x")',
    'unknown eq "x"',
    'not userName eq "x"',
    'active gt true',
    'active eq "perhaps"',
    'meta.created gt "yesterday"',
    'emails[type eq "work"',
    'emails[unknown eq "x"]',
    'userName eq "x" and',
    'name eq "x"',
    'password eq "x"',
    'members eq "1"',
    `${'('.repeat(40)}id pr${')'.repeat(40)}`,
    `userName eq "${'x'.repeat(9000)}"`,
  ]) {
    const { status, body } = await scim('POST', '/Users/.search', { body: { filter } });
    assert.deepEqual([status, body.scimType], [400, 'invalidFilter'], filter);
  }
});
test('paging is from 1, totals are exact, count 0 only counts, and sorting follows an attribute', async () => {
  const page = async (query: string) => (await scim('GET', `/Users?${query}`)).body;
  const { totalResults } = await page('count=0');
  const all = await page('count=500');
  assert.equal(all.Resources.length, totalResults);
  const walked = [];
  for (let startIndex = 1; startIndex <= totalResults; startIndex += 2)
    walked.push(...(await page(`startIndex=${startIndex}&count=2`)).Resources);
  assert.deepEqual(walked, all.Resources);
  assert.deepEqual((await page(`startIndex=${totalResults + 1}`)).Resources, []);
  assert.equal((await page('startIndex=0&count=1')).startIndex, 1);
  assert.equal((await page('count=-1')).itemsPerPage, 0);
  assert.equal((await scim('GET', '/Users?count=many')).status, 400);
  const names = (await page('sortBy=name.familyName&sortOrder=descending')).Resources.map(({ name }: { name: { familyName: string } }) =>
    name.familyName.toLowerCase(),
  );
  assert.deepEqual(names, names.toSorted().reverse());
  assert.equal(
    (await page('sortBy=userName&filter=externalId%20sw%20%22E-%22&count=1')).Resources[0].userName,
    'ada.okafor@northwind.example',
  );
  assert.equal((await scim('GET', '/Users?sortBy=unknown')).status, 400);
});
test('a full sync is one statement a page, beside the credential’s', async () => {
  const { statements } = atrium.services.db;
  await atrium.call('GET', '/v1/admin/provisioning/requests');
  for (const path of [
    '/Users?filter=active eq true&startIndex=1&count=100',
    '/Users?filter=userName eq "ada.okafor@northwind.example"',
    '/Groups?count=10',
    '/Users/1',
  ]) {
    await scim('GET', path);
    await atrium.call('GET', '/v1/admin/provisioning/requests');
    const before = statements.count;
    await scim('GET', path);
    const during = statements.count - before;
    assert.ok(during <= 3, `${path}: ${during} statements with the secret's and the log's`);
    await atrium.call('GET', '/v1/admin/provisioning/requests');
  }
});
test('attributes and excludedAttributes choose what is shown; id and schemas always are', async () => {
  const get = async (query: string) => Object.keys((await scim('GET', `/Users/2?${query}`)).body);
  assert.deepEqual(await get('attributes=userName'), ['schemas', 'id', 'userName']);
  assert.deepEqual(await get(`attributes=name.givenName,${ENTERPRISE}:department,id`), ['schemas', 'id', 'name', ENTERPRISE]);
  const { body } = await scim('GET', `/Users/2?attributes=NAME.familyname,emails.value,${ENTERPRISE}:department`);
  assert.deepEqual(
    [body.name, body.emails, body[ENTERPRISE]],
    [{ familyName: 'Lindqvist' }, [{ value: 'ben.lindqvist@northwind.example' }], { department: 'Sales' }],
  );
  assert.ok(!(await get('excludedAttributes=groups,emails')).some((name) => name === 'groups' || name === 'emails'));
  assert.deepEqual((await scim('GET', '/Users/2?excludedAttributes=id,name.givenName')).body.name, {
    familyName: 'Lindqvist',
    formatted: 'Ben Lindqvist',
  });
  assert.equal((await scim('GET', '/Users/2?attributes=id&excludedAttributes=name')).status, 400);
});
test('POST /.search is the list; at the root it finds people and teams', async () => {
  const body = { filter: 'userName sw "ada"', attributes: ['userName'], startIndex: 1, count: 10 };
  assert.equal((await scim('POST', '/Users/.search', { body })).body.Resources[0].userName, 'ada.okafor@northwind.example');
  assert.equal((await scim('POST', '/Groups/.search', { body: { filter: 'displayName eq "sales"' } })).body.totalResults, 1);
  const both = await scim('POST', '/.search', { body: { filter: 'displayName eq "IT" or displayName co "Ada"' } });
  assert.deepEqual(
    both.body.Resources.map(({ meta }: { meta: { resourceType: string } }) => meta.resourceType),
    ['User', 'Group'],
  );
  const everything = (await scim('GET', '/?count=3&startIndex=1')).body;
  assert.equal(everything.itemsPerPage, 3);
  assert.ok(everything.totalResults > 6);
});

// ---- Resources ---------------------------------------------------------------------------------------------------

test('a resource that is sent back as it was read changes nothing', async () => {
  const made = await create('echo@northwind.example', {
    name: { givenName: 'Ec', familyName: 'Ho', honorificPrefix: 'Dr.' },
    emails: [
      { value: 'ECHO@northwind.example', type: 'work', primary: true, display: 'Work' },
      { value: 'home@echo.example', type: 'home' },
    ],
    phoneNumbers: [
      { value: '1', type: 'fax' },
      { value: '2', type: 'WORK', display: 'Desk' },
    ],
    roles: [{ value: 'developer', display: 'Dev' }, { value: 'poet' }],
    timezone: 'Pacific Standard Time',
    locale: 'de_DE',
    userType: 'Employee',
    x509Certificates: [{ value: 'TUlJ' }],
    'urn:x:2.0:User': { tax_Shift: 'Night', deep: { er: [1, { two: null }] } },
    hireDate: '2020-01-31',
  });
  const count = (await atrium.outbox()).length;
  const put = await scim('PUT', `/Users/${made.id}`, { body: made });
  assert.deepEqual([put.status, put.body], [200, made]);
  assert.equal((await atrium.outbox()).length, count);
  assert.deepEqual([made.timezone, made.locale, made.hireDate], ['Pacific Standard Time', 'de_DE', undefined]);
  const user = (await atrium.call('GET', `/v1/users/${made.id}`)).body.data;
  assert.deepEqual(
    [user.timezone, user.locale, user.hire_date, user.direct_dial, user.roles],
    [null, 'de-DE', '2020-01-31', '2', ['developer', 'user']],
  );
});
test('required and invalid values are a 400 invalidValue, broken JSON is invalidSyntax, other types a 415', async () => {
  for (const body of [
    {},
    { userName: 'no address' },
    { userName: '' },
    { userName: 'a@b.example', active: 'perhaps' },
    { userName: 'a@b.example', title: 'x'.repeat(256) },
    { userName: 'a@b.example', hireDate: 'soon' },
    {
      userName: 'a@b.example',
      emails: [
        { value: 'a', primary: true },
        { value: 'b', primary: true },
      ],
    },
    { userName: 'a@b.example', displayName: 'a\0b' },
    { userName: 'a@b.example', 'urn:x:User': { a: '\0' } },
    { userName: 'a@b.example', name: 'text' },
  ]) {
    const reply = await scim('POST', '/Users', { body });
    assert.deepEqual([reply.status, reply.body.scimType], [400, 'invalidValue'], JSON.stringify(body));
  }
  const broken = await scim('POST', '/Users', { body: '{"userName":' });
  assert.deepEqual([broken.status, broken.body.scimType], [400, 'invalidSyntax']);
  assert.equal((await scim('POST', '/Users', { body: '[]' })).body.scimType, 'invalidSyntax');
  assert.equal((await scim('POST', '/Users', { body: '<x/>', type: 'application/xml' })).status, 415);
  assert.equal((await scim('POST', '/Users/1', { body: {} })).status, 405);
  assert.equal((await scim('GET', '/Nothing')).body.status, '404');
});
test('PATCH: read-only is mutability, required cannot go, a filter that says no entry is noTarget, unknown core is ignored', async () => {
  const { id } = await create('patch@northwind.example');
  const refusal = async (operation: object) => {
    const { status, body } = await scim('PATCH', `/Users/${id}`, patch(operation));
    return `${status} ${body.scimType}`;
  };
  assert.equal(await refusal({ op: 'replace', path: 'id', value: '7' }), '400 mutability');
  assert.equal(await refusal({ op: 'replace', path: 'groups', value: [] }), '400 mutability');
  assert.equal(await refusal({ op: 'remove', path: 'userName' }), '400 mutability');
  assert.equal(await refusal({ op: 'remove' }), '400 noTarget');
  assert.equal(await refusal({ op: 'remove', path: 'active' }), '400 invalidValue');
  assert.equal(await refusal({ op: 'replace', path: 'emails[value co "zzz"].display', value: 'y' }), '400 noTarget');
  assert.equal(await refusal({ op: 'replace', path: 'emails[type eq "work"', value: 'y' }), '400 invalidPath');
  assert.equal(await refusal({ op: 'replace', path: 'title.sub', value: 'y' }), '400 invalidPath');
  assert.equal(await refusal({ op: 'merge', path: 'title', value: 'y' }), '400 invalidSyntax');
  assert.equal(await refusal({ op: 'replace', path: 'title' }), '400 invalidValue');
  assert.equal(
    (await scim('PATCH', `/Users/${id}`, patch({ op: 'add', path: 'unheardOf', value: 1 }, { op: 'add', value: { alsoUnheardOf: 1 } })))
      .status,
    200,
  );
  const failed = await scim(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'replace', path: 'title', value: 'Kept?' }, { op: 'remove', path: 'userName' }),
  );
  assert.equal(failed.status, 400);
  assert.equal((await scim('GET', `/Users/${id}`)).body.title, undefined);
});
test('PATCH: a new primary takes it from the former, and add does not repeat', async () => {
  const { id } = await create('primary@northwind.example', { emails: [{ value: 'a@x.example', type: 'work', primary: true }] });
  const add = { op: 'add', path: 'emails', value: [{ value: 'b@x.example', type: 'home', primary: true }] };
  const { body } = await scim('PATCH', `/Users/${id}`, patch(add, add));
  assert.deepEqual(body.emails, [
    { type: 'work', value: 'a@x.example', primary: false },
    { type: 'home', value: 'b@x.example', primary: true },
  ]);
  const removed = await scim('PATCH', `/Users/${id}`, patch({ op: 'remove', path: 'emails[type eq "work"]' }));
  assert.deepEqual(removed.body.emails, [{ type: 'home', value: 'b@x.example', primary: true }]);
  assert.deepEqual(await emails('emails.value eq "B@X.example"'), ['primary']);
});
test('ETags: a known version is a 304, a change to another version a 412 that changes nothing', async () => {
  const { id, meta } = await create('etag@northwind.example');
  const get = await scim('GET', `/Users/${id}`);
  assert.equal(get.headers.get('etag'), meta.version);
  assert.equal((await scim('GET', `/Users/${id}`, { headers: { 'if-none-match': meta.version } })).status, 304);
  const retitle = (title: string, version: string) =>
    scim('PATCH', `/Users/${id}`, { ...patch({ op: 'replace', path: 'title', value: title }), headers: { 'if-match': version } });
  assert.equal((await retitle('One', meta.version)).status, 200);
  assert.equal((await retitle('Two', meta.version)).status, 412);
  assert.equal((await retitle('Three', '*')).status, 200);
  assert.equal((await scim('DELETE', `/Users/${id}`, { headers: { 'if-match': meta.version } })).status, 412);
  const both = await Promise.all(
    [4, 5].map(async (n) => (await retitle(`${n}`, (await scim('GET', `/Users/${id}`)).headers.get('etag') ?? '')).status),
  );
  assert.ok(both.includes(200));
});
test('a department is one team by attribute: moved with it, by-hand memberships of other types stay, rules follow', async () => {
  const { id } = await create('mover@northwind.example', { [ENTERPRISE]: { department: 'sales', costCenter: 'CC 1' } });
  const teams = async () =>
    (await atrium.call('GET', `/v1/users/${id}?expand=teams`)).body.data.teams.map(({ name }: { name: string }) => name).sort();
  assert.deepEqual(await teams(), ['CC 1', 'Sales']);
  await atrium.call('PATCH', '/v1/teams/3/users', { json: { ids_to_add: [Number(id)] } });
  await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: `${ENTERPRISE}:department`, value: 'Legal' }));
  assert.deepEqual(await teams(), ['CC 1', 'IT', 'Legal']);
  await atrium.call('PATCH', '/v1/teams/3/users', { json: { ids_to_remove: [Number(id)] } });
  const cleared = await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: `${ENTERPRISE}:department`, value: '' }));
  assert.deepEqual([await teams(), cleared.body[ENTERPRISE]], [['CC 1'], { costCenter: 'CC 1' }]);
});
test('an unknown manager is parked, shown as sent, and resolved by whatever way that person arrives', async () => {
  for (const [n, reference] of ['late.0@northwind.example', 'LATE-1'].entries()) {
    const { id } = await create(`report.${n}@northwind.example`, { [ENTERPRISE]: { manager: { value: reference } } });
    const manager = async () => (await scim('GET', `/Users/${id}`)).body[ENTERPRISE].manager;
    assert.deepEqual(await manager(), { value: reference });
    const arrived = await atrium.call('POST', '/v1/users', {
      json: { email: `late.${n}@northwind.example`, external_id: `LATE-${n}`, first_name: 'L', last_name: 'A' },
    });
    assert.equal((await manager()).value, String(arrived.body.data.id));
  }
});
test('setting reactivates off: the create of a former person is a 409', async () => {
  await atrium.call('PUT', '/v1/admin/provisioning', { json: { reactivates: false } });
  const { id } = await create('former@northwind.example', { active: false });
  const again = await scim('POST', '/Users', { body: { userName: 'former@northwind.example' } });
  assert.deepEqual([again.status, again.body.scimType], [409, 'uniqueness']);
  await atrium.call('PUT', '/v1/admin/provisioning', { json: {} });
  assert.equal((await create('former@northwind.example')).id, id);
});
test('setting assigns_roles off: roles that the provider sends grant nothing', async () => {
  await atrium.call('PUT', '/v1/admin/provisioning', { json: { assigns_roles: false } });
  const { id } = await create('sly@northwind.example', { roles: [{ value: 'admin' }], authRoles: 'it_admin' });
  await scim('PATCH', `/Users/${id}`, patch({ op: 'add', path: 'roles', value: [{ value: 'developer' }] }));
  assert.deepEqual((await atrium.call('GET', `/v1/users/${id}`)).body.data.roles, ['user']);
  await atrium.call('PUT', '/v1/admin/provisioning', { json: {} });
});

// ---- Groups, bulk, discovery -------------------------------------------------------------------------------------

test('a group takes a thousand members at once, and names a stranger', async () => {
  await atrium.rows(
    `insert into users (organisation_id, email, first_name, last_name, created_at, updated_at) select 1, 'crowd.' || n || '@x.example', 'C', n::text, now(), now() from generate_series(1, 1000) n`,
  );
  const ids = (await atrium.rows<{ id: number }>(`select id from users where email like 'crowd.%' order by id`)).map(({ id }) =>
    String(id),
  );
  const { body: group } = await scim('POST', '/Groups', { body: { displayName: 'Crowd' } });
  const members = ids.map((value) => ({ value }));
  assert.equal((await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'add', path: 'members', value: members }))).status, 204);
  assert.equal((await scim('GET', `/Groups/${group.id}`)).body.members.length, 1000);
  const stranger = await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'replace', path: 'members', value: [{ value: '999999' }] }));
  assert.deepEqual([stranger.status, stranger.body.scimType], [400, 'invalidValue']);
  await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'replace', path: 'members', value: members.slice(0, 3) }));
  assert.equal((await scim('GET', `/Groups/${group.id}`)).body.members.length, 3);
  await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'remove', path: 'members' }));
  assert.equal((await scim('GET', `/Groups/${group.id}`)).body.members, undefined);
  assert.equal((await scim('POST', '/Groups', { body: { displayName: 'CROWD' } })).body.scimType, 'uniqueness');
  const changed = await scim(
    'PATCH',
    `/Groups/${group.id}?attributes=displayName`,
    patch({ op: 'replace', value: { displayName: 'Few', externalId: 'few' } }),
  );
  assert.deepEqual([changed.status, changed.body.displayName], [200, 'Few']);
});
test('setting adopts_teams: a group that is created with the name of a team becomes it', async () => {
  await atrium.call('PUT', '/v1/admin/provisioning', { json: { adopts_teams: true } });
  await atrium.call('POST', '/v1/teams', { json: { name: 'Adopt me', team_type: 'Project' } });
  const { body } = await scim('POST', '/Groups', { body: { displayName: 'adopt me', externalId: 'ad-1', members: [{ value: '1' }] } });
  const [team] = (await atrium.call('GET', '/v1/teams?name=adopt%20me')).body.data;
  assert.deepEqual([String(team.id), team.team_type.name, team.member_count, team.external_id], [body.id, 'Project', 1, 'ad-1']);
  await atrium.call('PUT', '/v1/admin/provisioning', { json: {} });
});
test('Bulk: bulkIds join what is made in one request, whatever the order; each operation has its own outcome', async () => {
  const { body } = await scim('POST', '/Bulk', {
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [
        { method: 'POST', path: '/Groups', bulkId: 'g', data: { displayName: 'Bulk', members: [{ value: 'bulkId:u' }] } },
        { method: 'post', path: '/Users', bulkId: 'u', data: { userName: 'bulk@northwind.example' } },
        { method: 'POST', path: '/Users', bulkId: 'v', data: { userName: 'BULK@northwind.example' } },
        { method: 'PATCH', path: '/Users/bulkId:u', data: { Operations: [{ op: 'add', path: 'title', value: 'Bulky' }] } },
        { method: 'DELETE', path: '/Users/999999' },
        { method: 'PUT', path: '/Users/bulkId:nobody', data: {} },
        { method: 'GET', path: '/Users/1' },
      ],
    },
  });
  assert.deepEqual(
    body.Operations.map(({ status }: { status: string }) => status),
    ['201', '201', '409', '200', '404', '409', '400'],
  );
  const [group, user] = body.Operations;
  assert.match(user.location, /\/scim\/v2\/scim\/Users\/\d+$/);
  assert.deepEqual(
    (await scim('GET', new URL(group.location).pathname, { base: '' })).body.members.map(({ value }: { value: string }) => value),
    [user.location.split('/').at(-1)],
  );
  const stopped = await scim('POST', '/Bulk', {
    body: {
      failOnErrors: 1,
      Operations: [
        { method: 'DELETE', path: '/Users/999999' },
        { method: 'POST', path: '/Users', bulkId: 'w', data: { userName: 'never@x.example' } },
      ],
    },
  });
  assert.equal(stopped.body.Operations.length, 1);
  assert.equal((await scim('POST', '/Bulk', { body: { Operations: Array.from({ length: 1001 }, () => ({})) } })).status, 413);
});
test('discovery says what is there: every schema has its attributes, every attribute shown has its schema', async () => {
  const config = (await scim('GET', '/ServiceProviderConfig')).body;
  for (const feature of ['patch', 'bulk', 'filter', 'sort', 'etag']) assert.equal(config[feature].supported, true, feature);
  const schemas = (await scim('GET', '/Schemas')).body.Resources;
  assert.equal((await scim('GET', `/Schemas/${ENTERPRISE}`)).body.name, 'EnterpriseUser');
  assert.deepEqual(
    (await scim('GET', '/ResourceTypes')).body.Resources.map(({ id }: { id: string }) => id),
    ['User', 'Group'],
  );
  assert.equal((await scim('GET', '/ResourceTypes/User')).body.endpoint, '/Users');
  assert.equal((await scim('GET', '/Schemas?filter=id pr')).status, 403);
  assert.equal((await scim('GET', '/Me')).status, 501);
  const known = new Set([
    'schemas',
    'id',
    'externalId',
    'meta',
    ...schemas.flatMap((schema: { id: string; attributes: { name: string }[] }) => [
      schema.id,
      ...schema.attributes.map(({ name }) => name),
    ]),
  ]);
  for (const resource of (await scim('GET', '/?count=20')).body.Resources)
    for (const name of Object.keys(resource)) assert.ok(known.has(name) || name.startsWith('urn:'), name);
});
test('the answer is application/scim+json, or application/json for who accepts only that', async () => {
  const type = async (accept: string) => (await scim('GET', '/Users/1', { headers: { accept } })).headers.get('content-type');
  assert.equal(await type('*/*'), 'application/scim+json; charset=utf-8');
  assert.equal(await type('application/json'), 'application/json; charset=utf-8');
  assert.equal(await type('application/json, application/scim+json'), 'application/scim+json; charset=utf-8');
});

// ---- Guard, dry run, log -----------------------------------------------------------------------------------------

test('a dry run answers with what would change, and stores, emits and ends nothing', async () => {
  const session = await signIn(atrium, 'ben.lindqvist@northwind.example', PASSWORD).catch(() => undefined);
  const stored = () =>
    atrium.rows('select (select count(*) from outbox) as events, (select md5(string_agg(u::text, $1 order by id)) from users u) as users', [
      '|',
    ]);
  const before = await stored();
  const dry = { headers: { 'x-dry-run': 'true' } };
  const reply = await scim('PATCH', '/Users/2', {
    ...patch({ op: 'replace', path: 'active', value: false }, { op: 'replace', path: 'title', value: 'Gone' }),
    ...dry,
  });
  assert.deepEqual(
    [reply.status, reply.headers.get('x-dry-run'), reply.body.status, reply.body.resource.active],
    [200, 'true', 200, false],
  );
  assert.deepEqual(reply.body.changes, [
    { attribute: 'title', from: 'Head of sales', to: 'Gone' },
    { attribute: 'active', from: true, to: false },
  ]);
  assert.equal((await scim('POST', '/Users', { body: { userName: 'dry@x.example' }, ...dry })).body.status, 201);
  assert.equal((await scim('POST', '/Users', { body: { userName: 'ada.okafor@northwind.example' }, ...dry })).status, 409);
  assert.equal((await scim('DELETE', '/Users/2', dry)).body.status, 204);
  assert.equal((await scim('POST', '/Bulk', { body: { Operations: [] }, ...dry })).status, 400);
  assert.deepEqual(await stored(), before);
  if (session) assert.equal((await session.call('GET', '/v1/sessions/current')).status, 200);
});
test('the sync guard pauses a run at its share and before the last admin, says so, and is lifted by an admin', async () => {
  const target = await startAtrium();
  const own = scimOf(target);
  const leave = (id: number) => own('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
  await target.call('PUT', '/v1/admin/provisioning', { json: { guard_percent: 40 } });
  const admins = await target.rows<{ id: number }>(
    `select id from users where organisation_id = 1 and kind = 'person' and is_active and 'admin' = any(roles)`,
  );
  assert.equal(admins.length, 1);
  const last = await leave(admins[0]?.id ?? 0);
  assert.deepEqual([last.status, last.headers.get('retry-after')], [503, '3600']);
  const people = (
    await target.rows<{ id: number }>(
      `select id from users where organisation_id = 1 and kind = 'person' and is_active and not 'admin' = any(roles) order by id`,
    )
  ).map(({ id }) => id);
  const allowed = Math.floor((people.length + 1) * 0.4);
  for (const id of people.slice(0, allowed)) assert.equal((await leave(id)).status, 200);
  const next = people[allowed] ?? 0;
  const paused = await leave(next);
  assert.equal(paused.status, 503);
  assert.ok(Number(paused.headers.get('retry-after')) > 3500);
  assert.equal((await own('GET', `/Users/${next}`)).body.active, true);
  assert.equal((await own('POST', '/Bulk', { body: { Operations: [{ method: 'DELETE', path: `/Users/${next}` }] } })).status, 503);
  const shown = (await target.call('GET', '/v1/admin/provisioning')).body.data;
  assert.match(shown.guard_notice, /more than 40 %/);
  assert.ok(shown.guard_paused_at);
  assert.equal((await target.call('POST', '/v1/admin/provisioning/guard/lift')).body.data.guard_notice, null);
  assert.equal((await leave(next)).status, 200);
  target.clock.advance(2 * 3_600_000);
  assert.equal((await leave(people[allowed + 1] ?? 0)).status, 503);
});
test('the log has every request with outcome and changes, found by person, outcome and time, and hides values by setting', async () => {
  const { id } = await create('logged@northwind.example', { title: 'Secret title', password: 'top secret words' });
  await scim(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'replace', path: 'title', value: 'Other secret' }, { op: 'replace', path: 'password', value: 'top secret words' }),
  );
  await scim('PATCH', `/Users/${id}`, patch({ op: 'remove', path: 'userName' }));
  await scim('GET', '/Users?filter=userName eq "logged@northwind.example"');
  const log = async (query: string) => (await atrium.call('GET', `/v1/admin/provisioning/requests?${query}`)).body;
  const own = await log(`user_id=${id}`);
  assert.deepEqual(
    own.data.map(({ method, status, scim_type }: Record<string, unknown>) => [method, status, scim_type]),
    [
      ['PATCH', 400, 'mutability'],
      ['PATCH', 200, null],
      ['POST', 201, null],
    ],
  );
  assert.equal(own.meta.pagination.total_records, 3);
  assert.equal((await log(`user_id=${id}&outcome=failed`)).data.length, 1);
  assert.equal((await log(`user_id=${id}&from=2999-01-01T00:00:00Z`)).data.length, 0);
  const text = JSON.stringify((await log('take=5')).data);
  assert.doesNotMatch(text, /Secret title|Other secret|logged@|top secret/);
  assert.match(text, /"attribute":"title"/);
  await atrium.call('PUT', '/v1/admin/provisioning', { json: { log_values: 'full' } });
  await scim(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'replace', path: 'title', value: 'Shown title' }, { op: 'replace', path: 'password', value: 'top secret words' }),
  );
  const shown = JSON.stringify((await log(`user_id=${id}&take=1`)).data);
  assert.match(shown, /Shown title/);
  assert.doesNotMatch(shown, /top secret words/);
  await atrium.call('PUT', '/v1/admin/provisioning', { json: { log_days: 1 } });
  const { total_records } = (await log('take=1')).meta.pagination;
  assert.ok(total_records > 100);
  atrium.clock.advance(2 * 86_400_000);
  await atrium.drain();
  assert.equal((await log('take=1')).meta.pagination.total_records, 0);
});
