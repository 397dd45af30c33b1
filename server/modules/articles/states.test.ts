import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const HOUR = 3_600_000;
const post = (json: object) =>
  atrium.call('POST', '/v1/articles', { json: { title: 'T', html_content: '<p>x</p>', ...json } });
const create = async (json: object = {}) => {
  const { status, body } = await post(json);
  assert.equal(status, 201, JSON.stringify(body));
  return body.data;
};
const put = (id: number, json: object) =>
  atrium.call('PUT', `/v1/articles/${id}`, { json: { title: 'T', html_content: '<p>x</p>', ...json } });
const get = async (id: number, query = '') => (await atrium.call('GET', `/v1/articles/${id}${query}`)).body.data;
const turn = (id: number, verb: 'archive' | 'unarchive') => atrium.call('POST', `/v1/spaces/${id}/${verb}`);
const key = atrium.keyWith;
const as = (email: string) => signIn(atrium, email);
const inSpaces = (...spaces: number[]) => ({ audience: { type: 'spaces', spaces } });
const newSpace = async (name: string) =>
  (await atrium.call('POST', '/v1/spaces', { json: { name, user_id: 2 } })).body.data.id as number;
/** Time from now on, by the clock of the servers. */
const later = (ms: number) => new Date(Date.parse(atrium.clock.now()) + ms).toISOString();
const story = async (id: number) =>
  (await atrium.outbox())
    .filter(({ payload }) => payload.article?.id === id)
    .map(({ action }) => action.replace('article.', ''));
const titles = async (query: string, call = atrium.call, options: object = {}) =>
  (await call('GET', `/v1/articles?take=100&${query}`, options)).body.data.map(({ title }: { title: string }) => title);

