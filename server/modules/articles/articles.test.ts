import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium({ request_days: 0 });
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
const key = atrium.keyWith;
const as = (email: string) => signIn(atrium, email);
const inSpaces = (...spaces: number[]) => ({ audience: { type: 'spaces', spaces } });
/** Time from now on, by the clock of the servers. */
const later = (ms: number) => new Date(Date.parse(atrium.clock.now()) + ms).toISOString();
const story = async (id: number) =>
  (await atrium.outbox())
    .filter(({ payload }) => payload.article?.id === id)
    .map(({ action }) => action.replace('article.', ''));
const titles = async (query: string, call = atrium.call, options: object = {}) =>
  (await call('GET', `/v1/articles?take=100&${query}`, options)).body.data.map(({ title }: { title: string }) => title);

describe('create and read', () => {
  test('an article sent as existing clients do (multipart) has every field, and so has its event', async () => {
    const reply = await atrium.call('POST', '/v1/articles', {
      form: {
        title: 'Our année!',
        html_content: '<p onclick="x()">Hi</p>',
        external_id: 'A-77',
        user_external_id: 'E-1002',
        'audience[type]': 'spaces',
        'audience[spaces][]': '2',
        requires_acknowledgement: '1',
        archive_at: '2099-01-02T03:04:05+02:00',
        publish_at: '',
      },
    });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    const article = reply.body.data;
    const { id, created_at, updated_at, published_at, sequence, creator, ...rest } = article;
    assert.deepEqual(rest, {
      external_id: 'A-77',
      slug: 'our-annee',
      title: 'Our année!',
      subtitle: '',
      html_content: '<p>Hi</p>',
      language: 'en',
      state: 'published',
      is_draft: false,
      publish_at: null,
      archive_at: '2099-01-02T01:04:05.000000Z',
      is_archived: false,
      requires_acknowledgement: true,
      acknowledgement_due_at: null,
      content_version: 1,
      campaign: null,
      cover_image: null,
      gallery: [],
      attachments: [],
      video: null,
      audience: { type: 'spaces', spaces: [{ id: 2, name: 'Store teams' }], teams: [] },
      reactions: {},
      likes_count: 0,
      comments_count: 0,
      permalink: 'http://northwind.localhost/articles/our-annee',
    });
    assert.deepEqual(Object.keys(creator), ['id', 'name', 'email', 'job_title']);
    assert.equal(creator.name, 'Ben Lindqvist');
    assert.ok(published_at >= created_at && updated_at >= published_at && sequence > 0);
    assert.deepEqual((await atrium.call('GET', '/v1/articles/by-external-id/A-77')).body.data, {
      ...article,
      languages: [],
    });
    const { action, payload, is_public, space_id } = (await atrium.outbox()).at(-1) ?? {};
    assert.deepEqual([action, payload?.article, is_public, space_id], ['article.published', article, true, 2]);
    assert.deepEqual(await story(id), ['published']);
  });

  test(`slugs are unique: -2, -3 … for the same title, also when many are written at once, \
and 409 for one that is asked for`, async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => create({ title: 'Weekly news' })));
    assert.deepEqual(made.map(({ slug }) => slug).sort(), [
      'weekly-news',
      ...[2, 3, 4, 5, 6, 7, 8].map((n) => `weekly-news-${n}`),
    ]);
    assert.equal((await create({ title: 'Weekly news 4' })).slug, 'weekly-news-4-2');
    assert.equal((await create({ title: 'Weekly' })).slug, 'weekly');
    assert.equal((await create({ title: 'x', slug: 'My own Slug' })).slug, 'my-own-slug');
    const taken = await post({ slug: 'weekly-news' });
    assert.deepEqual([taken.status, taken.body.code], [409, 'slug_taken']);
    const renamed = (await put(made[0].id, { title: 'Monthly news' })).body.data;
    assert.deepEqual([renamed.title, renamed.slug], ['Monthly news', made[0].slug], 'links stay valid');
  });

  test('imports name author, date and publication; space_ids stand for an audience', async () => {
    const article = await create({
      user_external_id: 'E-1002',
      created_at: '2012-05-06T07:08:09.123456Z',
      published_at: '2012-05-07T08:00:00Z',
      space_ids: [1, 2],
    });
    assert.deepEqual(
      [article.created_at, article.published_at],
      ['2012-05-06T07:08:09.123456Z', '2012-05-07T08:00:00.000000Z'],
    );
    assert.deepEqual(article.audience, {
      type: 'spaces',
      spaces: [
        { id: 1, name: 'Company news' },
        { id: 2, name: 'Store teams' },
      ],
      teams: [],
    });
    const past = await create({ publish_at: '2015-01-01T00:00:00Z' });
    assert.deepEqual(
      [past.state, past.published_at, past.publish_at],
      ['published', past.publish_at, '2015-01-01T00:00:00.000000Z'],
    );
    const over = await create({ publish_at: '2015-01-01T00:00:00Z', archive_at: '2016-01-01T00:00:00Z' });
    assert.equal(over.state, 'archived');
    assert.deepEqual(await story(over.id), ['published', 'archived']);
  });

  test('bad input names its field and leaves neither row nor event', async () => {
    const { id } = await create();
    const draft = await create({ is_draft: true });
    const count = 'select count(*)::int as n from articles';
    const [before, events] = [await atrium.rows(count), (await atrium.outbox()).length];
    const refused = async (json: object, path: string, write = post) => {
      const { status, body } = await write(json);
      assert.deepEqual([status, body.meta.errors[0].path], [400, path], JSON.stringify(body));
    };
    await refused({ title: '' }, 'title');
    await refused(inSpaces(1, 999), 'audience.spaces[1]');
    await refused({ space_ids: [1, 999] }, 'space_ids[1]');
    await refused({ space_ids: [] }, 'space_ids');
    await refused({ space_ids: [1], ...inSpaces(1) }, 'space_ids');
    await refused({ user_id: 999 }, 'user_id');
    await refused({ language: 'not a language' }, 'language');
    await refused({ publish_at: 'soon' }, 'publish_at');
    await refused({ archive_at: later(-HOUR) }, 'archive_at');
    await refused({ publish_at: later(2 * HOUR), archive_at: later(HOUR) }, 'archive_at');
    await refused({ publish_at: '2015-01-02T00:00:00Z', archive_at: '2015-01-01T00:00:00Z' }, 'archive_at');
    await refused({ published_at: later(HOUR) }, 'published_at');
    await refused({ created_at: later(HOUR) }, 'created_at');
    await refused({ archive_at: '2015-01-01T00:00:00Z' }, 'archive_at', (json) => put(id, json));
    await refused({ is_draft: false, archive_at: later(-HOUR) }, 'archive_at', (json) => put(draft.id, json));
    const taken = await post({ external_id: 'A-1' });
    assert.deepEqual([taken.status, taken.body.code], [409, 'external_id_taken']);
    assert.deepEqual(await atrium.rows(count), before);
    assert.equal((await atrium.outbox()).length, events);
  });
});

