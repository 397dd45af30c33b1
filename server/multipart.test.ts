// A body is read the same whether it is small and buffered, or streamed. And a body has to arrive.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Refusal } from './kernel/contract/errors.ts';
import type { UploadedFile } from './kernel/contract/schema.ts';
import { parseMultipart } from './kernel/http/multipart.ts';
import { startAtrium, world } from './testing/atrium.ts';

const upload_folder = mkdtempSync(join(tmpdir(), 'atrium-multipart-'));
const file_fields = new Set(['photo']);
const limits = {
  text_bytes_max: 2000,
  bytes_max: 50_000,
  file_fields,
  file_bytes_max: 3000,
  files_max: 3,
  upload_folder,
};
/** What the reader made of the body, or the code of its refusal. */
const server = createServer(async (incoming, response) => {
  const read = await parseMultipart(incoming, limits).then(
    async ({ tree, discard }) => {
      const plain = await shown(tree);
      await discard();
      return plain;
    },
    ({ code, options }: Refusal) => ({ code, path: options?.path }),
  );
  response.end(JSON.stringify(read));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => {
  server.close();
  rmSync(upload_folder, { recursive: true, force: true });
});

async function shown(value: unknown): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value;
  if (!('bytes' in value))
    return Array.isArray(value)
      ? Promise.all(value.map(shown))
      : Object.fromEntries(
          await Promise.all(Object.entries(value).map(async ([name, each]) => [name, await shown(each)])),
        );
  const { file_name, content_type, byte_size, bytes } = value as UploadedFile;
  return { file_name, content_type, byte_size, content: (await bytes()).toString('base64') };
}

/** Without a length the reader streams; with a small one it buffers. */
function sent(body: Buffer, content_type: string, isStreamed: boolean): Promise<unknown> {
  const { port } = server.address() as { port: number };
  const headers = { 'content-type': content_type, ...(isStreamed ? {} : { 'content-length': body.length }) };
  return new Promise((resolve, reject) => {
    const out = request({ port, host: '127.0.0.1', method: 'POST', headers }, async (response) =>
      resolve(JSON.parse(Buffer.concat(await response.toArray()).toString())),
    );
    out.on('error', reject);
    // In pieces, so that boundaries are cut in two.
    for (let i = 0; isStreamed && i < body.length; i += 7) out.write(body.subarray(i, i + 7));
    out.end(isStreamed ? undefined : body);
  });
}

const TYPE = 'multipart/form-data; boundary=b';
const part = (headers: string, content: string | Buffer) =>
  Buffer.concat([Buffer.from(`--b\r\n${headers}\r\n\r\n`), Buffer.from(content as string), Buffer.from('\r\n')]);
const field = (name: string, content: string | Buffer, more = '') =>
  part(`Content-Disposition: form-data; name="${name}"${more}`, content);
const file = (name: string, file_name: string, content: string | Buffer, type = 'text/plain') =>
  part(`Content-Disposition: form-data; name="${name}"; filename="${file_name}"\r\nContent-Type: ${type}`, content);
const END = Buffer.from('--b--\r\n');
const body = (...parts: (Buffer | string)[]) =>
  Buffer.concat([...parts.map((each) => Buffer.from(each as string)), END]);

