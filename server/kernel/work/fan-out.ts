// Tells the other nodes that something changed. A hint says where to look and never what is there: whoever hears one
// reads the database. So a hint may be lost, doubled or late without harm, as long as somebody looks again after a gap.
//
//   tell      heard on this node at once; for the others it waits in `pending`, where equal hints are one
//   send      one batch at a time; it stays pending until the engine has confirmed it, and is sent again if that fails
//   gap       the engine was away: hints may be missing, so everything that is watched must be looked at
//   tell all  waits until every other node has done what it does on hearing it; who connects in between is told again
import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { SEALING_NODE } from '../data/db.ts';

export interface Hint {
  readonly organisation_id: number;
  readonly topic: string;
  /** Of the program's own making, without spaces. */
  readonly key: string;
}

export interface FanOut {
  /** Distinct for every running process. */
  readonly node: string;
  tell(hint: Hint): void;
  /**
   * Resolves when the listeners of every node have done their part. A node that does not say so in time is left out,
   * and not waited for again until it is heard of.
   */
  tellAll(hint: Hint): Promise<void>;
  hear(topic: string, listener: Listener): void;
  /** Called whenever hints of other nodes may have been lost. */
  afterGap(listener: () => void): void;
  start(): void;
  /** Other nodes can be told right now. */
  isConnected(): boolean;
  close(): Promise<void>;
}

type Listener = (hint: Hint) => void | Promise<void>;

/** An engine that carries text between nodes. */
export interface Carrier {
  /** Resolves when the engine has the text. */
  send(text: string): Promise<void>;
  close(): Promise<void>;
}
/** Connects once. `ended` is called when the connection is lost. */
export type Connect = (received: (text: string) => void, ended: (error?: Error) => void) => Promise<Carrier>;

/** What PostgreSQL's NOTIFY takes, less the node's name. */
const TEXT_BYTES_MAX = 7900;
const RECONNECT_MS = 200;
/** While the engine is away, the log says so this often. */
const COMPLAIN_MS = 60_000;
/** While the engine is away. Who listens looks at everything once it is back, so the oldest are the ones to miss. */
const PENDING_MAX = 10_000;
const ALL_WITHIN_MS = 3000;
/** Said between nodes: everybody has heard what carried this receipt; I hear from now on. */
const DONE = 'fan-out.done';
const HERE = 'fan-out.here 0 0';

export interface FanOutParts {
  connect: Connect;
  logger: FastifyBaseLogger;
  /** The nodes that serve requests now, this one among them or not. */
  nodes: () => Promise<string[]>;
}

export function createFanOut({ connect, logger, nodes }: FanOutParts): FanOut {
  const node = SEALING_NODE + randomUUID();
  const listeners = new Map<string, Listener[]>();
  /** Lines whose receipts are awaited, and what is done when a node confirms one. */
  const awaited = new Map<string, { line: string; confirmed: (from: string) => void }>();
  const silent = new Set<string>();
  const gapListeners: (() => void)[] = [];
  const pending = new Set<string>();
  let carrier: Carrier | undefined;
  let connecting: Promise<void> | undefined;
  let sending = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let complained = Number.NEGATIVE_INFINITY;

  const heard = async (line: string) => {
    const [topic = '', organisation, key = ''] = line.split(' ');
    const hint = { topic, organisation_id: Number(organisation), key };
    const done = await Promise.allSettled((listeners.get(topic) ?? []).map(async (listener) => listener(hint)));
    for (const each of done)
      if (each.status === 'rejected') logger.error({ err: each.reason, topic }, 'a hint was not followed');
  };
  const received = (text: string) => {
    const [from = '', ...lines] = text.split('\n');
    if (from === node) return;
    silent.delete(from);
    for (const line of lines) {
      const [topic, , key = '', receipt] = line.split(' ');
      if (topic === DONE) awaited.get(key)?.confirmed(from);
      else if (line === HERE) for (const each of awaited.values()) say(each.line);
      else heard(line).then(() => receipt && say(`${DONE} 0 ${receipt}`));
    }
  };
  const say = (line: string) => {
    pending.add(line);
    if (pending.size > PENDING_MAX) pending.delete(first(pending));
    void pump();
  };

  const pump = async () => {
    if (sending) return;
    sending = true;
    while (carrier && pending.size > 0) {
      const to = carrier;
      const lines = batchOf(pending);
      for (const line of lines) pending.delete(line);
      try {
        await to.send([node, ...lines].join('\n'));
      } catch {
        // The connection is going down; what it had not confirmed is told again over the next one.
        for (const line of lines) pending.add(line);
        if (carrier === to) ended(to);
      }
    }
    sending = false;
  };
  const open = async () => {
    const opened: { carrier?: Carrier; ended?: boolean } = {};
    try {
      opened.carrier = await connect(received, (error) => {
        opened.ended = true;
        if (opened.carrier) ended(opened.carrier, error);
      });
    } catch (err) {
      if (performance.now() - complained >= COMPLAIN_MS) {
        complained = performance.now();
        logger.warn({ err }, 'other nodes cannot be told about changes; trying again');
      }
      return later();
    }
    if (closed || opened.ended) {
      await opened.carrier.close().catch(() => {});
      return later();
    }
    carrier = opened.carrier;
    if (complained > 0) logger.info('other nodes can be told about changes again');
    complained = Number.NEGATIVE_INFINITY;
    for (const listener of gapListeners) listener();
    silent.clear();
    say(HERE);
  };
  const ended = (which: Carrier, err?: Error) => {
    if (carrier !== which) return;
    carrier = undefined;
    if (closed) return;
    logger.warn({ err }, 'the connection to other nodes was lost');
    which.close().catch(() => {});
    later();
  };
  const later = () => {
    if (closed) return;
    timer = setTimeout(() => {
      connecting = open();
    }, RECONNECT_MS);
  };

  return {
    node,
    tell(hint) {
      void heard(lineOf(hint));
      say(lineOf(hint));
    },
    async tellAll(hint) {
      const receipt = randomUUID();
      const line = `${lineOf(hint)} ${receipt}`;
      const { promise, resolve } = Promise.withResolvers<void>();
      const done = new Set<string>();
      let expected: string[] | undefined;
      const look = () => void (expected?.every((each) => done.has(each)) && resolve());
      const confirmed = (from: string) => {
        done.add(from);
        look();
      };
      awaited.set(receipt, { line, confirmed });
      const timer = setTimeout(resolve, ALL_WITHIN_MS);
      heard(line).then(() => confirmed(node));
      say(line);
      const others = await nodes().catch((err) => {
        logger.error({ err }, 'the other nodes are not known: they are told and not waited for');
        return [];
      });
      expected = [node, ...others.filter((each) => !silent.has(each))];
      look();
      await promise;
      clearTimeout(timer);
      awaited.delete(receipt);
      for (const each of expected ?? []) {
        if (done.has(each)) continue;
        if (each !== node) silent.add(each);
        logger.warn({ node: each, topic: hint.topic }, 'a node does not say that it has heard');
      }
    },
    hear: (topic, listener) => void listeners.set(topic, [...(listeners.get(topic) ?? []), listener]),
    afterGap: (listener) => void gapListeners.push(listener),
    start() {
      connecting = open();
    },
    isConnected: () => carrier !== undefined,
    async close() {
      closed = true;
      clearTimeout(timer);
      await connecting;
      await carrier?.close().catch(() => {});
    },
  };
}

