// The one way out: every address that somebody configured is called through here.
//
//   examine   the address as text: scheme, no user name, port, an IP address in any spelling that URLs have
//   resolve   the name, at the moment a connection is made; one address that is not public refuses them all
//   connect   to the very addresses that were judged; 5 s for name, TCP and TLS together
//   answer    5 s from the request to the last byte, however it trickles; redirects are answers like any other
import dns from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { Config } from '../config.ts';
import { isPublic, isWithin, rangesOf } from './addresses.ts';

export type EgressFault =
  | 'refused_address'
  | 'dns_failed'
  | 'connect_timeout'
  | 'connection_refused'
  | 'connection_failed'
  | 'tls_failed'
  | 'response_timeout'
  | 'connection_closed'
  | 'invalid_response';

export class EgressFailure extends Error {
  readonly kind: EgressFault;
  constructor(kind: EgressFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

export interface EgressRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** What is read of the answer; the rest is cut off. */
  answer_bytes_max: number;
}
export interface EgressAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface Egress {
  /**
   * The verdict when an address is saved, the same as when it is called: throws an EgressFailure `refused_address`. A name
   * that does not resolve now may do so later: it is not refused.
   */
  check(url: string): Promise<void>;
  /** Any status is an answer; without one an EgressFailure is thrown. */
  send(request: EgressRequest): Promise<EgressAnswer>;
  close(): Promise<void>;
}

export const CONNECT_MS = 5000;
export const ANSWER_MS = 5000;
const EXAMINED_MAX = 1000;
const NOTHING = Buffer.alloc(0);
/** Names that only machines of a private network have. */
const PRIVATE_NAME = /^[^.]+$|(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/;
/** Ports of other protocols, which an HTTP request could be used to speak (Fetch standard, "bad port"). */
const badPorts = new Set([
  ...[
    1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
    111, 113, 115,
  ],
  ...[
    117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554,
    556, 563, 587,
  ],
  ...[
    601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666,
    6667, 6668,
  ],
  ...[6669, 6679, 6697, 10080],
]);

type Settings = Pick<Config, 'env' | 'egress_allow' | 'egress_dns' | 'egress_ca'>;
type Address = { address: string; family: number };
/** What is called of a URL that was examined. */
type Endpoint = { hostname: string; origin: string; path: string };

export function createEgress({ env, egress_allow, egress_dns, egress_ca }: Settings): Egress {
  const development = env === 'development';
  const ranges = [...(development ? ['127.0.0.0/8', '::1/128'] : []), ...listOf(egress_allow)];
  const allowed = rangesOf(ranges);
  const resolver = egress_dns === undefined ? undefined : new dns.Resolver({ timeout: 1500, tries: 2 });
  resolver?.setServers(listOf(egress_dns));
  const ca = egress_ca === undefined ? undefined : [...tls.rootCertificates, readFileSync(egress_ca, 'utf8')];
  const mayReach = (address: string) => isPublic(address) || isWithin(allowed, address);

  const examined = new Map<string, Endpoint>();
  /** The verdict on a text is always the same; that on a name is made anew for every connection. */
  const examine = (text: string): Endpoint => {
    const known = examined.get(text);
    if (known) return known;
    const { hostname, origin, pathname, search } = examineText(text);
    const endpoint = { hostname, origin, path: pathname + search };
    if (examined.size >= EXAMINED_MAX) examined.clear();
    examined.set(text, endpoint);
    return endpoint;
  };
  const examineText = (text: string): URL => {
    const refused = (reason: string): never => {
      throw new EgressFailure('refused_address', reason);
    };
    const url = URL.parse(text) ?? refused('This is not a URL.');
    if (url.protocol !== 'https:' && !(development && url.protocol === 'http:'))
      refused('The address must begin with https://.');
    if (url.username !== '' || url.password !== '') refused('The address must not carry a user name or password.');
    if (badPorts.has(Number(url.port))) refused(`Port ${url.port} belongs to another protocol.`);
    const host = url.hostname.replace(/\.$/, '');
    const literal = host.replace(/^\[|\]$/g, '');
    if (net.isIP(literal) ? !mayReach(literal) : host === '' || (ranges.length === 0 && PRIVATE_NAME.test(host)))
      refused(`${host} is not an address of the public internet.`);
    return url;
  };

  const resolve = async (host: string): Promise<Address[]> => {
    const found = await (resolver ? resolveWith(resolver, host) : dns.lookup(host, { all: true })).catch((cause) => {
      throw new EgressFailure('dns_failed', `The name ${host} cannot be resolved.`, cause);
    });
    for (const { address } of found)
      if (!mayReach(address))
        throw new EgressFailure(
          'refused_address',
          `The name ${host} leads to ${address}, which is not an address of the public internet.`,
        );
    return found;
  };

  const lookup: net.LookupFunction = (host, options, done) => {
    resolve(host).then(
      (found) => (options.all ? done(null, found) : done(null, found[0]?.address ?? '', found[0]?.family)),
      (error) => done(error, '', 0),
    );
  };
  let agent: Promise<Agent> | undefined;
  const theAgent = () => {
    agent ??= import('undici').then(
      ({ Agent }) =>
        new Agent({ connect: connector(lookup, ca), pipelining: 1, headersTimeout: 0, bodyTimeout: 0, allowH2: false }),
    );
    return agent;
  };

  return {
    async check(text) {
      const { hostname: host } = examine(text);
      if (host.startsWith('[') || net.isIP(host)) return;
      const patience = new AbortController();
      await Promise.race([
        resolve(host).catch((error: EgressFailure) => {
          if (error.kind !== 'dns_failed') throw error;
        }),
        sleep(CONNECT_MS, undefined, { signal: patience.signal }),
      ]).finally(() => patience.abort());
    },
    async send(request) {
      const endpoint = examine(request.url);
      return dispatch(await theAgent(), endpoint, request);
    },
    close: async () => (await agent)?.destroy(),
  };
}

export const listOf = (text: string | undefined) => (text ?? '').split(/[\s,]+/).filter(Boolean);

async function resolveWith(resolver: dns.Resolver, host: string): Promise<Address[]> {
  const ask = (family: 4 | 6) =>
    (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host)).then((found) =>
      found.map((address) => ({ address, family })),
    );
  const answers = await Promise.allSettled([ask(6), ask(4)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length === 0) throw (answers[1] as PromiseRejectedResult).reason;
  return found;
}

/** undici's own connector counts its timeout in whole seconds. */
function connector(lookup: net.LookupFunction, ca: string[] | undefined): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const secure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const options = { host, port: Number(port || (secure ? 443 : 80)), lookup, noDelay: true, keepAlive: true };
    const servername = net.isIP(host) ? '' : host.replace(/\.$/, '');
    const socket = secure
      ? tls.connect({ ...options, servername, ca, ALPNProtocols: ['http/1.1'] })
      : net.connect(options);
    let reached = false;
    const settled = (error: EgressFailure | null) => {
      clearTimeout(timer);
      socket.off('error', failed);
      if (!error) return callback(null, socket as net.Socket);
      socket.on('error', () => {});
      socket.destroy();
      callback(error, null);
    };
    const timer = setTimeout(
      () => settled(new EgressFailure('connect_timeout', 'No connection within 5 s.')),
      CONNECT_MS,
    );
    const failed = (error: Error) => settled(connectFailure(error, secure && reached));
    socket.once('error', failed);
    socket.once('connect', () => {
      reached = true;
    });
    socket.once(secure ? 'secureConnect' : 'connect', () => settled(null));
  };
}

