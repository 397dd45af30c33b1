// Requests that do not arrive: what is no HTTP, what is too long, and bodies that come too slowly. Fastify does not see
// the first two; all get the envelope.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { Refusal } from '../contract/errors.ts';
import { failure } from './envelope.ts';

/** An `import` would run every getter of the module, and one of them loads a fetch of 5 MB that nothing here uses. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT';
const reasons: Record<string, [status: number, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers are larger than 16 KiB.'],
  [TOO_LATE]: [408, 'invalid_request', 'The request did not arrive in time.'],
};
const notHttp = [400, 'invalid_request', 'This is not a valid HTTP/1.1 request.'] as const;
const noSuchMethod = [405, 'method_not_allowed', 'This is not a method of this path.'] as const;

type Broken = { code?: string | undefined; rawPacket?: unknown };
/** `allowed`: methods of a path, for those that no parser knows. */
export function refuseBrokenRequest(
  { code: reason = '', rawPacket }: Broken,
  socket: Socket,
  allowed?: (path: string) => string | undefined,
) {
  if (reason === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const path = /^[!-~]{1,40} (\/[^\s?]*)\S* HTTP\/1\.\d\r\n/.exec(
    Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, 2048) : '',
  )?.[1];
  const allow = reason === 'HPE_INVALID_METHOD' && path ? allowed?.(path) : undefined;
  const [status, code, message] = allow ? noSuchMethod : (reasons[reason] ?? notHttp);
  const request_id = randomUUID();
  const body = failure(new Refusal(code, message), request_id);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    `X-Request-Id: ${request_id}`,
    ...(allow ? [`Allow: ${allow}`] : []),
  ];
  // Whoever goes on sending keeps no connection by it.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => setTimeout(() => socket.destroy(), 1000).unref());
}

/** `Expect` asks for what no server does; 100-continue is Node's own work. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse) {
  const request_id = randomUUID();
  const refusal = new Refusal('expectation_failed', 'The only expectation that is met is 100-continue.', {
    path: 'Expect',
  });
  const body = failure(refusal, request_id);
  response.writeHead(417, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': request_id,
    connection: 'close',
  });
  response.end(body);
}

export const refuseLate = (socket: Socket) => refuseBrokenRequest({ code: TOO_LATE }, socket);

const SLOWEST_BYTES_MS = 65.536;
const LINGER_MS = 2000;
type Times = Pick<Config, 'request_timeout_ms' | 'upload_timeout_ms'>;
/**
 * A body must arrive in time; large ones are given what 64 KiB a second take, but not for ever. What arrives after the
 * answer is dropped, and only for so long that a client which is still sending gets to read it.
 */
export function limitArrival({ headers, raw }: FastifyRequest, reply: FastifyReply, times: Times) {
  const length = Number(headers['content-length'] ?? 0);
  if (length === 0 && headers['transfer-encoding'] === undefined) return;
  const { request_timeout_ms, upload_timeout_ms } = times;
  let late = setTimeout(
    () => (reply.raw.headersSent ? raw.socket.destroy() : refuseLate(raw.socket)),
    Math.min(request_timeout_ms + length / SLOWEST_BYTES_MS, upload_timeout_ms),
  );
  reply.raw.once('finish', () => {
    clearTimeout(late);
    // undefined: it was made inside the process, and nobody is sending.
    if (raw.complete === false) late = setTimeout(() => raw.socket.destroy(), LINGER_MS).unref();
  });
  raw.once('close', () => clearTimeout(late));
}
