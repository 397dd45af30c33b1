// The public keys of callbacks, where every callback says that they are. Receivers may fetch them for each one, as a
// key set or, by `keyid`, as PEM (RFC 7468).
import { createPublicKey } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { findPublishedKey, publishedKeys, signingKey } from './keys.ts';

const CACHED_SECONDS = 300;

export function mountJwks(http: FastifyInstance, { db, sealing }: Services) {
  http.get('/.well-known/jwks.json', async (request, reply) => {
    const tx = db.inOrganisation(await organisationOf(request.host));
    // There is nothing to find before the first key was made.
    await signingKey(tx, sealing);
    return reply
      .type('application/json')
      .header('cache-control', `public, max-age=${CACHED_SECONDS}`)
      .send(await publishedKeys(tx));
  });
  http.get<{ Querystring: { keyid?: string } }>('/.well-known/public-keys', async ({ host, query }, reply) => {
    if (typeof query.keyid !== 'string') return refuseInvalid('keyid', 'names one key: the kid of a callback');
    const tx = db.inOrganisation(await organisationOf(host));
    const jwk = (await findPublishedKey(tx, query.keyid)) ?? refuseNotFound();
    return reply
      .type('application/x-pem-file')
      .header('cache-control', `public, max-age=${CACHED_SECONDS}`)
      .send(createPublicKey({ key: JSON.parse(jwk), format: 'jwk' }).export({ type: 'spki', format: 'pem' }));
  });

  /** By the host; an installation of one organisation answers under any name. */
  async function organisationOf(host: string): Promise<number> {
    const found = await db.installation.rows<{ id: number; is_named: boolean }>(
      'select id, domain = $1 as is_named from organisations order by domain = $1 desc, id limit 2',
      [host.toLowerCase()],
    );
    const [first, second] = found;
    return first && (first.is_named || !second) ? first.id : refuseNotFound();
  }
}
