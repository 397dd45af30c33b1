// /mcp: the protocol's own client finds, reads, and writes what the person has agreed to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startAtrium, world } from '../../testing/atrium.ts';

const atrium = await startAtrium({ mcp: 'on' });

type Answer = { isError?: boolean; structuredContent?: Record<string, unknown>; content: { text?: string }[] };
interface Options {
  key?: string;
  mode?: 'legacy' | 'auto';
  /** What the person says when they are asked. */
  agree?: (message: string) => Promise<boolean | 'decline'>;
}
async function assistant({ key = world.northwind.api_key, mode = 'auto', agree }: Options = {}) {
  const capabilities = agree ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'judge', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (agree)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const said = await agree(params.message);
      return said === 'decline' ? { action: 'decline' } : { action: 'accept', content: { agree: said } };
    });
  const headers = { Authorization: `Bearer ${key}`, 'Service-Id': '1' };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${atrium.url}/mcp`), { requestInit: { headers } }));
  const call = async (name: string, given: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: given })) as Answer;
  return { client, call };
}
const dataOf = ({ structuredContent }: Answer) => structuredContent?.data as Record<string, unknown>;

for (const mode of ['legacy', 'auto'] as const)
  test(`tools are listed and called, ${mode}`, async () => {
    const { client, call } = await assistant({ mode });
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    for (const name of ['listUpdates', 'getPage', 'createUpdate', 'listUsers']) assert.ok(names.includes(name), name);
    assert.ok(!names.some((name) => /Key|Webhook|Organisation|signIn/.test(name)), 'nobody administers by a tool');
    const listed = await call('listUsers', { take: 2 });
    const { body } = await atrium.call('GET', '/v1/users?take=2');
    assert.deepEqual(listed.structuredContent, body);
    const { body: log } = await atrium.call('GET', '/v1/audit?action=mcp&take=1');
    const [{ type, after, actor }] = log.data;
    assert.deepEqual([type, after, actor.type], ['assistant_call', { tool: 'listUsers', status: 200 }, 'app']);
  });

test('what the person agrees to is written, and nothing else', async () => {
  const asked: string[] = [];
  const said: (boolean | 'decline')[] = ['decline', false, true];
  const agree = async (message: string) => {
    asked.push(message);
    return said.shift() ?? false;
  };
  const { call } = await assistant({ agree });
  const count = async () => (await atrium.call('GET', '/v1/updates?take=1')).body.meta.pagination.total_records;
  const before = await count();
  for (const answer of ['declined', 'said no']) {
    assert.equal((await call('createUpdate', { text: 'Coffee is ready' })).isError, true, answer);
    assert.equal(await count(), before);
  }
  const written = await call('createUpdate', { text: 'Coffee is ready' });
  assert.equal(dataOf(written).text, 'Coffee is ready');
  assert.equal(await count(), before + 1);
  assert.equal(asked.length, 3);
  assert.match(asked[0] ?? '', /Coffee is ready/);
});

test('a client that cannot ask gets a preview, and a confirmation of that call alone', async () => {
  const { call } = await assistant({ mode: 'legacy' });
  const { body } = await atrium.call('POST', '/v1/pages', {
    json: { title: 'Travel', subtitle: 'By train', html_content: '<p>x</p>' },
  });
  const change = { id: body.data.id, title: 'Trips', html_content: '<p>y</p>' };
  const preview = await call('replacePage', change);
  const shown = preview.structuredContent as { is_written: boolean; cleared: string[]; confirmation: string };
  assert.deepEqual([shown.is_written, shown.cleared.includes('subtitle')], [false, true]);
  const { confirmation } = shown;
  const other = await call('replacePage', { ...change, title: 'Other', confirmation });
  assert.equal(other.isError, true, 'other arguments are another call');
  const forged = await call('replacePage', { ...change, confirmation: `${confirmation}x` });
  assert.equal(forged.isError, true);
  const replaced = await call('replacePage', { ...change, confirmation });
  assert.equal(dataOf(replaced).title, 'Trips');
  const again = await call('replacePage', { ...change, confirmation });
  assert.equal(again.structuredContent?.code, 'precondition_failed', 'it is not what it was when the person agreed');
  const deletion = await call('deletePage', { id: change.id });
  const late = deletion.structuredContent as { confirmation: string };
  atrium.clock.advance(11 * 60_000);
  assert.equal((await call('deletePage', { id: change.id, confirmation: late.confirmation })).isError, true);
  assert.equal((await atrium.call('GET', `/v1/pages/${change.id}`)).status, 200);
});

test('a tool does what its credential may do, and says what is wrong', async () => {
  const key = await atrium.keyWith(['pages.*.read', 'spaces.public.read']);
  const { client, call } = await assistant({ key });
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.ok(names.includes('getPage') && !names.includes('createPage') && !names.includes('listUsers'), `${names}`);
  assert.equal((await call('createPage', { title: 'T', html_content: '' })).isError, true);
  const refused = await call('listPages', { take: 501 });
  assert.equal(refused.isError, true);
  const { meta } = refused.structuredContent as { meta: { errors: { path: string }[] } };
  assert.equal(meta.errors[0]?.path, 'take');
  const absent = await call('getPage', { id: 999_999_999 });
  assert.equal(absent.structuredContent?.code, 'not_found');
  await assert.rejects(assistant({ key: 'atr_1_nobody' }), /401|authorization/);
});

test('pages of other sites and other methods are refused', async () => {
  const origin = await atrium.call('POST', '/mcp', { json: {}, headers: { origin: 'https://evil.example' } });
  assert.equal(origin.status, 403);
  for (const method of ['GET', 'DELETE']) assert.equal((await atrium.call(method, '/mcp')).status, 405);
});