describe('replace', () => {
  test(`what is omitted is cleared, but identifiers, audience and dates stay; \
equal values change nothing`, async () => {
    const made = await create({
      subtitle: 'S',
      requires_acknowledgement: true,
      archive_at: later(HOUR),
      external_id: 'A-R',
      ...inSpaces(2),
    });
    const changed = (await put(made.id, { html_content: '<p>y</p>' })).body.data;
    assert.deepEqual(
      [changed.subtitle, changed.requires_acknowledgement, changed.content_version, changed.external_id],
      ['', false, 2, 'A-R'],
    );
    assert.deepEqual(
      [changed.archive_at, changed.audience, changed.published_at],
      [made.archive_at, made.audience, made.published_at],
    );
    assert.ok(changed.updated_at > made.updated_at && changed.sequence > made.sequence);
    assert.deepEqual((await put(made.id, { html_content: '<p>y</p>' })).body.data, changed);
    assert.deepEqual(await story(made.id), ['published', 'updated']);
    const moved = (await put(made.id, { html_content: '<p>y</p>', archive_at: null, space_ids: [4] })).body.data;
    assert.deepEqual(
      [moved.archive_at, moved.audience.spaces, moved.content_version],
      [null, [{ id: 4, name: 'Board' }], 2],
    );
    assert.equal((await atrium.outbox()).at(-1)?.is_public, false);
    const { slug, external_id, is_draft, publish_at, archive_at, html_content } = await get(moved.id);
    const again = await put(made.id, {
      slug,
      external_id,
      is_draft,
      publish_at,
      archive_at,
      html_content,
      space_ids: [4],
    });
    assert.deepEqual(again.body.data, moved, 'what was read can be sent');
  });

  test('another language is a translation, which reads fall back from', async () => {
    const { id } = await create({ title: 'Spring', language: 'en', subtitle: 'News' });
    await put(id, { title: 'Frühling', language: 'de', html_content: '<p>neu</p>' });
    const read = async (query: string) => {
      const { title, language } = await get(id, query);
      return [title, language];
    };
    assert.deepEqual(
      [await read('?language=DE'), await read('?language=fr'), await read('')],
      [
        ['Frühling', 'de'],
        ['Spring', 'en'],
        ['Spring', 'en'],
      ],
    );
    assert.deepEqual((await get(id)).languages, ['de']);
    assert.ok((await titles('language=de')).includes('Frühling'));
    assert.deepEqual(await story(id), ['published', 'updated']);
  });
});

