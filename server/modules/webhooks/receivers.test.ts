// Receivers of every kind, each a real server: what an attempt to each of them is logged as, how often it is made,
// how long it takes.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import net, { type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, describe, test } from 'node:test';
import { generate } from 'selfsigned';
import { startAtrium } from '../../testing/atrium.ts';

const DAY_MS = 86_400_000;
const names = (value: string) => [
  { name: 'basicConstraints' as const, cA: false },
  {
    name: 'subjectAltName' as const,
    altNames: [value === '127.0.0.1' ? { type: 7 as const, ip: value } : { type: 2 as const, value }],
  },
];
const authority = await generate([{ name: 'commonName', value: 'Test authority' }], {
  keyType: 'ec',
  algorithm: 'sha256',
  extensions: [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true },
  ],
});
const certificate = async (host: string, { trusted = true, age_days = 0 } = {}) => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - (age_days + 1) * DAY_MS),
    notAfterDate: new Date(Date.now() + (7 - age_days) * DAY_MS),
    extensions: names(host),
    ...(trusted ? { ca: { key: authority.private, cert: authority.cert } } : {}),
  });
  return { key, cert };
};
const folder = mkdtempSync(join(tmpdir(), 'atrium-ca-'));
const egress_ca = join(folder, 'ca.pem');
writeFileSync(egress_ca, authority.cert);

const servers: Server[] = [];
const sockets = new Set<net.Socket>();
after(() => {
  for (const server of servers) server.close();
  for (const socket of sockets) socket.destroy();
  rmSync(folder, { recursive: true });
});
const listening = async (server: Server, scheme: string) => {
  servers.push(server);
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
};
const http = (listener: RequestListener) => listening(createServer(listener), 'http');
const status = (code: number, body = '', headers = {}) =>
  http((request, response) => void request.resume().on('end', () => response.writeHead(code, headers).end(body)));
const raw = (connected: (socket: net.Socket) => void, scheme = 'http') =>
  listening(net.createServer(connected), scheme);
const says = (text: string, then: (socket: net.Socket) => void = () => {}) =>
  raw((socket) => {
    socket.once('data', () => {
      socket.write(text);
      then(socket);
    });
  });
const https = async (options: Parameters<typeof certificate>) =>
  listening(
    createHttpsServer(await certificate(...options), (_request, response) => response.end()),
    'https',
  );
const closed = async () => {
  const server = net.createServer();
  const url = await listening(server, 'http');
  await new Promise((resolve) => server.close(resolve));
  return url;
};

/** How long a busy machine kept this process waiting for its turn. */
const lateness = monitorEventLoopDelay({ resolution: 10 });
lateness.enable();

let redirected = 0;
const elsewhere = await http((_request, response) => {
  redirected++;
  response.end();
});
let trickled = 0;
let poured = 0;

interface Case {
  name: string;
  url: string;
  /** Null: delivered. */
  failure: string | null;
  status?: number;
  /** Seconds that an attempt takes, ± 0.25. */
  seconds?: number;
}
const delivered = (name: string, url: string, code = 200): Case => ({ name, url, failure: null, status: code });
const cases: Case[] = [
  ...(await Promise.all([200, 201, 202, 204].map(async (code) => delivered(`${code}`, await status(code), code)))),
  delivered('200 with an empty chunked body', await http((_request, response) => void response.writeHead(200).end())),
  ...(await Promise.all(
    [301, 302, 303, 307, 308].map(async (code) => ({
      name: `redirect ${code}`,
      url: await status(code, '', { location: elsewhere }),
      failure: `status_${code}`,
      status: code,
    })),
  )),
  ...(await Promise.all(
    [304, 400, 401, 403, 404, 409, 410, 418, 429, 500, 502, 503, 504].map(async (code) => ({
      name: `${code}`,
      url: await status(code),
      failure: `status_${code}`,
      status: code,
    })),
  )),
  {
    name: 'reset',
    url: await raw((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    failure: 'connection_closed',
  },
  { name: 'refused', url: await closed(), failure: 'connection_refused' },
  { name: 'an answer that never begins', url: await raw(() => {}), failure: 'response_timeout', seconds: 5 },
  {
    name: 'headers that trickle',
    url: await says('HTTP/1.1 200 OK\r\n', (socket) => trickle(socket, 'x-more: 1\r\n')),
    failure: 'response_timeout',
    seconds: 5,
  },
  {
    name: 'a body that trickles',
    url: await says('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n', (socket) => trickle(socket, 'x')),
    failure: 'response_timeout',
    seconds: 5,
  },
  { name: 'TLS that is never answered', url: await raw(() => {}, 'https'), failure: 'connect_timeout', seconds: 5 },
  delivered(
    'a body without end: 64 KiB are read',
    await http((_request, response) => {
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65536))) poured += 65536;
      };
      response.on('drain', pour);
      pour();
    }),
  ),
  delivered('TLS of a trusted authority', await https(['127.0.0.1'])),
  { name: 'a self-signed certificate', url: await https(['127.0.0.1', { trusted: false }]), failure: 'tls_failed' },
  { name: 'an expired certificate', url: await https(['127.0.0.1', { age_days: 30 }]), failure: 'tls_failed' },
  { name: 'a certificate of another name', url: await https(['elsewhere.example']), failure: 'tls_failed' },
  {
    name: 'plain HTTP where TLS is expected',
    url: (await status(200)).replace('http:', 'https:'),
    failure: 'tls_failed',
  },
  delivered(
    'a server of HTTP/2 and HTTP/1.1',
    await listening(
      createSecureServer({ ...(await certificate('127.0.0.1')), allowHTTP1: true }, (_request, response) =>
        response.end(),
      ),
      'https',
    ),
  ),
  {
    name: 'a server of HTTP/2 alone',
    url: await listening(
      createSecureServer(await certificate('127.0.0.1'), (_request, response) => response.end()) as unknown as Server,
      'https',
    ),
    failure: 'tls_failed',
  },
  {
    name: 'closed before the answer',
    url: await raw((socket) => void socket.once('data', () => socket.end())),
    failure: 'connection_closed',
  },
  {
    name: 'closed within the body',
    url: await says('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf', (socket) => void socket.end()),
    failure: 'connection_closed',
  },
  { name: 'an answer that is no HTTP', url: await says('SSH-2.0-OpenSSH_9.9\r\n\r\n'), failure: 'invalid_response' },
  {
    name: 'endless headers',
    url: await says(`HTTP/1.1 200 OK\r\n${'x-filler: yes\r\n'.repeat(5000)}\r\n`),
    failure: 'invalid_response',
  },
  { name: 'a name that does not exist', url: 'https://nowhere.invalid/', failure: 'dns_failed' },
];

