// What was written and is not yet known to have arrived. Each message has a name of its own, by which the server knows
// it again: without an answer it is sent once more, and it still is one message.
import { effect, signal } from '@preact/signals';
import { Refusal, request } from '../../kernel/call.ts';
import { session } from '../../kernel/session.ts';
import { type Mention, mentionedIn } from '../mentions/data.ts';
import { keep, type Message } from './data.ts';
import { whenReady } from './live.ts';

interface Pressed {
  message_id: number;
  label: string;
  card?: number;
}
export interface Draft {
  client_message_id: string;
  channel_url: string;
  text: string;
  files: readonly File[];
  pressed?: Pressed;
  mentions?: readonly Mention[];
  state: 'sending' | 'waiting' | 'refused';
}
export const outbox = signal<readonly Draft[]>([]);
const RETRY_MS = 5000;
let isRunning = false;
let timer: ReturnType<typeof setTimeout> | undefined;

whenReady.add(() => void flush());
effect(() => {
  if (session.value === null) outbox.value = [];
});

// Pages on plain http have no crypto.randomUUID.
const newName = () => [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join('-');
type More = Pick<Draft, 'pressed' | 'mentions'>;
export function send(channel_url: string, text: string, files: readonly File[] = [], more: More = {}) {
  const draft: Draft = { client_message_id: newName(), channel_url, text, files, ...more, state: 'sending' };
  outbox.value = [...outbox.peek(), draft];
  void flush();
}
export function sendAgain(draft: Draft) {
  setState(draft, 'waiting');
  void flush();
}
export const discard = ({ client_message_id }: Draft) => {
  outbox.value = outbox.peek().filter((one) => one.client_message_id !== client_message_id);
};
const setState = ({ client_message_id }: Draft, state: Draft['state']) => {
  outbox.value = outbox.peek().map((one) => (one.client_message_id === client_message_id ? { ...one, state } : one));
};

/** One after the other, so that they arrive in the order in which they were written. */
async function flush() {
  if (isRunning) return;
  isRunning = true;
  clearTimeout(timer);
  for (let next = waiting(); next; next = waiting()) {
    setState(next, 'sending');
    try {
      const { data } = await request<Message>(...requestOf(next));
      keep(next.channel_url, [data]);
      discard(next);
    } catch (error) {
      const isUnanswered = !(error instanceof Refusal) || error.status === 0;
      setState(next, isUnanswered ? 'waiting' : 'refused');
      if (!isUnanswered) continue;
      timer = setTimeout(flush, RETRY_MS);
      break;
    }
  }
  isRunning = false;
}
const waiting = () => outbox.peek().find(({ state }) => state !== 'refused');

function requestOf({
  channel_url,
  text,
  files,
  pressed,
  mentions = [],
  client_message_id,
}: Draft): Parameters<typeof request> {
  const path = 'POST /v1/chat/channels/{channel_url}/messages';
  if (pressed) {
    const { message_id, ...button } = pressed;
    const params = { channel_url, message_id };
    return [`${path}/{message_id}/press`, { params, body: { ...button, client_message_id } }];
  }
  const params = { channel_url };
  const mentioned = mentionedIn(text, mentions);
  if (files.length === 0) return [path, { params, body: { message: text, client_message_id, ...mentioned } }];
  const body = new FormData();
  body.set('client_message_id', client_message_id);
  if (text) body.set('message', text);
  for (const [name, ids] of Object.entries(mentioned)) body.set(name, ids.join(','));
  files.forEach((file, n) => {
    body.set(`files[${n}]`, file);
  });
  return [path, { params, body }];
}
