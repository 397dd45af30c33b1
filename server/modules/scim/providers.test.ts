// What Okta and Entra ID send, written from their public documentation, on every base path.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';
import { scimOf } from '../../testing/scim.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CUSTOM = 'urn:ietf:params:scim:schemas:extension:northwind:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

interface Step {
  does: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** {name} is the id that an earlier step remembered. */
  path: string;
  body?: object;
  status: number;
  remember?: string;
  /** Part of the answer; a text {name} is that id, {manager:…} the form of the base path. */
  shows?: object;
  lacks?: string[];
}
interface Sequence {
  provider: string;
  type: string;
  steps: Step[];
}
const patch = (...Operations: object[]) => ({ schemas: [PATCH_OP], Operations });
const none = { totalResults: 0, Resources: [] };

const okta: Sequence = {
  provider: 'Okta',
  type: 'application/scim+json',
  steps: [
    {
      does: 'matches by userName and finds nobody',
      method: 'GET',
      path: '/Users?filter=userName eq "isaac@atrium.example"&startIndex=1&count=100',
      status: 200,
      shows: none,
    },
    {
      does: 'creates',
      method: 'POST',
      path: '/Users',
      status: 201,
      remember: 'isaac',
      body: {
        schemas: [USER, ENTERPRISE],
        userName: 'isaac@atrium.example',
        name: { givenName: 'Isaac', familyName: 'Brock' },
        emails: [{ primary: true, value: 'isaac@atrium.example', type: 'work' }],
        displayName: 'Isaac Brock',
        locale: 'en-US',
        externalId: '00ujl29u0le5T6Aj10h7',
        groups: [],
        password: 'correct horse battery staple',
        active: true,
      },
      shows: {
        userName: 'isaac@atrium.example',
        externalId: '00ujl29u0le5T6Aj10h7',
        active: true,
        meta: { resourceType: 'User' },
      },
      lacks: ['password'],
    },
    {
      does: 'reads',
      method: 'GET',
      path: '/Users/{isaac}',
      status: 200,
      shows: { id: '{isaac}', name: { formatted: 'Isaac Brock' }, locale: 'en-US' },
    },
    {
      does: 'finds them',
      method: 'GET',
      path: '/Users?filter=userName eq "Isaac@Atrium.example"',
      status: 200,
      shows: { totalResults: 1, Resources: [{ id: '{isaac}' }] },
    },
    {
      does: 'creates them again in other case',
      method: 'POST',
      path: '/Users',
      body: { schemas: [USER], userName: 'ISAAC@atrium.example' },
      status: 409,
      shows: { scimType: 'uniqueness', status: '409' },
    },
    {
      does: 'updates by PUT',
      method: 'PUT',
      path: '/Users/{isaac}',
      body: {
        schemas: [USER, ENTERPRISE],
        id: '{isaac}',
        userName: 'isaac@atrium.example',
        name: { givenName: 'Isaac', middleName: 'R.', familyName: 'Brock' },
        emails: [{ primary: true, value: 'isaac.private@atrium.example', type: 'home' }],
        title: 'Singer',
        active: true,
        groups: [],
        meta: { resourceType: 'User' },
        [ENTERPRISE]: { department: 'Music', manager: { value: 'ada.okafor@northwind.example', displayName: 'Ada' } },
      },
      status: 200,
      shows: {
        name: { middleName: 'R.' },
        emails: [{ primary: true, value: 'isaac.private@atrium.example', type: 'home' }],
        title: 'Singer',
        externalId: '00ujl29u0le5T6Aj10h7',
        [ENTERPRISE]: {
          department: 'Music',
          manager: { value: '{manager:1:ada.okafor@northwind.example}', displayName: 'Ada Okafor' },
        },
      },
    },
    {
      does: 'pushes a group',
      method: 'POST',
      path: '/Groups',
      body: { schemas: [GROUP], displayName: 'Band', members: [] },
      status: 201,
      remember: 'band',
      shows: { displayName: 'Band' },
    },
    {
      does: 'adds a member',
      method: 'PATCH',
      path: '/Groups/{band}',
      body: patch({ op: 'add', path: 'members', value: [{ value: '{isaac}', display: 'isaac@atrium.example' }] }),
      status: 204,
    },
    {
      does: 'reads the group',
      method: 'GET',
      path: '/Groups/{band}',
      status: 200,
      shows: { members: [{ value: '{isaac}', type: 'User' }] },
    },
    {
      does: 'renames it without a path',
      method: 'PATCH',
      path: '/Groups/{band}',
      body: patch({ op: 'replace', value: { id: '{band}', displayName: 'Orchestra' } }),
      status: 204,
    },
    {
      does: 'finds it by name',
      method: 'GET',
      path: '/Groups?filter=displayName eq "Orchestra"',
      status: 200,
      shows: { totalResults: 1, Resources: [{ id: '{band}' }] },
    },
    {
      does: 'removes a member by filter',
      method: 'PATCH',
      path: '/Groups/{band}',
      body: patch({ op: 'remove', path: 'members[value eq "{isaac}"]' }),
      status: 204,
    },
    { does: 'sees an empty group', method: 'GET', path: '/Groups/{band}', status: 200, lacks: ['members'] },
    {
      does: 'deactivates without a path',
      method: 'PATCH',
      path: '/Users/{isaac}',
      body: patch({ op: 'replace', value: { active: false } }),
      status: 200,
      shows: { active: false },
    },
    {
      does: 'reactivates',
      method: 'PATCH',
      path: '/Users/{isaac}',
      body: patch({ op: 'replace', value: { active: true } }),
      status: 200,
      shows: { active: true },
    },
    { does: 'deletes the group', method: 'DELETE', path: '/Groups/{band}', status: 204 },
    { does: 'finds no such group', method: 'GET', path: '/Groups/{band}', status: 404, shows: { status: '404' } },
  ],
};

