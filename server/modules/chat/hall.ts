// Everybody of one organisation who has a socket open on this node.

import type { Clock } from '../../kernel/clock.ts';
import { isoOfMicros } from '../../kernel/clock.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { FanOut } from '../../kernel/work/fan-out.ts';
import type { Hello } from './actions.ts';
import { PRESENCE } from './events.ts';
import { write } from './frames.ts';
import * as live from './live.ts';
import { createRooms, eventFrame, type Listener } from './rooms.ts';

export interface Socket extends Listener {
  readonly actor: Actor;
  readonly watched: Set<number>;
  isAlive: boolean;
  /** What the client asked for last, and everything before. */
  turn: Promise<void>;
}

export interface Hall {
  /** Joins the person's channels, says `ready`, then what was missed. False: the person has as many sockets as one may have. */
  enter(socket: Socket, hello: Hello): Promise<boolean>;
  exit(socket: Socket): Promise<void>;
  watch(socket: Socket, user_ids: readonly number[]): void;
  channelChanged(channel_id: number): void;
  membersChanged(channel_id: number): void;
  read(key: string): void;
  typing(key: string): void;
  presence(key: string): void;
  isGood(socket: Socket, clock: Clock): Promise<boolean>;
  /** Finds what hints did not tell; returns the sockets whose credential has ended. */
  sweep(clock: Clock): Promise<Socket[]>;
}

/** Joins are looked for a little further back than the last look: a commit may be later than its timestamp. */
const JOINED_MARGIN_MICROS = 60_000_000;
/** On one node. */
export const SOCKETS_A_PERSON_MAX = 50;
/** In a larger room nobody is told who is typing. */
const TYPING_ROOM_MAX = 100;

