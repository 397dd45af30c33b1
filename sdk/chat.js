// The socket of the chat, which comes back by itself: it says what it has seen, and gets what it missed.
//
//   connect -> hello, with the greatest sequence of each channel -> ready -> events and replies -> cut -> connect
//
// Actions without a reply are sent again after a cut; a message carries a client_message_id, so that it is still one.
import { connectionOf } from './client.js';
import { AtriumError } from './errors.js';

const PATH = '/v1/chat/socket';
const TICKETS = 'POST /v1/chat/socket-tickets';
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 30_000;
const REPLIED_MS = 30_000;
/** The server takes a hundred. */
const ASKED_AT_ONCE = 50;
/** Coming back would not help: the client is wrong, or one of too many. */
const HOPELESS = new Map([
  [1003, 'unreadable'],
  [1008, 'too_busy'],
  [4408, 'no_hello'],
]);

export function openChat(atrium, { sequences = {}, signal, WebSocket = globalThis.WebSocket } = {}) {
  const { base, call, headersFor, wait } = connectionOf(atrium);
  if (!WebSocket) throw new TypeError('Here is no WebSocket: give that of the package ws as option.');
  const seen = new Map(Object.entries(sequences));
  const asked = new Map();
  const events = createQueue();
  let socket;
  let isReady = false;
  let failures = 0;
  let asks = 0;

  const stop = () => end(signal.reason);
  signal?.addEventListener('abort', stop);

  function end(error) {
    if (!events.end(error)) return;
    signal?.removeEventListener('abort', stop);
    for (const one of asked.values()) settle(one, () => one.reject(error ?? closed()));
    socket?.close();
  }

  async function connect() {
    const headers = await headersFor();
    if (events.isEnded()) return;
    const hasHeaders = 'cookie' in headers || 'authorization' in headers || 'x-service-jwt' in headers;
    const url = `${base.replace(/^http/, 'ws')}${PATH}`;
    // Browsers send the cookie by themselves, and take no headers: what they have is a ticket.
    const isBrowser = typeof document === 'object';
    const ticket = hasHeaders && isBrowser && (await call('createSocketTicket', TICKETS, {}, { signal })).data.ticket;
    if (events.isEnded()) return;
    const opened = ticket
      ? new WebSocket(`${url}?ticket=${ticket}`)
      : hasHeaders
        ? new WebSocket(url, { headers })
        : new WebSocket(url);
    socket = opened;
    opened.onopen = () => {
      const channels = [...seen].map(([channel_url, last_sequence]) => ({ channel_url, last_sequence }));
      opened.send(JSON.stringify({ action: 'hello', channels }));
    };
    opened.onmessage = ({ data }) => receive(JSON.parse(data));
    opened.onerror = () => {};
    opened.onclose = ({ code, reason }) => lost(code, reason);
  }

  function receive(event) {
    if (event.event === 'reply') {
      const one = asked.get(event.id);
      if (one) settle(one, () => (event.code ? one.reject(refused(one, event)) : one.resolve(event.data)));
      return ask();
    }
    if (event.event === 'ready') {
      isReady = true;
      failures = 0;
      for (const { channel_url, last_sequence } of event.channels)
        if (!seen.has(channel_url)) seen.set(channel_url, last_sequence);
      ask();
    }
    if (event.event === 'channel.left') seen.delete(event.channel_url);
    if (event.sequence !== undefined)
      seen.set(event.channel_url, Math.max(event.sequence, seen.get(event.channel_url) ?? 0));
    events.put(event);
  }

  async function lost(code, reason) {
    const wasReady = isReady;
    isReady = false;
    for (const one of asked.values()) unsend(one);
    if (events.isEnded()) return;
    if (HOPELESS.has(code)) return end(failure(HOPELESS.get(code), `The socket was closed: ${reason || code}.`));
    try {
      await wait(Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** failures++) * (0.5 + Math.random() / 2), signal);
      // A socket does not say why it was refused; the same without an upgrade does.
      if (!wasReady || code === 4401) await call('openChat', `GET ${PATH}`, {}, { signal }).catch(unlessPassing);
      await connect();
    } catch (error) {
      end(error);
    }
  }

  function ask() {
    for (const one of [...asked.values()].slice(0, ASKED_AT_ONCE)) {
      if (!isReady || one.late) continue;
      one.late = setTimeout(() => socket.close(), REPLIED_MS);
      socket.send(JSON.stringify({ ...one.fields, action: one.action, id: one.id }));
    }
  }
  function unsend(one) {
    clearTimeout(one.late);
    one.late = undefined;
  }
  function settle(one, decide) {
    unsend(one);
    asked.delete(one.id);
    decide();
  }

  connect().catch(end);
  const chat = {
    ask: (action, fields = {}) =>
      new Promise((resolve, reject) => {
        if (events.isEnded()) return reject(closed());
        const id = ++asks;
        asked.set(id, { id, action, fields, resolve, reject });
        ask();
      }),
    send: (message) => chat.ask('send', { client_message_id: newId(), ...message }),
    sequences: () => Object.fromEntries(seen),
    close: () => end(),
    [Symbol.asyncIterator]: () => ({
      next: events.take,
      async return() {
        end();
        return { done: true, value: undefined };
      },
    }),
  };
  return chat;
}

const failure = (code, message) => new AtriumError({ operation: 'openChat', code, message });
const closed = () => failure('closed', 'The chat is closed.');
const refused = ({ action }, { code, message, errors }) =>
  new AtriumError({ operation: action, status: 400, code, message, errors });

function unlessPassing(error) {
  if (error.status === 401 || error.status === 403 || !(error instanceof AtriumError)) throw error;
}

const newId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16).padStart(2, '0')).join('');

/** What came waits for who takes it, or the other way round. */
function createQueue() {
  const come = [];
  const takers = [];
  let ended;
  const last = ({ error }) => (error ? Promise.reject(error) : Promise.resolve({ done: true, value: undefined }));
  return {
    isEnded: () => ended !== undefined,
    put(value) {
      if (ended) return;
      const taker = takers.shift();
      if (taker) taker.resolve({ done: false, value });
      else come.push(value);
    },
    /** False: it had ended before. */
    end(error) {
      if (ended) return false;
      ended = { error };
      for (const { resolve } of takers.splice(0)) resolve(last(ended));
      return true;
    },
    take: () =>
      come.length > 0
        ? Promise.resolve({ done: false, value: come.shift() })
        : ended
          ? last(ended)
          : new Promise((resolve) => takers.push({ resolve })),
  };
}
