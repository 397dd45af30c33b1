// Of DELETEs that overlap one gets 200 and every other 409; one that starts afterwards gets 404.
// On any number of nodes.
import assert from 'node:assert/strict';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import { startAtrium, type TestAtrium, world } from './testing/atrium.ts';

const CONNECTIONS = 64;
const first = await startAtrium();
const second = await first.secondNode();
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
after(() => agent.destroy());

interface Served {
  path: string;
  received: number;
  answered: number;
  status: number;
}
const served: Served[] = [];

/** When each DELETE was read and answered, as its server saw it. */
function watch(node: TestAtrium) {
  node.http.server.on('request', ({ method, url: path = '' }: IncomingMessage, response: ServerResponse) => {
    if (method !== 'DELETE') return;
    const entry: Served = { path, received: performance.now(), answered: 0, status: 0 };
    served.push(entry);
    const end = response.end.bind(response) as (...rest: unknown[]) => ServerResponse;
    response.end = ((...rest: unknown[]) => {
      Object.assign(entry, { answered: performance.now(), status: response.statusCode });
      return end(...rest);
    }) as typeof response.end;
  });
}
for (const node of [first, second]) watch(node);

const send = (node: TestAtrium, method: string, path: string) =>
  new Promise<{ status: number; code: string | undefined }>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${world.northwind.api_key}`,
      'service-id': String(world.northwind.organisation_id),
    };
    const sent = request(node.url + path, { method, agent, headers }, async (response) => {
      const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
      resolve({ status: response.statusCode ?? 0, code: body.code });
    });
    sent.on('error', reject).end();
  });

let external_id = 70_000;
const newPage = async (more: object = {}) =>
  (
    await first.call('POST', '/v1/pages', {
      json: { title: 'Doomed', html_content: '', external_id: ++external_id, ...more },
    })
  ).body.data;
const deletedEvents = async (id: number, noun = 'page', action = `${noun}.deleted`) =>
  (await first.outbox()).filter((event) => event.action === action && event.payload[noun]?.id === id).length;

async function race(nodes: TestAtrium[], path: string, id: number, noun = 'page', action = `${noun}.deleted`) {
  served.length = 0;
  const replies = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, n) => send(nodes[n % nodes.length] as TestAtrium, 'DELETE', path)),
  );
  for (const node of nodes)
    assert.deepEqual(
      await send(node, 'DELETE', path),
      { status: 404, code: 'not_found' },
      'sent after the answer was there',
    );

  const winners = replies.filter(({ status }) => status === 200);
  assert.equal(winners.length, 1, 'exactly one wins');
  const winner = served.find(({ status }) => status === 200);
  const overlapping = served.filter((entry) => entry !== winner && entry.received < (winner?.answered ?? 0));
  const later = served.filter((entry) => entry !== winner && !overlapping.includes(entry));
  assert.deepEqual(new Set(overlapping.map(({ status }) => status)), new Set(overlapping.length > 0 ? [409] : []));
  assert.deepEqual(new Set(later.map(({ status }) => status)), new Set([404]));
  for (const { status, code } of replies) if (status === 409) assert.equal(code, 'concurrent_delete');
  assert.equal(await deletedEvents(id, noun, action), 1, 'one delete emits one event');
  return overlapping.length;
}

describe(`${CONNECTIONS} DELETEs of one page sent together`, () => {
  for (const [name, nodes] of [
    ['one node', [first]],
    ['two nodes on one database', [first, second]],
  ] as const) {
    test(`against ${name}: one 200, 409 for what overlapped it, 404 for what came later`, async () => {
      let overlapped = 0;
      for (let round = 0; round < 15; round++) {
        const page = await newPage();
        overlapped += await race([...nodes], `/v1/pages/${page.id}`, page.id);
      }
      assert.ok(overlapped > 15 * 10, `${overlapped} DELETEs overlapped a winner`);
    });
    test(`against ${name}, by external id`, async () => {
      for (let round = 0; round < 5; round++) {
        const page = await newPage();
        await race([...nodes], `/v1/pages/by-external-id/${page.external_id}`, page.id);
      }
    });
  }
});

describe('the same holds for what is posted', () => {
  for (const [noun, path, body, query = ''] of [
    ['update', '/v1/updates', { text: 'Doomed' }],
    ['kudos', '/v1/kudos', { text: 'Doomed', recipients: { users: [1] } }],
    ['event', '/v1/events', { title: 'Doomed', starts_at: '2030-01-01T09:00:00Z', ends_at: '2030-01-01T10:00:00Z' }],
    ['article', '/v1/articles', { title: 'Doomed', html_content: '' }, '?permanent=1'],
  ] as const) {
    test(`${noun}, on two nodes, by id and by external id`, async () => {
      for (let round = 0; round < 4; round++) {
        const { id } = (await first.call('POST', path, { json: { ...body, external_id: `D-${round}` } })).body.data;
        await race([first, second], `${path}/${round % 2 ? id : `by-external-id/D-${round}`}${query}`, id, noun);
      }
    });
  }
});

test('the same holds for badges on two nodes, whose holder loses it once', async () => {
  for (let round = 0; round < 4; round++) {
    const { id } = (await first.call('POST', '/v1/badges', { json: { title: 'Doomed' } })).body.data;
    await first.call('POST', `/v1/badges/${id}/users`, { json: { user_id: 1 } });
    await race([first, second], `/v1/badges/${id}`, id, 'badge', 'badge.unassigned');
  }
});

test('a page with children is only deleted with them, each with its event', async () => {
  const top = await newPage();
  const child = await newPage({ parent_id: top.id });
  const grandchild = await newPage({ parent_id: child.id });
  assert.deepEqual(await send(first, 'DELETE', `/v1/pages/${top.id}`), { status: 409, code: 'page_has_children' });
  assert.equal((await send(first, 'DELETE', `/v1/pages/${top.id}?cascade=1`)).status, 200);
  for (const { id } of [top, child, grandchild]) assert.equal(await deletedEvents(id), 1);
  assert.equal((await send(first, 'DELETE', `/v1/pages/${grandchild.id}`)).status, 404);
});

test('what was deleted a while ago is forgotten, and its external id can be used again', async () => {
  const page = await newPage();
  await send(first, 'DELETE', `/v1/pages/${page.id}`);
  assert.equal(
    (
      await first.call('POST', '/v1/pages', {
        json: { title: 'Again', html_content: '', external_id: page.external_id },
      })
    ).status,
    201,
  );
  first.clock.advance(11 * 60_000);
  await first.drain();
  assert.deepEqual(await first.rows('select from deletions'), []);
});
