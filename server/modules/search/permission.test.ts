// No search tells of what somebody may not see: no result, no total, no suggestion.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appJwt } from '../../testing/app-jwt.ts';
import { type Call, startAtrium } from '../../testing/atrium.ts';
import { randomOf } from '../../testing/random.ts';

const atrium = await startAtrium();
const random = randomOf(15);
const call = async (method: string, path: string, json?: object) => {
  const { status, body } = await atrium.call(method, `/v1${path}`, json ? { json } : {});
  assert.ok(status < 300, `${method} ${path}: ${JSON.stringify(body)}`);
  return body.data;
};
const WORD = 'okapi';
const PEOPLE = 48;
const kinds = ['page', 'article', 'update', 'kudos', 'event', 'document', 'space', 'comment'];

const people: number[] = [];
for (let n = 0; n < PEOPLE; n++)
  people.push(
    (await call('POST', '/users', { email: `p${n}@northwind.example`, first_name: 'P', last_name: `N${n}` })).id,
  );
const some = () => people.filter(() => random.chance(0.25));
const spaces: number[] = [];
for (let n = 0; n < 9; n++) {
  const visibility = ['public', 'private', 'hidden'][n % 3];
  const { id } = await call('POST', '/spaces', { name: `${WORD} ${n}`, visibility, user_id: 1 });
  await atrium.call('PATCH', `/v1/spaces/${id}/users`, { json: { ids_to_add: [...some(), people[n]] } });
  spaces.push(id);
}
const teams: number[] = [];
for (let n = 0; n < 4; n++) {
  const { id } = await call('POST', '/teams', { name: `Team ${n}`, team_type_id: 1 });
  await atrium.call('PATCH', `/v1/teams/${id}/users`, { json: { ids_to_add: [...some(), people[n]] } });
  teams.push(id);
}
const audience = () =>
  random.pick([
    { type: 'Global' },
    { type: 'spaces', spaces: [random.pick(spaces)] },
    { type: 'spaces', spaces: [random.pick(spaces), random.pick(spaces)] },
    { type: 'teams', teams: [random.pick(teams)] },
  ]);
const text = () => `${WORD} ${random.pick(['north', 'south'])} ${Math.floor(random.next() * 1e6)}`;
const author = () => ({ user_id: random.pick(people) });
const bodies: Record<string, () => [path: string, body: object]> = {
  page: () => {
    const space_id = random.pick([null, ...spaces]);
    const is_draft = random.chance(0.2) ? 1 : 0;
    const limited = random.chance(0.3) ? { audience: { type: 'teams', teams: [random.pick(teams)] } } : {};
    return ['/pages', { title: text(), html_content: '', space_id, is_draft, ...limited, ...author() }];
  },
  article: () => [
    '/articles',
    { title: text(), html_content: '<p>x</p>', is_draft: random.chance(0.2), audience: audience(), ...author() },
  ],
  update: () => ['/updates', { text: text(), audience: audience(), ...author() }],
  kudos: () => ['/kudos', { text: text(), recipients: { users: [2] }, audience: audience(), ...author() }],
  event: () => [
    '/events',
    {
      title: text(),
      starts_at: '2090-01-01T10:00:00Z',
      ends_at: '2090-01-01T11:00:00Z',
      audience: audience(),
      ...author(),
    },
  ],
  document: () => [
    '/documents',
    { label: text(), url: 'https://example.org/', space_id: random.pick([null, ...spaces]) },
  ],
};
const items: { name: string; about?: string }[] = spaces.map((id) => ({ name: `space ${id}` }));
for (let n = 0; n < 150; n++) {
  const type = random.pick(Object.keys(bodies));
  const [path, body] = bodies[type]?.() ?? ['', {}];
  const { id } = await call('POST', path, body);
  items.push({ name: `${type} ${id}` });
  if (type === 'document' || random.chance(0.6)) continue;
  const comment = await call('POST', `${path}/${id}/comments`, { text: text() });
  items.push({ name: `comment ${comment.id}`, about: `${type} ${id}` });
}
const paths: Record<string, string> = { kudos: 'kudos' };
const pathOf = (name: string) => {
  const [type = '', id] = name.split(' ');
  return `/v1/${paths[type] ?? `${type}s`}/${id}`;
};

