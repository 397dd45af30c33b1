// The upgrade to a WebSocket runs through Fastify's routes: it is authenticated, refused and logged like any request.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { WebSocket, WebSocketServer } from 'ws';
import { type Endpoint, endpoint } from '../../kernel/contract/contract.ts';
import { refuse, refuseForbidden } from '../../kernel/contract/errors.ts';
import * as t from '../../kernel/contract/schema.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { type Actor, type Authentication, refuseUnauthorized } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { useTicket } from './tickets.ts';

export const openSocket = endpoint('GET /v1/chat/socket', 'Open a socket', {
  scope: 'chats.messages.read',
  actors: 'person',
  query: t.Object({ ticket: t.Optional(t.Text(64, 'Of createSocketTicket, instead of a credential.')) }),
  errors: { upgrade_required: 426 },
  example: {},
});

const FRAME_BYTES_MAX = 64 * 1024;

export function mountUpgrade(
  http: FastifyInstance,
  { db, inFlight }: Services,
  authentication: Authentication,
  accept: (ws: WebSocket, stream: Duplex, actor: Actor, ip: string) => void,
) {
  const upgrades = new WeakMap<IncomingMessage, { stream: Duplex; head: Buffer }>();
  let server: WebSocketServer | undefined;
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
    config: { endpoint: openSocket as Endpoint, operation: 'openSocket' },
    onRequest: async (request) => {
      const { ticket } = request.query as { ticket?: unknown };
      request.actor =
        typeof ticket === 'string'
          ? await useTicket(db, ticket)
          : await authentication.authenticate(request, openSocket);
      if (!holds(request.actor.scopes, 'chats.message.write'))
        refuseForbidden('A socket reads and writes: it needs chats.message.write as well.');
      const { origin } = request.headers;
      // Browsers send cookies along whatever page asks; they do not lie about which page that is.
      if (
        !ticket &&
        request.actor.kind === 'session' &&
        origin !== undefined &&
        URL.parse(origin)?.host !== request.host
      )
        refuseForbidden('A socket opens only for pages of this host.');
    },
    handler: async (request, reply) => {
      const upgrade = upgrades.get(request.raw);
      if (!upgrade || request.headers.upgrade?.toLowerCase() !== 'websocket')
        return refuse('upgrade_required', 'This path is a WebSocket.', { headers: { upgrade: 'websocket' } });
      const actor = request.actor as Actor;
      server ??= await loadServer();
      if (inFlight.hasLeft(actor, request.received_micros)) refuseUnauthorized();
      const { stream, head } = upgrade;
      reply.hijack();
      reply.raw.detachSocket(stream as never);
      server.handleUpgrade(request.raw, stream as never, head, (ws) => accept(ws, stream, actor, request.ip));
      return reply;
    },
  });
}

/** Loaded by the first socket: most starts never need it before they have answered. */
async function loadServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  const options = { noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: FRAME_BYTES_MAX };
  return new WebSocketServer(options);
}
