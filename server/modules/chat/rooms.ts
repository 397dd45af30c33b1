// The channels of one organisation that somebody on this node listens to, and what each listener has been sent.
//
//   hint       a channel changed: its room is dirty
//   pump       one statement reads what is new in all dirty rooms, after the number that each has reached; order and
//              completeness come from the database, so a hint that was lost, doubled or late changes nothing
//   deliver    each change is framed once and written to every socket of the room, several changes as one write
//   catch up   a socket that resumes has a place of its own behind the room, and reads for itself until it is level
import type { Tx } from '../../kernel/data/db.ts';
import { drained, textFrame, type Wire, write } from './frames.ts';
import { CHANGES_MAX, type Change, changesAfter, type LiveChannel, strangers } from './live.ts';

export interface Room {
  readonly channel_id: number;
  readonly channel_url: string;
  /** Everything up to this number was delivered. */
  last: number;
  readonly sockets: Set<Listener>;
  checked_ms: number;
}
export interface Listener extends Wire {
  readonly user_id: number;
  readonly rooms: Set<Room>;
  /** Where this socket is, in rooms with which it is not level. */
  readonly places: Map<Room, number>;
  isCatchingUp: boolean;
}
export interface Rooms {
  /** The socket hears the channel from now on, and first what came after `from`. */
  join(listener: Listener, channel: LiveChannel, from: number | undefined): void;
  leave(listener: Listener, room: Room): void;
  room(channel_id: number): Room | undefined;
  all(): Iterable<Room>;
  changed(channel_id: number): void;
  catchUp(listener: Listener): Promise<void>;
  /** Reads what is dirty; resolves when nothing is. */
  pump(): Promise<void>;
}

const ROOMS_AT_ONCE = 200;
const PLACES_AT_ONCE = 20;
/** A larger room's listeners are checked for having left at most this often; those of a smaller one for every change. */
const CHECKED_EVERY_MS = 1000;
const SMALL_ROOM = 100;

export const eventFrame = (event: string, fields: object) => textFrame(JSON.stringify({ event, ...fields }));

export function createRooms(tx: Tx, onError: (error: unknown) => void): Rooms {
  const rooms = new Map<number, Room>();
  const dirty = new Set<Room>();
  let pumping: Promise<void> | undefined;

  /** A room that everybody has left may have a successor, and a statement must not read both: only the current one is dirty. */
  const markDirty = (room: Room) => void (rooms.get(room.channel_id) === room && dirty.add(room));
  const leave = (listener: Listener, room: Room) => {
    room.sockets.delete(listener);
    listener.rooms.delete(room);
    listener.places.delete(room);
    if (room.sockets.size > 0) return;
    rooms.delete(room.channel_id);
    dirty.delete(room);
  };
  const expel = (listener: Listener, room: Room) => {
    leave(listener, room);
    write(listener, eventFrame('channel.left', { channel_url: room.channel_url }));
  };

  const expelStrangers = async (checked: readonly Room[]) => {
    const pairs = checked.flatMap((room) =>
      [...new Set([...room.sockets].map(({ user_id }) => user_id))].map((user_id) => ({ room, user_id })),
    );
    if (pairs.length === 0) return;
    const gone = await strangers(
      tx,
      pairs.map(({ room }) => room.channel_id),
      pairs.map(({ user_id }) => user_id),
    );
    for (const { channel_id, user_id } of gone) {
      const room = checked.find((each) => each.channel_id === channel_id);
      for (const listener of [...(room?.sockets ?? [])])
        if (room && listener.user_id === user_id) expel(listener, room);
    }
  };

  const pumpOnce = async () => {
    const batch = [...dirty].slice(0, ROOMS_AT_ONCE);
    for (const room of batch) dirty.delete(room);
    try {
      const changes = byChannel(
        await changesAfter(
          tx,
          batch.map(({ channel_id }) => channel_id),
          batch.map(({ last }) => last),
        ),
      );
      const now = performance.now();
      const news = batch.filter(({ channel_id }) => changes.get(channel_id)?.rows.length);
      const due = news.filter(
        ({ sockets, checked_ms }) => sockets.size <= SMALL_ROOM || now - checked_ms > CHECKED_EVERY_MS,
      );
      for (const room of due) room.checked_ms = now;
      await expelStrangers(due);
      for (const room of batch) {
        const read = changes.get(room.channel_id);
        if (!read) continue;
        deliver(room, read);
        if (read.isMore) markDirty(room);
      }
    } catch (error) {
      for (const room of batch) markDirty(room);
      throw error;
    }
  };
  const behind = (listener: Listener) =>
    [...listener.places].filter(([room, place]) => place < room.last).slice(0, PLACES_AT_ONCE);
  const readFor = async (listener: Listener, batch: [Room, number][]) => {
    const ids = batch.map(([room]) => room.channel_id);
    const places = batch.map(([, place]) => place);
    const changes = byChannel(await changesAfter(tx, ids, places));
    const lost = await strangers(
      tx,
      ids,
      ids.map(() => listener.user_id),
    );
    for (const [room, place] of batch) {
      const read = changes.get(room.channel_id);
      if (!room.sockets.has(listener)) listener.places.delete(room);
      else if (!read || lost.some(({ channel_id }) => channel_id === room.channel_id)) expel(listener, room);
      else {
        send(listener, room, read.rows, place);
        settle(listener, room, read.upto);
      }
    }
  };
  const pumpAll = async () => {
    // Everything that becomes dirty in this turn is read together.
    await Promise.resolve();
    try {
      while (dirty.size > 0) await pumpOnce();
    } finally {
      // In the same turn as the last look: what becomes dirty after it finds no pump at work, and starts one.
      pumping = undefined;
    }
  };

  return {
    leave,
    room: (channel_id) => rooms.get(channel_id),
    all: () => rooms.values(),
    join(listener, { id, channel_url, last_sequence }, from = last_sequence) {
      let room = rooms.get(id);
      if (!room) {
        room = { channel_id: id, channel_url, last: last_sequence, sockets: new Set(), checked_ms: 0 };
        rooms.set(id, room);
        // A hint may have come between the statement that read the number and this moment.
        markDirty(room);
      }
      if (room.sockets.has(listener)) return;
      const place = Math.min(from, last_sequence);
      if (place !== room.last) listener.places.set(room, place);
      room.sockets.add(listener);
      listener.rooms.add(room);
    },
    changed(channel_id) {
      const room = rooms.get(channel_id);
      if (room) markDirty(room);
    },
    async catchUp(listener) {
      if (listener.isCatchingUp) return;
      listener.isCatchingUp = true;
      try {
        for (let batch = behind(listener); batch.length > 0; batch = behind(listener)) {
          await readFor(listener, batch);
          await drained(listener);
        }
      } finally {
        listener.isCatchingUp = false;
      }
    },
    pump() {
      pumping ??= pumpAll().catch(onError);
      return pumping;
    },
  };
}

