import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startAtrium } from '../../testing/atrium.ts';
import { startDns } from '../../testing/dns.ts';
import { startReceiver } from '../../testing/receiver.ts';
import { createEgress, EgressFailure } from './egress.ts';

const dns = await startDns();
const egress_dns = dns.address;
/** Whoever reaches this has got past the guard. */
let reached = 0;
const inside = createServer((_request, response) => {
  reached++;
  response.end();
});
await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
after(() => inside.close());
const { port } = inside.address() as AddressInfo;

const notPublic = [
  ...[
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.100.100.200',
  ],
  ...[
    '0.0.0.0',
    '198.18.0.1',
    '192.0.0.192',
    '192.0.2.7',
    '203.0.113.9',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    '168.63.129.16',
  ],
];
const bytesOf = (address: string) => address.split('.').map(Number) as [number, number, number, number];
const hex = (n: number, width = 2) => n.toString(16).padStart(width, '0');
/** Every way to write an IPv4 address that URLs, systems or tunnels have. */
const spellings: Record<string, (address: string) => string> = {
  dotted: (address) => address,
  'trailing dot': (address) => `${address}.`,
  decimal: (address) => String(bytesOf(address).reduce((sum, byte) => sum * 256 + byte)),
  hex: (address) =>
    `0x${bytesOf(address)
      .map((byte) => hex(byte))
      .join('')}`,
  'dotted hex': (address) =>
    bytesOf(address)
      .map((byte) => `0x${hex(byte)}`)
      .join('.'),
  'dotted octal': (address) =>
    bytesOf(address)
      .map((byte) => `0${byte.toString(8)}`)
      .join('.'),
  octal: (address) =>
    `0${bytesOf(address)
      .reduce((sum, byte) => sum * 256 + byte)
      .toString(8)}`,
  'three parts': (address) => address.replace(/(\d+)\.(\d+)$/, (_, b, c) => String(Number(b) * 256 + Number(c))),
  'two parts': (address) =>
    address.replace(/(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c) => String((Number(a) * 256 + Number(b)) * 256 + Number(c))),
  'fullwidth digits': (address) => address.replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  'fullwidth dots': (address) => address.replaceAll('.', '。'),
  'percent-encoded': (address) => address.replaceAll(/\d/g, (digit) => `%3${digit}`),
  'v4-mapped': (address) => `[::ffff:${address}]`,
  'v4-mapped in hex': (address) => `[::ffff:${hex6(address)}]`,
  'v4-mapped in full': (address) => `[0:0:0:0:0:FFFF:${hex6(address).toUpperCase()}]`,
  'v4-compatible': (address) => `[::${address}]`,
  NAT64: (address) => `[64:ff9b::${address}]`,
  'local NAT64': (address) => `[64:ff9b:1::${address}]`,
  '6to4': (address) => `[2002:${hex6(address)}::1]`,
  Teredo: (address) => `[2001:0:${hex6(address)}::1]`,
};
const hex6 = (address: string) => {
  const [a, b, c, d] = bytesOf(address);
  return `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`;
};
const others = [
  ...[
    '[::1]',
    '[::]',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[fe80::1]',
    '[febf::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fec0::1]',
  ],
  ...[
    '[ff02::1]',
    '[ff0e::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[100::1]',
    '[2001:20::1]',
    '[5f00::1]',
    '[4000::1]',
    '[fe80::1%25eth0]',
  ],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'ⓛocalhost',
    'ｌｏｃａｌｈｏｓｔ',
    'metadata',
    'metadata.google.internal',
    'METADATA.google.internal.',
  ],
  ...[
    'instance-data',
    'intranet',
    'printer.local',
    'db.corp',
    'host.docker.internal',
    'nas.home.arpa',
    'router.lan',
    'wiki.intranet',
    'x.localdomain',
  ],
].map((host) => `https://${host}/`);
const tricks = [
  ...[
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://example.com@127.0.0.1/',
    'https://127.0.0.1#@example.com/',
    'https://127.0.0.1?.example.com/',
  ],
  ...[
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'data:text/plain,x',
    'javascript:alert(1)',
    'ws://example.com/',
    '//example.com/',
  ],
  ...[
    'https://',
    'https:///',
    'https://[::1',
    'https://1.2.3.4.5.6/',
    'https://256.256.256.256/',
    'https://example.com:99999/',
    'https://exa mple.com/',
    'https:\\\\127.0.0.1\\',
  ],
  ...[22, 25, 53, 110, 143, 6379, 6000, 6667, 2049, 389].map((odd) => `https://example.com:${odd}/`),
];
const named: Record<string, readonly string[]> = {
  'loopback.example': ['127.0.0.1'],
  'private.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'six.example': ['::1'],
  'mapped.example': ['::ffff:a00:1'],
  'unique.example': ['fd00:ec2::254'],
  'nat64.example': ['64:ff9b::a00:1'],
  'mixed.example': ['93.184.215.14', '127.0.0.1'],
  'mixed-six.example': ['93.184.215.14', 'fe80::1'],
  'zero.example': ['0.0.0.0'],
};
for (const [name, addresses] of Object.entries(named)) dns.names.set(name, () => addresses);
const all = [
  ...notPublic.flatMap((address) => Object.values(spellings).map((spell) => `https://${spell(address)}:${port}/`)),
  ...others,
  ...tricks,
  ...Object.keys(named).map((name) => `https://${name}:${port}/`),
];

