// The channels of one organisation that connections of this node are subscribed to, and how far each has got.
//
//   stale      a hint said that a channel changed
//   deliver    one statement reads what is new in all stale channels, after the number that each was delivered up to.
//              Order and completeness come from the database: a hint that was lost, doubled or late changes nothing
//   write      each change is framed once and written to every connection, several changes as one write
//   catch up   a connection that resumes has a position of its own behind its channel's, and reads for itself until
//              the two are level
import type { Tx } from '../../kernel/data/db.ts';
import { findStrangers } from './access.ts';
import { type Changes, eventFrame, framesOf, readChanges } from './changes.ts';
import type { Connection } from './connection.ts';
import { drained, write } from './frames.ts';
import type { LiveChannel } from './live.ts';

/** A channel with subscribers on this node. */
export interface Channel {
  readonly id: number;
  readonly channel_url: string;
  /** Everything up to this number was delivered. */
  delivered: number;
  readonly subscribers: Set<Connection>;
  checked_ms: number;
}

const CHANNELS_AT_ONCE = 200;
const POSITIONS_AT_ONCE = 20;
/** Whether everybody still belongs is looked at for every change; with more subscribers, at most this often. */
const CHECKED_EVERY_MS = 1000;
const MANY_SUBSCRIBERS = 100;

export function createSubscriptions(tx: Tx, onError: (error: unknown) => void) {
  const channels = new Map<number, Channel>();
  const stale = new Set<Channel>();
  let delivering: Promise<void> | undefined;

  /** A channel that everybody has left may come back as another object; one statement must not read it twice. */
  const markStale = (channel: Channel) => void (channels.get(channel.id) === channel && stale.add(channel));
  const unsubscribe = (connection: Connection, channel: Channel) => {
    channel.subscribers.delete(connection);
    connection.channels.delete(channel);
    connection.positions.delete(channel);
    if (channel.subscribers.size > 0) return;
    channels.delete(channel.id);
    stale.delete(channel);
  };
  const remove = (connection: Connection, channel: Channel) => {
    unsubscribe(connection, channel);
    write(connection, eventFrame('channel.left', { channel_url: channel.channel_url }));
  };
  const removeStrangers = async (pairs: readonly [Channel, user_id: number][]) => {
    if (pairs.length === 0) return;
    const ids = pairs.map(([{ id }]) => id);
    const people = pairs.map(([, user_id]) => user_id);
    for (const { channel_id, user_id } of await findStrangers(tx, ids, people)) {
      const channel = channels.get(channel_id);
      for (const one of channel?.subscribers ?? []) if (channel && one.user_id === user_id) remove(one, channel);
    }
  };

  const deliverSome = async () => {
    const batch = [...stale].slice(0, CHANNELS_AT_ONCE);
    for (const channel of batch) stale.delete(channel);
    try {
      const changes = await readChanges(tx, new Map(batch.map(({ id, delivered }) => [id, delivered])));
      const now = performance.now();
      const unchecked = batch.filter(({ id, subscribers, checked_ms }) => {
        const isDue = subscribers.size <= MANY_SUBSCRIBERS || now - checked_ms > CHECKED_EVERY_MS;
        return isDue && changes.get(id)?.list.length;
      });
      for (const channel of unchecked) channel.checked_ms = now;
      await removeStrangers(unchecked.flatMap(peopleIn));
      for (const channel of batch) {
        const read = changes.get(channel.id);
        if (read) writeToAll(channel, read);
        if (read?.isMore) markStale(channel);
      }
    } catch (error) {
      for (const channel of batch) markStale(channel);
      throw error;
    }
  };
  const deliverAll = async () => {
    // Everything that becomes stale in this turn is read together.
    await Promise.resolve();
    try {
      while (stale.size > 0) await deliverSome();
    } finally {
      // In the same turn as the last look: what becomes stale after it starts another delivery.
      delivering = undefined;
    }
  };
  const catchUpSome = async (connection: Connection, batch: readonly [Channel, number][]) => {
    const changes = await readChanges(tx, new Map(batch.map(([{ id }, position]) => [id, position])));
    await removeStrangers(batch.map(([channel]) => [channel, connection.user_id]));
    for (const [channel, position] of batch) {
      // It may have left meanwhile.
      if (connection.positions.get(channel) !== position) continue;
      const read = changes.get(channel.id);
      if (read) writeToOne(connection, channel, read, position);
      else remove(connection, channel);
    }
  };

  return {
    channels: channels as ReadonlyMap<number, Channel>,
    unsubscribe,
    remove,
    /** From now on, and first what came after `from`, which `catchUp` writes. */
    subscribe(connection: Connection, { id, channel_url, last_sequence }: LiveChannel, from = last_sequence) {
      let channel = channels.get(id);
      if (!channel) {
        channel = { id, channel_url, delivered: last_sequence, subscribers: new Set(), checked_ms: 0 };
        channels.set(id, channel);
        // A hint may have come between the statement that read the number and this moment.
        markStale(channel);
      }
      if (channel.subscribers.has(connection)) return;
      const position = Math.min(from, last_sequence);
      if (position !== channel.delivered) connection.positions.set(channel, position);
      channel.subscribers.add(connection);
      connection.channels.add(channel);
    },
    async catchUp(connection: Connection) {
      if (connection.isCatchingUp) return;
      connection.isCatchingUp = true;
      try {
        for (let batch = behind(connection); batch.length > 0; batch = behind(connection)) {
          await catchUpSome(connection, batch);
          await drained(connection);
        }
      } finally {
        connection.isCatchingUp = false;
      }
    },
    /** Delivers what is new in these channels and all that are stale; resolves when none is. */
    deliver(channel_ids: readonly number[] = []) {
      for (const channel of channel_ids.flatMap((id) => channels.get(id) ?? [])) markStale(channel);
      delivering ??= deliverAll().catch(onError);
      return delivering;
    },
  };
}

const peopleIn = (channel: Channel): [Channel, number][] =>
  [...new Set([...channel.subscribers].map(({ user_id }) => user_id))].map((user_id) => [channel, user_id]);
const behind = ({ positions }: Connection) =>
  [...positions].filter(([channel, position]) => position < channel.delivered).slice(0, POSITIONS_AT_ONCE);

function writeToAll(channel: Channel, read: Changes) {
  const before = channel.delivered;
  channel.delivered = read.upto;
  const frames = read.list.length > 0 ? framesOf(channel.channel_url, read.list, before) : undefined;
  for (const connection of channel.subscribers) {
    const position = connection.positions.size > 0 ? connection.positions.get(channel) : undefined;
    if (position === undefined) {
      if (frames) write(connection, frames);
    } else if (position > before) writeToOne(connection, channel, read, position);
  }
}
/** To who has a position of its own: behind the channel's, or ahead of what the node had delivered. */
function writeToOne(connection: Connection, channel: Channel, { list, upto }: Changes, position: number) {
  const missing = list.filter(({ sequence }) => sequence > position);
  if (missing.length > 0) write(connection, framesOf(channel.channel_url, missing, position));
  const reached = Math.max(position, upto);
  if (reached === channel.delivered) connection.positions.delete(channel);
  else connection.positions.set(channel, reached);
}