describe('what hangs on an article', () => {
  test(`campaigns, comments, likes and acknowledgements by both keys; a new text asks again; \
deleted for good, it takes all with it`, async () => {
    const { id, campaign } = await create({ external_id: 'A-H', campaign_ids: [1], requires_acknowledgement: true });
    assert.equal(campaign.id, 1);
    const path = '/v1/articles/by-external-id/A-H';
    const campaigns = (await atrium.call('GET', `${path}/campaigns`)).body.data;
    assert.deepEqual(
      campaigns.map((one: { id: number }) => one.id),
      [1],
    );
    for (const [part, json] of [
      ['comments', { text: 'Nice', user_id: 4 }],
      ['likes', { user_id: 4 }],
      ['acknowledgement', { user_id: 4 }],
    ] as const)
      assert.ok((await atrium.call('POST', `${path}/${part}`, { json })).status < 300, part);
    const counts = async () => {
      const { likes_count, comments_count, content_version } = await get(id);
      const { acknowledged_count } = (await atrium.call('GET', `${path}/acknowledgement`)).body.data;
      return [likes_count, comments_count, content_version, acknowledged_count];
    };
    assert.deepEqual(await counts(), [1, 1, 1, 1]);
    await put(id, { html_content: '<p>new</p>', requires_acknowledgement: true });
    assert.deepEqual(await counts(), [1, 1, 2, 0]);
    assert.equal((await get(id)).campaign, null);
    const unknown = await post({ campaign_ids: [1, 999] });
    assert.deepEqual([unknown.status, unknown.body.meta.errors[0].path], [400, 'campaign_ids[1]']);
    await atrium.call('DELETE', `/v1/articles/${id}?permanent=1`);
    const left = await Promise.all(
      ['comments', 'likes', 'acknowledgements', 'campaign_contents'].map((table) =>
        atrium.rows(`select 1 from ${table} where organisation_id = 1 and kind = 'article' and content_id = $1`, [id]),
      ),
    );
    assert.deepEqual(left.flat(), []);
  });
});

