// Hints between nodes about chat: each names what to look at. See kernel/work/fan-out.ts.
import type { Tx } from '../../kernel/data/db.ts';

const hint = (topic: string) => (tx: Tx, key: number | string) => tx.tell(topic, key);

export const CHANNEL_CHANGED = 'chat.channel';
export const MEMBERS_CHANGED = 'chat.members';
export const READ = 'chat.read';
export const TYPING = 'chat.typing';
export const PRESENCE = 'chat.presence';

/** The channel with this id has messages or changes that were not there before. Heard after the commit. */
export const tellChannelChanged = hint(CHANNEL_CHANGED);
/** Other people than before belong to the channel with this id. */
export const tellMembersChanged = hint(MEMBERS_CHANGED);
/** `<channel id>:<user id>:<sequence>`: they have read up to there. */
export const tellRead = hint(READ);
/** `<channel id>:<user id>`: they are typing. */
export const tellTyping = hint(TYPING);
/** `<user id>:<1 or 0>`: they came or went. */
export const tellPresence = hint(PRESENCE);
