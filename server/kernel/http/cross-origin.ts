// Pages of other origins, which a browser lets read an answer only where the answer says so (CORS, in the Fetch
// standard). A preflight names no organisation: it passes where any organisation lists the page's origin. The answer
// itself is for pages that its own organisation lists. Cookies do not cross origins, so a page brings a credential.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Db, Tx } from '../data/db.ts';
import type { PointRead } from '../data/point-reads.ts';
import { pathOf } from './methods.ts';

export interface Origins {
  /** The organisation of this request lists the page that sent it. */
  isListed(request: FastifyRequest, origin: string): Promise<boolean>;
  isListedAnywhere(origin: string): Promise<boolean>;
}

const listed: PointRead = {
  keyType: 'text',
  text: `select 'true' from organisations where id = $1 and KEY = any(cors_origins)`,
};

export function createOrigins(db: Db, organisationOf: (request: FastifyRequest) => Promise<Tx>): Origins {
  return {
    async isListed(request, origin) {
      const { organisation } = request.params as { organisation?: string };
      const tx = request.tx ?? (organisation ? db.inOrganisation(Number(organisation)) : await organisationOf(request));
      return (await tx.lookup(listed, origin)) !== undefined;
    },
    isListedAnywhere: async (origin) =>
      (await db.installation.rows('select from organisations where cors_origins @> array[$1]', [origin])).length > 0,
  };
}

/** Chromium keeps a preflight no longer. */
const MAX_AGE_S = 7200;
/** What a page may read beside the headers that every page may. */
const EXPOSED = [
  ...['X-Request-Id', 'ETag', 'Location', 'Link', 'Retry-After', 'Allow', 'WWW-Authenticate', 'Deprecation', 'Sunset'],
  ...['Content-Disposition', 'Content-Range', 'Accept-Ranges'],
].join(', ');
const SENT = ['Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'Range', 'If-Range', 'Idempotency-Key'];
const ofBrand = (brand: string) => [`${brand}-Id`, `X-${brand}-Jwt`, `X-${brand}-Jwt-Keyid`];

const isOfOtherHost = (origin: string, host: string) => URL.parse(origin)?.host !== host.toLowerCase();

export function answerPages(app: FastifyInstance, origins: Origins, brand: string) {
  const sent = [...new Set([...SENT, ...ofBrand('Service'), ...ofBrand(brand)])].join(', ');

  app.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': asked } = request.headers;
    if (request.method !== 'OPTIONS' || origin === undefined || asked === undefined) return done();
    const methods = app.allowedMethods?.(pathOf(request.url));
    if (!methods) return done();
    origins.isListedAnywhere(origin).then((isListed) => {
      if (!isListed) return done();
      reply.headers({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': methods,
        'access-control-allow-headers': sent,
        'access-control-max-age': MAX_AGE_S,
      });
      reply.code(204).send();
    }, done);
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    const { origin } = request.headers;
    if (origin === undefined || request.method === 'OPTIONS' || !isOfOtherHost(origin, request.host))
      return done(null, payload);
    const answer = (isListed: boolean) => {
      if (isListed) reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED });
      done(null, payload);
    };
    // Of a request that names no organisation, or while the database does not answer, no page reads the answer.
    origins.isListed(request, origin).then(answer, () => answer(false));
  });
}
