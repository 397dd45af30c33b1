// Statements about callbacks.
import type { Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { given, jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { filesOf } from '../assets/queries.ts';
import { talksWith } from './access.ts';

const callbacksList: Listing = { table: 'bot_callbacks', at: null, id: 'id', newestFirst: true };

export interface CallbackFacts {
  id: number;
  organisation_id: number;
  web_url: string;
  event_id: string;
  action: 'chat_bot_message_sent' | 'bot_message_notification';
  bot_userid: string;
  bot_nickname: string;
  bot_callback_url: string;
  channel_url: string;
  channel_type: string;
  message_id: number;
  type: string;
  text: string;
  files: unknown[];
  user_id: number;
  user_email: string;
  user_name: string;
  created_ms: number;
  /** The bot may hear the person in this channel now. */
  visible: boolean;
}
/** Beside `own` columns what all have of the bot `b`, the channel `c` and the person `u`, which `joins` bring. */
const findFacts = async (tx: Tx, own: Sql, joins: Sql, which: Sql): Promise<CallbackFacts[]> => {
  const rows = await tx.jsons(
    jsonOf(sql`
      select ${own}, o.id as organisation_id, o.web_url, b.bot_userid, b.bot_nickname, b.bot_callback_url,
        c.channel_url, c.type as channel_type, u.id as user_id, u.email as user_email, u.name as user_name,
        ${talksWith(trusted('u.id'))} as visible
      from organisations o ${joins} where o.id = $1 and ${which}`),
  );
  return rows.map((json) => JSON.parse(json));
};
const inMs = (at: Sql) => sql`floor(extract(epoch from ${at}) * 1000)::bigint as created_ms`;

/** What the callbacks with these ids say. One whose message was deleted since has nothing to say. */
export const factsOf = (tx: Tx, ids: readonly number[]) =>
  findFacts(
    tx,
    sql`x.id, x.event_id, x.action, t.id as message_id, t.type, t.text, ${inMs(trusted('t.created_at'))},
      case when t.type = 'FILE' then ${filesOf('message', 'attachment', tx.now())} else '[]'::json end as files`,
    sql`
      join bot_callbacks x on x.organisation_id = $1
      join bots b on b.organisation_id = $1 and b.id = x.bot_id
      join chat_messages t on t.organisation_id = $1 and t.id = x.message_id and t.deleted_at is null
      join chat_channels c on c.organisation_id = $1 and c.id = t.channel_id
      join users u on u.organisation_id = $1 and u.id = t.user_id`,
    sql`x.id = any(${ids}::bigint[])`,
  );

/** As if the person had just written this to the bot, in the channel that they have with it. */
export const findTrial = async (tx: Tx, bot_id: number, user_id: number, text: string) => {
  const facts = await findFacts(
    tx,
    sql`0 as id, b.engine_callback, gen_random_uuid() as event_id, 'chat_bot_message_sent' as action,
      nextval('chat_sequence') as message_id, 'MESG' as type, ${text}::text as text, '[]'::json as files,
      ${inMs(sql`${tx.now()}::timestamptz`)}`,
    sql`
      join bots b on b.organisation_id = $1 and b.id = ${bot_id} and b.bot_callback_url is not null
      join chat_channels c on c.organisation_id = $1 and c.bot_id = b.id
      join chat_members m on m.organisation_id = $1 and m.channel_id = c.id
      join users u on u.organisation_id = $1 and u.id = m.user_id`,
    sql`u.id = ${user_id}`,
  );
  return facts[0] as (CallbackFacts & { engine_callback: boolean }) | undefined;
};

const shownCallback = jsonOf(sql`
  select x.id, x.event_id, x.action, x.message_id, x.state, x.attempts + x.attempts_before as attempts,
    case when x.state = 'pending' then iso(x.next_attempt_at) end as next_attempt_at,
    x.last_status, x.last_failure, iso(x.created_at) as created_at,
    (select coalesce(json_agg(l order by l.attempt), '[]') from (
      select a.attempt, iso(a.sent_at) as sent_at, a.latency_ms, a.status, a.failure, a.request_headers, a.answer
      from bot_callback_attempts a where a.organisation_id = $1 and a.delivery_id = x.id) l) as log
  from bot_callbacks x where x.organisation_id = $1 and x.id = listed.id`);
export const listCallbacks = (tx: Tx, bot_id: number, state: string | undefined, skip: number, take: number) => {
  const where = [sql`t.bot_id = ${bot_id}`, ...given(state, (state) => sql`t.state = ${state}`)];
  return listRows(tx, callbacksList, { skip, take, ...everyRow, where }, shownCallback);
};
/** What was settled is due again, and goes on counting its attempts. */
export const redeliver = (tx: Tx, bot_id: number, id: number) =>
  tx.json(sql`
    update bot_callbacks
    set state = 'pending', attempts_before = attempts_before + attempts, attempts = 0, next_attempt_at = ${tx.now()}
    where organisation_id = $1 and bot_id = ${bot_id} and id = ${id} and state <> 'pending'
    returning json_build_object('id', id)::text as json`);
export const withholdCallbacks = (tx: Tx, bot_id: number) =>
  tx.rows(sql`
    update bot_callbacks set state = 'withheld', last_failure = 'gone'
    where organisation_id = $1 and bot_id = ${bot_id} and state = 'pending'`);

const DELETED_AT_ONCE = 5000;
/** In portions. What waits for so long, since its bot is not active, is about a conversation that has ended. */
export const deleteOldCallbacks = (tx: Tx, days: number) => {
  const oldest = (table: string, at: string, key: string) => sql`(
    select ${trusted(key)} from ${trusted(table)}
    where organisation_id = $1 and ${trusted(at)} < ${tx.now()}::timestamptz - make_interval(days => ${days})
    order by ${trusted(at)} limit ${literal(DELETED_AT_ONCE)})`;
  return tx.rows(sql`
    with callbacks as (
      delete from bot_callbacks where organisation_id = $1 and id in ${oldest('bot_callbacks', 'created_at', 'id')})
    delete from bot_callback_attempts
    where organisation_id = $1
      and (delivery_id, attempt) in ${oldest('bot_callback_attempts', 'sent_at', 'delivery_id, attempt')}`);
};