describe('files', () => {
  const png = async (name: string) =>
    new File(
      [
        await sharp({ create: { width: 8, height: 8, channels: 3, background: '#0f766e' } })
          .png()
          .toBuffer(),
      ],
      name,
      { type: 'image/png' },
    );
  const send = async (method: string, path: string, fields: Record<string, string | File>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ title: 'T', html_content: '<p>x</p>', ...fields }))
      form.append(name, value);
    return atrium.call(method, path, { form });
  };
  const assets = () => atrium.rows<{ id: number }>(`select id from assets where organisation_id = 1 order by id`);

  test(`cover, gallery, attachments and pictures in the text are shown with signed addresses, \
stay on replace and in the archive, and go for good`, async () => {
    const before = await assets();
    const made = await send('POST', '/v1/articles', {
      cover_image: await png('cover.png'),
      'gallery[0]': await png('one.png'),
      'attachments[]': new File(['a,b'], 'list.csv', { type: 'text/csv' }),
    });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { id, cover_image, gallery, attachments } = made.body.data;
    assert.deepEqual(
      [cover_image, gallery[0], attachments[0]].map(({ file_name }) => file_name),
      ['cover.png', 'one.png', 'list.csv'],
    );
    assert.equal((await fetch(cover_image.url.replace('http://northwind.localhost', atrium.url))).status, 200);
    const { payload } = (await atrium.outbox()).at(-1) ?? {};
    assert.equal((payload?.article?.cover_image as { asset_id: number } | null)?.asset_id, cover_image.asset_id);

    const html_content = `<p><img src="asset://${gallery[0].asset_id}" /></p>`;
    assert.deepEqual((await put(id, { html_content })).body.data.gallery.length, 1);
    assert.equal((await get(id)).html_content, html_content);
    assert.match((await get(id, '?sign_url=1')).html_content, /src="http:.*signature=/);
    const listed = (await atrium.call('GET', '/v1/articles?sign_url=true&take=1')).body.data[0];
    assert.match(listed.html_content, /src="http:.*signature=/);
    const unknown = await put(id, { html_content: '<img src="asset://99999">' });
    assert.deepEqual([unknown.status, unknown.body.meta.errors[0].path], [400, 'html_content']);

    await atrium.call('DELETE', `/v1/articles/${id}`);
    await atrium.drain();
    assert.equal((await assets()).length, before.length + 3, 'archiving keeps files');
    await atrium.call('DELETE', `/v1/articles/${id}?permanent=1`);
    await atrium.drain();
    assert.deepEqual(await assets(), before);
  });

  test('a file that a gallery does not take is a 400 with its path, and nothing is written', async () => {
    const before = await assets();
    const text = new File(['no picture'], 'x.png', { type: 'image/png' });
    const refused = await send('POST', '/v1/articles', { 'gallery[0]': await png('ok.png'), 'gallery[1]': text });
    assert.deepEqual([refused.status, refused.body.meta.errors[0].path], [400, 'gallery[1]']);
    assert.deepEqual(await assets(), before);
  });
});

