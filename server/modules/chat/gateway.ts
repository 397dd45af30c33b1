// The WebSocket at /v1/chat/socket: who connects, what they hear and say, and when they are let go.
//
//   upgrade    runs through Fastify's routes, so a socket is authenticated, refused and logged like any request
//   hello      the client's first frame says what it saw last; only then is anything sent, so that nothing comes twice
//   live       see rooms.ts; hints come from the fan-out
//   sweep      every ten seconds and after every gap: hints that were lost, sessions that ended, people who joined, presence
//   beat       every thirty seconds: clients that answered no ping are let go
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { RawData, WebSocket, WebSocketServer } from 'ws';
import { endpoint } from '../../kernel/contract/contract.ts';
import { refuse, refuseForbidden } from '../../kernel/contract/errors.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Node } from '../../kernel/module.ts';
import { type Actor, refuseUnauthorized } from '../../kernel/people/auth.ts';
import { PEOPLE_ENDED, peopleIn } from '../../kernel/people/in-flight.ts';
import type { Hint } from '../../kernel/work/fan-out.ts';
import { act, failureText, readAction, readHello, replyText } from './actions.ts';
import * as hints from './events.ts';
import { textFrame, write } from './frames.ts';
import { createHall, type Hall, type Socket } from './hall.ts';

export interface Gateway {
  /** What the timer does every ten seconds, for tests: resolves when everything that was missed is delivered. */
  sweep(): Promise<void>;
  /** What it does every thirty: who has not answered since the last time is let go, the others are asked. */
  beat(): void;
  /** Open sockets. */
  size(): number;
}

export const openSocket = endpoint('GET /v1/chat/socket', 'Open a socket', {
  scope: null,
  actors: 'person',
  errors: { upgrade_required: 426 },
  example: {},
});

const FRAME_BYTES_MAX = 64 * 1024;
const ACTIONS_WAITING_MAX = 100;
const HELLO_WITHIN_MS = 10_000;
const SWEEP_MS = 10_000;
const BEAT_MS = 30_000;
const GOODBYE_MS = 500;
/** Close codes of our own, RFC 6455 7.4.2. */
const CLOSE = { restarting: 1001, unreadable: 1003, too_busy: 1008, credential_ended: 4401, no_hello: 4408 };

declare module 'fastify' {
  interface FastifyInstance {
    gateway: Gateway;
  }
}

