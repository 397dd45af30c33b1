// Where organisations live that were given no domain of their own: at the base address, or at a name before it.
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Config } from './kernel/config.ts';
import type { Db } from './kernel/data/db.ts';
import { slugOf } from './modules/content/slug.ts';
import type { Address } from './modules/organisations/addresses.ts';
import { listOrganisations, updateAddress } from './modules/organisations/queries.ts';

const isWildcard = (host: string) => host === '0.0.0.0' || host === '::';

/** What people open; `port` is the one that is listened on, where that is known. */
export function baseUrl({ base_url, host }: Pick<Config, 'base_url' | 'host'>, port: number): string {
  // A wildcard is an address to listen on, not one to open.
  const shown = isWildcard(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return base_url ? new URL(base_url).origin : `http://${shown}:${port}`;
}

/** Addresses of this machine in its networks, where a server that listens on all of them is reached. */
export const networkUrls = ({ host }: Pick<Config, 'host'>, port: number): string[] =>
  isWildcard(host)
    ? Object.values(networkInterfaces())
        .flatMap((addresses = []) => addresses)
        .filter(({ internal, family }) => !internal && family === 'IPv4')
        .map(({ address }) => `http://${address}:${port}`)
    : [];

/** Undefined: the base is taken, and no host name can be made of the organisation's name. */
export function defaultAddress(name: string, base: string, taken: ReadonlySet<string>): Address | undefined {
  const { protocol, host, hostname, port } = new URL(base);
  const parent = isIP(hostname.replace(/^\[|\]$/g, '')) ? `localhost${port && `:${port}`}` : host;
  const label = slugOf(name);
  const named = /^[a-z0-9-]{1,63}$/.test(label) ? [`${label}.${parent}`] : [];
  const domain = [host, ...named].find((each) => !taken.has(each));
  return domain === undefined ? undefined : { domain, web_url: `${protocol}//${domain}` };
}

/** Organisations without a domain of their own move to the base, the oldest first. */
export async function followBase(db: Db, base: string): Promise<void> {
  const organisations = await listOrganisations(db);
  const taken = new Set(organisations.flatMap(({ domain, has_own_domain }) => (has_own_domain ? [domain] : [])));
  for (const { id, name, web_url, has_own_domain } of organisations) {
    if (has_own_domain) continue;
    const address = defaultAddress(name, base, taken);
    if (!address) continue;
    taken.add(address.domain);
    if (address.web_url !== web_url) await updateAddress(db.inOrganisation(id), address, false);
  }
}
