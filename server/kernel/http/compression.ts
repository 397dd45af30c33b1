// Answers over 1 KB, compressed for clients that take that. Work of zlib's own threads: no other request waits for it.
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract/contract.ts';

const LEAST_BYTES = 1024;
const QUICK_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const QUICK_GZIP = { level: 4 };
const packers = {
  br: (text: string, done: (error: Error | null, packed: Buffer) => void) => brotliCompress(text, QUICK_BROTLI, done),
  gzip: (text: string, done: (error: Error | null, packed: Buffer) => void) => gzip(text, QUICK_GZIP, done),
};

const SECRET = /"(\w*_)?(secret|token|api_key|passcode|password)"\s*:/;
/**
 * Whether its answer holds a secret. The length of what is compressed tells whoever can put text beside a secret how
 * much the two have in common (BREACH).
 */
export const holdsSecret = ({ reply, beside, meta }: Endpoint) => SECRET.test(JSON.stringify([reply, beside, meta]));

/** RFC 9110 12.5.3, of what is spoken here: brotli where it is taken, because it packs better. */
export function preferredEncoding(header: string | string[] | undefined): keyof typeof packers | undefined {
  const taken = String(header ?? '')
    .split(',')
    .map((one) => one.split(';'))
    .filter(([, weight]) => Number(weight?.split('=')[1] ?? 1) > 0)
    .map(([name = '']) => name.trim().toLowerCase());
  return taken.includes('br') ? 'br' : taken.includes('gzip') ? 'gzip' : undefined;
}

export function compress(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
) {
  const { hasSecret } = request.routeOptions.config;
  if (typeof payload !== 'string' || payload.length < LEAST_BYTES || hasSecret || reply.hasHeader('set-cookie'))
    return done(null, payload);
  reply.header('vary', reply.hasHeader('vary') ? `${reply.getHeader('vary')}, Accept-Encoding` : 'Accept-Encoding');
  const encoding = preferredEncoding(request.headers['accept-encoding']);
  if (encoding === undefined) return done(null, payload);
  // Another sequence of bytes has no strong validator in common with this one (RFC 9110 8.8.3).
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string' && !etag.startsWith('W/')) reply.header('etag', `W/${etag}`);
  reply.header('content-encoding', encoding).removeHeader('content-length');
  packers[encoding](payload, done);
}