describe('who sees what', () => {
  test(`drafts and scheduled articles are there for those who may change them only: \
in lists, reads and totals`, async () => {
    const draft = await create({ title: 'Draft one', is_draft: true, ...inSpaces(1), external_id: 'A-V' });
    await create({ title: 'Scheduled one', publish_at: later(HOUR), ...inSpaces(1) });
    const mine = ['Scheduled one', 'Draft one'];
    const reader = { key: await key(['articles.*.read']) };
    const writer = { key: await key(['articles.*.read', 'articles.*.write']) };
    const carla = await as('carla.mendes@northwind.example');
    const visible = async (query: string, call: typeof atrium.call, options: object = {}) =>
      (await titles(query, call, options)).filter((title: string) => mine.includes(title));
    for (const state of ['published', 'all', 'draft', 'scheduled', 'archived']) {
      assert.deepEqual(await visible(`state=${state}`, atrium.call, reader), []);
      assert.deepEqual(await visible(`state=${state}`, carla.call), []);
    }
    for (const { status } of [
      await atrium.call('GET', `/v1/articles/${draft.id}`, reader),
      await carla.call('GET', '/v1/articles/by-external-id/A-V'),
      await carla.call('PUT', `/v1/articles/${draft.id}`, { json: { title: 'T', html_content: '' } }),
    ])
      assert.equal(status, 404);
    await atrium.call('PATCH', '/v1/spaces/1/users', { json: { ids_to_set_as_news_editor: [3] } });
    for (const [call, options] of [
      [carla.call, {}],
      [atrium.call, writer],
    ] as const) {
      assert.deepEqual(await visible('state=all', call, options), mine);
      assert.deepEqual(
        [await visible('state=draft', call, options), await visible('state=scheduled', call, options)],
        [[mine[1]], [mine[0]]],
      );
      assert.deepEqual(await visible('', call, options), []);
    }
    assert.equal(
      (
        await carla.call('PUT', `/v1/articles/${draft.id}`, {
          json: { title: 'Draft one', html_content: '', is_draft: 0 },
        })
      ).status,
      200,
    );
    assert.deepEqual(await visible('', atrium.call, reader), ['Draft one']);
  });

  test(`private and hidden spaces are for their members \
and for keys with the scope; every total is exact`, async () => {
    const board = await create({ title: 'Board only', ...inSpaces(4) });
    await create({ title: 'Sales only', ...inSpaces(3) });
    await create({ title: 'Team only', audience: { type: 'teams', teams: [2] } });
    const limited = ['Team only', 'Sales only', 'Board only'];
    const emi = await as('emi.tanaka@northwind.example');
    const dmitri = await as('dmitri.petrov@northwind.example');
    const keyed = async (...scopes: string[]) => ({ key: await key(['articles.*.read', ...scopes]) });
    const seen = async (call: typeof atrium.call, options: object) => {
      const reply = await call('GET', '/v1/articles?take=100', options);
      assert.equal(reply.body.meta.pagination.total_records, reply.body.data.length);
      return reply.body.data
        .map(({ title }: { title: string }) => title)
        .filter((title: string) => limited.includes(title));
    };
    assert.deepEqual(await seen(atrium.call, {}), limited);
    assert.deepEqual(await seen(atrium.call, await keyed()), ['Team only']);
    assert.deepEqual(await seen(atrium.call, await keyed('spaces.private.read')), ['Team only', 'Sales only']);
    assert.deepEqual([await seen(emi.call, {}), await seen(dmitri.call, {})], [[], ['Team only', 'Sales only']]);
    assert.equal((await emi.call('GET', `/v1/articles/${board.id}`)).status, 404);
    await atrium.call('PUT', '/v1/spaces/3', { json: { name: 'Sales Berlin', visibility: 'public' } });
    assert.deepEqual(await seen(emi.call, {}), ['Sales only']);
    await atrium.call('PUT', '/v1/spaces/3', { json: { name: 'Sales Berlin', visibility: 'private' } });
    assert.deepEqual(await seen(emi.call, {}), []);
  });

  test('only editors of a space write there, only moderators to everybody', async () => {
    const dmitri = await as('dmitri.petrov@northwind.example');
    const ben = await as('ben.lindqvist@northwind.example');
    const write = async (person: typeof ben, json: object) =>
      (await person.call('POST', '/v1/articles', { json: { title: 'T', html_content: '', ...json } })).status;
    assert.deepEqual(
      [await write(dmitri, {}), await write(dmitri, inSpaces(2)), await write(dmitri, inSpaces(4))],
      [403, 403, 400],
    );
    assert.deepEqual(
      [await write(ben, {}), await write(ben, inSpaces(2)), await write(ben, { ...inSpaces(2), user_id: 1 })],
      [403, 201, 403],
    );
  });

  test(`has_acknowledgement tells those that ask for it from the others; \
a list is one statement beside the key’s`, async () => {
    await create({ title: 'Must read', requires_acknowledgement: true, ...inSpaces(1) });
    assert.deepEqual(await titles('space_ids=1&has_acknowledgement=1'), ['Must read']);
    assert.ok(!(await titles('has_acknowledgement=0')).includes('Must read'));
    const { statements } = atrium.services.db;
    for (const query of ['', '?state=all&language=de', '?state=archived']) {
      await atrium.call('GET', `/v1/articles${query}`);
      const before = statements.count;
      await atrium.call('GET', `/v1/articles${query}`);
      assert.ok(statements.count - before <= 2, `${statements.count - before} statements`);
    }
  });
});
