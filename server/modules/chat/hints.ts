// What nodes tell each other about chat: where to look, never what is there. See kernel/work/fan-out.ts.
import type { Tx } from '../../kernel/data/db.ts';

/** The topics, and the numbers that a hint of each names. */
export interface Hints {
  /** The channel has messages or changes that were not there before. */
  'chat.channel': [channel_id: number];
  /** Other people than before belong to the channel. */
  'chat.members': [channel_id: number];
  /** They have read up to there. */
  'chat.read': [channel_id: number, user_id: number, read_sequence: number];
  'chat.typing': [channel_id: number, user_id: number];
  /** They came (1) or went (0). */
  'chat.presence': [user_id: number, is_online: number];
  /** These people's notifications are others than before. */
  'chat.notified': number[];
}
export const topics = [
  'chat.channel',
  'chat.members',
  'chat.read',
  'chat.typing',
  'chat.presence',
  'chat.notified',
] as const;
/** Heard on every node, after the commit. */
export const tell = <Topic extends keyof Hints>(tx: Tx, topic: Topic, ...numbers: Hints[Topic]) =>
  tx.tell(topic, numbers.join(':'));

/** What a hint carries at most: PostgreSQL's NOTIFY has room for some 8,000 characters. */
const PEOPLE_MAX = 400;
export function tellNotified(tx: Tx, user_ids: readonly number[]) {
  for (let i = 0; i < user_ids.length; i += PEOPLE_MAX) tell(tx, 'chat.notified', ...user_ids.slice(i, i + PEOPLE_MAX));
}