/** By the routes of the families themselves. */
async function visibleTo(by: Call): Promise<Set<string>> {
  const visible = new Set<string>();
  const lists: Record<string, string> = {
    page: 'pages?space_ids=all&',
    ' page': 'pages?',
    article: 'articles?state=all&',
    update: 'updates?',
    kudos: 'kudos?',
    event: 'events?state=all&',
    document: 'documents?',
    space: 'spaces?',
  };
  for (const [type, list] of Object.entries(lists)) {
    const { status, body } = await by('GET', `/v1/${list}take=500`);
    assert.equal(status, 200, list);
    for (const { id } of body.data) visible.add(`${type.trim()} ${id}`);
  }
  // Drafts are in no list of their readers.
  for (const { name } of items.filter(({ name }) => name.startsWith('article') && !visible.has(name)))
    if ((await by('GET', pathOf(name))).status === 200) visible.add(name);
  for (const { name, about } of items) if (about && visible.has(about)) visible.add(name);
  return visible;
}
async function foundBy(by: Call, query: string) {
  const { status, body } = await by('GET', `/v1/jwt/advanced-search?take=300&types=${kinds}&${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  const names = body.data.map(({ type, id }: { type: string; id: number }) => `${type} ${id}`) as string[];
  assert.equal(body.meta.pagination.total_records, names.length, 'the total is what is shown');
  return names.sort();
}
const asPerson = async (user_id: number): Promise<Call> => {
  const claims = { iss: '1', sub: String(user_id), app_id: undefined, jti: undefined };
  const headers = await appJwt(atrium, { scopes: null, claims });
  return (method, path, options) => atrium.call(method, path, { key: null, headers, ...options });
};

async function compare(pairs = { count: 0 }) {
  for (const user_id of people) {
    const by = await asPerson(user_id);
    const visible = await visibleTo(by);
    const expected = items.map(({ name }) => name).filter((name) => visible.has(name));
    assert.deepEqual(await foundBy(by, `q=${WORD}`), expected.sort(), `for ${user_id}`);
    const half = await foundBy(by, `q=${WORD}+north`);
    assert.ok(half.every((name) => visible.has(name)));
    for (const q of [WORD.slice(0, 2), 'oakpi'])
      for (const name of await foundBy(by, `q=${q}`)) assert.ok(visible.has(name));
    const suggested = await by('GET', '/v1/search/suggest?q=oka&take=20&types=page,space');
    for (const { type, id } of suggested.body.data) assert.ok(visible.has(`${type} ${id}`), 'suggested');
    pairs.count += items.length;
  }
  return pairs.count;
}

test('of 10,000 pairs of a person and an item, just those are found and counted that the person may read', async () => {
  await atrium.drain();
  assert.ok((await compare()) >= 10_000);
});

test('a space that closes or opens takes what is in it along', async () => {
  for (const [n, id] of spaces.entries()) {
    const visibility = ['hidden', 'public', 'private'][n % 3];
    await call('PUT', `/spaces/${id}`, { name: `${WORD} ${n}`, visibility });
  }
  people.length = 8;
  await atrium.drain();
  await compare();
});

test('a filter by a space that somebody does not know of finds nothing, also what reaches them otherwise', async () => {
  const { id: hidden } = await call('POST', '/spaces', { name: 'Nothing', visibility: 'hidden' });
  const { id: open } = await call('POST', '/spaces', { name: 'Open', visibility: 'public' });
  await call('POST', '/updates', { text: 'zorilla', audience: { type: 'spaces', spaces: [hidden, open] } });
  const by = await asPerson(people[0] as number);
  const count = async (more: string) => (await by('GET', `/v1/jwt/advanced-search?q=zorilla${more}`)).body.data.length;
  assert.deepEqual(
    [await count(''), await count(`&space_ids=${open}`), await count(`&space_ids=${hidden}`)],
    [1, 1, 0],
  );
});

test('words of hidden content change neither order, score nor what is meant', async () => {
  const { id: hidden } = await call('POST', '/spaces', { name: 'Plans', visibility: 'hidden' });
  await call('POST', '/pages', { title: 'Warehouse in Lyon', html_content: '<p>merger</p>' });
  await call('POST', '/pages', { title: 'Warehouse', html_content: '<p>other</p>' });
  const by = await asPerson(people[0] as number);
  const asked = async () =>
    Promise.all(
      ['warehouse merger', 'warehouse closure', 'closurre', 'clos'].map(async (q) => {
        const { data, meta } = (await by('GET', `/v1/jwt/advanced-search?q=${encodeURIComponent(q)}`)).body;
        return { data: data.map(({ id, score }: { id: number; score: number }) => [id, score.toFixed(2)]), meta };
      }),
    );
  const before = await asked();
  for (let n = 0; n < 20; n++)
    await call('POST', '/pages', { title: 'Closure', html_content: '<p>merger closure</p>', space_id: hidden });
  assert.deepEqual(await asked(), before);
});
