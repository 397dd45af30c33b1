// Where the answers say that this installation is. A Host that nobody here is known by never comes back in an answer:
// whoever sends it may not be the one who reads that.
import type { FastifyRequest } from 'fastify';
import { refuseInvalid } from '../contract/errors.ts';
import type { Db } from '../data/db.ts';

/** Scheme, host and port as the client reached it, where that is the organisation's own; else the organisation's. */
export type BaseUrl = (request: FastifyRequest, organisation_id: number) => string | Promise<string>;

const KNOWN_MS = 10_000;
const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i;
export const isLoopback = (host: string) => LOOPBACK.test(host);

export function createBaseUrl(db: Db): BaseUrl {
  const known = new Map<number, { url: URL; until: number }>();
  const own = async (id: number) => {
    const there = known.get(id);
    if (there && there.until > performance.now()) return there.url;
    const [row] = await db.installation.rows<{ url: string }>(
      'select web_url as url from organisations where id = $1',
      [id],
    );
    const url = new URL(row?.url ?? 'http://localhost');
    known.set(id, { url, until: performance.now() + KNOWN_MS });
    return url;
  };
  return (request, organisation_id) => {
    const asked = `${request.protocol}://${request.host}`;
    if (isLoopback(request.host)) return asked;
    return own(organisation_id).then((url) => (url.host === request.host.toLowerCase() ? asked : url.origin));
  };
}

const HOST = /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i;
/** RFC 9112 3.2: no Host, two, or one that is none. HTTP/1.0 needs none. */
export function refuseBadHost(request: FastifyRequest) {
  const { rawHeaders, httpVersionMinor } = request.raw;
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.length === 4 && /^host$/i.test(name)).length;
  if (hosts === 0 && httpVersionMinor === 0) return;
  if (hosts !== 1 || !HOST.test(request.host)) refuseInvalid('Host', 'must be one host name or address');
}
