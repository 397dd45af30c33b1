// Random operations, valid and not, against a small model of RFC 7644: after each the server shows what the model has,
// and never answers with a 500. A failure prints the seed; ATRIUM_SEED repeats it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';
import { randomOf } from '../../testing/random.ts';
import { scimOf } from '../../testing/scim.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const RUNS = Number(process.env.ATRIUM_TEST_MODELS ?? 4);
const STEPS = 60;
const atrium = await startAtrium();
const scim = scimOf(atrium);

interface Person {
  id: string;
  userName: string;
  externalId?: string | undefined;
  givenName: string;
  familyName: string;
  title?: string | undefined;
  active: boolean;
  department?: string | undefined;
  /** Beside the work address that userName is. */
  home?: string | undefined;
  mobile?: string | undefined;
  deleted: boolean;
}
interface Team {
  id: string;
  displayName: string;
  members: Set<string>;
}

async function run(seed: number) {
  const { pick, chance } = randomOf(seed);
  const people: Person[] = [];
  const teams: Team[] = [];
  const names = Array.from({ length: 8 }, (_, n) => `p${n}.${seed}@model.example`);
  const externals = Array.from({ length: 6 }, (_, n) => `x${n}-${seed}`);
  const departments = ['North', 'South', 'East'].map((name) => `${name} ${seed}`);
  const cased = (text: string) => (chance(0.3) ? text.toUpperCase() : text);
  const alive = () => people.filter(({ deleted }) => !deleted);
  const holder = (userName: string | undefined, externalId: string | undefined, except?: Person) =>
    people.filter(
      (one) =>
        one !== except &&
        (one.userName.toLowerCase() === userName?.toLowerCase() ||
          (externalId !== undefined && one.externalId === externalId)),
    );
  const form = (value: boolean) => (chance(0.5) ? value : pick([value ? 'True' : 'False', value ? 'true' : 'false']));
  const bodyOf = (one: Omit<Person, 'id' | 'deleted'>, id?: string) => ({
    ...(id ? { id } : {}),
    [chance(0.5) ? 'userName' : 'USERNAME']: one.userName,
    ...(one.externalId === undefined ? {} : { externalId: one.externalId }),
    name: { givenName: one.givenName, familyName: one.familyName },
    ...(one.title === undefined ? (chance(0.5) ? { title: '' } : {}) : { title: one.title }),
    active: form(one.active),
    emails: [
      { type: 'work', value: one.userName, primary: true },
      ...(one.home === undefined ? [] : [{ type: 'home', value: one.home }]),
    ],
    ...(one.mobile === undefined ? {} : { phoneNumbers: [{ type: 'mobile', value: one.mobile }] }),
    ...(one.department === undefined ? {} : { [ENTERPRISE]: { department: one.department } }),
  });
  const fresh = () => ({
    userName: cased(pick(names)),
    externalId: chance(0.7) ? pick(externals) : undefined,
    givenName: pick(['Ann', 'Bo']),
    familyName: pick(['Ek', 'Fu']),
    title: chance(0.5) ? pick(['Cook', 'Smith']) : undefined,
    active: chance(0.8),
    department: chance(0.5) ? pick(departments) : undefined,
    home: chance(0.3) ? pick(['a@home.example', 'b@home.example']) : undefined,
    mobile: chance(0.3) ? pick(['1', '2']) : undefined,
  });

  const steps = {
    async create() {
      const given = fresh();
      const reply = await scim('POST', '/Users', { body: bodyOf(given) });
      const found = holder(given.userName, given.externalId);
      const [former] = found;
      if (!former) {
        assert.equal(reply.status, 201, JSON.stringify(reply.body));
        people.push({ ...given, id: reply.body.id, deleted: false });
      } else if (found.length === 1 && !former.active) {
        assert.equal(reply.status, 201, JSON.stringify(reply.body));
        assert.equal(reply.body.id, former.id);
        Object.assign(former, given, { externalId: given.externalId ?? former.externalId, deleted: false });
      } else assert.deepEqual([reply.status, reply.body.scimType], [409, 'uniqueness']);
    },
    async replace() {
      const one = pick(people);
      if (!one) return;
      const given = fresh();
      const reply = await scim('PUT', `/Users/${one.id}`, { body: bodyOf(given, one.id) });
      if (one.deleted) assert.equal(reply.status, 404);
      else if (holder(given.userName, given.externalId, one).length > 0)
        assert.deepEqual([reply.status, reply.body.scimType], [409, 'uniqueness']);
      else {
        assert.equal(reply.status, 200, JSON.stringify(reply.body));
        Object.assign(one, given, { externalId: given.externalId ?? one.externalId });
      }
    },
    async patch() {
      const one = pick(people);
      if (!one) return;
      const next = { ...one };
      const set = <K extends 'title' | 'department' | 'home' | 'mobile' | 'externalId'>(
        name: K,
        path: string,
        value: string | undefined,
      ) => {
        next[name] = value;
        if (value === undefined)
          return chance(0.5) && name !== 'home' && name !== 'mobile'
            ? { op: 'replace', path, value: '' }
            : { op: 'Remove', path };
        return { op: pick(['add', 'Replace', 'REPLACE']), path, value };
      };
      const options = [
        () => set('title', 'title', chance(0.3) ? undefined : pick(['Cook', 'Smith'])),
        () => set('department', `${ENTERPRISE}:department`, chance(0.3) ? undefined : pick(departments)),
        () =>
          set(
            'home',
            chance(0.5) ? 'emails[type eq "home"].value' : 'emails[TYPE Eq "home"].value',
            chance(0.3) ? undefined : pick(['a@home.example', 'c@home.example']),
          ),
        () => set('mobile', 'phoneNumbers[type eq "mobile"].value', chance(0.3) ? undefined : pick(['1', '3'])),
        () => set('externalId', 'externalId', pick(externals)),
        () => {
          next.active = chance(0.5);
          return chance(0.5)
            ? { op: 'replace', path: 'active', value: form(next.active) }
            : { op: 'replace', value: { active: form(next.active) } };
        },
        () => {
          next.userName = cased(pick(names));
          return { op: 'replace', path: 'userName', value: next.userName };
        },
        () => {
          next.givenName = pick(['Cy', 'Di']);
          return { op: 'replace', value: { 'name.givenName': next.givenName } };
        },
      ];
      const invalid = [
        { op: 'remove', path: 'userName' },
        { op: 'replace', path: 'id', value: '1' },
        { op: 'replace', path: 'active', value: 'maybe' },
        { op: 'jump', path: 'title', value: 'x' },
        { op: 'replace', path: 'title[', value: 'x' },
        { op: 'remove' },
      ];
      const Operations: object[] = Array.from({ length: 1 + Math.floor(3 * (chance(0.5) ? 1 : 0)) }, () =>
        pick(options)(),
      );
      const spoilt = chance(0.15);
      if (spoilt) Operations.push(pick(invalid));
      const reply = await scim('PATCH', `/Users/${one.id}`, { body: { Operations } });
      const sent = JSON.stringify({ Operations, answer: reply.body });
      if (one.deleted) assert.ok(reply.status === 404 || (spoilt && reply.status === 400), sent);
      else if (spoilt) assert.equal(reply.status, 400, sent);
      else if (holder(next.userName, next.externalId, one).length > 0)
        assert.deepEqual([reply.status, reply.body.scimType], [409, 'uniqueness'], sent);
      else {
        assert.equal(reply.status, 200, sent);
        Object.assign(one, next);
      }
    },
    async remove() {
      const one = pick(people);
      if (!one || chance(0.5)) return;
      const reply = await scim('DELETE', `/Users/${one.id}`);
      assert.equal(reply.status, one.deleted ? 404 : 204);
      one.deleted = true;
      one.active = false;
    },
    async createTeam() {
      const displayName = `Team ${pick([1, 2, 3])} of ${seed}`;
      const members = alive().filter(() => chance(0.4));
      const reply = await scim('POST', '/Groups', {
        body: { displayName, members: members.map(({ id }) => ({ value: id })) },
      });
      if (teams.some((team) => team.displayName === displayName))
        assert.deepEqual([reply.status, reply.body.scimType], [409, 'uniqueness']);
      else {
        assert.equal(reply.status, 201, JSON.stringify(reply.body));
        teams.push({ id: reply.body.id, displayName, members: new Set(members.map(({ id }) => id)) });
      }
    },
    async patchTeam() {
      const team = pick(teams);
      const one = pick(people);
      if (!team || !one) return;
      const [op, body] = pick([
        ['add', { op: 'Add', path: 'members', value: [{ value: one.id }] }],
        ['remove', { op: 'remove', path: `members[value eq "${one.id}"]` }],
        ['remove', { op: 'Remove', path: 'members', value: [{ value: one.id }] }],
        ['replace', { op: 'replace', value: { members: [{ value: one.id }] } }],
        ['stranger', { op: 'add', path: 'members', value: [{ value: '999999999' }] }],
      ] as const);
      const reply = await scim('PATCH', `/Groups/${team.id}`, { body: { Operations: [body] } });
      assert.equal(reply.status, op === 'stranger' ? 400 : 204, JSON.stringify(reply.body));
      if (op === 'replace') team.members.clear();
      if (op === 'add' || op === 'replace') team.members.add(one.id);
      if (op === 'remove') team.members.delete(one.id);
    },
    async deleteTeam() {
      const [team] = teams.splice(0, chance(0.2) ? 1 : 0);
      if (team) assert.equal((await scim('DELETE', `/Groups/${team.id}`)).status, 204);
    },
  };

  for (let step = 0; step < STEPS; step++) {
    const name = pick([
      'create',
      'create',
      'replace',
      'patch',
      'patch',
      'patch',
      'remove',
      'createTeam',
      'patchTeam',
      'deleteTeam',
    ] as const);
    await steps[name]();
    await compare(name);
  }

  async function compare(name: string) {
    const list = (await scim('GET', `/Users?count=500&filter=userName ew ".${seed}@model.example"`)).body;
    const shown = list.Resources.map(shownPerson).toSorted(byId);
    assert.deepEqual(shown, alive().map(wanted).toSorted(byId), `after ${name}`);
    assert.equal(list.totalResults, shown.length);
    const active = (await scim('GET', `/Users?count=0&filter=active eq true and userName ew ".${seed}@model.example"`))
      .body.totalResults;
    assert.equal(active, people.filter((one) => one.active).length);
    for (const team of teams) {
      const { body } = await scim('GET', `/Groups/${team.id}`);
      const members = (body.members ?? []).map(({ value }: { value: string }) => value).toSorted();
      const living = [...team.members].filter((id) => people.some((one) => one.id === id && !one.deleted)).toSorted();
      assert.deepEqual([body.displayName, members], [team.displayName, living], `after ${name}`);
    }
  }
}

