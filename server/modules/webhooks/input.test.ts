import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { signIn, startAtrium, world } from '../../testing/atrium.ts';
import { startReceiver } from '../../testing/receiver.ts';

const atrium = await startAtrium({ env: 'development' });
const receiver = await startReceiver();
const good = { name: 'Search', url: receiver.url, events: ['page.created'] };
const oauth = { type: 'oauth2', login_url: receiver.url, client_id: 'atrium', client_secret: 'secret' };
const create = (json: object, key?: string) =>
  atrium.call('POST', '/v1/admin/webhooks', { json, ...(key ? { key } : {}) });
const stored = async () => (await atrium.rows('select id from webhooks')).length;

describe('what cannot be delivered is refused when it is saved, with its path, and nothing is stored', () => {
  const wrong: [what: string, body: object, path: string][] = [
    ['an unknown event', { events: ['page.created', 'page.exploded'] }, 'events[1]'],
    ['the event of bots, which goes to bots', { events: ['chat_bot_message_sent'] }, 'events[0]'],
    ['no event', { events: [] }, 'events'],
    ['no URL', { url: 'hello' }, 'url'],
    ['credentials in the URL', { url: 'https://user:password@example.com/' }, 'url'],
    ['another scheme', { url: 'ftp://example.com/' }, 'url'],
    ['a private address', { url: 'https://10.0.0.1/' }, 'url'],
    [
      'a login URL that is private',
      { authentication: { ...oauth, login_url: 'https://169.254.169.254/token' } },
      'authentication.login_url',
    ],
    ['OAuth without its fields', { authentication: { type: 'oauth2' } }, 'authentication.login_url'],
    [
      'OAuth without a secret',
      { authentication: { ...oauth, client_secret: undefined } },
      'authentication.client_secret',
    ],
    ['another authentication', { authentication: { type: 'basic' } }, 'authentication.type'],
    ['another content scope', { content_scope: 'some' }, 'content_scope'],
    ['too long a name', { name: 'x'.repeat(256) }, 'name'],
    [
      'too many headers',
      { custom_headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, 'y'])) },
      'custom_headers',
    ],
    ['a masked value that stands for nothing', { custom_headers: { 'X-Key': '********' } }, 'custom_headers.X-Key'],
    ...[
      'Host',
      'host',
      'Content-Length',
      'Transfer-Encoding',
      'Connection',
      'Upgrade',
      'TE',
      'Trailer',
      'Expect',
      'Content-Type',
      'User-Agent',
      'webhook-id',
      'Webhook-Signature',
      'webhook-timestamp',
      'Proxy-Authorization',
      'Keep-Alive',
    ].map((name): [string, object, string] => [
      `the header ${name}`,
      { custom_headers: { [name]: 'x' } },
      `custom_headers.${name}`,
    ]),
    ...['a\r\nX-Injected: b', 'a\nb', 'a\rb', ' a', 'a ', '', 'ä', 'a\u007f', 'a\tb\u0001'].map(
      (value): [string, object, string] => [
        `the header value ${JSON.stringify(value)}`,
        { custom_headers: { 'X-Key': value } },
        'custom_headers.X-Key',
      ],
    ),
    ...['X Key', 'X-Key:', 'X\r\nKey', 'Schlüssel', 'a(b)', ''].map((name): [string, object, string] => [
      `the header name ${JSON.stringify(name)}`,
      { custom_headers: { [name]: 'x' } },
      `custom_headers.${name}`,
    ]),
    ['a header twice', { custom_headers: { 'X-Key': 'a', 'x-key': 'b' } }, 'custom_headers.x-key'],
    [
      'Authorization beside OAuth',
      { authentication: oauth, custom_headers: { Authorization: 'Basic x' } },
      'custom_headers.Authorization',
    ],
  ];
  for (const [what, body, path] of wrong)
    test(what, async () => {
      const before = await stored();
      for (const reply of [
        await create({ ...good, ...body }),
        await atrium.call('PUT', '/v1/admin/webhooks/1', { json: { ...good, ...body } }),
      ]) {
        assert.equal(reply.status, 400, JSON.stringify(reply.body));
        assert.ok(
          reply.body.meta.errors.some((error: { path: unknown }) => error.path === path),
          JSON.stringify(reply.body.meta.errors),
        );
      }
      assert.equal(await stored(), before);
      const kept = (await atrium.call('GET', '/v1/webhooks/1')).body.data;
      assert.deepEqual([kept.name, kept.custom_headers], ['Intranet search', { 'X-Team': '********' }]);
    });
});

describe('a subscription', () => {
  test('is read as it was saved, with every secret masked; sent back as it is read, it stays what it was', async () => {
    const json = {
      ...good,
      custom_headers: { 'X-Key': 'swordfish', Authorization: 'Basic abc' },
      content_scope: 'all',
    };
    const { status, body } = await create(json);
    assert.deepEqual([status, body.data.signing_secret.slice(0, 6)], [201, 'whsec_']);
    const { signing_secret: _, ...created } = body.data;
    const read = (await atrium.call('GET', `/v1/webhooks/${created.id}`)).body.data;
    assert.deepEqual(read, created);
    assert.deepEqual(read.custom_headers, { 'X-Key': '********', Authorization: '********' });
    const again = await atrium.call('PUT', `/v1/admin/webhooks/${created.id}`, {
      json: { ...read, authentication: undefined },
    });
    assert.equal(again.status, 200, JSON.stringify(again.body));
    await atrium.call('POST', `/v1/admin/webhooks/${created.id}/samples`, { json: { event: 'page.created' } });
    await atrium.drain();
    assert.deepEqual(
      [receiver.received[0]?.headers['x-key'], receiver.received[0]?.headers.authorization],
      ['swordfish', 'Basic abc'],
    );
    const taken = await create(good);
    assert.deepEqual([taken.status, taken.body.code], [409, 'name_taken']);
  });

  test('there are at most a hundred', async () => {
    for (let n = await stored(); n < 99; n++)
      assert.equal((await create({ ...good, name: `Receiver ${n}` })).status, 201);
    const together = await Promise.all(
      Array.from({ length: 10 }, (_, n) => create({ ...good, name: `One more ${n}` })),
    );
    assert.equal(together.filter(({ status }) => status === 201).length, 1);
    for (const { status, body } of together.filter((reply) => reply.status !== 201))
      assert.deepEqual([status, body.code], [409, 'too_many_webhooks']);
  });

  test('is administered by developers and admins; other people neither read nor change it', async () => {
    const ada = await signIn(atrium, 'ada.okafor@northwind.example');
    const ben = await signIn(atrium, 'ben.lindqvist@northwind.example');
    const ask = async (person: typeof ada) => [
      (await person.call('GET', '/v1/webhooks/1')).status,
      (await person.call('GET', '/v1/admin/webhooks/1/deliveries')).status,
      (await person.call('POST', '/v1/admin/webhooks/1/suspend')).status,
    ];
    assert.deepEqual(
      [await ask(ada), await ask(ben)],
      [
        [200, 200, 200],
        [403, 403, 403],
      ],
    );
    await atrium.rows(
      `update users set roles = array['user', 'developer'] where email like 'ben.%' and organisation_id = $1`,
      [world.northwind.organisation_id],
    );
    assert.deepEqual(await ask(ben), [200, 200, 200]);
  });
});
