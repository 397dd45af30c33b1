// What chat asks about bots, without knowing them: the module that has them says it. To chat a bot is an id: of a
// channel, of who wrote a message, among the members of a group.
import type { Tx } from '../../kernel/data/db.ts';
import type { Sql } from '../../kernel/data/sql.ts';
import { extensionPoint } from '../../kernel/module.ts';
import type { Actor } from '../../kernel/people/auth.ts';

export interface ChatBot {
  readonly id: number;
  readonly bot_userid: string;
  /** It is for everybody: only then it may be in a group. */
  readonly is_global: boolean;
  readonly active: boolean;
  /** It is for the actor. */
  readonly is_for_actor: boolean;
}
export interface BotsInChat {
  /** Condition: the person is in the bot's audience. */
  isFor(bot_id: Sql, user_id: Sql): Sql;
  /** Condition: people may write to it now. */
  isActive(bot_id: Sql): Sql;
  /** Scalar: BotAuthor of the contract; null for no bot. */
  author(bot_id: Sql): Sql;
  /** Scalar: those in the channel `c`, as a list of BotAuthor. */
  readonly authorsInChannel: Sql;
  /** CTE body: whatever becomes of the messages in `source`, which has the columns of chat_messages. */
  called(source: string, now: string): Sql;
  /** Those of these names that the actor may know of. */
  find(tx: Tx, actor: Actor, bot_userids: readonly string[]): Promise<ChatBot[]>;
}

export const botsInChat = extensionPoint<BotsInChat>();
/** As contributed; a message has one column for a bot, so there is one kind of them. */
export const bots = (): BotsInChat => botsInChat.all[0] as BotsInChat;
