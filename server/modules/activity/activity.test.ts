// What happened and what is new: complete, in order, and nobody's but the reader's. What the families' own lists show
// to the same reader is the measure.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { appJwt } from '../../testing/app-jwt.ts';
import { type Call, type Reply, signIn, startAtrium } from '../../testing/atrium.ts';
import { randomOf } from '../../testing/random.ts';

const atrium = await startAtrium();
const [ada, ben, emi, dmitri] = await Promise.all(
  ['ada.okafor', 'ben.lindqvist', 'emi.tanaka', 'dmitri.petrov'].map((name) =>
    signIn(atrium, `${name}@northwind.example`),
  ),
);
const openKey = await atrium.keyWith(['*.*.read'].concat('spaces.public.read'));
const reads = ['pages', 'articles', 'updates', 'kudos', 'events', 'documents', 'comments', 'badges', 'users'];
const publicKey = await atrium.keyWith([...reads.map((family) => `${family}.*.read`), 'spaces.public.read']);

// biome-ignore lint/suspicious/noExplicitAny: rows of every family.
type Row = any;
type Reads = (path: string) => Promise<Reply>;
const reading =
  (call: Call, more: object = {}): Reads =>
  (path) =>
    call('GET', path, more);
const readers: Record<string, Reads> = {
  'an admin': reading(ada?.call as Call),
  'a member': reading(emi?.call as Call),
  'a moderator': reading(ben?.call as Call),
  'a member of little': reading(dmitri?.call as Call),
  'an app': reading(atrium.call),
  'an app that sees public spaces': reading(atrium.call, { key: publicKey }),
};
const people = Object.entries(readers).filter(([name]) => !name.startsWith('an app'));

const write = async (method: string, path: string, json?: object): Promise<Row> => {
  const { status, body } = await atrium.call(method, `/v1${path}`, json ? { json } : {});
  assert.ok(status < 300, `${method} ${path}: ${JSON.stringify(body)}`);
  return body.data;
};
const all = async (read: Reads, path: string): Promise<Row[]> => {
  const { status, body } = await read(`/v1/${path}${path.includes('?') ? '&' : '?'}take=500`);
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  assert.equal(body.meta.pagination.next_page, null);
  return body.data;
};
const POSTED = { article: 'articles', event: 'events', kudos: 'kudos', update: 'updates' };
const at = (type: string, row: Row): string => (type === 'article' ? row.published_at : row.created_at);
interface Thing {
  type: string;
  id: number;
  at: string;
  row: Row;
}
const order = (one: Thing, other: Thing) =>
  other.at.localeCompare(one.at) || (one.type < other.type ? -1 : one.type > other.type ? 1 : other.id - one.id);
/** What the families' lists show. */
const posts = async (read: Reads): Promise<Thing[]> => {
  const lists = await Promise.all(
    Object.entries(POSTED).map(async ([type, path]) =>
      (await all(read, path)).map((row) => ({ type, id: row.id, at: at(type, row), row })),
    ),
  );
  return lists.flat().sort(order);
};