const bodies: Record<string, Buffer> = {
  'no part': END,
  'plain fields': body(field('a', '1'), field('b', ''), field('a', '2')),
  'brackets and numbers': body(
    field('x[1]', 'b'),
    field('x[0]', 'a'),
    field('y[k][z]', '1'),
    field('z[]', '1'),
    field('z[]', '2'),
  ),
  'hostile names': body(field('__proto__', '1'), field('constructor[prototype]', '2'), field('a[__proto__][b]', '3')),
  'text of other scripts': body(field('a', 'Grüße 你好 🎈'), field('größe', '1')),
  'line breaks, and what looks like a boundary': body(field('a', 'x\r\n--\r\n--c\r\n-b\r\n'), field('c', '\r\n')),
  'a file': body(file('f', 'a.txt', 'hello'), field('a', '1')),
  'files under one name': body(file('f[0]', 'a', '1'), file('f[1]', 'b', '2')),
  'an empty file': body(file('f', '', ''), field('a', '1')),
  'a binary file': body(file('f', 'a', Buffer.from([0, 13, 10, 45, 45, 255, 254, 13, 10]), 'application/octet-stream')),
  'file names with folders': body(file('f', 'C:\\\\temp\\\\a.txt', '1'), file('g', '../../etc/passwd', '2')),
  'file names with signs': body(
    file('f', 'a%22b.txt', '1'),
    file('g', 'Größe 你.txt', '2'),
    file('h', 'semi;colon=.txt', '3'),
  ),
  'a file without a type': body(part('Content-Disposition: form-data; name="f"; filename="a"', 'x')),
  'a file without a name, in a field of files': body(
    part('Content-Disposition: form-data; name="photo[0]"', Buffer.from([0xff, 0xd8, 0xff])),
  ),
  'nothing in a field of files': body(field('photo', '')),
  'a type with parameters': body(file('f', 'a', 'x', 'text/csv; charset=utf-8')),
  'a field with a type': body(
    part('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=utf-8', 'é'),
  ),
  'headers in any order and case': body(
    part('CONTENT-TYPE: text/plain\r\ncontent-disposition: FORM-DATA; NAME="a"', 'x'),
  ),
  'a name without quotes': body(part('Content-Disposition: form-data; name=a', 'x')),
  'text before and after': Buffer.concat([Buffer.from('preamble\r\n'), body(field('a', '1')), Buffer.from('epilogue')]),
  'an empty part without its line break': Buffer.from(
    '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n--b--\r\n',
  ),
  'blanks after the boundary': Buffer.from('--b \t\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n'),
  'a large text': body(field('a', 'x'.repeat(1990))),
  'too much text': body(field('a', 'x'.repeat(1500)), field('b', 'x'.repeat(600))),
  'a file at its limit': body(file('f', 'a', 'x'.repeat(3000))),
  'a file over it': body(file('f', 'a', 'x'.repeat(3001))),
  'too many files': body(...[1, 2, 3, 4].map((n) => file(`f${n}`, 'a', 'x'))),
  'a broken text': body(field('a', Buffer.from([0xc3, 0x28]))),
  'a text in another charset': body(
    part('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=latin1', 'x'),
  ),
  'no name': body(part('Content-Disposition: form-data', 'x')),
  'an empty name': body(field('', 'x')),
  'a name that is too long': body(field('n'.repeat(300), 'x')),
  'headers that are too long': body(part(`X: ${'x'.repeat(17_000)}\r\nContent-Disposition: form-data; name="a"`, 'x')),
  'no disposition': body(part('Content-Type: text/plain', 'x')),
  'no end': Buffer.concat([field('a', '1')]),
  'cut off in a file': Buffer.concat([field('a', '1'), file('f', 'a', 'x'.repeat(100)).subarray(0, 60)]),
  'no boundary in it': Buffer.from('hello'),
  nothing: Buffer.alloc(0),
};

describe('both readers of multipart bodies', () => {
  for (const [name, content] of Object.entries(bodies))
    test(`agree on ${name}`, async () => {
      const [buffered, streamed] = await Promise.all([sent(content, TYPE, false), sent(content, TYPE, true)]);
      assert.deepEqual(streamed, buffered);
    });

  test('agree on three hundred bodies of random parts, whatever the boundary', async () => {
    let seed = 20260101;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      return Math.floor((seed / 0x80000000) * below);
    };
    const pieces = ['a', '\r\n', '\r', '\n', '--', '-', '"', ' ', 'é', '🎈', '%22', '', '--b', '\r\n--', '\r\n--b-'];
    const text = () => Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join('');
    for (let n = 0; n < 300; n++) {
      const boundary =
        ['b0', 'a-b_c.d', "x'y", '-----------------------------9051914041544843365972754266'][random(4)] ?? '';
      const parts = Array.from({ length: random(6) }, (_, i) =>
        random(3) ? field(`f${i}[${random(3)}]`, text()) : file(`u${i}`, 'a.bin', text()),
      );
      const content = Buffer.from(
        body(...parts)
          .toString('latin1')
          .replaceAll(/(^|\r\n)--b(?=\r\nContent|--\r\n$)/g, `$1--${boundary}`),
        'latin1',
      );
      const type = `multipart/form-data; boundary="${boundary}"`;
      const [buffered, streamed] = await Promise.all([sent(content, type, false), sent(content, type, true)]);
      assert.deepEqual(streamed, buffered, JSON.stringify(content.toString('latin1')));
    }
  });

  test('leave no file behind', () => assert.deepEqual(readdirSync(upload_folder), []));
});

