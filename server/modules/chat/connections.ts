// Everybody of one organisation who has a connection open on this node, and what is written to them.
import { type Clock, isoOfMicros } from '../../kernel/clock.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { Hello } from './actions.ts';
import { eventFrame } from './changes.ts';
import type { Connection } from './connection.ts';
import { write } from './frames.ts';
import { type Hints, tell } from './hints.ts';
import * as live from './live.ts';
import { deletePresence, upsertPresence } from './presence.ts';
import { createSubscriptions } from './subscriptions.ts';

/** Joins are looked for a little further back than the last look: a commit may be later than its timestamp. */
const JOINED_MARGIN_MICROS = 60_000_000;
/** On one node. */
export const SOCKETS_A_PERSON_MAX = 50;
/** In a channel with more subscribers nobody is told who is typing. */
const TYPING_SUBSCRIBERS_MAX = 100;

export type Connections = ReturnType<typeof createConnections>;
export function createConnections(tx: Tx, node: string, clock: Clock, onError: (error: unknown) => void) {
  const subscriptions = createSubscriptions(tx, onError);
  const { channels } = subscriptions;
  const connections = new Set<Connection>();
  const people = new Map<number, Set<Connection>>();
  let looked_micros: number | undefined;
  const catchUp = (connection: Connection) => void subscriptions.catchUp(connection).catch(onError);

  /** Subscribes who has come to belong to the channel, and unsubscribes who belongs no more. */
  const followMembers = async (channel_id: number) => {
    const asked = [...people.keys()];
    const found = await live.findMembersAmong(tx, channel_id, asked);
    if (!found) return;
    const { channel_url, last_sequence } = found;
    const members = new Set(found.user_ids);
    // Who connected while this was read is subscribed already.
    for (const connection of asked.flatMap((user_id) => [...(people.get(user_id) ?? [])])) {
      const channel = channels.get(channel_id);
      const isIn = channel?.subscribers.has(connection) ?? false;
      if (members.has(connection.user_id) && !isIn) {
        write(connection, eventFrame('channel.joined', { channel_url, last_sequence }));
        subscriptions.subscribe(connection, found);
        catchUp(connection);
      } else if (channel && isIn && !members.has(connection.user_id)) subscriptions.remove(connection, channel);
    }
    await subscriptions.deliver();
  };
  /** Those whose session, JWT or person has ended. */
  const endedAmong = async (asked: readonly Connection[]) => {
    const user_ids = asked.map(({ user_id }) => user_id);
    const session_ids = asked.map(({ actor }) => (actor.kind === 'session' ? actor.credential_id : null));
    const ended = new Set(await live.listEnded(tx, user_ids, session_ids));
    const now_ms = clock.micros() / 1000;
    const isOver = ({ expires_ms = Number.POSITIVE_INFINITY }: Actor) => expires_ms <= now_ms;
    return asked.filter(({ actor }, i) => ended.has(i + 1) || isOver(actor));
  };

  return {
    /** What is done on hearing a hint. */
    heard: {
      'chat.channel': (channel_id) => void (channels.has(channel_id) && subscriptions.deliver([channel_id])),
      'chat.members': (channel_id) => void followMembers(channel_id).catch(onError),
      'chat.read'(channel_id, user_id, read_sequence) {
        const channel = channels.get(channel_id);
        if (!channel) return;
        const frame = eventFrame('channel.read', { channel_url: channel.channel_url, read_sequence });
        for (const connection of people.get(user_id) ?? []) write(connection, frame);
      },
      'chat.typing'(channel_id, user_id) {
        const channel = channels.get(channel_id);
        if (!channel || channel.subscribers.size > TYPING_SUBSCRIBERS_MAX) return;
        const frame = eventFrame('typing', { channel_url: channel.channel_url, user_id });
        for (const connection of channel.subscribers) if (connection.user_id !== user_id) write(connection, frame);
      },
      'chat.presence'(user_id, is_online) {
        const frame = eventFrame('presence', { user_id, is_online: is_online === 1 });
        for (const connection of connections) if (connection.watched.has(user_id)) write(connection, frame);
      },
      'chat.notified'(...user_ids) {
        const frame = eventFrame('notifications.changed', {});
        for (const user_id of user_ids) for (const connection of people.get(user_id) ?? []) write(connection, frame);
      },
    } satisfies { [Topic in keyof Hints]: (...numbers: Hints[Topic]) => void },

    /** Subscribes to the person's channels; says `ready`, then what was missed. False: they have too many sockets. */
    async enter(connection: Connection, { channels: seen = [] }: Hello): Promise<boolean> {
      const { user_id, ws } = connection;
      const mine = await live.listLiveChannels(tx, user_id);
      if (ws.readyState !== ws.OPEN) return true;
      const others = people.get(user_id) ?? new Set();
      if (others.size >= SOCKETS_A_PERSON_MAX) return false;
      const isFirst = others.size === 0;
      people.set(user_id, others.add(connection));
      connections.add(connection);
      // No waiting from here to `ready`: nothing can be delivered in between.
      const from = new Map(seen.map(({ channel_url, last_sequence }) => [channel_url, last_sequence]));
      for (const channel of mine) subscriptions.subscribe(connection, channel, from.get(channel.channel_url));
      const listed = mine.map(({ channel_url, last_sequence }) => ({ channel_url, last_sequence }));
      write(connection, eventFrame('ready', { user_id, channels: listed }));
      void subscriptions.deliver();
      catchUp(connection);
      if (isFirst) {
        await upsertPresence(tx, node, [user_id]);
        tell(tx, 'chat.presence', user_id, 1);
      }
      return true;
    },
    async leave(connection: Connection) {
      const { user_id } = connection;
      connections.delete(connection);
      for (const channel of connection.channels) subscriptions.unsubscribe(connection, channel);
      const others = people.get(user_id);
      if (!others?.delete(connection) || others.size > 0) return;
      people.delete(user_id);
      const isGone = await deletePresence(tx, node, user_id);
      // Who came back meanwhile may have been written down before this deletion.
      if (people.has(user_id)) await upsertPresence(tx, node, [user_id]);
      else if (isGone) tell(tx, 'chat.presence', user_id, 0);
    },
    hasEnded: async (connection: Connection) => (await endedAmong([connection])).length > 0,
    /** Finds what hints did not tell; returns those that have ended. */
    async sweep(): Promise<Connection[]> {
      if (connections.size === 0) return [];
      const since = isoOfMicros((looked_micros ?? clock.micros()) - JOINED_MARGIN_MICROS);
      looked_micros = clock.micros();
      const delivered = [...channels.values()].map((channel) => channel.delivered);
      const ahead = await live.listAhead(tx, [...channels.keys()], delivered);
      for (const connection of connections) if (connection.positions.size > 0) catchUp(connection);
      for (const id of await live.listJoinedSince(tx, [...people.keys()], since)) await followMembers(id);
      await subscriptions.deliver(ahead);
      await upsertPresence(tx, node, [...people.keys()]);
      return endedAmong([...connections]);
    },
  };
}
