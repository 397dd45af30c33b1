// Clients of the socket, as an employee's browser is one.
import { once } from 'node:events';
import { WebSocket } from 'ws';

// biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape.
export type SocketEvent = { event: string } & Record<string, any>;

export interface TestSocket {
  readonly ws: WebSocket;
  /** Everything received so far, oldest first. */
  readonly events: SocketEvent[];
  /** The first event that matches, received already or to come; each is handed out once. */
  next(matches: string | ((event: SocketEvent) => boolean)): Promise<SocketEvent>;
  send(action: string, fields?: object): void;
  /** Sends an action and awaits its reply. */
  ask(action: string, fields?: object): Promise<SocketEvent>;
  /** Close code, once it is closed. */
  readonly closed: Promise<number>;
  close(): Promise<void>;
}

export interface Resume {
  channel_url: string;
  last_sequence: number;
}
let asked = 0;

/** Opens a socket and says hello; resolves when it is ready. */
export async function openTestSocket(
  url: string,
  headers: Record<string, string>,
  channels: Resume[] = [],
  query: Record<string, string> = {},
): Promise<TestSocket> {
  const socket = await connectTestSocket(url, headers, query);
  socket.send('hello', { channels });
  await socket.next('ready');
  return socket;
}

/** Opens a socket and says nothing. */
export async function connectTestSocket(
  url: string,
  headers: Record<string, string>,
  query: Record<string, string> = {},
): Promise<TestSocket> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/v1/chat/socket?${new URLSearchParams(query)}`, { headers });
  const events: SocketEvent[] = [];
  const unread: SocketEvent[] = [];
  const waiting = new Set<() => void>();
  ws.on('message', (text) => {
    const event = JSON.parse(String(text)) as SocketEvent;
    events.push(event);
    unread.push(event);
    for (const look of [...waiting]) look();
  });
  const closed = new Promise<number>((resolve) =>
    ws.once('close', (code) => {
      resolve(code);
      for (const look of [...waiting]) look();
    }),
  );
  await once(ws, 'open');
  const next: TestSocket['next'] = (matches) =>
    new Promise((resolve, reject) => {
      const fits = typeof matches === 'string' ? ({ event }: SocketEvent) => event === matches : matches;
      const timer = setTimeout(
        () => reject(new Error(`No such event: ${matches}. There were ${JSON.stringify(events).slice(-2000)}`)),
        20_000,
      );
      const look = () => {
        const at = unread.findIndex(fits);
        if (at < 0 && ws.readyState !== ws.CLOSED) return;
        clearTimeout(timer);
        waiting.delete(look);
        if (at < 0) reject(new Error(`Closed before ${matches}.`));
        else resolve(unread.splice(at, 1)[0] as SocketEvent);
      };
      waiting.add(look);
      look();
    });
  const send = (action: string, fields: object = {}) => ws.send(JSON.stringify({ action, ...fields }));
  return {
    ws,
    events,
    next,
    send,
    closed,
    ask(action, fields) {
      const id = ++asked;
      send(action, { id, ...fields });
      return next((event) => event.event === 'reply' && event.id === id);
    },
    async close() {
      ws.close();
      await closed;
    },
  };
}
