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
const limits = { body_bytes_max: 2000, file_bytes_max: 3000, files_max: 3, upload_folder };
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

test('a body that stands still is answered 408 and let go; a large one, sent as slowly, is waited for', async () => {
  const atrium = await startAtrium({ request_timeout_ms: 1000 });
  const open = (path: string, more: string[], length: number) => {
    const socket = connect(Number(new URL(atrium.url).port), '127.0.0.1');
    socket.write([`POST ${path} HTTP/1.1`, 'Host: x', ...more, `Content-Length: ${length}`, '', ''].join('\r\n'));
    return { socket, answer: socket.toArray().then((chunks) => Buffer.concat(chunks).toString()) };
  };
  const credentials = [`Authorization: Bearer ${world.northwind.api_key}`, 'Service-Id: 1', 'Connection: close'];
  const large = open('/v1/documents', [...credentials, `Content-Type: ${TYPE}`], 5_000_000);
  const still = open('/v1/pages', [...credentials, 'Content-Type: application/json'], 20);
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