export function createHall(tx: Tx, fanOut: FanOut, onError: (error: unknown) => void): Hall {
  const rooms = createRooms(tx, onError);
  const people = new Map<number, Set<Socket>>();
  const watchers = new Map<number, Set<Socket>>();
  let looked_micros: number | undefined;
  const guarded = (work: Promise<unknown>) => void work.catch(onError);
  const tellPresence = (user_id: number, online: boolean) =>
    fanOut.tell({ topic: PRESENCE, organisation_id: tx.organisation_id, key: `${user_id}:${online ? 1 : 0}` });

  const unwatch = (socket: Socket) => {
    for (const user_id of socket.watched) {
      watchers.get(user_id)?.delete(socket);
      if (watchers.get(user_id)?.size === 0) watchers.delete(user_id);
    }
    socket.watched.clear();
  };
  const seat = async (channel_id: number) => {
    const asked = [...people.keys()];
    const channel = await live.membersAmong(tx, channel_id, asked);
    if (!channel) return;
    const members = new Set(channel.user_ids);
    // Who came while this was read has joined what they belong to.
    for (const user_id of asked) {
      for (const socket of people.get(user_id) ?? []) {
        const room = rooms.room(channel_id);
        const isIn = room?.sockets.has(socket) ?? false;
        if (members.has(user_id) && !isIn) {
          write(
            socket,
            eventFrame('channel.joined', { channel_url: channel.channel_url, last_sequence: channel.last_sequence }),
          );
          rooms.join(socket, channel, undefined);
          guarded(rooms.catchUp(socket));
        } else if (room && isIn && !members.has(user_id)) {
          rooms.leave(socket, room);
          write(socket, eventFrame('channel.left', { channel_url: channel.channel_url }));
        }
      }
    }
    await rooms.pump();
  };
  const goodAmong = async (sockets: readonly Socket[], clock: Clock) => {
    const now_ms = clock.micros() / 1000;
    const good = await live.stillGood(
      tx,
      sockets.flatMap(({ actor }) => (actor.kind === 'session' ? [actor.credential_id] : [])),
      [...new Set(sockets.map(({ user_id }) => user_id))],
    );
    const [sessions, users] = [new Set(good?.sessions), new Set(good?.users)];
    return new Set(
      sockets.filter(
        ({ actor, user_id }) =>
          users.has(user_id) &&
          (actor.kind !== 'session' || sessions.has(actor.credential_id)) &&
          (actor.expires_ms === undefined || actor.expires_ms > now_ms),
      ),
    );
  };

  return {
    async enter(socket, { channels = [] }) {
      const asked = new Map(channels.map(({ channel_url, last_sequence }) => [channel_url, last_sequence]));
      const mine = await live.liveChannels(tx, socket.user_id);
      if (socket.ws.readyState !== socket.ws.OPEN) return true;
      const others = people.get(socket.user_id) ?? new Set();
      if (others.size >= SOCKETS_A_PERSON_MAX) return false;
      const isFirst = others.size === 0;
      people.set(socket.user_id, others.add(socket));
      // No waiting from here to `ready`: nothing can be delivered in between.
      for (const channel of mine) rooms.join(socket, channel, asked.get(channel.channel_url));
      write(
        socket,
        eventFrame('ready', {
          user_id: socket.user_id,
          channels: mine.map(({ channel_url, last_sequence }) => ({ channel_url, last_sequence })),
        }),
      );
      guarded(rooms.pump());
      guarded(rooms.catchUp(socket));
      if (isFirst) {
        await live.upsertPresence(tx, fanOut.node, [socket.user_id]);
        tellPresence(socket.user_id, true);
      }
      return true;
    },
    async exit(socket) {
      unwatch(socket);
      for (const room of [...socket.rooms]) rooms.leave(socket, room);
      const sockets = people.get(socket.user_id);
      if (!sockets?.delete(socket) || sockets.size > 0) return;
      people.delete(socket.user_id);
      const isGone = await live.deletePresence(tx, fanOut.node, socket.user_id);
      // Who came back meanwhile may have been written down before this deletion.
      if (people.has(socket.user_id)) await live.upsertPresence(tx, fanOut.node, [socket.user_id]);
      else if (isGone) tellPresence(socket.user_id, false);
    },
    watch(socket, user_ids) {
      unwatch(socket);
      for (const user_id of user_ids) {
        socket.watched.add(user_id);
        watchers.set(user_id, (watchers.get(user_id) ?? new Set()).add(socket));
      }
    },
    channelChanged(channel_id) {
      if (!rooms.room(channel_id)) return;
      rooms.changed(channel_id);
      guarded(rooms.pump());
    },
    membersChanged: (channel_id) => guarded(seat(channel_id)),
    read(key) {
      const [channel_id, user_id, read_sequence] = key.split(':').map(Number);
      const room = rooms.room(channel_id ?? 0);
      for (const socket of room ? (people.get(user_id ?? 0) ?? []) : [])
        write(socket, eventFrame('channel.read', { channel_url: room?.channel_url, read_sequence }));
    },
    typing(key) {
      const [channel_id, user_id] = key.split(':').map(Number);
      const room = rooms.room(channel_id ?? 0);
      if (!room || room.sockets.size > TYPING_ROOM_MAX) return;
      const frame = eventFrame('typing', { channel_url: room.channel_url, user_id });
      for (const socket of room.sockets) if (socket.user_id !== user_id) write(socket, frame);
    },
    presence(key) {
      const [user_id = 0, online] = key.split(':').map(Number);
      const frame = eventFrame('presence', { user_id, is_online: online === 1 });
      for (const socket of watchers.get(user_id) ?? []) write(socket, frame);
    },
    isGood: async (socket, clock) => (await goodAmong([socket], clock)).has(socket),
    async sweep(clock) {
      const sockets = [...people.values()].flatMap((each) => [...each]);
      if (sockets.length === 0) return [];
      const since = isoOfMicros((looked_micros ?? clock.micros()) - JOINED_MARGIN_MICROS);
      looked_micros = clock.micros();
      const known = [...rooms.all()];
      const ahead = await live.channelsAhead(
        tx,
        known.map(({ channel_id }) => channel_id),
        known.map(({ last }) => last),
      );
      for (const { id } of ahead) rooms.changed(id);
      for (const socket of sockets) if (socket.places.size > 0) guarded(rooms.catchUp(socket));
      for (const { channel_id } of await live.joinedSince(tx, [...people.keys()], since)) await seat(channel_id);
      await rooms.pump();
      await live.upsertPresence(tx, fanOut.node, [...people.keys()]);
      const good = await goodAmong(sockets, clock);
      return sockets.filter((socket) => !good.has(socket));
    },
  };
}
