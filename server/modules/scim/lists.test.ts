import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';
import { scimOf } from '../../testing/scim.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const atrium = await startAtrium({ request_days: 0 });
const scim = scimOf(atrium);

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
    ['name pr and id le "3"', [1, 2, 3]],
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
  const names = (await page('sortBy=name.familyName&sortOrder=descending')).Resources.map(
    ({ name }: { name: { familyName: string } }) => name.familyName.toLowerCase(),
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
  assert.deepEqual(await get(`attributes=name.givenName,${ENTERPRISE}:department,id`), [
    'schemas',
    'id',
    'name',
    ENTERPRISE,
  ]);
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
  assert.equal(
    (await scim('POST', '/Users/.search', { body })).body.Resources[0].userName,
    'ada.okafor@northwind.example',
  );
  assert.equal(
    (await scim('POST', '/Groups/.search', { body: { filter: 'displayName eq "sales"' } })).body.totalResults,
    1,
  );
  const both = await scim('POST', '/.search', { body: { filter: 'displayName eq "IT" or displayName co "Ada"' } });
  assert.deepEqual(
    both.body.Resources.map(({ meta }: { meta: { resourceType: string } }) => meta.resourceType),
    ['User', 'Group'],
  );
  const everything = (await scim('GET', '/?count=3&startIndex=1')).body;
  assert.equal(everything.itemsPerPage, 3);
  assert.ok(everything.totalResults > 6);
});