function connectFailure(error: NodeJS.ErrnoException, inTls: boolean): EgressFailure {
  if (error instanceof EgressFailure) return error;
  if (inTls) return new EgressFailure('tls_failed', `TLS: ${error.message}`, error);
  if (error.code === 'ECONNREFUSED') return new EgressFailure('connection_refused', 'Nothing listens there.', error);
  if (error.code === 'ETIMEDOUT') return new EgressFailure('connect_timeout', 'No connection in time.', error);
  return new EgressFailure('connection_failed', error.message || String(error.code), error);
}

function dispatch(
  agent: Agent,
  { origin, path }: Endpoint,
  { method, headers, body, answer_bytes_max }: EgressRequest,
): Promise<EgressAnswer> {
  return new Promise((resolve, reject) => {
    const answer: EgressAnswer = { status: 0, headers: {}, body: NOTHING };
    const chunks: Buffer[] = [];
    let length = 0;
    let timer: NodeJS.Timeout | undefined;
    const settle = (failure?: EgressFailure) => {
      clearTimeout(timer);
      if (failure) return reject(failure);
      if (chunks.length > 0) answer.body = Buffer.concat(chunks).subarray(0, answer_bytes_max);
      resolve(answer);
    };
    const watched: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        timer = setTimeout(
          () => controller.abort(new EgressFailure('response_timeout', 'No complete answer within 5 s.')),
          ANSWER_MS,
        );
      },
      onResponseStart(_controller, status, received) {
        answer.status = status;
        answer.headers = received;
      },
      onResponseData(controller, chunk) {
        chunks.push(chunk);
        length += chunk.length;
        if (length < answer_bytes_max) return;
        settle();
        controller.abort(new Error('enough was read'));
      },
      onResponseEnd: () => settle(),
      onResponseError: (_controller, error) => settle(answerFailure(error)),
    };
    agent.dispatch({ origin, path, method, headers: headers as Record<string, string>, body: body ?? null }, watched);
  });
}

function answerFailure(error: Error & { code?: string }): EgressFailure {
  if (error instanceof EgressFailure) return error;
  if (
    error.name === 'HTTPParserError' ||
    /^UND_ERR_(HEADERS_OVERFLOW|RES|NOT_SUPPORTED|RESPONSE)/.test(error.code ?? '')
  )
    return new EgressFailure('invalid_response', `The answer is not HTTP/1.1: ${error.message}`, error);
  return new EgressFailure(
    'connection_closed',
    `The connection ended before the answer was complete: ${error.message}`,
    error,
  );
}