const byId = (a: { id: string }, b: { id: string }) => Number(a.id) - Number(b.id);
const wanted = ({ deleted: _deleted, ...one }: Person) => JSON.parse(JSON.stringify(one));
// biome-ignore lint/suspicious/noExplicitAny: a SCIM resource.
function shownPerson(resource: any) {
  const value = (list: { type: string; value: string }[] | undefined, type: string) =>
    list?.find((entry) => entry.type === type)?.value;
  assert.equal(value(resource.emails, 'work')?.toLowerCase(), resource.userName.toLowerCase());
  return JSON.parse(
    JSON.stringify({
      id: resource.id,
      userName: resource.userName,
      externalId: resource.externalId,
      givenName: resource.name.givenName,
      familyName: resource.name.familyName,
      title: resource.title,
      active: resource.active,
      department: resource[ENTERPRISE]?.department,
      home: value(resource.emails, 'home'),
      mobile: value(resource.phoneNumbers, 'mobile'),
    }),
  );
}

const first = Number(process.env.ATRIUM_SEED ?? 1 + Math.floor(Math.random() * 1_000_000));
for (let n = 0; n < RUNS; n++)
  test(`random operations of seed ${first + n} leave what the model has`, () => run(first + n));

test('after everything, the totals that are kept are those that are counted', async () => {
  await atrium.drain();
  for (const [filter, condition] of [
    ['active eq true', 'is_active'],
    ['active eq false', 'not is_active and not is_withdrawn'],
  ]) {
    const { totalResults } = (await scim('GET', `/Users?count=0&filter=${filter}`)).body;
    const [row] = await atrium.rows<{ count: string }>(
      `select count(*) from users where organisation_id = 1 and kind = 'person' and ${condition}`,
    );
    assert.equal(totalResults, Number(row?.count));
  }
});