interface Read {
  rows: (Change & { sequence: number })[];
  /** Nothing is missing up to here. */
  upto: number;
  isMore: boolean;
}
function byChannel(changes: readonly Change[]): Map<number, Read> {
  const read = new Map<number, Read>();
  for (const change of changes) {
    const of = read.get(change.channel_id) ?? { rows: [], upto: change.last_sequence, isMore: false };
    if (change.sequence !== null) of.rows.push(change as Read['rows'][number]);
    read.set(change.channel_id, of);
  }
  for (const of of read.values()) {
    of.isMore = of.rows.length === CHANGES_MAX;
    if (of.isMore) of.upto = of.rows.at(-1)?.sequence ?? of.upto;
  }
  return read;
}

function deliver(room: Room, { rows, upto }: Read) {
  const before = room.last;
  room.last = upto;
  const frames = rows.length > 0 ? framesOf(room, rows, before) : undefined;
  for (const listener of room.sockets) {
    const place = listener.places.size > 0 ? listener.places.get(room) : undefined;
    if (place === undefined) {
      if (frames) write(listener, frames);
    } else if (place > before) {
      // This socket has read further than the room had.
      send(listener, room, rows, place);
      settle(listener, room, Math.max(place, upto));
    }
  }
}

function send(listener: Listener, room: Room, rows: Read['rows'], place: number) {
  const missing = rows.filter(({ sequence }) => sequence > place);
  if (missing.length > 0) write(listener, framesOf(room, missing, place));
}
function settle(listener: Listener, room: Room, place: number) {
  if (place === room.last) listener.places.delete(room);
  else listener.places.set(room, place);
}

/** A message that the reader has not seen is new to them, even when it was edited since. */
function framesOf({ channel_url }: Room, rows: Read['rows'], seen: number): Buffer {
  const url = JSON.stringify(channel_url);
  const frames = rows.map(({ sequence, message_id, is_deleted, json }) => {
    const event = is_deleted ? 'message.deleted' : message_id > seen ? 'message.created' : 'message.updated';
    const what = is_deleted ? `"message_id":${message_id}` : `"message":${json}`;
    return textFrame(`{"event":"${event}","channel_url":${url},"sequence":${sequence},${what}}`);
  });
  return frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames);
}