const kindOf = (work: Promise<unknown>) =>
  work.then(
    () => 'passed',
    (error) => (error instanceof EgressFailure ? error.kind : `${error}`),
  );

describe('an address that is not public', () => {
  test(`is refused in each of ${all.length} spellings and tricks, alike when it is saved and when it \
is called`, async () => {
    assert.ok(all.length >= 250, `${all.length} spellings`);
    const egress = createEgress({ env: 'production', egress_allow: undefined, egress_dns, egress_ca: undefined });
    for (const url of all) {
      assert.equal(await kindOf(egress.check(url)), 'refused_address', `saved: ${url}`);
      assert.equal(
        await kindOf(egress.send({ method: 'POST', url, headers: {}, body: '{}', answer_bytes_max: 100 })),
        'refused_address',
        `called: ${url}`,
      );
    }
    await egress.close();
    assert.equal(reached, 0);
  });

  test(`is a 400 with its path when a subscription is saved, and fails every delivery that it \
is written into behind the API`, async () => {
    const atrium = await startAtrium({ egress_dns });
    const json = (url: string) => ({ name: url.slice(0, 100), url, events: ['page.created'] });
    for (const url of all) {
      const reply = await atrium.call('POST', '/v1/admin/webhooks', { json: json(url) });
      assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'url'], url);
      const client = { type: 'oauth2', login_url: url, client_id: 'a', client_secret: 'b' };
      const oauth = await atrium.call('POST', '/v1/admin/webhooks', {
        json: { ...json('https://hooks.example/'), authentication: client },
      });
      assert.deepEqual([oauth.status, oauth.body.meta.errors[0].path], [400, 'authentication.login_url'], url);
    }
    const { body } = await atrium.call('POST', '/v1/admin/webhooks', { json: json('https://hooks.example/') });
    await atrium.rows(
      `insert into webhooks (organisation_id, name, url, form_param_names, custom_headers_sealed, custom_header_names,
         events, signing_secret_sealed, created_at, updated_at)
       select organisation_id, n::text, u, '{}', custom_headers_sealed, '{}',
         events, signing_secret_sealed, created_at, updated_at
       from webhooks, unnest($2::text[]) with ordinality t(u, n)
       where id = $1`,
      [body.data.id, all],
    );
    const saved = await atrium.rows<{ id: number }>('select id from webhooks where id > $1', [body.data.id]);
    for (const { id } of saved)
      await atrium.call('POST', `/v1/admin/webhooks/${id}/samples`, { json: { event: 'page.created' } });
    await atrium.drain();
    const failures = await atrium.rows(
      `select w.url, d.last_failure from webhook_deliveries d join webhooks w on w.id = d.webhook_id
       where w.id > $1 and d.last_failure is distinct from $2`,
      [body.data.id, 'refused_address'],
    );
    assert.deepEqual([saved.length, failures, reached], [all.length, [], 0]);
  });
});

