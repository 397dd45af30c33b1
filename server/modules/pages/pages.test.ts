import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium({ request_days: 0 });
const create = async (json: object) =>
  (await atrium.call('POST', '/v1/pages', { json: { title: 'T', html_content: '<p>x</p>', ...json } })).body.data;
const get = async (id: number, query = '') => (await atrium.call('GET', `/v1/pages/${id}${query}`)).body.data;
const titles = async (query: string, options: object = {}) =>
  (await atrium.call('GET', `/v1/pages?${query}`, options)).body.data.map(({ title }: { title: string }) => title);
const key = atrium.keyWith;
const as = (email: string) => signIn(atrium, email);
let externals = 5000;

describe('create and read', () => {
  test('a page created as existing clients do (multipart, 0/1 flags) has every field', async () => {
    const reply = await atrium.call('POST', '/v1/pages', {
      form: {
        title: 'Safety',
        html_content: '<p onclick="x()">Hi</p>',
        external_id: '77',
        space_id: '1',
        is_draft: '1',
      },
    });
    assert.equal(reply.status, 201);
    const page = reply.body.data;
    assert.deepEqual(
      { ...page, id: 0, created_at: 0, updated_at: 0, sequence: 0, creator: page.creator.name },
      {
        id: 0,
        external_id: 77,
        external_parent_id: null,
        parent_id: null,
        space_id: 1,
        title: 'Safety',
        subtitle: '',
        summary: '',
        html_content: '<p>Hi</p>',
        language: 'en',
        slug: 'safety',
        page_edition: 'classic',
        position: 0,
        is_draft: 1,
        is_standalone: 0,
        is_sidebar_enabled: 0,
        audience: { type: 'Global', spaces: [], teams: [] },
        reactions: {},
        creator: 'Demo',
        created_at: 0,
        updated_at: 0,
        sequence: 0,
        permalink: `http://northwind.localhost/pages/${page.id}`,
      },
    );
    const { children, languages, path, ...read } = await get(page.id);
    assert.deepEqual([read, children, languages, path], [page, [], [], []]);
  });
  test('imports name author and date; a date in the future is refused', async () => {
    const page = await create({ user_external_id: 'E-1002', created_at: '2012-05-06T07:08:09.123456+02:00' });
    assert.deepEqual([page.creator.name, page.created_at], ['Ben Lindqvist', '2012-05-06T05:08:09.123456Z']);
    const reply = await atrium.call('POST', '/v1/pages', {
      json: { title: 'T', html_content: '', created_at: '2999-01-01T00:00:00Z' },
    });
    assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'created_at']);
  });
  test('a parent must exist in the same space', async () => {
    const parent = await create({ external_id: ++externals, space_id: 1 });
    const child = await create({ external_parent_id: externals, space_id: 1 });
    assert.deepEqual([child.parent_id, child.external_parent_id], [parent.id, externals]);
    assert.deepEqual((await get(parent.id)).children, [{ id: child.id, title: 'T', position: 0 }]);
    for (const space_id of [2, null]) {
      const reply = await atrium.call('POST', '/v1/pages', {
        json: { title: 'T', html_content: '', external_parent_id: externals, space_id },
      });
      assert.deepEqual(
        [reply.status, reply.body.code, reply.body.meta.errors[0].path],
        [400, 'parent_not_found', 'external_parent_id'],
      );
    }
  });
  test('a taken external id is a 409, an unknown space a 400, with nothing stored and no event', async () => {
    const before = [await atrium.rows('select id from pages'), (await atrium.outbox()).length];
    for (const [more, status, code] of [
      [{ external_id: 100 }, 409, 'external_id_taken'],
      [{ space_id: 999 }, 400, 'space_not_found'],
      [{ audience: { type: 'teams', teams: [999] } }, 400, 'audience_team_not_found'],
      [{ audience: { type: 'spaces', spaces: [] } }, 400, 'invalid_request'],
    ] as const) {
      const reply = await atrium.call('POST', '/v1/pages', { json: { title: 'T', html_content: '', ...more } });
      assert.deepEqual([reply.status, reply.body.code], [status, code]);
    }
    assert.deepEqual([await atrium.rows('select id from pages'), (await atrium.outbox()).length], before);
  });
});

