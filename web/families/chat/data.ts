// Channels and their messages, as they were read.
import { type Signal, signal } from '@preact/signals';
import { call } from '../../kernel/call.ts';
import type { Contract, ReplyOf } from '../../kernel/contracts.ts';

export type Channel = ReplyOf<Contract['GET /v1/chat/channels/{channel_url}']>;
export type Message = ReplyOf<Contract['GET /v1/chat/channels/{channel_url}/messages']>[number];
export interface Thread {
  /** Oldest first; undefined until they are read. */
  readonly messages: Signal<readonly Message[] | undefined>;
  readonly hasEarlier: Signal<boolean>;
}

const TAKE = 30;
/** The one with the newest message first. */
export const channels = signal<readonly Channel[] | undefined>(undefined);
export const hasMoreChannels = signal(false);
/** How far the socket has told of each channel. */
export const seen = new Map<string, number>();
const threads = new Map<string, Thread>();
const deleted = new Set<number>();

export function forgetChannels() {
  channels.value = undefined;
  hasMoreChannels.value = false;
  for (const known of [threads, deleted, seen]) known.clear();
}

export async function readChannels(skip: number) {
  const { data, meta } = await call('GET /v1/chat/channels', { query: { skip, take: TAKE } });
  data.forEach(put);
  channels.value ??= [];
  hasMoreChannels.value = meta.pagination?.next_page != null;
}
export const moreChannels = () => readChannels(channels.peek()?.length ?? 0);
export const readChannel = async (channel_url: string) =>
  put((await call('GET /v1/chat/channels/{channel_url}', { params: { channel_url } })).data);

export const channelOf = (url: string) => channels.value?.find(({ channel_url }) => channel_url === url);
export const knownChannel = (url: string) => channels.peek()?.find(({ channel_url }) => channel_url === url);
const newest = (channel: Channel) => channel.last_message?.created_at ?? channel.created_at;
function put(channel: Channel) {
  const { channel_url, last_sequence } = channel;
  // What was read before the last event arrived is older news.
  if (last_sequence < (knownChannel(channel_url)?.last_sequence ?? 0)) return;
  if (!seen.has(channel_url)) seen.set(channel_url, last_sequence);
  const others = (channels.peek() ?? []).filter((one) => one.channel_url !== channel_url);
  channels.value = [...others, channel].toSorted((a, b) => newest(b).localeCompare(newest(a)));
}
export function change(url: string, patch: Partial<Channel>) {
  const channel = knownChannel(url);
  if (channel) put({ ...channel, ...patch });
}
export function leave(url: string) {
  seen.delete(url);
  threads.delete(url);
  channels.value = channels.peek()?.filter(({ channel_url }) => channel_url !== url);
}

export function threadOf(url: string): Thread {
  const known = threads.get(url) ?? { messages: signal(undefined), hasEarlier: signal(false) };
  threads.set(url, known);
  return known;
}
/** With what is known already: the newer state of each message, in the order in which they were sent. */
export function keep(url: string, read: readonly Message[]) {
  const { messages } = threadOf(url);
  const all = new Map((messages.peek() ?? []).map((message) => [message.message_id, message]));
  for (const message of read)
    if (message.sequence >= (all.get(message.message_id)?.sequence ?? 0)) all.set(message.message_id, message);
  const present = [...all.values()].filter(({ message_id }) => !deleted.has(message_id));
  messages.value = present.sort((a, b) => a.message_id - b.message_id);
}
export function drop(url: string, message_id: number) {
  deleted.add(message_id);
  if (threadOf(url).messages.peek()) keep(url, []);
}

/** The newest, or those before the oldest that is known. */
export async function readMessages(channel_url: string) {
  const { messages, hasEarlier } = threadOf(channel_url);
  const oldest = messages.peek()?.[0]?.message_id;
  const query = { take: TAKE, ...(oldest ? { before: oldest } : {}) };
  const { data } = await call('GET /v1/chat/channels/{channel_url}/messages', { params: { channel_url }, query });
  hasEarlier.value = data.length === TAKE;
  keep(channel_url, data);
}

export async function markRead(channel_url: string) {
  const last = threadOf(channel_url).messages.peek()?.at(-1);
  if (!last || !knownChannel(channel_url)?.unread_count) return;
  const body = { message_id: last.message_id };
  const { data } = await call('POST /v1/chat/channels/{channel_url}/read', { params: { channel_url }, body });
  change(channel_url, { unread_count: data.unread_count, read_sequence: data.read_sequence });
}

type NewChannel = { type: 'direct'; user_ids: number[] } | { type: 'bot'; bot_userid: string };
/** The one channel with a person or bot, made if there is none yet. Returns its address. */
export const openChannel = async (body: NewChannel) =>
  `/chat/${(await call('POST /v1/chat/channels', { body })).data.channel_url}`;
export const readBots = async () => (await call('GET /v1/chat/bots', { query: { take: 100 } })).data;