export function mountGateway(http: FastifyInstance, services: Services, { fanOut, authentication, touched }: Node) {
  const halls = new Map<number, Hall>();
  const upgrades = new WeakMap<IncomingMessage, { stream: Duplex; head: Buffer }>();
  const open = new Set<Socket>();
  let server: WebSocketServer | undefined;
  let timers: NodeJS.Timeout[] = [];

  const hallOf = (organisation_id: number) => {
    const known = halls.get(organisation_id);
    if (known) return known;
    const hall = createHall(services.db.inOrganisation(organisation_id), fanOut, (err) =>
      http.log.warn({ err, organisation_id }, 'open sockets wait for the database'),
    );
    halls.set(organisation_id, hall);
    return hall;
  };

  // An import of node:http would load its fetch and WebSocket, too.
  const { ServerResponse } = process.getBuiltinModule('node:http');
  http.server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    upgrades.set(request, { stream, head });
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(stream as never);
    response.once('finish', () => stream.end());
    stream.on('error', () => stream.destroy());
    http.routing(request, response);
  });
  http.route({
    method: 'GET',
    url: openSocket.path,
    config: { endpoint: openSocket, operation: 'openSocket' },
    onRequest: async (request) => {
      request.actor = await authentication.authenticate(request, openSocket);
      const { origin } = request.headers;
      // Browsers send cookies along whatever page asks; they do not lie about which page that is.
      if (request.actor.kind === 'session' && origin !== undefined && !sameHost(origin, request.host))
        refuseForbidden('A socket opens only for pages of this host.');
    },
    handler: async (request, reply) => {
      const upgrade = upgrades.get(request.raw);
      if (!upgrade || request.headers.upgrade?.toLowerCase() !== 'websocket')
        return refuse('upgrade_required', 'This path is a WebSocket.', { headers: { upgrade: 'websocket' } });
      const actor = request.actor as Actor;
      server ??= await loadServer();
      if (services.inFlight.hasLeft(actor, request.received_micros)) refuseUnauthorized();
      reply.hijack();
      reply.raw.detachSocket(upgrade.stream as never);
      server.handleUpgrade(request.raw, upgrade.stream as never, upgrade.head, (ws) =>
        accept(ws, upgrade.stream, actor),
      );
      return reply;
    },
  });

  const accept = (ws: WebSocket, stream: Duplex, actor: Actor) => {
    const hall = hallOf(actor.organisation_id);
    const socket: Socket = {
      ws,
      stream,
      actor,
      user_id: actor.user_id,
      rooms: new Set(),
      places: new Map(),
      watched: new Set(),
      isCatchingUp: false,
      isAlive: true,
      turn: Promise.resolve(),
    };
    const tx = services.db.inOrganisation(actor.organisation_id);
    let greeted = false;
    let waiting = 0;
    open.add(socket);
    const late = setTimeout(() => !greeted && ws.close(CLOSE.no_hello, 'say hello first'), HELLO_WITHIN_MS);

    const take = async (text: string) => {
      let id: unknown = null;
      try {
        const asked = readAction(text);
        id = asked.id;
        if (!greeted) {
          if (asked.action !== 'hello') refuse('invalid_request', 'The first frame must be the action hello.');
          if (!(await hall.enter(socket, readHello(asked.body))))
            return ws.close(CLOSE.too_busy, 'too many sockets of one person');
          greeted = true;
          clearTimeout(late);
          return;
        }
        if (!(await isCurrent(socket))) return;
        const watching = { watch: (user_ids: readonly number[]) => hall.watch(socket, user_ids) };
        write(socket, textFrame(replyText(id, await act({ tx, actor, services }, watching, asked.action, asked.body))));
        if (asked.action === 'send') touched(actor.organisation_id);
      } catch (error) {
        write(socket, textFrame(failureText(id, error)));
        if (!greeted) ws.close(CLOSE.unreadable, 'say hello first');
      }
    };
    ws.on('message', (payload: RawData, isBinary: boolean) => {
      socket.isAlive = true;
      // A client may go on sending until it has seen that its socket is closed.
      if (ws.readyState !== ws.OPEN) return;
      if (isBinary) return ws.close(CLOSE.unreadable, 'only text is read');
      if (++waiting > ACTIONS_WAITING_MAX) return ws.close(CLOSE.too_busy, 'too many actions at once');
      socket.turn = socket.turn.then(() => take(String(payload))).finally(() => waiting--);
    });
    ws.on('pong', () => {
      socket.isAlive = true;
    });
    ws.on('error', () => ws.terminate());
    ws.on('close', () => {
      clearTimeout(late);
      open.delete(socket);
      socket.turn
        .then(() => hall.exit(socket))
        .catch((err) => http.log.warn({ err }, 'a socket that closed is still shown as present'));
    });
  };

  /** A person whose access ended between two sweeps says nothing more. */
  const isCurrent = async (socket: Socket) => {
    const good = await hallOf(socket.actor.organisation_id).isGood(socket, services.clock);
    if (!good) dismiss(socket);
    return good;
  };

  const dismiss = ({ ws }: Socket) => {
    ws.close(CLOSE.credential_ended, 'the credential has ended');
    setTimeout(() => ws.terminate(), GOODBYE_MS).unref();
  };

  const hear = (topic: string, listener: (hall: Hall, hint: Hint) => void) =>
    fanOut.hear(topic, (hint) => {
      const hall = halls.get(hint.organisation_id);
      if (hall) listener(hall, hint);
    });
  hear(hints.CHANNEL_CHANGED, (hall, { key }) => hall.channelChanged(Number(key)));
  hear(hints.MEMBERS_CHANGED, (hall, { key }) => hall.membersChanged(Number(key)));
  hear(hints.READ, (hall, { key }) => hall.read(key));
  hear(hints.TYPING, (hall, { key }) => hall.typing(key));
  hear(hints.PRESENCE, (hall, { key }) => hall.presence(key));
  fanOut.hear(PEOPLE_ENDED, async ({ organisation_id, key }) => {
    const ended = new Set(peopleIn(key));
    const theirs = [...open].filter(
      ({ actor, user_id }) => actor.organisation_id === organisation_id && ended.has(user_id),
    );
    theirs.forEach(dismiss);
    // What they asked for last is not answered any more, and is not under way any more.
    await Promise.all(theirs.map(({ turn }) => turn));
  });

  const beat = () => {
    for (const socket of open) {
      if (socket.isAlive) socket.ws.ping();
      else socket.ws.terminate();
      socket.isAlive = false;
    }
  };
  const sweep = async () => {
    for (const hall of halls.values()) for (const socket of await hall.sweep(services.clock)) dismiss(socket);
  };
  const sweepSafely = () => sweep().catch((err) => http.log.warn({ err }, 'open sockets could not be checked'));
  fanOut.afterGap(() => void sweepSafely());
  http.addHook('onListen', async () => {
    timers = [setInterval(sweepSafely, SWEEP_MS), setInterval(beat, BEAT_MS)];
  });
  http.addHook('preClose', async () => {
    timers.forEach(clearInterval);
    const gone = [...open].map((socket) => new Promise((resolve) => socket.ws.once('close', resolve)));
    for (const socket of open) socket.ws.close(CLOSE.restarting, 'this node is stopping');
    const force = setTimeout(() => {
      for (const socket of open) socket.ws.terminate();
    }, GOODBYE_MS);
    await Promise.all(gone);
    clearTimeout(force);
  });
  http.decorate('gateway', { sweep, beat, size: () => open.size });
}

function sameHost(origin: string, host: string): boolean {
  try {
    return new URL(origin).host === host;
  } catch {
    return false;
  }
}

/** Loaded by the first socket: most starts never need it before they have answered. */
async function loadServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
  });
}