const entra: Sequence = {
  provider: 'Entra ID',
  type: 'application/json',
  steps: [
    {
      does: 'tests the connection with an unknown person',
      method: 'GET',
      path: '/Users?filter=userName eq "7d4e1f0e-0d7b-4f4e"',
      status: 200,
      shows: none,
    },
    {
      does: 'matches by externalId',
      method: 'GET',
      path: '/Users?filter=externalId eq "58342554-38d6"',
      status: 200,
      shows: none,
    },
    {
      does: 'creates, with a manager who does not exist yet',
      method: 'POST',
      path: '/Users',
      status: 201,
      remember: 'zara',
      body: {
        schemas: [USER, ENTERPRISE, CUSTOM],
        externalId: '58342554-38d6',
        userName: 'zara@atrium.example',
        active: true,
        addresses: [{ primary: false, type: 'work', country: 'AU', locality: 'Perth', streetAddress: '' }],
        displayName: 'Zara Lin',
        emails: [{ primary: true, type: 'work', value: 'zara@atrium.example' }],
        meta: { resourceType: 'User' },
        name: { familyName: 'Lin', formatted: 'Zara Lin', givenName: 'Zara' },
        phoneNumbers: [
          { primary: true, type: 'work', value: '+61 8 5550100' },
          { type: 'mobile', value: '+61 400 555010' },
        ],
        preferredLanguage: 'en-AU',
        [ENTERPRISE]: { employeeNumber: '701984', department: 'Bricks', manager: { value: 'boss@atrium.example' } },
        [CUSTOM]: { tax_Shift: 'Early', badgeColour: 'green', hireDate: '2026-02-01T00:00:00Z' },
      },
      shows: {
        [ENTERPRISE]: { employeeNumber: '701984', department: 'Bricks', manager: { value: 'boss@atrium.example' } },
        [CUSTOM]: { tax_Shift: 'Early', badgeColour: 'green', hireDate: '2026-02-01' },
        addresses: [{ type: 'work', country: 'AU', locality: 'Perth', primary: false }],
        phoneNumbers: [
          { primary: true, type: 'work', value: '+61 8 5550100' },
          { type: 'mobile', value: '+61 400 555010' },
        ],
      },
    },
    {
      does: 'creates the manager, with the fewest attributes',
      method: 'POST',
      path: '/Users',
      body: {
        schemas: [USER],
        userName: 'boss@atrium.example',
        externalId: 'b-1',
        name: { givenName: 'Bo', familyName: 'Ss' },
        active: true,
      },
      status: 201,
      remember: 'boss',
    },
    {
      does: 'sees the manager resolved',
      method: 'GET',
      path: '/Users/{zara}',
      status: 200,
      shows: { [ENTERPRISE]: { manager: { value: '{manager:boss:boss@atrium.example}', displayName: 'Bo Ss' } } },
    },
    {
      does: 'finds by the e-mail’s value path',
      method: 'GET',
      path: '/Users?filter=emails[type eq "work"].value eq "ZARA@atrium.example"',
      status: 200,
      shows: { totalResults: 1, Resources: [{ id: '{zara}' }] },
    },
    {
      does: 'updates with capitals, value paths and URN paths',
      method: 'PATCH',
      path: '/Users/{zara}',
      body: patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'zara.lin@atrium.example' },
        { op: 'Replace', path: 'name.familyName', value: 'Lindqvist' },
        { op: 'Add', path: 'name.formatted', value: 'Zara Lindqvist' },
        { op: 'Add', path: 'title', value: 'Mason' },
        { op: 'Replace', path: 'addresses[type eq "work"].locality', value: 'Sydney' },
        { op: 'Replace', path: `${ENTERPRISE}:department`, value: 'Walls' },
        { op: 'Add', path: `${CUSTOM}:tax_Shift`, value: 'Late' },
        { op: 'Replace', path: 'roles[primary eq "True"].value', value: 'Moderator' },
      ),
      status: 200,
      shows: {
        userName: 'zara@atrium.example',
        emails: [{ type: 'work', value: 'zara.lin@atrium.example', primary: true }],
        name: { familyName: 'Lindqvist', formatted: 'Zara Lindqvist' },
        title: 'Mason',
        addresses: [{ type: 'work', country: 'AU', locality: 'Sydney' }],
        roles: [{ primary: true, value: 'Moderator' }],
        [ENTERPRISE]: { department: 'Walls' },
        [CUSTOM]: { tax_Shift: 'Late', badgeColour: 'green' },
      },
    },
    {
      does: 'updates without a path, with keys that are paths',
      method: 'PATCH',
      path: '/Users/{zara}',
      body: patch({
        op: 'Replace',
        value: { 'name.givenName': 'Sara', [`${ENTERPRISE}:department`]: 'Roofs', nickName: '', title: '' },
      }),
      status: 200,
      shows: { name: { givenName: 'Sara', familyName: 'Lindqvist' }, [ENTERPRISE]: { department: 'Roofs' } },
      lacks: ['title'],
    },
    {
      does: 'replaces the manager',
      method: 'PATCH',
      path: '/Users/{zara}',
      body: patch({ op: 'Replace', path: `${ENTERPRISE}:manager`, value: 'E-1002' }),
      status: 200,
      shows: { [ENTERPRISE]: { manager: { value: '{manager:2:ben.lindqvist@northwind.example}' } } },
    },
    {
      does: 'removes the manager',
      method: 'PATCH',
      path: '/Users/{zara}',
      body: patch({ op: 'Remove', path: `${ENTERPRISE}:manager` }),
      status: 200,
      lacks: [`${ENTERPRISE}.manager`],
    },
    {
      does: 'assigns a bare department',
      method: 'PATCH',
      path: '/Users/{zara}',
      body: patch({ op: 'Add', path: 'department', value: 'Bricks' }),
      status: 200,
      shows: { [ENTERPRISE]: { department: 'Bricks' } },
    },
    {
      does: 'renames the person',
      method: 'PATCH',
      path: '/Users/{zara}',
      body: patch({ op: 'Replace', path: 'userName', value: 'sara@atrium.example' }),
      status: 200,
      shows: { userName: 'sara@atrium.example' },
    },
    {
      does: 'changes the externalId',
      method: 'PATCH',
      path: '/Users/{zara}',
      body: patch({ op: 'Replace', path: 'externalId', value: 'new-7' }),
      status: 200,
      shows: { externalId: 'new-7' },
    },
    {
      does: 'creates a group',
      method: 'POST',
      path: '/Groups',
      body: { schemas: [GROUP], displayName: 'Builders', externalId: '8aa1a0c0' },
      status: 201,
      remember: 'builders',
      shows: { externalId: '8aa1a0c0' },
    },
    {
      does: 'matches the group without its members',
      method: 'GET',
      path: '/Groups?excludedAttributes=members&filter=displayName eq "builders"',
      status: 200,
      shows: { totalResults: 1, Resources: [{ id: '{builders}' }] },
    },
    {
      does: 'adds a member',
      method: 'PATCH',
      path: '/Groups/{builders}',
      body: patch({ op: 'Add', path: 'members', value: [{ value: '{zara}' }] }),
      status: 204,
    },
    {
      does: 'finds the group by its member',
      method: 'GET',
      path: '/Groups?filter=members[value eq "{zara}"] and displayName eq "Builders"',
      status: 200,
      shows: { totalResults: 1 },
    },
    {
      does: 'removes a member by value',
      method: 'PATCH',
      path: '/Groups/{builders}',
      body: patch({ op: 'Remove', path: 'members', value: [{ value: '{zara}' }] }),
      status: 204,
    },
    { does: 'sees no member', method: 'GET', path: '/Groups/{builders}', status: 200, lacks: ['members'] },
    {
      does: 'disables, with a text',
      method: 'PATCH',
      path: '/Users/{zara}',
      body: patch({ op: 'Replace', path: 'active', value: 'False' }),
      status: 200,
      shows: { active: false },
    },
    {
      does: 'sees the person among the inactive',
      method: 'GET',
      path: '/Users?filter=active eq false and userName eq "sara@atrium.example"',
      status: 200,
      shows: { totalResults: 1 },
    },
    {
      does: 'creates the same person again: they are back',
      method: 'POST',
      path: '/Users',
      body: {
        schemas: [USER],
        userName: 'sara@atrium.example',
        externalId: 'new-7',
        active: 'True',
        name: { givenName: 'Sara', familyName: 'Again' },
      },
      status: 201,
      shows: { id: '{zara}', active: true, name: { familyName: 'Again' } },
    },
    { does: 'deletes for good', method: 'DELETE', path: '/Users/{zara}', status: 204 },
    { does: 'finds nobody', method: 'GET', path: '/Users/{zara}', status: 404 },
    {
      does: 'restores the person: the same account',
      method: 'POST',
      path: '/Users',
      body: { schemas: [USER], userName: 'sara@atrium.example', externalId: 'new-7' },
      status: 201,
      shows: { id: '{zara}', active: true },
    },
  ],
};