const random = randomOf(69);
const spaces: number[] = [];
const team = 1;
before(async () => {
  for (const visibility of ['public', 'private', 'hidden', 'private'])
    spaces.push((await write('POST', '/spaces', { name: `Of ${visibility}`, visibility })).id);
  const [open, closed, hidden] = spaces;
  for (const [space, ids_to_add] of [
    [open, [emi?.user.id]],
    [closed, [emi?.user.id, ben?.user.id]],
    [hidden, [dmitri?.user.id]],
  ])
    await write('PATCH', `/spaces/${space}/users`, { ids_to_add });
  await write('PATCH', `/teams/${team}/users`, { ids_to_add: [emi?.user.id] });
  const audiences = () =>
    random.pick([
      { type: 'Global' },
      { type: 'teams', teams: [team] },
      { type: 'spaces', spaces: [random.pick(spaces)] },
      { type: 'spaces', spaces: [random.pick(spaces)] },
      { type: 'spaces', spaces: [spaces[1], random.pick([spaces[0], spaces[3]])] },
    ]);
  const hour = (n: number) => new Date(Date.now() - n * 3_600_000).toISOString();
  const bodies: Record<string, () => object> = {
    updates: () => ({ text: 'u' }),
    kudos: () => ({ text: 'k', recipients: { users: [2] } }),
    articles: () => ({ title: 'A', html_content: '<p>x</p>' }),
    events: () => ({ title: 'E', starts_at: '2090-01-01T10:00:00Z', ends_at: '2090-01-01T11:00:00Z' }),
  };
  const made: { path: string; id: number; row: Row }[] = [];
  for (let n = 0; n < 90; n++) {
    const path = random.pick(Object.keys(bodies));
    // Several at the same moment, and in another order than they are written.
    const created_at = random.chance(0.7) ? { created_at: hour(Math.floor(random.next() * 30)) } : {};
    const user_id = random.pick([1, 2, 5]);
    const draft = path === 'articles' && random.chance(0.2) ? { is_draft: true } : {};
    const row = await write('POST', `/${path}`, {
      ...{ ...bodies[path]?.(), ...draft, ...created_at, user_id, audience: audiences() },
    });
    made.push({ path, id: row.id, row });
  }
  for (const { path, id, row } of made.filter(() => random.chance(0.4))) {
    const what = random.next();
    if (what < 0.3) await write('DELETE', `/${path}/${id}`);
    else if (what < 0.6)
      await write('PUT', `/${path}/${id}`, { ...bodies[path]?.(), title: 'B', audience: audiences() });
    else if (path === 'articles' && row.state === 'draft')
      await write('PUT', `/articles/${id}`, { title: 'C', html_content: '', is_draft: false });
    else await write('POST', `/${path}/${id}/comments`, { text: `About ${path}`, user_id: 5 });
  }
  for (const space_id of [null, ...spaces]) {
    const page = await write('POST', '/pages', { title: 'P', html_content: '', ...(space_id ? { space_id } : {}) });
    await write('POST', `/pages/${page.id}/comments`, { text: 'On a page', user_id: 1 });
    await write('POST', '/pages', { title: 'D', html_content: '', is_draft: 1, ...(space_id ? { space_id } : {}) });
    await write('POST', '/documents', { label: 'Plan', url: 'https://example.org/', space_id });
  }
  await write('PUT', `/spaces/${spaces[3]}`, { name: 'Closed no more', visibility: 'public' });
  await write('POST', '/spaces', { name: 'For activity', visibility: 'hidden' });
});

for (const [name, read] of people)
  test(`the feed of ${name} is what the lists have, newest first, in pages of any size`, async () => {
    const expected = await posts(read);
    assert.ok(expected.length > 25);
    for (const take of [100, 7]) {
      const found: Row[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const { status, body } = await read(`/v1/feed?take=${take}${after && `&after=${encodeURIComponent(after)}`}`);
        assert.equal(status, 200, JSON.stringify(body));
        found.push(...body.data);
        assert.equal(body.meta.has_more, body.meta.next !== null);
        after = body.meta.next;
      }
      const told = (one: { type: string; id: number }) => `${one.type} ${one.id}`;
      assert.deepEqual(found.map(told), expected.map(told));
      assert.deepEqual(
        found.map(({ resource }) => resource),
        expected.map(({ row }) => row),
      );
    }
    const some = (await read('/v1/feed?types=kudos&take=100')).body.data;
    assert.deepEqual(
      some.map(({ id }: Row) => id),
      expected.filter(({ type }) => type === 'kudos').map(({ id }) => id),
    );
  });

const things = async (read: Reads): Promise<Thing[]> => {
  const list = async (type: string, path: string) =>
    (await all(read, path)).map((row) => ({ type, id: row.id, at: row.created_at, row }));
  const content = [
    ...(await posts(read)),
    ...(await list('page', 'pages')),
    ...(await list('page', 'pages?space_ids=all')),
  ];
  const shown = content.filter(({ type, row }) => type !== 'page' || row.is_draft === 0);
  const comments: Thing[] = [];
  for (const { type, id, row } of content) {
    const path = `${({ ...POSTED, page: 'pages' } as Record<string, string>)[type]}/${id}/comments`;
    const own = row.comments_count === 0 ? [] : await all(read, path);
    const replies = await Promise.all(
      own.filter(({ replies_count }) => replies_count > 0).map((one) => all(read, `${path}/${one.id}/replies`)),
    );
    for (const one of [...own, ...replies.flat()])
      comments.push({ type: 'comment', id: one.id, at: one.created_at, row: { ...row, creator: one.user } });
  }
  const badges = await Promise.all(
    (await all(read, 'badges')).map(async ({ id }) =>
      (await all(read, `badges/${id}/users`)).map((row) => ({
        type: 'badge',
        id,
        at: row.created_at,
        row: { creator: row.user },
      })),
    ),
  );
  const others = await Promise.all([list('document', 'documents'), list('space', 'spaces'), list('user', 'users')]);
  return [...shown, ...comments, ...badges.flat(), ...others.flat()].sort(order);
};
const told = ({ type, id, at, created_at = at }: Row) => `${created_at} ${type} ${id}`;

