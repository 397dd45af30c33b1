import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, startAtrium } from '../../testing/atrium.ts';

const atrium = await startAtrium();
const made = async (title: string, more: object = {}) => {
  const json = { title, html_content: `<p>${title}</p>`, ...more };
  const { status, body } = await atrium.call('POST', '/v1/pages', { json });
  assert.equal(status, 201);
  return body.data.id as number;
};
interface Node {
  id: number;
  title: string;
  has_children: boolean;
}
const level = async (query: string, call: typeof atrium.call = atrium.call) => {
  const { status, body } = await call('GET', `/v1/pages/tree?${query}`);
  return { status, pages: (body.data?.pages ?? []) as Node[], has_more: body.data?.has_more };
};
const titles = async (query: string) => (await level(query)).pages.map(({ title }) => title).join(' ');
const move = (id: number, json: object) => atrium.call('POST', `/v1/pages/${id}/move`, { json });

test('a level is read in the order of the tree, part by part, and says what has something below it', async () => {
  const root = await made('Root');
  for (const title of ['A', 'B', 'C', 'D', 'E']) await made(title, { parent_id: root });
  const first = await level(`parent_id=${root}&take=2`);
  assert.deepEqual([first.pages.map((page) => page.title), first.has_more], [['A', 'B'], true]);
  const rest = await level(`parent_id=${root}&take=10&after=${first.pages[1]?.id}`);
  assert.deepEqual([rest.pages.map((page) => page.title), rest.has_more], [['C', 'D', 'E'], false]);
  const top = (await level('take=200')).pages.filter(({ id }) => id === root);
  assert.deepEqual(
    top.map((page) => page.has_children),
    [true],
  );
});

test('a page moves before a sibling, to the end, into another and out again; all else keeps its order', async () => {
  const root = await made('Moves');
  const ids: Record<string, number> = {};
  for (const title of ['a', 'b', 'c', 'd']) ids[title] = await made(title, { parent_id: root });
  const of = (title: string) => ids[title] as number;
  assert.equal((await move(of('d'), { parent_id: root, before_id: of('b') })).status, 200);
  assert.equal(await titles(`parent_id=${root}`), 'a d b c');
  await move(of('a'), { parent_id: root });
  assert.equal(await titles(`parent_id=${root}`), 'd b c a');
  await move(of('c'), { parent_id: of('b') });
  assert.deepEqual([await titles(`parent_id=${root}`), await titles(`parent_id=${of('b')}`)], ['d b a', 'c']);
  const { body } = await atrium.call('GET', `/v1/pages/${of('c')}`);
  assert.deepEqual(
    body.data.path.map((page: Node) => page.title),
    ['Moves', 'b'],
  );
  await move(of('c'), { parent_id: root, before_id: of('d') });
  assert.equal(await titles(`parent_id=${root}`), 'c d b a');
  // Often enough that no gap is left.
  for (let n = 0; n < 12; n++) {
    const [first, second] = n % 2 ? ['b', 'a'] : ['a', 'b'];
    await move(of(first as string), { parent_id: root, before_id: of(second as string) });
    assert.equal(await titles(`parent_id=${root}`), `c d ${first} ${second}`);
  }
});

test('a page is told of when it moves, and not when it stays', async () => {
  const root = await made('Told');
  const [a, b] = [await made('a', { parent_id: root }), await made('b', { parent_id: root })];
  const told = () =>
    atrium.rows(
      `select payload #>> '{page,title}' as title from outbox where action = 'page.updated' order by id desc`,
    );
  await move(b, { parent_id: root, before_id: a });
  const before = await told();
  await move(b, { parent_id: root, before_id: a });
  assert.equal((await told()).length, before.length);
});

test('a page does not move below itself, nor next to what stands elsewhere, nor by who may not edit it', async () => {
  const root = await made('Refused');
  const child = await made('child', { parent_id: root });
  const refused = async (id: number, json: object) => {
    const { status, body } = await move(id, json);
    return [status, body.code, body.meta?.errors?.[0]?.path];
  };
  assert.deepEqual(await refused(root, { parent_id: child }), [400, 'invalid_request', 'parent_id']);
  assert.deepEqual(await refused(root, { parent_id: root }), [400, 'invalid_request', 'parent_id']);
  assert.deepEqual((await refused(child, { parent_id: 1 })).slice(0, 2), [400, 'parent_not_found']);
  assert.deepEqual(await refused(child, { parent_id: null, before_id: child }), [400, 'invalid_request', 'before_id']);
  const { call, csrf } = await signIn(atrium, 'emi.tanaka@northwind.example');
  const asEmi = await call('POST', `/v1/pages/${child}/move`, {
    headers: { 'x-csrf-token': csrf },
    json: { parent_id: null },
  });
  assert.equal(asEmi.status, 403);
});

test('drafts and pages for others are no part of the tree that somebody reads, nor of the path', async () => {
  const draft = await made('Draft', { is_draft: true });
  const below = await made('Below', { parent_id: draft });
  const { call } = await signIn(atrium, 'emi.tanaka@northwind.example');
  assert.ok((await level('take=200')).pages.some(({ id }) => id === draft));
  assert.ok(!(await level('take=200', call)).pages.some(({ id }) => id === draft));
  assert.equal((await level(`parent_id=${draft}`, call)).status, 404);
  assert.deepEqual((await call('GET', `/v1/pages/${below}`)).body.data.path, []);
  await atrium.rows(`update spaces set visibility = 'hidden' where id = 3`);
  await atrium.rows('delete from space_members where space_id = 3 and user_id = 5');
  assert.equal((await level('space_id=3', call)).status, 404);
});

test('two moves at once close no circle', async () => {
  const [a, b] = [await made('left'), await made('right')];
  const replies = await Promise.all([move(a, { parent_id: b }), move(b, { parent_id: a })]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400]);
});
