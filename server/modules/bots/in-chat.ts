// What chat asks about bots (chat/bots.ts), and what bots ask about chat.
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { BotsInChat } from '../chat/bots.ts';
import { inBotAudience, isInGroup, talksWith } from './access.ts';
import { findBots } from './queries.ts';

const author = trusted(`json_build_object(
  'bot_userid', b.bot_userid, 'bot_nickname', b.bot_nickname, 'bot_profile_url', b.bot_profile_url)`);
const theBot = (bot_id: Sql) => sql`from bots b where b.organisation_id = $1 and b.id = ${bot_id}`;

export const inChat: BotsInChat = {
  isFor: (bot_id, user_id) => sql`exists (select ${theBot(bot_id)} and ${inBotAudience(user_id)})`,
  isActive: (bot_id) => sql`exists (select ${theBot(bot_id)} and b.active and b.deleted_at is null)`,
  author: (bot_id) => sql`(select ${author} ${theBot(bot_id)})`,
  authorsInChannel: sql`(
    select coalesce(json_agg(${author} order by b.id), '[]') from bots b
    where b.organisation_id = $1 and b.deleted_at is null and (b.id = c.bot_id or ${isInGroup}))`,
  find: findBots,
  /** A callback to each bot that talks with the person in the channel. */
  called: (source, now) => sql`
    insert into bot_callbacks (organisation_id, bot_id, action, next_attempt_at, created_at, message_id)
    select $1, b.id, f.action, ${now}::timestamptz, ${now}::timestamptz, t.id
    from ${trusted(source)} t
    join chat_channels c on c.organisation_id = $1 and c.id = t.channel_id and c.type in ('bot', 'group')
    join bots b on b.organisation_id = $1 and b.active and b.bot_callback_url is not null
      and ${talksWith(trusted('t.user_id'))}
    cross join unnest(case when b.engine_callback
      then array['chat_bot_message_sent', 'bot_message_notification']
      else array['chat_bot_message_sent'] end) f (action)
    where t.user_id is not null`,
};

/** Whether the person is in the audience. Undefined: there is no such active person. */
export const isForPerson = (tx: Tx, bot_id: number, user_id: number) =>
  tx.value<boolean>(sql`
    select ${inChat.isFor(sql`${bot_id}`, trusted('u.id'))}
    from users u where u.organisation_id = $1 and u.id = ${user_id} and u.kind = 'person' and u.is_active`);
/** The channel, and whether the bot may speak there: somebody active must be left in it to whom it may. */
export const findPlace = (tx: Tx, bot_id: number, channel_url: string) =>
  tx.row<{ channel_id: number; may_speak: boolean }>(sql`
    select c.id as channel_id, exists (
      select from bots b
      join chat_members m on m.organisation_id = $1 and m.channel_id = c.id
      join users u on u.organisation_id = $1 and u.id = m.user_id and u.is_active
      where b.organisation_id = $1 and b.id = ${bot_id} and ${talksWith(trusted('m.user_id'))}) as may_speak
    from chat_channels c where c.organisation_id = $1 and c.channel_url = ${channel_url}`);
