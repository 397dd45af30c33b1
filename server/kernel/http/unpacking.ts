// Bodies that come compressed, unpacked while they arrive: as many bytes may come out as the endpoint takes.
import { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { FastifyRequest, RequestPayload } from 'fastify';
import { Refusal, refuse } from '../contract/errors.ts';

const unpackers = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
const ACCEPTED = { headers: { 'accept-encoding': 'gzip, br, deflate' } };

/** The body as its sender wrote it. */
export function unpacked({ headers, routeOptions }: FastifyRequest, payload: RequestPayload, bytes_max: number) {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === '' || encoding === 'identity') return payload;
  const unpack = unpackers[encoding as keyof typeof unpackers];
  if (!Object.hasOwn(unpackers, encoding))
    refuse('unsupported_media_type', `No body in the encoding ${encoding.slice(0, 40)} is read.`, ACCEPTED);
  if (headers['content-type']?.startsWith('multipart/'))
    refuse('unsupported_media_type', `A multipart body is not read in ${encoding}: send it as it is.`, {
      headers: { 'accept-encoding': 'identity' },
    });
  const most = routeOptions.config.limits?.text_bytes_max ?? bytes_max;
  let [sent, bytes] = [0, 0];
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > most ? new Refusal('payload_too_large', `The body has more than ${most} bytes.`) : null, chunk);
    },
  });
  const unpacking = unpack();
  payload.on('data', (chunk: Buffer) => {
    sent += chunk.length;
  });
  for (const stream of [payload, unpacking]) stream.on('error', (error) => counted.destroy(error));
  counted.on('error', () => unpacking.destroy());
  // Fastify compares it with Content-Length.
  Object.defineProperty(counted, 'receivedEncodedLength', { get: () => sent });
  return payload.pipe(unpacking).pipe(counted);
}
