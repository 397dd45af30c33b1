// Files by signed address, and the addresses that large files are uploaded to. Neither carries a credential: the
// signature is the permission. What people uploaded is never run: no sniffing, a sandbox, and only what cannot carry
// scripts is shown inline.
import type { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import isFresh from 'fresh';
import parseRange from 'range-parser';
import { Refusal, refuse, refuseNotFound } from '../../kernel/contract/errors.ts';
import { signatureFor } from '../../kernel/files/readers.ts';
import type { Mounted } from '../../kernel/http/methods.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { isSame } from '../../kernel/people/secrets.ts';
import { findSignedFile, mayStillRead, type SignedFile } from './addresses.ts';
import { formerSignature } from './former-keys.ts';

const INLINE = /^(image\/(png|jpeg|gif|webp|avif)|video\/[\w.-]+|audio\/[\w.-]+|application\/pdf)$/;
/** Types that no page can make run as a script or a style: all others go out as bytes. */
const PASSIVE = [
  /^text\/(plain|csv|markdown|calendar)$/,
  /^application\/(zip|msword|rtf)$/,
  /^application\/vnd\.(ms-(excel|powerpoint)|openxmlformats-officedocument|oasis\.opendocument)[\w.-]*$/,
];

const isPassive = (content_type: string) => PASSIVE.some((pattern) => pattern.test(content_type));

export const mountedFiles: readonly Mounted[] = [
  { method: 'GET', path: '/files/{organisation}/{asset}/{variant}/{name}' },
  { method: 'PUT', path: '/uploads/{organisation}/{asset}' },
];

interface Place {
  Params: { organisation: string; asset: string; variant: string };
  Querystring: { expires?: string; reader?: string; signature?: string };
}

export function mountFiles(app: FastifyInstance, services: Services) {
  const { clock, db, storage } = services;

  /** The asset, if the address is signed and has not expired. Else the answer never says which. */
  async function signedAsset(
    path: string,
    { params, query }: Pick<FastifyRequest<Place>, 'params' | 'query'>,
  ): Promise<SignedFile> {
    const numbers = [params.organisation, params.asset, query.expires, query.reader ?? 1].map(Number);
    if (!numbers.every((n) => Number.isSafeInteger(n) && n > 0)) return refuseNotFound();
    const [organisation_id = 0, asset_id = 0, expires = 0, named = 0] = numbers;
    const reader = query.reader === undefined ? null : named;
    const tx = db.inOrganisation(organisation_id);
    const target = `${path}?expires=${expires}`;
    const found = (await findSignedFile(tx, asset_id, target, reader)) ?? refuseNotFound();
    const { signature, file_keys_sealed } = found;
    const given = String(query.signature ?? '');
    const former = () => file_keys_sealed !== null && formerSignature(tx, services, file_keys_sealed, target);
    const isSigned = (by: string) => isSame(given, reader === null ? by : signatureFor(reader, by));
    if (!isSigned(signature) && !isSigned(former() || signature)) return refuseNotFound();
    if (expires * 1_000_000 <= clock.micros())
      refuse('not_found', 'This address has expired; read the content again for a new one.');
    if (reader !== null && !(await mayStillRead(tx, reader, found)))
      refuse('not_found', 'This address ended: whom it was made for may not read the file any longer.');
    return found;
  }

  const url = '/files/:organisation/:asset/:variant/:name';
  app.route<Place>({ method: ['GET', 'HEAD'], url, handler: serve });
  async function serve(request: FastifyRequest<Place>, reply: FastifyReply) {
    const { organisation, asset, variant } = request.params;
    const found = await signedAsset(`/files/${organisation}/${asset}/${variant}`, request);
    const etag = found.sha256?.slice(0, 32);
    const file =
      variant === 'original'
        ? { ...found, key: found.storage_key, etag: `"${etag}"` }
        : { ...thumbnail, key: variant === 'thumbnail' ? found.thumbnail_key : null, etag: `"${etag}-t"` };
    if (file.key === null || found.state !== 'ready') return refuseNotFound();
    const { key } = file;
    describe(reply, file);
    const { 'if-none-match': known } = request.headers;
    if (isFresh({ 'if-none-match': known }, { etag: file.etag })) return reply.code(304).send();
    const byte_size = file.byte_size ?? (await storage.byteSize(Number(organisation), key)) ?? refuseNotFound();
    const range = rangeOf(request, byte_size, file.etag);
    if (range === 'unsatisfiable')
      return reply
        .code(416)
        .header('content-range', `bytes */${byte_size}`)
        .header('content-type', 'text/plain')
        .send('');
    reply.header('content-length', range ? range.end - range.start + 1 : byte_size);
    if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${byte_size}`);
    if (request.method === 'HEAD') return reply.send();
    const { stream } = (await storage.open(Number(organisation), key, range)) ?? refuseNotFound();
    return reply.send(stream);
  }

  app.register(async (scope) => {
    // The body goes to the storage as it comes, whatever it says it is.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.put<Place & { Body: Readable | undefined }>(
      '/uploads/:organisation/:asset',
      { bodyLimit: services.config.asset_bytes_max },
      async (request, reply) => {
        const { organisation, asset } = request.params;
        const found = await signedAsset(`/uploads/${organisation}/${asset}`, request);
        if (!found.may_be_sent) refuse('not_found', 'This address ended with the access of who asked for it.');
        if (found.state !== 'pending') throw new Refusal('conflict', 'This upload is confirmed already.');
        if (Number(request.headers['content-length'] ?? 0) > found.byte_size) throw wrongSize('more', found.byte_size);
        const body = request.body ?? refuse('invalid_request', 'The body is the file.');
        const stored = await storage.receive(Number(organisation), found.storage_key, exactly(found.byte_size, body));
        if (!stored) throw new Refusal('conflict', 'Something was uploaded to this address already.');
        return reply.code(204).send();
      },
    );
  });
}

const thumbnail = { content_type: 'image/webp', file_name: 'thumbnail.webp', byte_size: undefined };

function describe(
  reply: FastifyReply,
  { content_type, file_name, etag }: { content_type: string; file_name: string; etag: string },
) {
  const type = INLINE.test(content_type) ? 'inline' : 'attachment';
  reply.headers({
    'content-type': type === 'inline' || isPassive(content_type) ? content_type : 'application/octet-stream',
    'content-disposition': contentDisposition(file_name, { type }),
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'cache-control': 'private, max-age=3600, immutable',
    'accept-ranges': 'bytes',
    etag,
  });
}

/** RFC 9110 14: one range; several, or one that If-Range does not confirm, get the whole file. */
function rangeOf(
  { headers }: FastifyRequest,
  byte_size: number,
  etag: string,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  const asked = headers.range;
  if (asked === undefined || (headers['if-range'] !== undefined && headers['if-range'] !== etag)) return undefined;
  const ranges = parseRange(byte_size, asked, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  return ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1 ? undefined : ranges[0];
}

const wrongSize = (what: 'more' | 'fewer', byte_size: number) =>
  new Refusal('invalid_request', `The upload has ${what} than the ${byte_size} bytes that were announced.`, {
    path: 'byte_size',
  });

/** Passes so many bytes; one more or fewer is an error, after which the storage keeps nothing. */
async function* exactly(byte_size: number, source: Readable): AsyncGenerator<Buffer> {
  let seen = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      seen += chunk.length;
      if (seen > byte_size) break;
      yield chunk;
    }
  } catch (cause) {
    throw new Refusal('malformed_body', 'The upload was cut off.', { cause });
  }
  if (seen !== byte_size) throw wrongSize(seen > byte_size ? 'more' : 'fewer', byte_size);
}