/** A request of which only the head was sent. */
const opened = ({ url }: { url: string }, line: string, ...headers: string[]) => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write([`${line} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n'));
  return { socket, answer: socket.toArray().then((chunks) => Buffer.concat(chunks).toString()) };
};
const lengthOf = (length: number) => `Content-Length: ${length}`;
const JSON_TYPE = 'Content-Type: application/json';
const CREDENTIALS = [`Authorization: Bearer ${world.northwind.api_key}`, 'Service-Id: 1', 'Connection: close'];

test('a body that stands still is answered 408 and let go; a large one, sent as slowly, is waited for', async () => {
  const atrium = await startAtrium({ request_timeout_ms: 1000 });
  const large = opened(atrium, 'POST /v1/documents', ...CREDENTIALS, `Content-Type: ${TYPE}`, lengthOf(5_000_000));
  const still = opened(atrium, 'POST /v1/pages', ...CREDENTIALS, JSON_TYPE, lengthOf(20));
  still.socket.write('{"title"');
  const head = Buffer.concat([
    field('label', 'Plan'),
    Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'),
  ]);
  large.socket.write(head);
  const answer = await still.answer;
  assert.match(answer, /^HTTP\/1.1 408 /);
  assert.equal(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).status, 'error');
  const end = Buffer.from('\r\n--b--\r\n');
  large.socket.write(Buffer.alloc(5_000_000 - head.length - end.length, 120));
  large.socket.write(end);
  assert.match(await large.answer, /^HTTP\/1.1 201 /);
});

describe('before its body is read, a request', { concurrency: true }, async () => {
  const atrium = await startAtrium({ open_bodies_bytes_max: 64 * 1024, upload_timeout_ms: 2000 });
  const FORM = `Content-Type: ${TYPE}`;
  for (const [what, status, ...request] of [
    ['signs in with 17 KB', 413, 'POST /v1/sessions', JSON_TYPE, lengthOf(17_000)],
    ['signs in with a form of 17 KB', 413, 'POST /v1/sessions', FORM, lengthOf(17_000)],
    ['brings more text than any endpoint takes', 413, 'POST /v1/pages', JSON_TYPE, lengthOf(6_000_000)],
    ['brings more than all files together may have', 413, 'POST /v1/updates', FORM, lengthOf(1e12)],
    ['brings files to where there are none', 413, 'POST /v1/pages', FORM, lengthOf(25_000_000)],
    ['brings a body to where there is none', 413, 'POST /v1/spaces/1/archive', JSON_TYPE, lengthOf(17_000)],
    ['names no endpoint', 404, 'POST /v1/nothing', FORM, lengthOf(1e12)],
    ['has a wrong method', 405, 'POST /v1/sessions/current', FORM, lengthOf(1e12)],
    ['has no credential', 401, 'POST /v1/updates', FORM, lengthOf(25_000_000)],
    ['names no address for uploads', 404, 'PUT /uploads/1/1', 'Content-Type: video/mp4', lengthOf(1e9)],
  ] as const)
    test(`is answered ${status} and let go when it ${what}`, async () => {
      const { answer } = opened(atrium, request[0], ...request.slice(1));
      assert.match(await answer, new RegExp(`^HTTP/1.1 ${status} `));
    });

  test('may announce what it likes: it ends in time', async () => {
    const { socket, answer } = opened(atrium, 'POST /v1/updates', ...CREDENTIALS, FORM, lengthOf(400_000_000));
    socket.write('--b\r\n');
    assert.match(await answer, /^HTTP\/1.1 408 /);
  });
});

test('a file where the contract has none is refused with its field, also in pieces of unknown length', async () => {
  const atrium = await startAtrium();
  const page = { body: body(field('title', 'T'), file('html_content', 'a.html', 'x')), type: TYPE };
  const reply = await atrium.call('POST', '/v1/pages', { raw: page });
  assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'html_content']);
  for (const [type, content] of [
    [`Content-Type: ${TYPE}`, field('email', 'x'.repeat(17_000))],
    [`Content-Type: ${TYPE}`, Buffer.concat(Array.from({ length: 400 }, () => field('email', '')))],
    [JSON_TYPE, Buffer.from(`{"email":"${'x'.repeat(17_000)}`)],
  ] as const) {
    const { socket, answer } = opened(atrium, 'POST /v1/sessions', type, 'Service-Id: 1', 'Transfer-Encoding: chunked');
    socket.write(`${content.length.toString(16)}\r\n`);
    socket.write(content);
    assert.match(await answer, /^HTTP\/1.1 413 /);
  }
});

test('bodies that wait for a credential keep nobody from signing in: the slowest is given up', async () => {
  const atrium = await startAtrium({ open_bodies_bytes_max: 64 * 1024 });
  const slow = Array.from({ length: 5 }, () =>
    opened(atrium, 'POST /v1/sessions', 'Service-Id: 1', JSON_TYPE, lengthOf(500)),
  );
  const ended = await Promise.race(slow.map(({ answer }, n) => answer.then((text) => ({ n, text }))));
  assert.match(ended.text, /^HTTP\/1.1 408 /);
  const reply = await atrium.call('POST', '/v1/sessions', { key: null, json: {} });
  assert.deepEqual([reply.status, reply.body.meta.errors[0].path], [400, 'email']);
  for (const { socket } of slow) socket.destroy();
});