for (const [name, read] of Object.entries(readers))
  test(`what happened, for ${name}, is what the lists have, of every family, with an exact total`, async () => {
    const expected = await things(read);
    const found: Row[] = [];
    let total = 0;
    for (let skip = 0; skip <= total; skip += 90) {
      const { status, body } = await read(`/v1/activity?take=90&skip=${skip}`);
      assert.equal(status, 200, JSON.stringify(body));
      found.push(...body.data);
      total = body.meta.pagination.total_records;
    }
    assert.deepEqual(found.map(told).sort().reverse(), expected.map(told).sort().reverse());
    assert.equal(total, expected.length);
    const times = found.map(({ created_at }) => created_at);
    assert.deepEqual(times, [...times].sort().reverse());

    const only = async (query: string) => (await all(read, `activity?${query}`)).map(told).sort();
    const those = (which: (thing: Thing) => boolean) => expected.filter(which).map(told).sort();
    assert.deepEqual(
      await only('types=comment,kudos'),
      those(({ type }) => type === 'comment' || type === 'kudos'),
    );
    assert.deepEqual(
      await only('user_id=5'),
      found
        .filter(({ actor }) => actor?.id === 5)
        .map(told)
        .sort(),
    );
    const isTo = (space: number | undefined, { type, id, row }: Thing) =>
      type === 'space'
        ? id === space
        : row.space_id === space || row.audience?.spaces?.some((one: Row) => one.id === space);
    for (const space of spaces) {
      const inside = those((thing) => isTo(space, thing));
      assert.deepEqual(await only(`space_ids=${space}`), inside, `space ${space}`);
      const creators = found.filter(({ actor }) => actor?.id === 5).map(told);
      assert.deepEqual(
        await only(`space_ids=${space}&user_id=5`),
        inside.filter((one) => creators.includes(one)),
      );
    }
    assert.deepEqual(
      await only(`team_ids=${team}`),
      those(({ row }) => row.audience?.teams?.some((one: Row) => one.id === team)),
    );
  });

test('each thing says who did what', async () => {
  const { body } = await atrium.call('GET', '/v1/activity?take=500');
  const one = (type: string) => body.data.find((each: Row) => each.type === type);
  assert.deepEqual(
    ['update', 'article', 'badge', 'user', 'space', 'comment'].map((type) => one(type).action),
    ['posted', 'published', 'assigned', 'joined', 'created', 'created'],
  );
  assert.equal(one('user').actor.name, one('user').object.title);
  const { object } = one('comment');
  assert.equal(typeof object.content_id, 'number');
  assert.ok(object.permalink.endsWith('#comments') && object.permalink.includes(`/${object.content_type}`));
});

test('an app is told of the types that it may read, and of the scope that it lacks', async () => {
  const kudosOnly = await atrium.keyWith(['kudos.*.read']);
  const { body } = await atrium.call('GET', '/v1/activity', { key: kudosOnly });
  assert.deepEqual([...new Set(body.data.map(({ type }: Row) => type))], ['kudos']);
  const refused = await atrium.call('GET', '/v1/activity?types=kudos,page', { key: kudosOnly });
  assert.deepEqual([refused.status, refused.body.meta.required_scopes], [403, ['pages.*.read']]);
  assert.equal((await atrium.call('GET', '/v1/feed')).status, 403, 'the feed is a person’s');
  assert.equal((await atrium.call('GET', '/v1/activity', { key: openKey })).status, 200);
});