describe('replace', () => {
  test('omitted optional fields are cleared, identifiers, parent, edition and audience kept', async () => {
    const page = await create({
      external_id: ++externals,
      space_id: 1,
      subtitle: 'S',
      is_draft: true,
      is_standalone: 1,
      is_sidebar_enabled: 1,
      page_edition: 'builder',
      audience: { type: 'teams', teams: [1] },
    });
    const reply = await atrium.call('PUT', `/v1/pages/${page.id}`, {
      form: { title: 'New', html_content: '<b>n</b>' },
    });
    const {
      title,
      subtitle,
      space_id,
      is_draft,
      is_standalone,
      is_sidebar_enabled,
      external_id,
      page_edition,
      audience,
    } = reply.body.data;
    assert.deepEqual(
      { title, subtitle, space_id, is_draft, is_standalone, is_sidebar_enabled, external_id, page_edition },
      {
        title: 'New',
        subtitle: '',
        space_id: null,
        is_draft: 0,
        is_standalone: 0,
        is_sidebar_enabled: 0,
        external_id: externals,
        page_edition: 'builder',
      },
    );
    assert.deepEqual(audience.teams, [{ id: 1, name: 'Sales' }]);
    assert.ok(reply.body.meta.warnings.some((text: string) => text.includes('space_id was omitted')));
  });
  test('a PUT never creates', async () => {
    assert.equal(
      (await atrium.call('PUT', '/v1/pages/by-external-id/999999', { json: { title: 'T', html_content: '' } })).status,
      404,
    );
  });
  test('the same PUT again changes nothing: updated_at, sequence and outbox stay', async () => {
    const page = await create({ space_id: 1 });
    const put = () =>
      atrium.call('PUT', `/v1/pages/${page.id}`, { json: { title: 'Same', html_content: '<p>same</p>', space_id: 1 } });
    const first = (await put()).body.data;
    const events = (await atrium.outbox()).length;
    assert.deepEqual([(await put()).body.data, (await atrium.outbox()).length], [first, events]);
  });
  test('updated_at and sequence always rise, even when the clock stands', async () => {
    const page = await create({});
    let before = page;
    for (let n = 0; n < 5; n++) {
      const next = (await atrium.call('PUT', `/v1/pages/${page.id}`, { json: { title: `T${n}`, html_content: '' } }))
        .body.data;
      assert.ok(next.updated_at > before.updated_at && next.sequence > before.sequence);
      before = next;
    }
  });
  test('moving a page takes its descendants along and drops the parent of another space', async () => {
    const top = await create({ space_id: 1 });
    const child = await create({ space_id: 1, parent_id: top.id });
    const grandchild = await create({ space_id: 1, parent_id: child.id });
    const moved = (
      await atrium.call('PUT', `/v1/pages/${child.id}`, { json: { title: 'C', html_content: '', space_id: 2 } })
    ).body.data;
    assert.deepEqual([moved.parent_id, moved.space_id, (await get(grandchild.id)).space_id], [null, 2, 2]);
    await atrium.drain();
    assert.equal((await atrium.call('GET', '/v1/pages?space_id=2')).body.meta.pagination.total_records, 2);
  });
  test('a page cannot be put below itself', async () => {
    const top = await create({});
    const child = await create({ parent_id: top.id });
    for (const parent_id of [top.id, child.id]) {
      const reply = await atrium.call('PUT', `/v1/pages/${top.id}`, {
        json: { title: 'T', html_content: '', parent_id },
      });
      assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'parent_id']);
    }
  });
  test('a summary is plain text that is replaced, translated, listed and told like the title', async () => {
    const page = await create({ title: 'S', summary: 'In <short>', language: 'en' });
    assert.equal(page.summary, 'In <short>');
    const put = async (json: object) =>
      (await atrium.call('PUT', `/v1/pages/${page.id}`, { json: { title: 'S', html_content: '<p>x</p>', ...json } }))
        .body;
    assert.equal((await put({ summary: 'Kurz', language: 'de' })).data.summary, 'Kurz');
    assert.equal((await get(page.id, '?language=de')).summary, 'Kurz');
    const listed = (await atrium.call('GET', '/v1/pages?take=1&language=de')).body.data[0];
    assert.deepEqual([listed.id, listed.summary], [page.id, 'Kurz']);
    assert.equal((await put({ summary: 'Other' })).data.summary, 'Other');
    const [told] = await atrium.rows<{ summary: string }>(
      `select payload->'page'->>'summary' as summary from outbox
       where action = 'page.updated' order by id desc limit 1`,
    );
    assert.equal(told?.summary, 'Other');
    assert.equal((await put({})).data.summary, '', 'what is omitted is cleared');
    const refused = await put({ summary: 'x'.repeat(501) });
    assert.deepEqual(refused.meta.errors, [{ path: 'summary', message: 'must have at most 500 characters' }]);
  });

  test('language adds or replaces that translation; reads fall back to the page’s own', async () => {
    const page = await create({ language: 'en', title: 'Welcome' });
    const put = (json: object) =>
      atrium.call('PUT', `/v1/pages/${page.id}`, { json: { html_content: '<p>x</p>', ...json } });
    await put({ language: 'de', title: 'Willkommen' });
    await put({ language: 'de', title: 'Herzlich willkommen' });
    assert.deepEqual(
      [
        (await get(page.id, '?language=de')).title,
        (await get(page.id, '?language=fr')).title,
        (await get(page.id)).languages,
      ],
      ['Herzlich willkommen', 'Welcome', ['de']],
    );
    assert.equal((await put({ language: 'not a tag', title: 'x' })).body.meta.errors[0].path, 'language');
  });
});

