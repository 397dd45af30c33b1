import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';
import { scimOf } from '../../testing/scim.ts';
import { PASSWORD } from '../../testing/world.ts';
import { basesOf } from './access.ts';
import { scimEndpoints } from './endpoints.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const atrium = await startAtrium();
const scim = scimOf(atrium);
const create = async (userName: string, more: object = {}) =>
  (await scim('POST', '/Users', { body: { userName, ...more } })).body;
const filtered = async (filter: string, list = '/Users') =>
  (await scim('GET', `${list}?filter=${encodeURIComponent(filter)}`)).body;
const emails = async (filter: string) =>
  (await filtered(filter)).Resources.map(({ userName }: { userName: string }) => userName.split('@')[0]);
const patch = (...Operations: object[]) => ({ body: { Operations } });
const pathOf = (path: string) =>
  path.replace('{id}', path.startsWith('/ResourceTypes') ? 'User' : path.startsWith('/Schemas') ? ENTERPRISE : '1');

// ---- Credentials -------------------------------------------------------------------------------------------------

test(`every endpoint on every base: no secret, an API key, \
a revoked or unknown secret is a 401 in SCIM’s form`, async () => {
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
    const body = {
      userName: 'a@b.example',
      displayName: 'X',
      Operations: [{ op: 'replace', value: { displayName: 'X' } }],
    };
    const reply = await scim(method, pathOf(path), { secret, ...(method === 'GET' ? {} : { body }) });
    assert.equal(reply.status, 404, `${method} ${path}`);
  }
});
test(`rotation: both secrets work for the overlap, \
then only the new one; a revoked one is refused at once on every node`, async () => {
  const other = scimOf(await atrium.secondNode());
  const rotate = async (body: object) =>
    (await atrium.call('POST', '/v1/admin/provisioning/secrets', { json: body })).body.data;
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
  assert.equal(
    (await atrium.rows('select from scim_secrets s where s::text like $1', [`%${second.scim_secret.slice(10)}%`]))
      .length,
    0,
  );
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
test('the bases of Okta, Azure and SCIM 1 are there beside the documented ones', async () => {
  const managerAt = async (base: string) => (await scim('GET', '/Users/2', { base })).body[ENTERPRISE].manager.value;
  for (const base of ['/okta/v2/scim', '/scim/v1/scim', '/scim/v2']) assert.equal(await managerAt(base), '1', base);
  assert.equal(await managerAt('/azure/v2/scim'), 'ada.okafor@northwind.example');
});
test('provider segments are a setting', async () => {
  const own = await startAtrium({ scim_providers: ['okta=email'] });
  assert.equal(
    (await scimOf(own)('GET', '/Users/2', { base: '/okta/v2/scim' })).body[ENTERPRISE].manager.value,
    'ada.okafor@northwind.example',
  );
  assert.equal((await scimOf(own)('GET', '/Users/2', { base: '/idp-a/v2/scim' })).status, 404);
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
test(`required and invalid values are a 400 invalidValue, broken JSON is invalidSyntax, \
other types a 415`, async () => {
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
  for (const [method, path] of [
    ['POST', '/Users/1'],
    ['POST', '/Schemas'],
    ['PUT', '/'],
  ] as const)
    for (const [body, type] of [
      ['{', 'application/json'],
      ['<x/>', 'application/xml'],
    ] as const)
      assert.equal((await scim(method, path, { body, type })).status, 405, `${method} ${path}`);
  const levels = '['.repeat(90_000) + ']'.repeat(90_000);
  const deep = `{"schemas":["${CORE}User"],"userName":"deep@x.example","urn:x:User":${levels}}`;
  for (const path of ['/Users', '/Bulk', '/.search']) {
    const reply = await scim('POST', path, { body: deep });
    assert.deepEqual([reply.status, reply.body.scimType], [400, 'invalidSyntax'], path);
  }
  for (const [type, id] of [
    ['User', 1],
    ['Group', 1],
  ] as const)
    for (const schemas of [undefined, [], [`${CORE}Other`], [null]])
      for (const [method, path] of [
        ['POST', `/${type}s`],
        ['PUT', `/${type}s/${id}`],
      ] as const) {
        const body = JSON.stringify({ schemas, userName: 'schemas@x.example', displayName: 'Schemas' });
        const reply = await scim(method, path, { body });
        assert.deepEqual([reply.status, reply.body.scimType], [400, 'invalidSyntax'], `${method} ${path} ${schemas}`);
      }
  assert.equal((await scim('GET', '/Nothing')).body.status, '404');
});
test(`PATCH: read-only is mutability, required cannot go, a filter that says no entry is noTarget, \
unknown core is ignored`, async () => {
  const { id } = await create('patch@northwind.example');
  const refusal = async (operation: object) => {
    const { status, body } = await scim('PATCH', `/Users/${id}`, patch(operation));
    return `${status} ${body.scimType}`;
  };
  assert.equal(await refusal({ op: 'replace', path: 'id', value: '7' }), '400 mutability');
  assert.equal(await refusal({ op: 'replace', path: 'groups', value: [] }), '400 mutability');
  assert.equal(await refusal({ op: 'remove', path: 'userName' }), '400 mutability');
  assert.equal(await refusal({ op: 'remove' }), '400 noTarget');
  assert.equal(await refusal({ op: 'remove', path: 'active' }), '400 mutability');
  assert.equal(await refusal({ op: 'replace', path: 'active', value: null }), '400 mutability');
  assert.equal(await refusal({ op: 'replace', path: 'emails[value co "zzz"].display', value: 'y' }), '400 noTarget');
  assert.equal(await refusal({ op: 'replace', path: 'emails[type eq "work"', value: 'y' }), '400 invalidPath');
  assert.equal(await refusal({ op: 'replace', path: 'title.sub', value: 'y' }), '400 invalidPath');
  assert.equal(await refusal({ op: 'merge', path: 'title', value: 'y' }), '400 invalidSyntax');
  assert.equal(await refusal({ op: 'replace', path: 'title' }), '400 invalidValue');
  assert.equal(
    (
      await scim(
        'PATCH',
        `/Users/${id}`,
        patch({ op: 'add', path: 'unheardOf', value: 1 }, { op: 'add', value: { alsoUnheardOf: 1 } }),
      )
    ).status,
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
  const { id } = await create('primary@northwind.example', {
    emails: [{ value: 'a@x.example', type: 'work', primary: true }],
  });
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
test(`a userName that is no address is kept beside the work address, \
and found, renamed, replaced and brought back by it`, async () => {
  const work = (value: string) => [{ type: 'work', value, primary: true }];
  const made = await create('bjensen', { emails: work('barbara@northwind.example'), externalId: 'bj' });
  const user = async () => (await atrium.call('GET', `/v1/users/${made.id}`)).body.data;
  assert.deepEqual([made.userName, made.emails], ['bjensen', work('barbara@northwind.example')]);
  assert.deepEqual([(await user()).email, (await user()).first_name], ['barbara@northwind.example', 'bjensen']);
  const found = (await filtered('userName eq "BJensen"')).Resources;
  assert.deepEqual(
    found.map(({ id }: { id: string }) => id),
    [made.id],
  );
  assert.equal((await filtered('userName eq "barbara@northwind.example"')).totalResults, 0);
  for (const [userName, address] of [
    ['BJENSEN', 'other@northwind.example'],
    ['bjensen2', 'BARBARA@northwind.example'],
  ] as const) {
    const again = await scim('POST', '/Users', { body: { userName, emails: work(address) } });
    assert.deepEqual([again.status, again.body.scimType], [409, 'uniqueness'], userName);
  }
  const put = await scim('PUT', `/Users/${made.id}`, { body: { userName: 'bjensen', active: true } });
  assert.deepEqual([put.status, put.body.emails], [200, work('barbara@northwind.example')], 'PUT without emails');
  const renamed = await scim(
    'PATCH',
    `/Users/${made.id}`,
    patch(
      { op: 'replace', path: 'userName', value: 'bj' },
      { op: 'replace', path: 'emails[type eq "work"].value', value: 'b.jensen@northwind.example' },
    ),
  );
  assert.deepEqual([renamed.body.userName, (await user()).email], ['bj', 'b.jensen@northwind.example']);
  const gone = await scim('PATCH', `/Users/${made.id}`, patch({ op: 'remove', path: 'emails' }));
  assert.deepEqual([gone.status, gone.body.scimType], [400, 'invalidValue']);
  await scim('DELETE', `/Users/${made.id}`);
  assert.equal((await create('BJ', { emails: work('new@northwind.example') })).id, made.id);
  const address = await scim(
    'PATCH',
    `/Users/${made.id}`,
    patch({ op: 'replace', path: 'userName', value: 'b@x.example' }),
  );
  assert.deepEqual([address.body.userName, (await user()).email], ['b@x.example', 'b@x.example']);
  const both = await Promise.all([1, 2].map((n) => create('racer', { emails: work(`racer.${n}@northwind.example`) })));
  assert.equal(both.filter(({ id }) => id !== undefined).length, 1);
});
test('name.formatted alone fills the parts, is kept, echoed, found and patched', async () => {
  const { id, name } = await create('formatted@northwind.example', { name: { formatted: 'Grace Brewster Hopper' } });
  assert.deepEqual(name, { formatted: 'Grace Brewster Hopper', givenName: 'Grace Brewster', familyName: 'Hopper' });
  const nameAfter = async (...operations: object[]) =>
    (await scim('PATCH', `/Users/${id}`, patch(...operations))).body.name;
  const whole = { formatted: 'Adm. Grace Hopper, PhD', givenName: 'Grace', familyName: 'Hopper' };
  assert.deepEqual(await nameAfter({ op: 'replace', value: { name: whole } }), whole);
  assert.deepEqual(await emails('name.formatted eq "Adm. Grace Hopper, PhD"'), ['formatted']);
  assert.deepEqual(await nameAfter({ op: 'replace', path: 'title', value: 'Admiral' }), whole);
  assert.deepEqual(await nameAfter({ op: 'replace', path: 'name.formatted', value: 'Ada Lovelace' }), {
    formatted: 'Ada Lovelace',
    givenName: 'Ada',
    familyName: 'Lovelace',
  });
  assert.equal(
    (await nameAfter({ op: 'replace', path: 'name.givenName', value: 'Augusta' })).formatted,
    'Augusta Lovelace',
  );
  const put = await scim('PUT', `/Users/${id}`, { body: { userName: 'formatted@northwind.example', name: whole } });
  assert.deepEqual(put.body.name, whole);
  assert.equal((await atrium.call('GET', `/v1/users/${id}`)).body.data.name, 'Grace Hopper');
});
test('equal pairs of type and value come back once, by create and by PATCH', async () => {
  const [work, again] = [
    { type: 'work', value: '1', primary: true },
    { type: 'WORK', value: '1', display: 'Desk' },
  ];
  const { id, phoneNumbers } = await create('twice@northwind.example', { phoneNumbers: [work, again] });
  assert.deepEqual(phoneNumbers, [{ ...work, ...again }]);
  const added = await scim(
    'PATCH',
    `/Users/${id}`,
    patch({
      op: 'add',
      path: 'phoneNumbers',
      value: [
        { type: 'work', value: '1' },
        { type: 'home', value: '1' },
      ],
    }),
  );
  assert.deepEqual(
    added.body.phoneNumbers.map(({ type }: { type: string }) => type),
    ['work', 'home'],
  );
});
test('authRoles takes several, as a list or with commas, and PATCH adds and removes one', async () => {
  const roles = async (id: string) => (await atrium.call('GET', `/v1/users/${id}`)).body.data.roles;
  const { id } = await create('several@northwind.example', { authRoles: ['developer', 'moderator'] });
  assert.deepEqual(await roles(id), ['developer', 'moderator', 'user']);
  assert.deepEqual(await emails('urn:ietf:params:scim:schemas:extension:atrium:2.0:User:authRoles eq "developer"'), [
    'several',
  ]);
  await scim('PATCH', `/Users/${id}`, patch({ op: 'add', path: 'authRoles', value: 'it_admin' }));
  const { body } = await scim(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'remove', path: 'authRoles[value eq "developer"]' }),
  );
  assert.deepEqual(body['urn:ietf:params:scim:schemas:extension:atrium:2.0:User'].authRoles, ['moderator', 'it_admin']);
  assert.deepEqual(await roles(id), ['it_admin', 'moderator', 'user']);
  const other = await create('commas@northwind.example', { 'urn:x:2.0:User': { authRoles: 'developer, moderator' } });
  assert.deepEqual(await roles(other.id), ['developer', 'moderator', 'user']);
});
test('tax_<type> with any prefix and of any extension is a team of that type, and taxonomies are echoed', async () => {
  const taxonomies = [{ name: 'Region', values: ['EMEA'] }];
  const { id, ...made } = await create('taxed@northwind.example', {
    [ENTERPRISE]: { taxonomies, wvtax_Region: 'EMEA', department: 'Sales' },
    'urn:acme:2.0:User': { tax_Shift: 'Night', 'acme-tax_Cost centre': 'CC 9' },
  });
  const teams = async () =>
    (await atrium.call('GET', `/v1/users/${id}?expand=teams`)).body.data.teams
      .map(({ name }: { name: string }) => name)
      .sort();
  assert.deepEqual(await teams(), ['CC 9', 'EMEA', 'Night', 'Sales']);
  assert.deepEqual(made[ENTERPRISE], { taxonomies, wvtax_Region: 'EMEA', department: 'Sales', costCenter: 'CC 9' });
  const { body } = await scim(
    'PATCH',
    `/Users/${id}`,
    patch(
      { op: 'replace', path: `${ENTERPRISE}:wvtax_Region`, value: 'APAC' },
      { op: 'add', path: `${ENTERPRISE}:wvtax_Work shift`, value: 'Late' },
      { op: 'remove', path: `${ENTERPRISE.toUpperCase()}:taxonomies` },
    ),
  );
  assert.deepEqual(await teams(), ['APAC', 'CC 9', 'Late', 'Night', 'Sales']);
  assert.equal(body[ENTERPRISE].taxonomies, undefined);
  assert.deepEqual(await emails(`${ENTERPRISE}:wvtax_Region eq "apac"`), ['taxed']);
});
test('ETags: a known version is a 304, a change to another version a 412 that changes nothing', async () => {
  const { id, meta } = await create('etag@northwind.example');
  const get = await scim('GET', `/Users/${id}`);
  assert.equal(get.headers.get('etag'), meta.version);
  assert.equal((await scim('GET', `/Users/${id}`, { headers: { 'if-none-match': meta.version } })).status, 304);
  const retitle = (title: string, version: string) =>
    scim('PATCH', `/Users/${id}`, {
      ...patch({ op: 'replace', path: 'title', value: title }),
      headers: { 'if-match': version },
    });
  assert.equal((await retitle('One', meta.version)).status, 200);
  assert.equal((await retitle('Two', meta.version)).status, 412);
  assert.equal((await retitle('Three', '*')).status, 200);
  assert.equal((await scim('DELETE', `/Users/${id}`, { headers: { 'if-match': meta.version } })).status, 412);
  const both = await Promise.all(
    [4, 5].map(
      async (n) => (await retitle(`${n}`, (await scim('GET', `/Users/${id}`)).headers.get('etag') ?? '')).status,
    ),
  );
  assert.ok(both.includes(200));
});
test(`a department is one team by attribute: moved with it, by-hand memberships of other types stay, \
rules follow`, async () => {
  const { id } = await create('mover@northwind.example', { [ENTERPRISE]: { department: 'sales', costCenter: 'CC 1' } });
  const teams = async () =>
    (await atrium.call('GET', `/v1/users/${id}?expand=teams`)).body.data.teams
      .map(({ name }: { name: string }) => name)
      .sort();
  assert.deepEqual(await teams(), ['CC 1', 'Sales']);
  await atrium.call('PATCH', '/v1/teams/3/users', { json: { ids_to_add: [Number(id)] } });
  await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: `${ENTERPRISE}:department`, value: 'Legal' }));
  assert.deepEqual(await teams(), ['CC 1', 'IT', 'Legal']);
  await atrium.call('PATCH', '/v1/teams/3/users', { json: { ids_to_remove: [Number(id)] } });
  const cleared = await scim(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'replace', path: `${ENTERPRISE}:department`, value: '' }),
  );
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

// ---- Bulk, discovery ---------------------------------------------------------------------------------------------

test(`Bulk: bulkIds join what is made in one request, \
whatever the order; each operation has its own outcome`, async () => {
  const { body } = await scim('POST', '/Bulk', {
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [
        {
          method: 'POST',
          path: '/Groups',
          bulkId: 'g',
          data: { displayName: 'Bulk', members: [{ value: 'bulkId:u' }] },
        },
        { method: 'post', path: '/Users', bulkId: 'u', data: { userName: 'bulk@northwind.example' } },
        { method: 'POST', path: '/Users', bulkId: 'v', data: { userName: 'BULK@northwind.example' } },
        {
          method: 'PATCH',
          path: '/Users/bulkId:u',
          data: { Operations: [{ op: 'add', path: 'title', value: 'Bulky' }] },
        },
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
    (await scim('GET', new URL(group.location).pathname, { base: '' })).body.members.map(
      ({ value }: { value: string }) => value,
    ),
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
  assert.equal(
    (await scim('POST', '/Bulk', { body: { Operations: Array.from({ length: 1001 }, () => ({})) } })).status,
    413,
  );
});
test(`discovery says what is there: every schema has its attributes, \
every attribute shown has its schema`, async () => {
  const config = (await scim('GET', '/ServiceProviderConfig')).body;
  for (const feature of ['patch', 'bulk', 'filter', 'sort', 'etag'])
    assert.equal(config[feature].supported, true, feature);
  const schemas = (await scim('GET', '/Schemas')).body.Resources;
  assert.equal((await scim('GET', `/Schemas/${ENTERPRISE}`)).body.name, 'EnterpriseUser');
  const { attributes } = (await scim('GET', `/Schemas/${CORE}User`)).body;
  const required = attributes.filter((each: { required: boolean }) => each.required);
  assert.deepEqual(
    required.map(({ name }: { name: string }) => name),
    ['userName', 'active'],
  );
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
  const type = async (accept: string) =>
    (await scim('GET', '/Users/1', { headers: { accept } })).headers.get('content-type');
  assert.equal(await type('*/*'), 'application/scim+json');
  assert.equal(await type('application/json'), 'application/json');
  assert.equal(await type('application/json, application/scim+json'), 'application/scim+json');
  assert.equal((await scim('GET', '/Nothing')).headers.get('content-type'), 'application/scim+json');
});
test('PATCH adds up to no more than a person may have', async () => {
  const { id } = await create('much@northwind.example');
  const values = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ value: `right ${from + n}`, type: 'other' }));
  const add = (value: object[]) => scim('PATCH', `/Users/${id}`, patch({ op: 'add', path: 'entitlements', value }));
  assert.equal((await add(values(0, 1000))).body.entitlements.length, 1000);
  assert.equal(
    (await add(values(0, 1000).map(({ value, type }) => ({ type, value })))).body.entitlements.length,
    1000,
    'in any order the same',
  );
  for (const value of [values(1000, 1), values(0, 1001)]) {
    const { status, body } = await add(value);
    assert.deepEqual([status, body.scimType], [400, 'invalidValue']);
  }
  const grow = (n: number) =>
    scim('PATCH', `/Users/${id}`, patch({ op: 'add', value: { [`urn:x:${n}:User`]: { text: 'x'.repeat(90_000) } } }));
  assert.deepEqual([(await grow(1)).status, (await grow(2)).status], [200, 400]);
});