describe('a name', () => {
  const egress = createEgress({ env: 'production', egress_allow: undefined, egress_dns, egress_ca: undefined });
  after(() => egress.close());

  test(`that leads to a public address when it is saved and to a private one when it is called \
is refused then`, async () => {
    let answers = 0;
    dns.names.set('rebinding.example', () => (answers++ < 2 ? ['93.184.215.14'] : ['127.0.0.1']));
    const url = `https://rebinding.example:${port}/`;
    assert.equal(await kindOf(egress.check(url)), 'passed');
    assert.equal(
      await kindOf(egress.send({ method: 'GET', url, headers: {}, answer_bytes_max: 100 })),
      'refused_address',
    );
    assert.equal(reached, 0);
  });

  test('is resolved once for a connection, which goes to the address that was judged', async () => {
    const receiver = await startReceiver();
    const development = createEgress({ env: 'development', egress_allow: undefined, egress_dns, egress_ca: undefined });
    let answers = 0;
    dns.names.set('pinned.example', () => (answers++ < 2 ? ['127.0.0.1'] : ['10.0.0.1']));
    dns.asked.length = 0;
    const url = receiver.url.replace('127.0.0.1', 'pinned.example');
    const { status } = await development.send({ method: 'POST', url, headers: {}, body: '', answer_bytes_max: 100 });
    await development.close();
    assert.deepEqual(
      [status, dns.asked.sort(), receiver.received[0]?.headers.host?.split(':')[0]],
      [204, ['pinned.example 1', 'pinned.example 28'], 'pinned.example'],
    );
  });

  test('that does not exist may be saved, and fails as dns_failed when it is called', async () => {
    assert.equal(await kindOf(egress.check('https://nowhere.example/')), 'passed');
    assert.equal(
      await kindOf(egress.send({ method: 'GET', url: 'https://nowhere.example/', headers: {}, answer_bytes_max: 100 })),
      'dns_failed',
    );
  });
});

describe('settings', () => {
  test('development reaches loopback by http, and nothing else that is not public', async () => {
    const egress = createEgress({ env: 'development', egress_allow: undefined, egress_dns, egress_ca: undefined });
    for (const host of ['127.0.0.1', '[::1]', '127.8.8.8', '2130706433', 'loopback.example'])
      assert.equal(await kindOf(egress.check(`http://${host}/`)), 'passed', host);
    for (const host of [
      '10.0.0.1',
      '169.254.169.254',
      '[fd00::1]',
      '[::ffff:10.0.0.1]',
      'metadata.example',
      'mixed-six.example',
    ])
      assert.equal(await kindOf(egress.check(`http://${host}/`)), 'refused_address', host);
    await egress.close();
  });

  test('an operator adds ranges; the rest stays closed, and http too', async () => {
    const egress = createEgress({
      env: 'production',
      egress_allow: '10.1.0.0/16, fd00:ec2::/32',
      egress_dns,
      egress_ca: undefined,
    });
    for (const host of ['10.1.2.3', 'private.example', '[fd00:ec2::254]', 'unique.example'])
      assert.equal(await kindOf(egress.check(`https://${host}/`)), 'passed', host);
    for (const host of ['10.2.0.1', '127.0.0.1', 'loopback.example', '[fd01::1]'])
      assert.equal(await kindOf(egress.check(`https://${host}/`)), 'refused_address', host);
    assert.equal(await kindOf(egress.check('http://10.1.2.3/')), 'refused_address');
    await egress.close();
  });

  test('a range that cannot be read is refused at the start', () => {
    for (const egress_allow of ['10.0.0.0/33', '10.0.0/8', 'all', 'fd00::/129', '10.0.0.0/x'])
      assert.throws(
        () => createEgress({ env: 'production', egress_allow, egress_dns, egress_ca: undefined }),
        /is no address range/,
      );
  });
});