describe('who sees what', () => {
  test('drafts are listed and read only for those who may edit them', async () => {
    const draft = await create({ title: 'Draft only', is_draft: 1, space_id: 1 });
    const reader = await key(['pages.*.read', 'spaces.*.read']);
    assert.ok((await titles('space_id=1')).includes('Draft only'));
    assert.ok(!(await titles('space_id=1', { key: reader })).includes('Draft only'));
    assert.equal((await atrium.call('GET', `/v1/pages/${draft.id}`, { key: reader })).status, 404);
    const total = async (options: object) =>
      (await atrium.call('GET', '/v1/pages?space_id=1', options)).body.meta.pagination.total_records;
    assert.equal(await total({ key: reader }), (await titles('space_id=1&take=100', { key: reader })).length);
    const emi = await as('emi.tanaka@northwind.example');
    assert.equal((await emi.call('GET', `/v1/pages/${draft.id}`)).status, 404);
    await atrium.call('PATCH', '/v1/spaces/1/users', { json: { ids_to_set_as_pages_editor: [5] } });
    assert.equal((await emi.call('GET', `/v1/pages/${draft.id}`)).status, 200);
    assert.ok(
      (await emi.call('GET', '/v1/pages?space_id=1')).body.data.some(({ id }: { id: number }) => id === draft.id),
    );
    const published = await atrium.call('PUT', `/v1/pages/${draft.id}`, {
      json: { title: 'Draft only', html_content: '', space_id: 1, is_draft: 0 },
    });
    assert.equal(published.body.data.is_draft, 0);
    assert.equal((await atrium.call('GET', `/v1/pages/${draft.id}`, { key: reader })).status, 200);
  });
  test('pages of private and hidden spaces stay inside them, in reads, lists and every filter', async () => {
    const secret = await create({ title: 'Inside', space_id: 4, external_id: ++externals });
    const open = await key(['pages.*.read', 'spaces.public.read']);
    const ben = await as('ben.lindqvist@northwind.example');
    for (const call of [
      (path: string) => atrium.call('GET', path, { key: open }),
      (path: string) => ben.call('GET', path),
    ]) {
      for (const path of [`/v1/pages/${secret.id}`, `/v1/pages/by-external-id/${externals}`, '/v1/pages?space_id=4'])
        assert.equal((await call(path)).status, 404, path);
      for (const query of ['space_ids=all', 'space_ids=1,2,3,4', 'in_spaces=4']) {
        const reply = await call(`/v1/pages?take=100&${query}`);
        assert.ok(!reply.body.data.some(({ id }: { id: number }) => id === secret.id), query);
        assert.equal(reply.body.meta.pagination.total_records, reply.body.data.length);
      }
    }
    assert.ok((await titles('space_ids=4')).includes('Inside'));
    const [event] = (await atrium.outbox()).slice(-1);
    assert.deepEqual([event?.action, event?.is_public, event?.space_id], ['page.created', false, 4]);
  });
  test('a limited audience is seen by its teams and spaces only', async () => {
    const page = await create({ title: 'For IT', audience: { type: 'teams', teams: [3] } });
    const [carla, emi] = [await as('carla.mendes@northwind.example'), await as('emi.tanaka@northwind.example')];
    assert.equal((await carla.call('GET', `/v1/pages/${page.id}`)).status, 200);
    assert.equal((await emi.call('GET', `/v1/pages/${page.id}`)).status, 404);
    for (const [person, expected] of [
      [carla, true],
      [emi, false],
    ] as const) {
      const reply = await person.call('GET', '/v1/pages?take=100');
      assert.equal(
        reply.body.data.some(({ id }: { id: number }) => id === page.id),
        expected,
      );
      assert.equal(reply.body.meta.pagination.total_records, reply.body.data.length);
    }
    const [event] = (await atrium.outbox()).slice(-1);
    assert.deepEqual(
      [event?.is_public, event?.payload.page?.audience],
      [false, { type: 'teams', spaces: [], teams: [{ id: 3, name: 'IT' }] }],
    );
  });
  test('its audience names no space that the reader may not know', async () => {
    const idOf = async (external_id: string) =>
      (await atrium.call('GET', `/v1/spaces/by-external-id/${external_id}`)).body.data.id as number;
    const spaces = [await idOf('S-SALES-BERLIN'), await idOf('S-BOARD')];
    const { id } = await create({ title: 'For two spaces', audience: { type: 'spaces', spaces } });
    const dmitri = await as('dmitri.petrov@northwind.example');
    const shown = [
      (await dmitri.call('GET', `/v1/pages/${id}`)).body.data,
      (await dmitri.call('GET', '/v1/pages?take=100')).body.data.find((page: { id: number }) => page.id === id),
    ];
    for (const { audience } of shown)
      assert.deepEqual(audience, { type: 'spaces', spaces: [{ id: spaces[0], name: 'Sales Berlin' }], teams: [] });
    assert.equal((await get(id)).audience.spaces.length, 2);
  });
  test('a person without the right to edit gets a 403 for a page they see', async () => {
    const emi = await as('emi.tanaka@northwind.example');
    const body = { json: { title: 'T', html_content: '' } };
    assert.equal((await emi.call('PUT', '/v1/pages/2', body)).status, 403);
    assert.equal((await emi.call('DELETE', '/v1/pages/2')).status, 403);
    assert.equal((await emi.call('POST', '/v1/pages', body)).status, 403);
  });
});

