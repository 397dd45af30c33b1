// The WebSocket at /v1/chat/socket: the file to read first about what is live in chat.
//
//           client                            this node and the others: "channel 42 changed"
//             │ frames                                          │ hints.ts
//             ▼                                                 ▼
//        upgrade.ts  who is it?                          connections.ts    who of an organisation is connected here
//             ▼                                                 ▼
//       connection.ts  one action after the other        subscriptions.ts  to which channels, and how far each has got
//             ▼                                                 ▼
//         actions.ts  as over HTTP ───► PostgreSQL ───►    changes.ts      what is new, read once for all of them
//                                                               ▼
//                                                           frames.ts ───► clients
//
//   hello      the client's first frame says what it saw last; only then is anything sent, so that nothing comes twice
//   sweep      every ten seconds and after every gap: lost hints, sessions that ended, people who joined, presence
//   beat       every thirty seconds: clients that answered no ping are let go
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import { originOfFrame } from '../../kernel/http/origin.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Node } from '../../kernel/module.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { PEOPLE_ENDED, peopleIn } from '../../kernel/people/in-flight.ts';
import { recorded } from '../requests/sockets.ts';
import { act } from './actions.ts';
import { answerClient, CLOSE, Connection } from './connection.ts';
import { type Connections, createConnections } from './connections.ts';
import { topics } from './hints.ts';
import { mountUpgrade, openSocket } from './upgrade.ts';

export interface Gateway {
  /** What the timer does every ten seconds, for tests: resolves when everything that was missed is delivered. */
  sweep(): Promise<void>;
  /** What it does every thirty: who has not answered since the last time is let go, the others are asked. */
  beat(): void;
  /** Open sockets. */
  size(): number;
}
declare module 'fastify' {
  interface FastifyInstance {
    gateway: Gateway;
  }
}

const SWEEP_MS = 10_000;
const BEAT_MS = 30_000;
const GOODBYE_MS = 500;

export function mountGateway(http: FastifyInstance, services: Services, { fanOut, authentication, touched }: Node) {
  const organisations = new Map<number, Connections>();
  const open = new Set<Connection>();
  let timers: NodeJS.Timeout[] = [];

  const connectionsOf = (organisation_id: number) => {
    const onError = (err: unknown) => http.log.warn({ err, organisation_id }, 'open sockets wait for the database');
    const tx = services.db.inOrganisation(organisation_id);
    const known = organisations.get(organisation_id);
    const connections = known ?? createConnections(tx, fanOut.node, services.clock, onError);
    organisations.set(organisation_id, connections);
    return connections;
  };
  const dismiss = ({ ws }: Connection) => {
    ws.close(CLOSE.credential_ended, 'the credential has ended');
    setTimeout(() => ws.terminate(), GOODBYE_MS).unref();
  };
  const accept = (ws: WebSocket, stream: Duplex, actor: Actor, ip: string) => {
    const { organisation_id } = actor;
    const connections = connectionsOf(organisation_id);
    const connection = new Connection(ws, stream, actor);
    open.add(connection);
    answerClient(connection, {
      hello: (hello) => connections.enter(connection, hello),
      async act(asked) {
        // A person whose access ended between two sweeps says nothing more.
        if (await connections.hasEnded(connection)) return void dismiss(connection);
        const origin = originOfFrame(actor, `socket:${asked.action.slice(0, 40)}`, ip, services.clock.micros());
        const tx = services.db.inOrganisation(organisation_id, origin);
        const data = await recorded(services, actor, openSocket, asked, () =>
          act({ tx, actor, services }, connection, asked),
        );
        if (asked.action === 'send') touched(organisation_id);
        return data;
      },
    });
    ws.on('close', () => {
      open.delete(connection);
      connection.answered
        .then(() => connections.leave(connection))
        .catch((err) => http.log.warn({ err }, 'a socket that closed is still shown as present'));
    });
  };
  mountUpgrade(http, services, authentication, accept);

  for (const topic of topics)
    fanOut.hear(topic, ({ organisation_id, key }) => {
      const heard = organisations.get(organisation_id)?.heard[topic] as ((...numbers: number[]) => void) | undefined;
      heard?.(...key.split(':').map(Number));
    });
  fanOut.hear(PEOPLE_ENDED, async ({ organisation_id, key }) => {
    const ended = new Set(peopleIn(key));
    const isTheirs = ({ actor }: Connection) => actor.organisation_id === organisation_id && ended.has(actor.user_id);
    const theirs = [...open].filter(isTheirs);
    theirs.forEach(dismiss);
    // What they asked for last is not answered any more, and is not under way any more.
    await Promise.all(theirs.map(({ answered }) => answered));
  });

  const beat = () => {
    for (const connection of open) {
      if (connection.isAlive) connection.ws.ping();
      else connection.ws.terminate();
      connection.isAlive = false;
    }
  };
  const sweep = async () => {
    for (const connections of organisations.values()) for (const ended of await connections.sweep()) dismiss(ended);
  };
  const sweepSafely = () => sweep().catch((err) => http.log.warn({ err }, 'open sockets could not be checked'));
  fanOut.afterGap(() => void sweepSafely());
  http.addHook('onListen', async () => {
    timers = [setInterval(sweepSafely, SWEEP_MS), setInterval(beat, BEAT_MS)];
  });
  http.addHook('preClose', async () => {
    timers.forEach(clearInterval);
    const gone = [...open].map(({ ws }) => new Promise((resolve) => ws.once('close', resolve)));
    for (const { ws } of open) ws.close(CLOSE.restarting, 'this node is stopping');
    const force = setTimeout(() => {
      for (const { ws } of open) ws.terminate();
    }, GOODBYE_MS);
    await Promise.all(gone);
    clearTimeout(force);
  });
  http.decorate('gateway', { sweep, beat, size: () => open.size });
}
