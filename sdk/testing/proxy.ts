// A proxy in front of Atrium that goes wrong when it is asked to: the header x-trouble has a name, how often, and what.
//   429, 503     answers that, with Retry-After 1, and does not ask Atrium
//   cut-before   hangs up without asking Atrium      cut-after   lets Atrium finish, then hangs up
//   hang         never answers
// The first upload of more than a mebibyte to an address is cut in its middle. /proxy/cut ends every socket.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';

const sdk = join(import.meta.dirname, '..');
const UPLOAD_CUT_BYTES = 1024 * 1024;

export async function startProxy(target: () => string) {
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const cutUploads = new Set<string>();
  /** Requests as no client of the interface sends them. */
  const violations: string[] = [];

  function forward(asked: IncomingMessage, answer: ServerResponse, isCut: boolean) {
    const { hostname, port } = new URL(target());
    const { method, url: path = '', headers } = asked;
    const upstream = request({ hostname, port, method, path, headers }, (answered) => {
      if (!isCut) answer.writeHead(answered.statusCode ?? 502, answered.headers);
      if (!isCut) return void answered.pipe(answer);
      answered.resume().on('end', () => answer.destroy());
    });
    upstream.on('error', () => answer.destroy());
    asked.on('close', () => !asked.complete && upstream.destroy());
    if (!path.startsWith('/uploads/') || cutUploads.has(path)) return void asked.pipe(upstream);
    let bytes = 0;
    asked.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= UPLOAD_CUT_BYTES) return void upstream.write(chunk);
      cutUploads.add(path);
      counts.set('cut-uploads', cutUploads.size);
      upstream.destroy();
      asked.destroy();
    });
    asked.on('end', () => upstream.end());
  }

  const server = createServer((asked, answer) => {
    const { pathname, searchParams } = new URL(asked.url ?? '', 'http://proxy');
    if (pathname === '/proxy/count') return void answer.end(String(counts.get(searchParams.get('name') ?? '') ?? 0));
    if (pathname === '/proxy/cut') {
      for (const socket of sockets) socket.destroy();
      return void answer.end();
    }
    if (pathname.startsWith('/sdk/')) return void serveModule(pathname, answer);
    if ('idempotency-key' in asked.headers) violations.push(`${asked.url}: Idempotency-Key`);
    if (pathname.startsWith('/v1/') && asked.headers.accept !== 'application/json')
      violations.push(`${asked.url}: Accept ${asked.headers.accept}`);
    const [name = '', times = '0', what = ''] = String(asked.headers['x-trouble'] ?? '').split(' ');
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const trouble = count <= Number(times) ? what : '';
    if (trouble === 'hang') return;
    if (trouble === 'cut-before') return void asked.destroy();
    if (/^\d+$/.test(trouble)) return void answer.writeHead(Number(trouble), { 'retry-after': '1' }).end('Later.');
    forward(asked, answer, trouble === 'cut-after');
  });
  server.on('upgrade', (asked: IncomingMessage, client: Socket) => {
    const { hostname, port } = new URL(target());
    const upstream = connect(Number(port), hostname);
    const { rawHeaders } = asked;
    const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []));
    upstream.write(`GET ${asked.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    upstream.pipe(client).pipe(upstream);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => [client, upstream].map((each) => each.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, violations };
}

function serveModule(pathname: string, answer: ServerResponse) {
  const file = pathname.slice('/sdk/'.length);
  if (!/^(testing\/)?[\w-]+\.js$/.test(file))
    return answer.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>sdk</title>');
  return answer.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(sdk, file)));
}
