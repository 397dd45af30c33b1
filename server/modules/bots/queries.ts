import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { administersBots, seesBot, talksWith } from './access.ts';

const botsList: Listing = { table: 'bots', at: null, id: 'id', newestFirst: false };

const shown = (source: Sql, withUrl: boolean) => sql`
  select row_to_json(r)::text as json from (
    select b.bot_userid, b.bot_nickname, b.bot_type, b.bot_profile_url, ${withUrl ? sql`b.bot_callback_url` : sql`null as bot_callback_url`}, b.active, b.engine_callback,
      (select json_build_object('is_global', b.is_global,
        'teams', coalesce(json_agg(a.team_id order by a.team_id) filter (where a.team_id is not null), '[]'),
        'spaces', coalesce(json_agg(a.space_id order by a.space_id) filter (where a.space_id is not null), '[]'))
       from bot_audiences a where a.organisation_id = $1 and a.bot_id = b.id) as audience,
      b.created_by, iso(b.created_at) as created_at, iso(b.updated_at) as updated_at
    from ${source}) r`;

export const listBots = (tx: Tx, actor: Actor, skip: number, take: number) =>
  listRows(
    tx,
    botsList,
    { skip, take, ...everyRow, where: [seesBot(actor, 't')] },
    shown(sql`bots b where b.organisation_id = $1 and b.id = listed.id`, administersBots(actor)),
  );
export const findBot = (tx: Tx, actor: Actor, bot_userid: string) =>
  tx.json(
    shown(
      sql`bots b where b.organisation_id = $1 and b.bot_userid = ${bot_userid} and ${seesBot(actor)}`,
      administersBots(actor),
    ),
  );
export const getBot = (tx: Tx, id: number) =>
  tx.json(shown(sql`bots b where b.organisation_id = $1 and b.id = ${id}`, true)) as Promise<Json>;

export interface BotRow {
  id: number;
  bot_userid: string;
  is_global: boolean;
  active: boolean;
  bot_callback_url: string | null;
}
/** Bots that the actor may know of, by their bot_userid. */
export const botRows = (tx: Tx, actor: Actor, bot_userids: readonly string[]) =>
  tx.rows<BotRow>(sql`
    select b.id, b.bot_userid, b.is_global, b.active, b.bot_callback_url from bots b
    where b.organisation_id = $1 and b.bot_userid = any(${bot_userids}::text[]) and ${seesBot(actor)}`);
export const lockBot = (tx: Tx, bot_userid: string) =>
  tx.row<BotRow>(
    sql`select id, bot_userid, is_global, active, bot_callback_url from bots where organisation_id = $1 and bot_userid = ${bot_userid} and deleted_at is null for update`,
  );

export interface BotFields {
  bot_nickname: string;
  bot_type: string;
  bot_profile_url?: string | null | undefined;
  bot_callback_url?: string | null | undefined;
  is_global?: boolean | undefined;
  active?: boolean | undefined;
  engine_callback?: boolean | undefined;
}
export const insertBot = async (tx: Tx, bot_userid: string, created_by: number, bot: BotFields) =>
  (
    await tx.row<{ id: number }>(sql`
    insert into bots (organisation_id, bot_userid, bot_nickname, bot_type, bot_profile_url, bot_callback_url, engine_callback, is_global, active, created_by, created_at, updated_at)
    values ($1, ${bot_userid}, ${bot.bot_nickname}, ${bot.bot_type}, ${bot.bot_profile_url ?? null}, ${bot.bot_callback_url ?? null}, ${bot.engine_callback ?? false},
      ${bot.is_global ?? false}, ${bot.active ?? true}, ${created_by}, ${tx.now()}, ${tx.now()}) returning id`)
  )?.id ?? 0;
/** What is undefined stays, but for the profile address. */
export const updateBot = (tx: Tx, id: number, bot: BotFields) =>
  tx.rows(sql`
    update bots set bot_nickname = ${bot.bot_nickname}, bot_type = ${bot.bot_type}, bot_profile_url = ${bot.bot_profile_url ?? null},
      bot_callback_url = case when ${bot.bot_callback_url === undefined} then bot_callback_url else ${bot.bot_callback_url ?? null} end,
      engine_callback = coalesce(${bot.engine_callback ?? null}, engine_callback), is_global = coalesce(${bot.is_global ?? null}, is_global), active = coalesce(${bot.active ?? null}, active),
      updated_at = greatest(${tx.now()}::timestamptz, updated_at + interval '1 microsecond')
    where organisation_id = $1 and id = ${id}`);
export const deleteBot = async (tx: Tx, bot_userid: string) =>
  (
    await tx.row<{ id: number }>(
      sql`update bots set deleted_at = ${tx.now()}, active = false where organisation_id = $1 and bot_userid = ${bot_userid} and deleted_at is null returning id`,
    )
  )?.id;

/** Is the person in the audience? Undefined: no such active person. */
export const findPersonFor = (tx: Tx, bot_id: number, user_id: number, visible: Sql) =>
  tx.row<{ visible: boolean }>(sql`
    select exists (select from bots b where b.organisation_id = $1 and b.id = ${bot_id} and ${visible}) as visible
    from users u where u.organisation_id = $1 and u.id = ${user_id} and u.kind = 'person' and u.is_active`);
/** Author of a message as the interface shows it; needs the bot `b`. */
export const botAuthor = trusted(
  `json_build_object('bot_userid', b.bot_userid, 'bot_nickname', b.bot_nickname, 'bot_profile_url', b.bot_profile_url)`,
);

/** The channel, and whether the bot may speak there: somebody who is still here must be left in it to whom it may. */
export const findBotPlace = (tx: Tx, bot_id: number, channel_url: string) =>
  tx.row<{ channel_id: number; belongs: boolean }>(sql`
    select c.id as channel_id, exists (
      select from bots b join chat_members m on m.organisation_id = $1 and m.channel_id = c.id join users u on u.organisation_id = $1 and u.id = m.user_id and u.is_active
      where b.organisation_id = $1 and b.id = ${bot_id} and ${talksWith(trusted('m.user_id'))}) as belongs
    from chat_channels c where c.organisation_id = $1 and c.channel_url = ${channel_url}`);

/** CTE body: callbacks to the bots of the channel about each person's message in `source`. */
export const calledBack = (source: string, now: string): Sql => sql`
  insert into bot_callbacks (organisation_id, bot_id, action, next_attempt_at, created_at, message_id)
  select $1, b.id, f.action, ${now}::timestamptz, ${now}::timestamptz, t.id
  from ${trusted(source)} t join chat_channels c on c.organisation_id = $1 and c.id = t.channel_id and c.type in ('bot', 'group')
  join bots b on b.organisation_id = $1 and b.active and b.bot_callback_url is not null and ${talksWith(trusted('t.user_id'))}
  cross join unnest(case when b.engine_callback then array['chat_bot_message_sent', 'bot_message_notification'] else array['chat_bot_message_sent'] end) f (action)
  where t.user_id is not null`;

/** Scalar: bots that this person made. */
export const countBotsOf = (user_id: number) =>
  sql`(select count(*) from bots b where b.organisation_id = $1 and b.created_by = ${user_id} and b.deleted_at is null)`;
