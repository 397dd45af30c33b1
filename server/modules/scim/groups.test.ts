import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';
import { scimOf } from '../../testing/scim.ts';

const atrium = await startAtrium();
const scim = scimOf(atrium);
const patch = (...Operations: object[]) => ({ body: { Operations } });

test('a group takes a thousand members at once, and names a stranger', async () => {
  await atrium.rows(
    `insert into users (organisation_id, email, first_name, last_name, created_at, updated_at)
     select 1, 'crowd.' || n || '@x.example', 'C', n::text, now(), now() from generate_series(1, 1000) n`,
  );
  const ids = (await atrium.rows<{ id: number }>(`select id from users where email like 'crowd.%' order by id`)).map(
    ({ id }) => String(id),
  );
  const { body: group } = await scim('POST', '/Groups', { body: { displayName: 'Crowd' } });
  const members = ids.map((value) => ({ value }));
  assert.equal(
    (await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'add', path: 'members', value: members }))).status,
    204,
  );
  assert.equal((await scim('GET', `/Groups/${group.id}`)).body.members.length, 1000);
  const stranger = await scim(
    'PATCH',
    `/Groups/${group.id}`,
    patch({ op: 'replace', path: 'members', value: [{ value: '999999' }] }),
  );
  assert.deepEqual([stranger.status, stranger.body.scimType], [400, 'invalidValue']);
  await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'replace', path: 'members', value: members.slice(0, 3) }));
  assert.equal((await scim('GET', `/Groups/${group.id}`)).body.members.length, 3);
  const { members: shown } = (await scim('GET', `/Groups/${group.id}`)).body;
  await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'remove', path: 'members' }));
  const references = shown.map(({ $ref }: { $ref: string }) => ({ $ref }));
  await scim('PATCH', `/Groups/${group.id}`, patch({ op: 'add', path: 'members', value: references }));
  assert.deepEqual((await scim('GET', `/Groups/${group.id}`)).body.members, shown, 'an address names a member');
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
  const { body } = await scim('POST', '/Groups', {
    body: { displayName: 'adopt me', externalId: 'ad-1', members: [{ value: '1' }] },
  });
  const [team] = (await atrium.call('GET', '/v1/teams?name=adopt%20me')).body.data;
  assert.deepEqual(
    [String(team.id), team.team_type.name, team.member_count, team.external_id],
    [body.id, 'Project', 1, 'ad-1'],
  );
  await atrium.call('PUT', '/v1/admin/provisioning', { json: {} });
});

test('a group’s version follows its members, whoever changes them and however', async () => {
  const person = async (name: string) =>
    (await scim('POST', '/Users', { body: { userName: `${name}@version.example` } })).body.id as string;
  const [one, two] = [await person('one'), await person('two')];
  const { body: group } = await scim('POST', '/Groups', {
    body: { displayName: 'Versions', members: [{ value: one }] },
  });
  let version = group.meta.version as string;
  const changes: [what: string, by: () => Promise<{ status: number }>][] = [
    ['the API', () => atrium.call('PATCH', `/v1/teams/${group.id}/users`, { json: { ids_to_add: [Number(two)] } })],
    ['a deletion', () => scim('DELETE', `/Users/${two}`)],
    ['a return', () => scim('POST', '/Users', { body: { userName: 'two@version.example' } })],
    ['PATCH', () => scim('PATCH', `/Groups/${group.id}`, patch({ op: 'remove', path: `members[value eq "${two}"]` }))],
    [
      'a new name',
      () => atrium.call('PUT', `/v1/teams/${group.id}`, { json: { name: 'Versions 2', team_type: 'Team' } }),
    ],
  ];
  for (const [what, change] of changes) {
    assert.ok((await change()).status < 300, what);
    assert.equal(
      (
        await scim('PATCH', `/Groups/${group.id}`, {
          ...patch({ op: 'replace', path: 'externalId', value: what }),
          headers: { 'if-match': version },
        })
      ).status,
      412,
      what,
    );
    const read = await scim('GET', `/Groups/${group.id}`, { headers: { 'if-none-match': version } });
    assert.equal(read.status, 200, what);
    version = read.headers.get('etag') ?? '';
    assert.equal(
      (await scim('GET', `/Groups/${group.id}`, { headers: { 'if-none-match': version } })).status,
      304,
      what,
    );
  }
  await atrium.call('PATCH', `/v1/teams/${group.id}/users`, { json: { ids_to_add: [Number(one)] } });
  assert.equal(
    (await scim('GET', `/Groups/${group.id}`)).headers.get('etag'),
    version,
    'who is in it already changes nothing',
  );
});
test('a page of groups has as many as were asked for, until their members are many', async () => {
  const target = await startAtrium();
  const own = scimOf(target);
  await target.rows(
    `insert into users (organisation_id, email, first_name, last_name, created_at, updated_at)
     select 1, 'many.' || n || '@x.example', 'C', n::text, now(), now() from generate_series(1, 20000) n`,
  );
  const ids = (await target.rows<{ id: number }>(`select id from users where email like 'many.%' order by id`)).map(
    ({ id }) => ({
      value: String(id),
    }),
  );
  await own('POST', '/Groups', { body: { displayName: 'Large', members: ids } });
  for (let n = 0; n < 30; n++) await own('POST', '/Groups', { body: { displayName: `Small ${n}` } });
  const walk = async (query: string) => {
    const pages: number[] = [];
    for (let startIndex = 1; ; ) {
      const { body } = await own('GET', `/Groups?startIndex=${startIndex}&count=100&filter=displayName co "a"${query}`);
      assert.equal(body.Resources.length, body.itemsPerPage);
      pages.push(body.itemsPerPage);
      startIndex += body.itemsPerPage;
      if (startIndex > body.totalResults || body.itemsPerPage === 0) return { pages, total: body.totalResults };
    }
  };
  const whole = await walk('');
  assert.equal(
    whole.pages.reduce((sum, count) => sum + count, 0),
    whole.total,
  );
  assert.equal(whole.pages.length, 2, `pages of ${whole.pages}`);
  assert.deepEqual((await walk('&excludedAttributes=members')).pages, [whole.total]);
  assert.deepEqual((await walk('&sortBy=displayName')).pages.length, 2);
});
