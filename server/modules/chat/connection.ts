import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { refuse } from '../../kernel/contract/errors.ts';
import type { Json } from '../../kernel/data/db.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { type Asked, failureText, type Hello, readAction, readHello, replyText } from './actions.ts';
import { textFrame, write } from './frames.ts';
import type { Channel } from './subscriptions.ts';

/** One client's WebSocket. */
export class Connection {
  readonly ws: WebSocket;
  /** Below the WebSocket, as the upgrade handed it over. */
  readonly stream: Duplex;
  readonly actor: Actor;
  readonly user_id: number;
  readonly channels = new Set<Channel>();
  /** The number it has got to, in channels with which it is not level. */
  readonly positions = new Map<Channel, number>();
  isCatchingUp = false;
  /** People whose coming and going it is told about. */
  watched: ReadonlySet<number> = nobody;
  /** It has said something since it was last asked. */
  isAlive = true;
  /** Settles when everything that the client has asked for is answered. */
  answered = Promise.resolve();

  constructor(ws: WebSocket, stream: Duplex, actor: Actor) {
    this.ws = ws;
    this.stream = stream;
    this.actor = actor;
    this.user_id = actor.user_id;
  }
}
const nobody: ReadonlySet<number> = new Set();

export interface Answers {
  /** False: the person has too many sockets. */
  hello(hello: Hello): Promise<boolean>;
  /** Undefined: there is nothing to reply. */
  act(asked: Asked): Promise<Json | undefined>;
}

const ACTIONS_WAITING_MAX = 100;
const HELLO_WITHIN_MS = 10_000;
/** Close codes of our own, RFC 6455 7.4.2. */
export const CLOSE = { restarting: 1001, unreadable: 1003, too_busy: 1008, credential_ended: 4401, no_hello: 4408 };

/** Answers what the client asks for, one action after the other. The first one is hello. */
export function answerClient(connection: Connection, { hello, act }: Answers) {
  const { ws } = connection;
  let isGreeted = false;
  let waiting = 0;
  const late = setTimeout(() => ws.close(CLOSE.no_hello, 'say hello first'), HELLO_WITHIN_MS);

  const answer = async (text: string) => {
    let id: Asked['id'] = null;
    try {
      const asked = readAction(text);
      id = asked.id;
      if (isGreeted) {
        const data = await act(asked);
        if (data !== undefined) write(connection, textFrame(replyText(id, data)));
        return;
      }
      if (asked.action !== 'hello') refuse('invalid_request', 'The first frame must be the action hello.');
      if (!(await hello(readHello(asked.body)))) return ws.close(CLOSE.too_busy, 'too many sockets of one person');
      isGreeted = true;
      clearTimeout(late);
    } catch (error) {
      write(connection, textFrame(failureText(id, error)));
      if (!isGreeted) ws.close(CLOSE.unreadable, 'say hello first');
    }
  };
  ws.on('message', (payload: RawData, isBinary: boolean) => {
    connection.isAlive = true;
    // A client may go on sending until it has seen that its socket is closed.
    if (ws.readyState !== ws.OPEN) return;
    if (isBinary) return ws.close(CLOSE.unreadable, 'only text is read');
    if (++waiting > ACTIONS_WAITING_MAX) return ws.close(CLOSE.too_busy, 'too many actions at once');
    connection.answered = connection.answered.then(() => answer(String(payload))).finally(() => waiting--);
  });
  ws.on('pong', () => {
    connection.isAlive = true;
  });
  ws.on('error', () => ws.terminate());
  ws.on('close', () => clearTimeout(late));
}