describe('lists', () => {
  test('without space_id: global pages, newest first; filters by edition, author and dates', async () => {
    const all = (await atrium.call('GET', '/v1/pages?take=100')).body.data;
    assert.ok(all.every(({ space_id }: { space_id: number | null }) => space_id === null));
    assert.deepEqual(
      all.map(({ created_at }: { created_at: string }) => created_at),
      all
        .map(({ created_at }: { created_at: string }) => created_at)
        .toSorted()
        .toReversed(),
    );
    const page = await create({ title: 'Built', page_edition: 'builder', user_external_id: 'E-1003' });
    assert.deepEqual(await titles('page_edition=builder&creator_id=3'), ['Built']);
    assert.equal(
      (await atrium.call('GET', '/v1/pages?page_edition=builder')).body.meta.pagination.total_records,
      (await titles('page_edition=builder&take=100')).length,
    );
    assert.deepEqual(await titles(`created_after=${encodeURIComponent(page.created_at)}`), []);
    assert.deepEqual(await titles('created_before=2013-01-01T00:00:00Z'), ['T']);
    assert.ok((await titles(`updated_after=2013-01-01T00:00:00Z&take=100`)).length > 5);
    assert.deepEqual(await titles('parent_id=2'), ['Working hours']);
  });
  test('a list is one statement beside the key’s', async () => {
    await titles('space_id=1');
    const { statements } = atrium.services.db;
    for (const query of ['', 'space_id=1', 'space_ids=all', 'creator_id=1&page_edition=classic']) {
      const before = statements.count;
      await titles(query);
      assert.equal(statements.count - before, 2, query);
    }
  });
});
