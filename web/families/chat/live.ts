// What happens in channels while somebody looks.
import { effect, signal } from '@preact/signals';
import { Refusal } from '../../kernel/call.ts';
import { me, session } from '../../kernel/session.ts';
import * as data from './data.ts';
import { connect, type Heard } from './socket.ts';

/** What somebody else has just said, for those who hear the page. */
export const heardLast = signal<data.Message | undefined>(undefined);
/** Called when there is a connection, the first and every further time. */
export const whenReady = new Set<() => void>();
/** Called when the person's notifications are others than before. */
export const whenNotified = new Set<() => void>();
let started: Promise<void> | undefined;
let disconnect = () => {};

effect(() => {
  if (session.value !== null) return;
  disconnect();
  started = undefined;
  heardLast.value = undefined;
  data.forgetChannels();
});

/** Reads the channels, then listens from there on: what is said in between is neither lost nor told twice. */
export function startChat(): Promise<void> {
  started ??= data.readChannels(0).then(
    () => {
      disconnect = connect(
        () => [...data.seen].map(([channel_url, last_sequence]) => ({ channel_url, last_sequence })),
        hear,
      );
    },
    (error) => {
      started = undefined;
      throw error;
    },
  );
  return started;
}
/** A channel with its newest messages; what comes later, the socket tells. */
export async function openThread(url: string) {
  await startChat();
  if (!data.knownChannel(url)) await data.readChannel(url);
  if (!data.threadOf(url).messages.peek()) await data.readMessages(url);
}

const readAgain = (url: string) =>
  data.readChannel(url).catch((error) => {
    if (error instanceof Refusal && error.status === 404) data.leave(url);
  });

function hear(heard: Heard) {
  switch (heard.event) {
    case 'ready':
      for (const { channel_url, last_sequence } of heard.channels)
        if (!data.seen.has(channel_url)) data.seen.set(channel_url, last_sequence);
      for (const ready of whenReady) ready();
      return;
    case 'notifications.changed':
      for (const notified of whenNotified) notified();
      return;
    case 'channel.left':
      return data.leave(heard.channel_url);
    case 'channel.joined':
      return void readAgain(heard.channel_url);
    case 'channel.read': {
      const last = data.knownChannel(heard.channel_url)?.last_message;
      if (!last || heard.read_sequence < last.message_id) return void readAgain(heard.channel_url);
      return data.change(heard.channel_url, { read_sequence: heard.read_sequence, unread_count: 0 });
    }
    case 'message.created':
    case 'message.updated':
    case 'message.deleted':
      if (heard.sequence <= (data.seen.get(heard.channel_url) ?? 0)) return;
      data.seen.set(heard.channel_url, heard.sequence);
      return hearMessage(heard);
  }
}

function hearMessage(heard: Extract<Heard, { sequence: number }>) {
  const { channel_url: url, sequence: last_sequence } = heard;
  const channel = data.knownChannel(url);
  if (!channel) return void readAgain(url);
  const last = channel.last_message;
  if (heard.event === 'message.deleted') {
    data.drop(url, heard.message_id);
    if (last?.message_id === heard.message_id) readAgain(url);
    return;
  }
  const { message } = heard;
  if (data.threadOf(url).messages.peek()) data.keep(url, [message]);
  if (heard.event === 'message.updated') {
    if (last?.message_id === message.message_id) data.change(url, { last_message: message, last_sequence });
    return;
  }
  const isMine = message.user?.id === me().id;
  const unread_count = isMine ? 0 : channel.unread_count + 1;
  data.change(url, { last_message: message, last_sequence, unread_count });
  if (!isMine) heardLast.value = message;
}
