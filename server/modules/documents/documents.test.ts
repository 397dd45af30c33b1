import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const call = (method: string, path: string, json?: object) => atrium.call(method, path, json ? { json } : {});
const data = async (method: string, path: string, json?: object) => {
  const { status, body } = await call(method, path, json);
  assert.ok(status < 300, JSON.stringify(body));
  return body.data;
};
const upload = (fields: Record<string, string>, name = 'document', text = 'plan') => {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append(name, new Blob([text], { type: 'text/plain' }), 'Plan (2026).txt');
  return atrium.call('POST', '/v1/documents', { form });
};
const last = async () => (await atrium.outbox()).at(-1);

describe('documents', () => {
  test('a file is added to a folder, read, replaced and deleted, each with its event', async () => {
    const reply = await upload({
      label: 'Plan',
      location_id: '1',
      user_external_id: 'E-1002',
      created_at: '2021-01-01T00:00:00Z',
    });
    assert.equal(reply.status, 201, JSON.stringify(reply.body));
    const made = reply.body.data;
    assert.deepEqual(
      [made.location_id, made.creator.id, made.document.file_name, made.document.byte_size],
      [1, 2, 'Plan (2026).txt', 4],
    );
    const address = (url: string) => atrium.url + new URL(url).pathname + new URL(url).search;
    assert.equal(await (await fetch(address(made.document.url))).text(), 'plan');
    assert.deepEqual((await last())?.payload.document, made);
    assert.deepEqual(await data('GET', `/v1/documents/${made.id}`), made);
    const moved = await data('PUT', `/v1/documents/${made.id}`, { label: 'Plan', description: 'New', location_id: 2 });
    assert.deepEqual(
      [moved.location_id, moved.document.asset_id, (await last())?.action],
      [2, made.document.asset_id, 'document.updated'],
    );
    const events = (await atrium.outbox()).length;
    await data('PUT', `/v1/documents/${made.id}`, { label: 'Plan', description: 'New', location_id: 2 });
    assert.equal((await atrium.outbox()).length, events, 'equal values change nothing');
    const linked = await data('PUT', `/v1/documents/${made.id}`, { label: 'Plan', url: 'https://example.org/plan' });
    assert.deepEqual(
      [linked.document.url, linked.document.asset_id, linked.location_id],
      ['https://example.org/plan', null, 2],
      'it stays where it is',
    );
    const top = await data('PUT', `/v1/documents/${made.id}`, { label: 'Plan', location_id: null });
    assert.deepEqual([top.location_id, top.space_id], [null, null]);
    await atrium.drain();
    assert.equal((await fetch(address(made.document.url))).status, 404, 'the file is gone');
    await data('DELETE', `/v1/documents/${made.id}`);
    assert.deepEqual(
      [(await last())?.action, (await call('GET', `/v1/documents/${made.id}`)).status],
      ['document.deleted', 404],
    );
  });

  test('needs exactly one source, a place that exists, and writes nothing otherwise', async () => {
    const before = [
      (await atrium.outbox()).length,
      await atrium.rows('select count(*)::int as n from documents union all select count(*)::int from assets'),
    ];
    for (const [json, path] of [
      [{ label: 'x' }, 'document'],
      [{ label: 'x', url: 'https://e.org', asset_id: 1 }, 'document'],
      [{ label: 'x', url: 'javascript:alert(1)' }, 'url'],
      [{ label: 'x', asset_id: 999 }, 'asset_id'],
      [{ label: 'x', url: 'https://e.org', location_id: 999 }, 'location_id'],
      [{ label: 'x', url: 'https://e.org', space_id: 999 }, 'space_id'],
      [{ label: 'x', url: 'https://e.org', space_id: 1, location_id: 1 }, 'space_id'],
      [{ label: '', url: 'https://e.org' }, 'label'],
    ] as const) {
      const { status, body } = await call('POST', '/v1/documents', json);
      assert.deepEqual([status, body.meta.errors[0].path], [400, path], JSON.stringify(body));
    }
    assert.equal((await upload({ label: 'x', location_id: '999' })).status, 400);
    assert.deepEqual(
      [
        (await atrium.outbox()).length,
        await atrium.rows('select count(*)::int as n from documents union all select count(*)::int from assets'),
      ],
      before,
    );
  });

  test('never leave their space by omission, and rest while it is archived', async () => {
    const space_id = (await data('POST', '/v1/spaces', { name: 'Takeover', visibility: 'hidden' })).id;
    const folder = await data('POST', '/v1/documents/folders', { name: 'Offers', space_id });
    const inside = await data('POST', '/v1/documents/folders', { name: 'First', parent_id: folder.id });
    const { id } = await data('POST', '/v1/documents', {
      label: 'Offer',
      url: 'https://e.org',
      location_id: folder.id,
    });
    const renamed = await data('PUT', `/v1/documents/${id}`, { label: 'Our offer' });
    assert.deepEqual([renamed.label, renamed.location_id, renamed.space_id], ['Our offer', folder.id, space_id]);
    assert.equal((await last())?.is_public, false);
    assert.equal((await data('GET', `/v1/documents/folders/${inside.id}`)).id, inside.id);
    const kept = await data('PUT', `/v1/documents/folders/${inside.id}`, { name: 'Second' });
    assert.deepEqual([kept.name, kept.parent_id], ['Second', folder.id]);
    assert.equal(
      (await data('PUT', `/v1/documents/folders/${inside.id}`, { name: 'Second', parent_id: null })).parent_id,
      null,
    );
    await data('POST', `/v1/spaces/${space_id}/archive`);
    for (const path of [`/v1/documents/${id}`, `/v1/documents/folders/${inside.id}`]) {
      const { status, body } = await call('DELETE', path);
      assert.deepEqual([status, body.code], [409, 'space_archived']);
    }
    await data('POST', `/v1/spaces/${space_id}/unarchive`);
    for (const path of [
      `/v1/documents/${id}`,
      `/v1/documents/folders/${inside.id}`,
      `/v1/documents/folders/${folder.id}`,
    ])
      await data('DELETE', path);
  });

  test('follow their space: who sees inside sees them, editors of documents change them', async () => {
    const hidden = await data('POST', '/v1/documents', { label: 'Board', url: 'https://e.org/b', space_id: 4 });
    const sales = await data('POST', '/v1/documents', { label: 'Sales', url: 'https://e.org/s', space_id: 3 });
    const dmitri = await signIn(atrium, 'dmitri.petrov@northwind.example');
    const emi = await signIn(atrium, 'emi.tanaka@northwind.example');
    const labels = async (person: { call: typeof atrium.call }, query = '') => {
      const { body } = await person.call('GET', `/v1/documents?take=100${query}`);
      assert.equal(body.meta.pagination.total_records, body.data.length);
      return body.data.map(({ label }: { label: string }) => label);
    };
    assert.deepEqual(await labels(dmitri), ['Sales', 'Price list']);
    assert.deepEqual(await labels(emi), ['Price list']);
    assert.deepEqual(await labels(atrium, '&space_ids=all'), ['Sales', 'Board']);
    assert.deepEqual(await labels(atrium, '&space_ids=4'), ['Board']);
    assert.equal((await emi.call('GET', `/v1/documents/${sales.id}`)).status, 404);
    assert.equal((await dmitri.call('DELETE', `/v1/documents/${sales.id}`)).status, 403);
    await data('PATCH', '/v1/spaces/3/users', { ids_to_set_as_documents_editor: [4] });
    assert.equal((await dmitri.call('DELETE', `/v1/documents/${sales.id}`)).status, 200);
    assert.equal(
      (await emi.call('POST', '/v1/documents', { json: { label: 'x', url: 'https://e.org' } })).status,
      403,
      'for everybody: moderators',
    );
    await data('PUT', '/v1/spaces/4', { name: 'Board', visibility: 'public' });
    assert.deepEqual(await labels(emi), ['Board', 'Price list'], 'a space that opens opens its documents');
    assert.equal((await call('DELETE', '/v1/spaces/4')).status, 409, 'a space with documents is not empty');
    await data('DELETE', `/v1/documents/${hidden.id}`);
  });
});

