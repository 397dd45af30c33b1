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
}
export const topics = ['chat.channel', 'chat.members', 'chat.read', 'chat.typing', 'chat.presence'] as const;
/** Heard on every node, after the commit. */
export const tell = <Topic extends keyof Hints>(tx: Tx, topic: Topic, ...numbers: Hints[Topic]) =>
  tx.tell(topic, numbers.join(':'));