const first = (lines: ReadonlySet<string>) => lines.values().next().value as string;
const lineOf = ({ topic, organisation_id, key }: Hint) => `${topic} ${organisation_id} ${key}`;

function batchOf(pending: ReadonlySet<string>): string[] {
  const lines: string[] = [];
  let bytes = 0;
  for (const line of pending) {
    bytes += line.length + 1;
    if (bytes > TEXT_BYTES_MAX) break;
    lines.push(line);
  }
  return lines;
}

const CHANNEL = 'atrium_hints';

/** PostgreSQL carries the hints: nothing else to run. */
export const listenNotify =
  (database_url: string): Connect =>
  async (received, ended) => {
    const client = new pg.Client({
      connectionString: database_url,
      connectionTimeoutMillis: 5000,
      query_timeout: 10_000,
      keepAlive: true,
    });
    client.on('error', ended);
    client.on('end', () => ended());
    client.on('notification', ({ payload = '' }) => received(payload));
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    return {
      send: async (text) => void (await client.query('select pg_notify($1, $2)', [CHANNEL, text])),
      close: () => client.end(),
    };
  };

/** A NATS server carries them, where many nodes would keep one database busy with notices. */
export const nats =
  (servers: string): Connect =>
  async (received, ended) => {
    const { connect } = await import('@nats-io/transport-node');
    // Reconnecting is done above, where every gap is known.
    const connection = await connect({
      ...natsServers(servers),
      reconnect: false,
      timeout: 5000,
      pingInterval: 5000,
      maxPingOut: 2,
    });
    const lost = connection.closed().then((error) => {
      ended(error ?? undefined);
      throw error ?? new Error('The connection was closed.');
    });
    lost.catch(() => {});
    // A flush that the connection did not live to see is never settled by the client.
    const confirmed = () => Promise.race([connection.flush(), lost]);
    connection.subscribe(CHANNEL, {
      callback: (error, message) => (error ? ended(error) : received(message.string())),
    });
    await confirmed();
    return {
      async send(text) {
        connection.publish(CHANNEL, text);
        await confirmed();
      },
      close: () => connection.close(),
    };
  };

/** The first address carries name and password, or a token alone; `tls://` takes no server without TLS. */
function natsServers(servers: string) {
  const urls = servers.split(',').map((server) => new URL(server.includes('://') ? server : `nats://${server}`));
  const [name = '', pass = ''] = [urls[0]?.username, urls[0]?.password].map((part) => decodeURIComponent(part ?? ''));
  return {
    servers: urls.map(({ host }) => host),
    ...(pass ? { user: name, pass } : name ? { token: name } : {}),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  };
}
