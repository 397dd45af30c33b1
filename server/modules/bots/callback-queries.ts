// Statements about callbacks.
import type { Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
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
const facts = sql`
  o.id as organisation_id, o.web_url, b.bot_userid, b.bot_nickname, b.bot_callback_url, c.channel_url, c.type as channel_type, u.id as user_id, u.email as user_email, u.name as user_name,
  ${talksWith(trusted('u.id'))} as visible`;

/** What the callbacks with these ids say. One whose message was deleted since has nothing to say. */
export const factsOf = async (tx: Tx, ids: readonly number[]): Promise<CallbackFacts[]> =>
  (
    await tx.jsons(sql`
    select row_to_json(r)::text as json from (
      select x.id, x.event_id, x.action, t.id as message_id, t.type, t.text, case when t.type = 'FILE' then ${filesOf('message', 'attachment', tx.now())} else '[]'::json end as files,
        floor(extract(epoch from t.created_at) * 1000)::bigint as created_ms, ${facts}
      from bot_callbacks x join bots b on b.organisation_id = $1 and b.id = x.bot_id join chat_messages t on t.organisation_id = $1 and t.id = x.message_id and t.deleted_at is null
      join chat_channels c on c.organisation_id = $1 and c.id = t.channel_id join users u on u.organisation_id = $1 and u.id = t.user_id join organisations o on o.id = $1
      where x.organisation_id = $1 and x.id = any(${ids}::bigint[])) r`)
  ).map((json) => JSON.parse(json));

/** As if the person had just written this to the bot, in the channel that they have with it. */
export const findTrial = async (
  tx: Tx,
  bot_id: number,
  user_id: number,
  text: string,
): Promise<CallbackFacts | undefined> => {
  const json = await tx.json(sql`
    select row_to_json(r)::text as json from (
      select 0 as id, gen_random_uuid() as event_id, 'chat_bot_message_sent' as action, nextval('chat_sequence') as message_id, 'MESG' as type, ${text}::text as text, '[]'::json as files,
        floor(extract(epoch from ${tx.now()}::timestamptz) * 1000)::bigint as created_ms, ${facts}
      from bots b join chat_channels c on c.organisation_id = $1 and c.bot_id = b.id join chat_members m on m.organisation_id = $1 and m.channel_id = c.id
      join users u on u.organisation_id = $1 and u.id = m.user_id join organisations o on o.id = $1
      where b.organisation_id = $1 and b.id = ${bot_id} and b.bot_callback_url is not null and u.id = ${user_id}) r`);
  return json && JSON.parse(json);
};

const shownCallback = sql`
  select row_to_json(r)::text as json from (
    select x.id, x.event_id, x.action, x.message_id, x.state, x.attempts + x.attempts_before as attempts, case when x.state = 'pending' then iso(x.next_attempt_at) end as next_attempt_at,
      x.last_status, x.last_failure, iso(x.created_at) as created_at,
      (select coalesce(json_agg(json_build_object('attempt', a.attempt, 'sent_at', iso(a.sent_at), 'latency_ms', a.latency_ms, 'status', a.status, 'failure', a.failure,
        'request_headers', a.request_headers, 'answer', a.answer) order by a.attempt), '[]') from bot_callback_attempts a where a.organisation_id = $1 and a.delivery_id = x.id) as log
    from bot_callbacks x where x.organisation_id = $1 and x.id = listed.id) r`;
export const listCallbacks = (tx: Tx, bot_id: number, state: string | undefined, skip: number, take: number) =>
  listRows(
    tx,
    callbacksList,
    {
      skip,
      take,
      ...everyRow,
      where: [sql`t.bot_id = ${bot_id}`, ...(state === undefined ? [] : [sql`t.state = ${state}`])],
    },
    shownCallback,
  );
/** What was settled is due again, and goes on counting its attempts. */
export const redeliver = (tx: Tx, bot_id: number, id: number) =>
  tx.json(sql`
    update bot_callbacks set state = 'pending', attempts_before = attempts_before + attempts, attempts = 0, next_attempt_at = ${tx.now()}
    where organisation_id = $1 and bot_id = ${bot_id} and id = ${id} and state <> 'pending' returning json_build_object('id', id)::text as json`);
export const withholdCallbacks = (tx: Tx, bot_id: number) =>
  tx.rows(
    sql`update bot_callbacks set state = 'withheld', last_failure = 'gone' where organisation_id = $1 and bot_id = ${bot_id} and state = 'pending'`,
  );

const DELETED_AT_ONCE = 5000;
/** In portions. What waits for so long, since its bot is not active, is about a conversation that has ended. */
export const deleteOldCallbacks = (tx: Tx, days: number) => {
  const portion = (table: string, at: string, key: string) => sql`(
    select ${trusted(key)} from ${trusted(table)} where organisation_id = $1 and ${trusted(at)} < ${tx.now()}::timestamptz - make_interval(days => ${days})
    order by ${trusted(at)} limit ${DELETED_AT_ONCE})`;
  return tx.rows(sql`
    with callbacks as (
      delete from bot_callbacks where organisation_id = $1 and id in ${portion('bot_callbacks', 'created_at', 'id')})
    delete from bot_callback_attempts where organisation_id = $1 and (delivery_id, attempt) in ${portion('bot_callback_attempts', 'sent_at', 'delivery_id, attempt')}`);
};