test('a user JWT reads the same as the person signed in; an app by its key reads elsewhere', async () => {
  const id = String(emi?.user.id);
  const headers = await appJwt(atrium, { scopes: null, claims: { sub: id, iss: '1' } });
  const byJwt = await atrium.call('GET', '/v1/jwt/activity?take=500', { key: null, headers });
  assert.equal(byJwt.status, 200, JSON.stringify(byJwt.body));
  assert.deepEqual(byJwt.body.data, await all(readers['a member'] as Reads, 'activity'));
  const headersOfFeed = await appJwt(atrium, { scopes: null, claims: { sub: id, iss: '1' } });
  const feed = await atrium.call('GET', '/v1/feed', { key: null, headers: headersOfFeed });
  assert.deepEqual(feed.body, (await emi?.call('GET', '/v1/feed'))?.body);
  assert.equal((await atrium.call('GET', '/v1/jwt/activity')).status, 403);
});

test('by relevance: what must be read stands first until it is, then mentions, own spaces and the rest', async () => {
  const read = readers['a member'] as Reads;
  const now = Date.now();
  const ago = (hours: number) => ({ created_at: new Date(now - hours * 3_600_000).toISOString() });
  const post = async (hours: number, more: object = {}) =>
    (await write('POST', '/updates', { text: 'u', ...ago(hours), ...more })).id;
  const mustRead = await post(24 * 90, { requires_acknowledgement: true });
  const mentioned = await post(60);
  await write('POST', `/updates/${mentioned}/comments`, {
    text: 'Emi?',
    mentioned_user_ids: [emi?.user.id],
    user_id: 1,
  });
  const own = await post(6, { audience: { type: 'spaces', spaces: [spaces[1]] } });
  const fresh = await post(0);
  const ranked = async () => {
    const { body } = await read('/v1/feed?sort=relevant&take=100');
    assert.equal(body.data.length, new Set(body.data.map(({ type, id }: Row) => `${type} ${id}`)).size);
    return body.data.filter(({ type, id }: Row) => type === 'update' && [mustRead, mentioned, own, fresh].includes(id));
  };
  const first = await ranked();
  assert.deepEqual(
    first.map(({ id, reason }: Row) => [id, reason]),
    [
      [mustRead, 'must_read'],
      [mentioned, 'mention'],
      [own, 'own'],
      [fresh, 'new'],
    ],
  );
  await emi?.call('POST', `/v1/updates/${mustRead}/acknowledgement`, { json: {} });
  assert.ok(!(await ranked()).some(({ id, reason }: Row) => id === mustRead && reason === 'must_read'));
  const whole = (await read('/v1/feed?sort=relevant&take=100')).body.data;
  const { body } = await read('/v1/feed?sort=relevant&take=3');
  const next = (await read(`/v1/feed?sort=relevant&take=3&after=${body.meta.next}`)).body.data;
  assert.deepEqual([...body.data, ...next], whole.slice(0, 6));
});

test('an article stands where it was published, and a post where it was approved', async () => {
  const article = await write('POST', '/articles', {
    ...{ title: 'Later', html_content: '', is_draft: true, audience: { type: 'spaces', spaces: [spaces[1]] } },
  });
  const between = await write('POST', '/updates', { text: 'Between' });
  await write('PUT', `/articles/${article.id}`, { title: 'Later', html_content: '', is_draft: false });
  const newest = async () =>
    (await emi?.call('GET', '/v1/feed?take=2'))?.body.data.map(({ type, id }: Row) => [type, id]);
  assert.deepEqual(await newest(), [
    ['article', article.id],
    ['update', between.id],
  ]);
  await atrium.rows('update organisations set content_approvals = true where id = 1');
  const space = { audience: { type: 'spaces', spaces: [spaces[1]] } };
  const waiting = (await emi?.call('POST', '/v1/updates', { json: { text: 'May I?', ...space } }))?.body.data;
  assert.equal(waiting.content_approval.status, 'pending');
  assert.deepEqual(await newest(), [
    ['article', article.id],
    ['update', between.id],
  ]);
  const later = await write('POST', '/updates', { text: 'Meanwhile' });
  await write('POST', `/updates/${waiting.id}/approve`);
  assert.deepEqual(await newest(), [
    ['update', waiting.id],
    ['update', later.id],
  ]);
  await atrium.rows('update organisations set content_approvals = false where id = 1');
});

test('a place that is none is refused', async () => {
  for (const query of [
    'after=x',
    'after=2026-13-01T00:00:00Z_update_1',
    'sort=relevant&after=-1',
    'sort=relevant&after=x',
  ])
    assert.equal((await emi?.call('GET', `/v1/feed?${query}`))?.status, 400, query);
});
