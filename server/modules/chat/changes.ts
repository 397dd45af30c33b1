// What is new in channels: read for all who listen at once, and written as the events that clients get.
import type { Json, Tx } from '../../kernel/data/db.ts';
import { literal, sql } from '../../kernel/data/sql.ts';
import { textFrame } from './frames.ts';
import { messageColumns } from './messages.ts';

/** Of one channel read at once. */
const CHANGES_MAX = 200;

interface Change {
  channel_id: number;
  /** The channel's last number when this was read. */
  last_sequence: number;
  sequence: number;
  message_id: number;
  is_deleted: boolean;
  json: Json;
}
export interface Changes {
  readonly list: readonly Change[];
  /** Nothing is missing up to this number. */
  readonly upto: number;
  readonly isMore: boolean;
}

/** What changed in channels after a number of each, oldest first. A channel that is gone has no entry. */
export async function readChanges(tx: Tx, after: ReadonlyMap<number, number>) {
  const rows = await tx.rows<Change | (Change & { sequence: null })>(sql`
    select c.id as channel_id, c.last_sequence, t.sequence, t.id as message_id, t.deleted_at is not null as is_deleted,
      case when t.deleted_at is null then (
        select row_to_json(r) from (select ${messageColumns(tx.now())}) r)::text end as json
    from unnest(${[...after.keys()]}::bigint[], ${[...after.values()]}::bigint[]) g (channel_id, after)
    join chat_channels c on c.organisation_id = $1 and c.id = g.channel_id
    left join lateral (
      select * from chat_messages m
      where m.organisation_id = $1 and m.channel_id = g.channel_id and m.sequence > g.after
      order by m.sequence limit ${literal(CHANGES_MAX)}) t on true
    order by c.id, t.sequence`);
  const read = new Map<number, Changes>();
  for (const [id, own] of Map.groupBy(rows, ({ channel_id }) => channel_id)) {
    const list = own.filter((row) => row.sequence !== null);
    const isMore = list.length === CHANGES_MAX;
    const last = isMore ? list.at(-1)?.sequence : own[0]?.last_sequence;
    read.set(id, { list, isMore, upto: last ?? 0 });
  }
  return read;
}

export const eventFrame = (event: string, fields: object) => textFrame(JSON.stringify({ event, ...fields }));

/** A message that the reader has not seen is new to them, even when it was edited since. */
export function framesOf(channel_url: string, changes: readonly Change[], seen: number): Buffer {
  const url = JSON.stringify(channel_url);
  const frames = changes.map(({ sequence, message_id, is_deleted, json }) => {
    const event = is_deleted ? 'message.deleted' : message_id > seen ? 'message.created' : 'message.updated';
    const what = is_deleted ? `"message_id":${message_id}` : `"message":${json}`;
    return textFrame(`{"event":"${event}","channel_url":${url},"sequence":${sequence},${what}}`);
  });
  return frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames);
}