describe('folders', () => {
  test('are a tree: no circle, even when two moves race; one name a place; only empty ones are deleted', async () => {
    const folder = (name: string, parent_id?: number) => data('POST', '/v1/documents/folders', { name, parent_id });
    const a = await folder('A');
    const b = await folder('B', a.id);
    const c = await folder('C', b.id);
    const circle = await call('PUT', `/v1/documents/folders/${a.id}`, { name: 'A', parent_id: c.id });
    assert.deepEqual([circle.status, circle.body.meta.errors[0].path], [400, 'parent_id']);
    const taken = await call('POST', '/v1/documents/folders', { name: 'b', parent_id: a.id });
    assert.deepEqual([taken.status, taken.body.code], [409, 'name_taken']);
    assert.equal(
      (await call('POST', '/v1/documents/folders', { name: 'x', parent_id: a.id, space_id: 1 })).status,
      400,
    );
    assert.deepEqual(
      (await data('GET', `/v1/documents/folders?parent_id=${a.id}`)).map(({ name }: { name: string }) => name),
      ['B'],
    );
    const held = await call('DELETE', `/v1/documents/folders/${b.id}`);
    assert.deepEqual([held.status, held.body.code], [409, 'folder_not_empty']);
    const x = await folder('X');
    const y = await folder('Y');
    const moves = await Promise.all([
      call('PUT', `/v1/documents/folders/${x.id}`, { name: 'X', parent_id: y.id }),
      call('PUT', `/v1/documents/folders/${y.id}`, { name: 'Y', parent_id: x.id }),
    ]);
    assert.deepEqual(moves.map(({ status }) => status).sort(), [200, 400]);
    for (const { id } of [c, b, a]) await data('DELETE', `/v1/documents/folders/${id}`);
  });

  test('what stands at the top is listed by itself, of a space and for everybody', async () => {
    const outer = await data('POST', '/v1/documents/folders', { name: 'Outer' });
    const inner = await data('POST', '/v1/documents/folders', { name: 'Inner', parent_id: outer.id });
    const link = { url: 'https://example.org/' };
    const top = await data('POST', '/v1/documents', { label: 'Top', ...link });
    const below = await data('POST', '/v1/documents', { label: 'Below', location_id: outer.id, ...link });
    const spaces = await data('POST', '/v1/documents', { label: 'Of a space', space_id: 1, ...link });
    const ids = async (path: string) => (await data('GET', path)).map(({ id }: { id: number }) => id);
    const everybody = await ids('/v1/documents?is_at_top=1&is_for_everybody=1');
    assert.deepEqual(
      [top, below, spaces].map(({ id }) => everybody.includes(id)),
      [true, false, false],
    );
    const ofSpace = await ids('/v1/documents?is_at_top=1&space_ids=1');
    assert.deepEqual(
      [top, below, spaces].map(({ id }) => ofSpace.includes(id)),
      [false, false, true],
    );
    const folders = await ids('/v1/documents/folders?is_at_top=1&is_for_everybody=1&take=100');
    assert.deepEqual(
      [outer, inner].map(({ id }) => folders.includes(id)),
      [true, false],
    );
  });
});
