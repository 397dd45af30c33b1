// The one way out: every address that somebody configured is called through here.
//
//   examine   the address as text: scheme, no user name, port, an IP address in any spelling that URLs have
//   resolve   the name, at the moment a connection is made; one address that is not public refuses them all
//   connect   to the very addresses that were judged; 5 s for name, TCP and TLS together               connection.ts
//   answer    5 s from the request to the last byte, however it trickles; redirects are answers like any other
import dns from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import type { Agent } from 'undici';
import type { Config } from '../config.ts';
import { isPublic, isWithin, rangesOf } from './addresses.ts';
import { CONNECT_MS, connector, dispatch, type EgressAnswer, EgressFailure, type EgressRequest } from './connection.ts';

export { EgressFailure };

export interface Egress {
  /**
   * The verdict when an address is saved, the same as when it is called: throws an EgressFailure `refused_address`. A
   * name that does not resolve now may do so later: it is not refused.
   */
  check(url: string): Promise<void>;
  /** Any status is an answer; without one an EgressFailure is thrown. */
  send(request: EgressRequest): Promise<EgressAnswer>;
  close(): Promise<void>;
}

const EXAMINED_MAX = 1000;
/** Names that only machines of a private network have. */
const PRIVATE_NAME = /^[^.]+$|(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/;
/** Ports of other protocols, which an HTTP request could be used to speak (Fetch standard, "bad port"). */
const badPorts = new Set(
  `1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123
  135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995
  1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6379 6566 6665 6666 6667 6668 6669 6679 6697 10080`.split(/\s+/),
);

export function createEgress(config: Pick<Config, 'env' | 'egress_allow' | 'egress_dns' | 'egress_ca'>): Egress {
  const development = config.env === 'development';
  const ranges = [...(development ? ['127.0.0.0/8', '::1/128'] : []), ...listOf(config.egress_allow)];
  const allowed = rangesOf(ranges);
  const resolver = config.egress_dns === undefined ? undefined : new dns.Resolver({ timeout: 1500, tries: 2 });
  resolver?.setServers(listOf(config.egress_dns));
  const ca = config.egress_ca && [...tls.rootCertificates, readFileSync(config.egress_ca, 'utf8')];
  const mayReach = (address: string) => isPublic(address) || isWithin(allowed, address);
  const refuse = (reason: string): never => {
    throw new EgressFailure('refused_address', reason);
  };

  /** The verdict on a text is always the same; that on a name is made anew for every connection. */
  const examined = new Map<string, { hostname: string; origin: string; path: string }>();
  const examine = (text: string) => {
    const known = examined.get(text);
    if (known) return known;
    const url = URL.parse(text) ?? refuse('This is not a URL.');
    if (url.protocol !== 'https:' && !(development && url.protocol === 'http:'))
      refuse('The address must begin with https://.');
    if (url.username !== '' || url.password !== '') refuse('The address must not carry a user name or password.');
    if (badPorts.has(url.port)) refuse(`Port ${url.port} belongs to another protocol.`);
    const host = url.hostname.replace(/\.$/, '');
    const literal = host.replace(/^\[|\]$/g, '');
    if (net.isIP(literal) ? !mayReach(literal) : host === '' || (ranges.length === 0 && PRIVATE_NAME.test(host)))
      refuse(`${host} is not an address of the public internet.`);
    if (examined.size >= EXAMINED_MAX) examined.clear();
    const endpoint = { hostname: url.hostname, origin: url.origin, path: url.pathname + url.search };
    examined.set(text, endpoint);
    return endpoint;
  };

  const resolve = async (host: string) => {
    const found = await (resolver ? resolveWith(resolver, host) : dns.lookup(host, { all: true })).catch((cause) => {
      throw new EgressFailure('dns_failed', `The name ${host} cannot be resolved.`, cause);
    });
    for (const { address } of found)
      if (!mayReach(address))
        refuse(`The name ${host} leads to ${address}, which is not an address of the public internet.`);
    return found;
  };
  const lookup: net.LookupFunction = (host, options, done) => {
    resolve(host).then(
      (found) => (options.all ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family)),
      (error) => done(error, '', 0),
    );
  };

  let agent: Promise<Agent> | undefined;
  const createAgent = async () => {
    const { Agent } = await import('undici');
    return new Agent({
      connect: connector({ lookup, ca }),
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
  };

  return {
    async check(text) {
      const { hostname: host } = examine(text);
      if (host.startsWith('[') || net.isIP(host)) return;
      const judged = resolve(host).catch((error: EgressFailure) => {
        if (error.kind !== 'dns_failed') throw error;
      });
      await Promise.race([judged, sleep(CONNECT_MS, undefined, { ref: false })]);
    },
    async send(request) {
      const endpoint = examine(request.url);
      agent ??= createAgent();
      return dispatch(await agent, endpoint, request);
    },
    close: async () => (await agent)?.destroy(),
  };
}

export const listOf = (text: string | undefined) => (text ?? '').split(/[\s,]+/).filter(Boolean);

async function resolveWith(resolver: dns.Resolver, host: string) {
  const answers = await Promise.allSettled([resolver.resolve6(host), resolver.resolve4(host)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length === 0) throw (answers[1] as PromiseRejectedResult).reason;
  return found.map((address) => ({ address, family: net.isIP(address) }));
}