for (const base of ['/scim/v2/scim', '/scim/v2', '/idp-a/v2/scim', '/idp-b/v2/scim'])
  describe(base, async () => {
    const atrium = await startAtrium();
    for (const { provider, type, steps } of [okta, entra]) {
      const scim = scimOf(atrium, { base, type });
      const ids = new Map<string, string>();
      const filled = <T>(value: T): T =>
        JSON.parse(
          JSON.stringify(value ?? null)
            .replace(/\{manager:(\w+):([^}]+)\}/g, (_, who, email) =>
              base === '/idp-a/v2/scim' ? email : (ids.get(who) ?? who),
            )
            .replace(/\{([a-z]+)\}/g, (text, name) => ids.get(name) ?? text),
        );
      for (const { does, method, path, body, status, remember, shows, lacks = [] } of steps)
        test(`${provider} ${does}`, async () => {
          const reply = await scim(method, filled(path), body ? { body: filled(body) } : {});
          assert.equal(reply.status, status, JSON.stringify(reply.body));
          if (remember) ids.set(remember, reply.body.id);
          if (shows) includes(reply.body, filled(shows));
          for (const name of lacks) {
            const [holder, inner] = name.startsWith('urn:')
              ? [reply.body[name.slice(0, name.lastIndexOf('.'))], name.slice(name.lastIndexOf('.') + 1)]
              : [reply.body, name];
            assert.equal(holder?.[inner], undefined, `${name} is shown`);
          }
        });
    }
    test('the person is the same in /v1: department, location and shift are teams', async () => {
      const [row] = await atrium.rows<{ id: number }>(`select id from users where email = 'sara@atrium.example'`);
      const user = (await atrium.call('GET', `/v1/users/${row?.id}?expand=teams`)).body.data;
      assert.deepEqual(
        [user.external_id, user.name, user.is_active, user.has_access],
        ['new-7', 'Sara Again', true, true],
      );
      assert.deepEqual(user.teams, []);
    });
    test('every path works with a slash at its end', async () => {
      assert.equal((await scimOf(atrium, { base })('GET', '/Users/?count=1')).body.itemsPerPage, 1);
      assert.equal((await scimOf(atrium, { base })('GET', '/Users/1/')).body.id, '1');
    });
  });

/** Every part of `part` is in `whole`; lists have to be as long. */
function includes(whole: unknown, part: unknown, path = '') {
  if (typeof part !== 'object' || part === null) return assert.equal(whole, part, path);
  if (Array.isArray(part)) assert.equal((whole as unknown[])?.length, part.length, `${path} ${JSON.stringify(whole)}`);
  for (const [name, value] of Object.entries(part))
    includes((whole as Record<string, unknown>)?.[name], value, `${path}/${name}`);
}