describe('states', () => {
  test(`a draft is nobody’s news until is_draft=0 publishes it; \
what was published cannot become a draft again`, async () => {
    const draft = await create({ is_draft: true });
    assert.deepEqual([draft.state, draft.published_at], ['draft', null]);
    assert.equal(
      (await put(draft.id, { title: 'Better' })).body.data.state,
      'draft',
      'omitting is_draft does not publish',
    );
    assert.deepEqual(await story(draft.id), []);
    atrium.clock.advance(HOUR);
    const published = (await put(draft.id, { is_draft: 0 })).body.data;
    assert.ok(
      Date.parse(published.published_at) - Date.parse(draft.created_at) >= HOUR,
      'the publishing moment, not the drafting date',
    );
    assert.deepEqual(await story(draft.id), ['published']);
    for (const json of [{ is_draft: 1 }, { publish_at: later(HOUR) }]) {
      const refused = await put(draft.id, json);
      assert.deepEqual([refused.status, refused.body.code], [409, 'article_published']);
    }
  });

  test('publish_at schedules a draft; taking the date away makes it a draft again', async () => {
    const { id } = await create({ is_draft: true });
    const publish_at = later(HOUR);
    assert.deepEqual(
      [(await put(id, { publish_at })).body.data.state, (await put(id, {})).body.data.state],
      ['scheduled', 'scheduled'],
    );
    assert.equal((await put(id, { publish_at: null })).body.data.state, 'draft');
    assert.equal((await put(id, { publish_at: null })).body.data.state, 'draft');
    assert.equal((await put(id, { publish_at, is_draft: 1 })).body.data.state, 'draft');
    atrium.clock.advance(2 * HOUR);
    await atrium.drain();
    assert.equal((await get(id)).state, 'draft', 'a draft with a date waits for its author');
    assert.deepEqual(await story(id), []);
  });

  test(`with two nodes running and the clock moved over publish_at and archive_at: \
exactly one event each`, async () => {
    const second = await atrium.secondNode();
    const nodes = [atrium, second];
    const move = async (ms: number) => {
      for (const { clock } of nodes) clock.advance(ms);
      await Promise.all([atrium, second, atrium, second].map(({ drain }) => drain()));
    };
    second.clock.advance(Date.parse(atrium.clock.now()) - Date.parse(second.clock.now()));
    const [publish_at, archive_at] = [later(HOUR), later(3 * HOUR)];
    const made = await Promise.all(
      Array.from({ length: 20 }, () => create({ publish_at, archive_at, ...inSpaces(2) })),
    );
    const all = (state: string) => Promise.all(made.map(async ({ id }) => assert.equal((await get(id)).state, state)));
    await all('scheduled');
    await move(HOUR / 2);
    await all('scheduled');
    await move(HOUR);
    await all('published');
    const { published_at, archive_at: kept } = await get(made[0].id);
    assert.ok(published_at >= publish_at);
    assert.equal(kept, archive_at.replace('Z', '000Z'));
    await move(2 * HOUR);
    await all('archived');
    for (const { id } of made) assert.deepEqual(await story(id), ['published', 'archived']);
    const last = (await atrium.outbox()).at(-1)?.payload.article;
    assert.deepEqual([last?.is_archived, last?.archive_at], [true, archive_at.replace('Z', '000Z')]);
  });

  test('what became due while no server ran is done by the next one, in order', async () => {
    const { id } = await create({ publish_at: later(HOUR), archive_at: later(2 * HOUR) });
    const next = await atrium.secondNode();
    next.clock.advance(Date.parse(atrium.clock.now()) - Date.parse(next.clock.now()) + 5 * HOUR);
    await next.drain();
    assert.deepEqual(await story(id), ['published', 'archived']);
    await atrium.drain();
    assert.deepEqual(await story(id), ['published', 'archived']);
  });

  test(`a running server publishes within seconds, and follows a clock that jumps, \
though nobody asks it anything`, async () => {
    const { id } = await create({ publish_at: later(300) });
    const { id: far } = await create({ publish_at: later(50 * HOUR) });
    atrium.workers.start();
    const published = async (one: number) => {
      const begun = performance.now();
      while (!(await story(one)).includes('published')) {
        assert.ok(performance.now() - begun < 60_000, 'not published in time');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    try {
      await published(id);
      assert.deepEqual(await story(far), []);
      atrium.clock.advance(51 * HOUR);
      await published(far);
    } finally {
      await atrium.workers.stop();
    }
  });

  test('DELETE archives once, and unarchive brings back; an archive_at that has passed goes', async () => {
    const { id } = await create({ archive_at: later(HOUR), external_id: 'A-D' });
    const gone = await atrium.call('DELETE', `/v1/articles/${id}`);
    assert.deepEqual([gone.status, gone.body.data], [200, { id, external_id: 'A-D', is_archived: true }]);
    assert.equal((await atrium.call('DELETE', '/v1/articles/by-external-id/A-D')).status, 200);
    const { state, is_archived } = await get(id);
    assert.deepEqual([state, is_archived], ['archived', true]);
    atrium.clock.advance(2 * HOUR);
    await atrium.drain();
    const back = await atrium.call('POST', `/v1/articles/${id}/unarchive`);
    assert.deepEqual([back.body.data.state, back.body.data.archive_at], ['published', null]);
    await atrium.call('POST', `/v1/articles/${id}/unarchive`);
    await atrium.drain();
    assert.deepEqual(await story(id), ['published', 'archived', 'unarchived']);
    const { payload } = (await atrium.outbox()).filter(({ action }) => action === 'article.archived').at(-1) ?? {};
    assert.deepEqual([payload?.article?.is_archived, payload?.article?.html_content], [true, '<p>x</p>']);
  });

  test('an archived draft stays what readers do not see, and comes back as a draft', async () => {
    const { id } = await create({ is_draft: true, title: 'Secret' });
    await atrium.call('DELETE', `/v1/articles/${id}`);
    const reader = await key(['articles.*.read']);
    assert.equal((await atrium.call('GET', `/v1/articles/${id}`, { key: reader })).status, 404);
    assert.ok(!(await titles('state=archived', atrium.call, { key: reader })).includes('Secret'));
    assert.ok((await titles('state=archived')).includes('Secret'));
    assert.equal((await atrium.call('POST', `/v1/articles/${id}/unarchive`)).body.data.state, 'draft');
    assert.deepEqual(await story(id), []);
  });

  test('permanent=1 needs the scope articles.*.admin or an admin; it leaves nothing but an event', async () => {
    const { id, title, permalink } = await create({ title: 'Gone', language: 'en', ...inSpaces(1) });
    await put(id, { title: 'Weg', language: 'de' });
    const writer = await key(['articles.*.write', 'articles.*.read']);
    const ben = await as('ben.lindqvist@northwind.example');
    for (const refused of [
      await atrium.call('DELETE', `/v1/articles/${id}?permanent=1`, { key: writer }),
      await ben.call('DELETE', `/v1/articles/${id}?permanent=1`),
    ])
      assert.deepEqual([refused.status, refused.body.meta.required_scopes], [403, ['articles.*.admin']]);
    const gone = await atrium.call('DELETE', `/v1/articles/${id}?permanent=1`);
    assert.deepEqual(gone.body.data, { id, external_id: null, is_archived: false });
    assert.equal((await atrium.call('GET', `/v1/articles/${id}`)).status, 404);
    const { action, payload, is_public } = (await atrium.outbox()).at(-1) ?? {};
    assert.deepEqual([action, payload, is_public], ['article.deleted', { article: { id, title, permalink } }, true]);
    const left = await atrium.rows(
      `select 1 from article_audiences where article_id = $1
       union all select 1 from article_translations where article_id = $1`,
      [id],
    );
    assert.deepEqual(left, []);
  });
});

describe('with its space', () => {
  const states = async (...ids: number[]) => Promise.all(ids.map(async (id) => (await get(id)).state));

  test(`articles are archived and brought back; one archived before stays archived, \
as does one archived meanwhile`, async () => {
    const space = await newSpace('Project');
    const [before, open, draft, asleep, meanwhile] = [
      await create(inSpaces(space)),
      await create(inSpaces(space)),
      await create({ is_draft: true, ...inSpaces(space) }),
      await create({ publish_at: later(HOUR), ...inSpaces(space) }),
      await create(inSpaces(space)),
    ].map(({ id }) => id as number) as [number, number, number, number, number];
    await atrium.call('DELETE', `/v1/articles/${before}`);
    await turn(space, 'archive');
    assert.deepEqual(await states(before, open, draft, asleep, meanwhile), Array(5).fill('archived'));
    const refused = [await atrium.call('POST', `/v1/articles/${open}/unarchive`), await post(inSpaces(space))];
    for (const { status, body } of refused) assert.deepEqual([status, body.code], [409, 'space_archived']);
    await atrium.call('DELETE', `/v1/articles/${meanwhile}`);
    atrium.clock.advance(2 * HOUR);
    await atrium.drain();
    assert.deepEqual(await states(asleep), ['archived'], 'nothing is published into an archived space');
    await turn(space, 'unarchive');
    await atrium.drain();
    assert.deepEqual(await states(before, open, draft, asleep, meanwhile), [
      'archived',
      'published',
      'draft',
      'published',
      'archived',
    ]);
    assert.deepEqual(await Promise.all([before, open, draft, asleep, meanwhile].map((id) => story(id))), [
      ['published', 'archived'],
      ['published', 'archived', 'unarchived'],
      [],
      ['published'],
      ['published', 'archived'],
    ]);
  });

  test('one posted to several spaces goes with the last of them and returns with the first', async () => {
    const [a, b] = [await newSpace('A'), await newSpace('B')];
    const { id } = await create(inSpaces(a, b));
    const { id: due } = await create({ archive_at: later(HOUR), ...inSpaces(a, b) });
    await turn(a, 'archive');
    assert.deepEqual(await states(id), ['published']);
    await turn(b, 'archive');
    assert.deepEqual(await states(id, due), ['archived', 'archived']);
    atrium.clock.advance(2 * HOUR);
    await turn(a, 'unarchive');
    assert.deepEqual(await states(id, due), ['published', 'archived'], 'its date came while it was away');
    await turn(b, 'unarchive');
    assert.deepEqual(await states(id, due), ['published', 'archived']);
    assert.deepEqual(await story(id), ['published', 'archived', 'unarchived']);
  });

  test('two spaces archived at the same moment leave no article behind', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await newSpace('A'), await newSpace('B')];
      const { id } = await create(inSpaces(a, b));
      await Promise.all([turn(a, 'archive'), turn(b, 'archive')]);
      assert.deepEqual([await states(id), await story(id)], [['archived'], ['published', 'archived']]);
    }
  });

  test('a space with content is not deleted', async () => {
    const space = await newSpace('Full');
    const { id } = await create(inSpaces(space));
    const remove = () => atrium.call('DELETE', `/v1/spaces/${space}`);
    const refused = await remove();
    assert.deepEqual([refused.status, refused.body.code], [409, 'space_not_empty']);
    await atrium.call('DELETE', `/v1/articles/${id}?permanent=1`);
    assert.equal((await remove()).status, 200);
  });

  test('what is posted while its space is deleted is there with its space, or not at all', async () => {
    for (let round = 0; round < 5; round++) {
      const audience = { type: 'spaces', spaces: [await newSpace(`Short ${round}`)] };
      const update = () => atrium.call('POST', '/v1/updates', { json: { text: 'x', audience } });
      const article = () => atrium.call('POST', '/v1/articles', { json: { title: 'x', html_content: '', audience } });
      const remove = () => atrium.call('DELETE', `/v1/spaces/${audience.spaces[0]}`);
      const posts = [update(), article(), remove(), update(), article(), remove(), update()];
      for (const { status, body } of await Promise.all(posts))
        assert.ok([200, 201, 400, 404, 409].includes(status), JSON.stringify(body));
    }
    for (const noun of ['update', 'article'])
      assert.deepEqual(
        await atrium.rows(
          `select id from ${noun}s t
           where audience_type = 'spaces' and not exists (
             select from ${noun}_audiences a where a.organisation_id = t.organisation_id and a.${noun}_id = t.id)`,
        ),
        [],
      );
  });

  test(`a space features content in order, each reader seeing theirs; archived content \
and spaces show none, and it comes back`, async () => {
    const space = await newSpace('Shop window');
    const [first, hidden] = [await create(inSpaces(space)), await create(inSpaces(4))];
    const path = `/v1/spaces/${space}/featured`;
    const items = [
      { type: 'update', id: 1 },
      { type: 'article', id: first.id },
      { type: 'article', id: hidden.id },
      { type: 'page', id: 2 },
    ];
    const set = (list: object[]) => atrium.call('PUT', path, { json: { items: list } });
    const shown = async (call = atrium.call) =>
      (await call('GET', path)).body.data.items.map(({ type, id }: { type: string; id: number }) => `${type} ${id}`);
    const { body } = await set(items);
    assert.equal(body.data.items[1].permalink, first.permalink);
    assert.deepEqual(
      await shown(),
      items.map(({ type, id }) => `${type} ${id}`),
    );
    const emi = await as('emi.tanaka@northwind.example');
    const ben = await as('ben.lindqvist@northwind.example');
    assert.deepEqual(await shown(emi.call), ['update 1', `article ${first.id}`, 'page 2']);
    assert.equal((await emi.call('PUT', path, { json: { items: [] } })).status, 403);
    const unseen = await ben.call('PUT', path, { json: { items } });
    assert.deepEqual([unseen.status, unseen.body.meta.errors[0].path], [400, 'items[2].id']);
    const twice = await set([...items, { type: 'page', id: 2 }, { type: 'page', id: 999 }]);
    assert.deepEqual(
      twice.body.meta.errors.map(({ path }: { path: string }) => path),
      ['items[4].id', 'items[5].id'],
    );

    await atrium.call('DELETE', `/v1/articles/${first.id}`);
    assert.deepEqual(await shown(), ['update 1', `article ${hidden.id}`, 'page 2']);
    await atrium.call('POST', `/v1/articles/${first.id}/unarchive`);
    await turn(space, 'archive');
    assert.deepEqual((await atrium.call('GET', path)).body.data, { is_archived: true, items: [] });
    assert.equal((await set([])).status, 409);
    await turn(space, 'unarchive');
    assert.deepEqual(
      await shown(),
      items.map(({ type, id }) => `${type} ${id}`),
    );
  });
});