function trickle(socket: net.Socket, text: string) {
  const timer = setInterval(() => {
    trickled++;
    socket.write(text);
  }, 200);
  socket.once('close', () => clearInterval(timer));
}

const atrium = await startAtrium({ env: 'development', egress_ca });
const created = await Promise.all(
  cases.map(async ({ name, url }) => {
    const { body } = await atrium.call('POST', '/v1/admin/webhooks', { json: { name, url, events: ['page.created'] } });
    return body.data.id as number;
  }),
);
await atrium.call('POST', '/v1/pages', { json: { title: 'News', html_content: '' } });
await atrium.drain();
for (let attempt = 2; attempt <= 6; attempt++) {
  atrium.clock.advance(2 * 3_600_000);
  // Slow servers were seen once; waiting for five times five seconds would show nothing more.
  if (attempt === 2)
    await atrium.rows(`update webhooks set active = false where name like '%trickle%' or name like '%never%'`);
  await atrium.drain();
}

describe('a receiver', () => {
  for (const [n, { name, failure, status: code, seconds }] of cases.entries()) {
    test(`${name}: ${failure ?? 'delivered'}`, async () => {
      const [delivery] = (await atrium.call('GET', `/v1/admin/webhooks/${created[n]}/deliveries`)).body.data;
      const { log } = (await atrium.call('GET', `/v1/admin/webhooks/${created[n]}/deliveries/${delivery.id}`)).body
        .data;
      assert.deepEqual([log[0].failure, log[0].status], [failure, code ?? null], log[0].answer);
      assert.equal(log.length, failure === null || seconds ? 1 : 5);
      assert.equal(delivery.state, failure === null ? 'delivered' : seconds ? 'pending' : 'failed');
      for (const { failure: each } of log) assert.equal(each, failure);
      const late_s = lateness.max / 1e9;
      if (seconds)
        assert.ok(
          Math.abs(log[0].latency_ms / 1000 - seconds) <= 0.25 + late_s,
          `${log[0].latency_ms} ms, ${late_s} s late`,
        );
    });
  }
  test('that redirects is not followed, one that trickles gets no more time, one without end is cut off', () => {
    assert.equal(redirected, 0);
    assert.ok(trickled > 20, `${trickled} pieces came within the time`);
    assert.ok(poured < 20 * 1024 * 1024, `${poured} bytes left the server`);
  });
  test('that is slow held up nobody: the last was tried before the first slow one was given up', async () => {
    const attempts = await Promise.all(
      created.map(async (id) => {
        const [{ id: delivery }] = (await atrium.call('GET', `/v1/admin/webhooks/${id}/deliveries`)).body.data;
        const { body } = await atrium.call('GET', `/v1/admin/webhooks/${id}/deliveries/${delivery}`);
        const { sent_at, latency_ms } = body.data.log[0];
        return { began: Date.parse(sent_at), ended: Date.parse(sent_at) + latency_ms };
      }),
    );
    const givenUp = attempts.filter((_, n) => cases[n]?.seconds).map(({ ended }) => ended);
    assert.ok(Math.max(...attempts.map(({ began }) => began)) < Math.min(...givenUp));
  });
});
