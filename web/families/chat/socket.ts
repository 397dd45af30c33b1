// The socket of the chat (docs/guides/chat.md): it says what was seen, hears what is new, and when it is cut off it
// comes back and says again what was seen.
import { signal } from '@preact/signals';
import { start } from '../../kernel/session.ts';
import type { Message } from './data.ts';

export type Heard =
  | { event: 'ready'; channels: readonly Seen[] }
  | { event: 'message.created' | 'message.updated'; channel_url: string; sequence: number; message: Message }
  | { event: 'message.deleted'; channel_url: string; sequence: number; message_id: number }
  | { event: 'channel.joined'; channel_url: string; last_sequence: number }
  | { event: 'notifications.changed' }
  | { event: 'channel.left'; channel_url: string }
  | { event: 'channel.read'; channel_url: string; read_sequence: number };
export interface Seen {
  channel_url: string;
  last_sequence: number;
}

/** False while there is no connection. */
export const isLive = signal(true);
const SESSION_ENDED = 4401;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;

/** Returns what ends it. */
export function connect(seen: () => readonly Seen[], hear: (heard: Heard) => void): () => void {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait_ms = FIRST_WAIT_MS;
  const open = () => {
    clearTimeout(timer);
    const opened = new WebSocket(new URL('/v1/chat/socket', location.origin.replace(/^http/, 'ws')));
    socket = opened;
    opened.onopen = () => opened.send(JSON.stringify({ action: 'hello', channels: seen() }));
    opened.onmessage = ({ data }) => {
      const heard: Heard = JSON.parse(data);
      if (heard.event === 'ready') {
        wait_ms = FIRST_WAIT_MS;
        isLive.value = true;
      }
      hear(heard);
    };
    opened.onclose = ({ code }) => {
      if (socket !== opened) return;
      isLive.value = false;
      // The server says no more than that it did not open: perhaps nobody is signed in any more.
      if (code === SESSION_ENDED || wait_ms === FIRST_WAIT_MS) start().catch(() => {});
      timer = setTimeout(open, wait_ms);
      wait_ms = Math.min(wait_ms * 2, LONGEST_WAIT_MS);
    };
  };
  const back = () => {
    if (!isLive.peek()) open();
  };
  addEventListener('online', back);
  open();
  return () => {
    removeEventListener('online', back);
    clearTimeout(timer);
    const last = socket;
    socket = undefined;
    last?.close();
    isLive.value = true;
  };
}
