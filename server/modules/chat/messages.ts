// What is said in channels: statements. A message takes its number while the channel's row is locked: decision 0040.
import type { Query } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { counted, type Listing, listRows } from '../../kernel/data/listing.ts';
import { given, jsonOf, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { PublicNow } from '../../kernel/delivery/visibility.ts';
import { attachFiles, detachFiles, filesOf, insertAssets, type StagedFile } from '../assets/queries.ts';
import { deleteMentionsIn, mentionsOf, replaceMentions, type Target } from '../mentions/queries.ts';
import { seesChannel } from './access.ts';
import { bots } from './bots.ts';
import type { chat } from './contract.ts';
import { person } from './members.ts';
import { pushed } from './notifications.ts';

/** One bucket a channel; class 0 messages, 1 deleted ones. Within a channel, ids are in the order of commits. */
export const messagesList: Listing = { table: 'chat_messages', at: null, id: 'id', newestFirst: true };

/** Columns of Message of the contract, for the message `t` in the channel `c`. */
export const messageColumns = (now: string) => sql`
  t.id as message_id, c.channel_url, t.type, t.text, t.data,
  case when t.type = 'FILE' then ${filesOf('message', 'attachment', now)} else '[]'::json end as files,
  (
    select ${person} from users u join organisations o on o.id = $1
    where u.organisation_id = $1 and u.id = t.user_id) as "user",
  ${bots().author(trusted('t.bot_id'))} as bot, ${mentionsOf('message', 't.id')} as mentions,
  t.client_message_id, t.sequence, t.sequence <> t.id as is_edited,
  iso(t.created_at) as created_at, iso(t.updated_at) as updated_at`;
const shown = (rows: Sql, now: string, order = nothing) =>
  jsonOf(sql`
    select ${messageColumns(now)}
    from ${rows} t join chat_channels c on c.organisation_id = $1 and c.id = t.channel_id ${order}`);
const rowsWhere = (condition: Sql) => sql`(select * from chat_messages where organisation_id = $1 and ${condition})`;

type Page = Query<typeof chat.endpoints.listMessages>;
export const listMessages = (tx: Tx, channel_id: number, { skip, take, updated_after, before, after }: Page) => {
  const where = [...given(before, (id) => sql`t.id < ${id}`), ...given(after, (id) => sql`t.id > ${id}`)];
  const slice = { skip, take, updated_after, bucket: channel_id, classes: [0], where };
  return listRows(tx, messagesList, slice, shown(rowsWhere(sql`id = listed.id`), tx.now()));
};
/** Messages before one, newest first, without a total: how a client scrolls back. */
export const earlierMessages = (tx: Tx, channel_id: number, before: number, take: number) => {
  const earlier = rowsWhere(sql`
    list_bucket = ${channel_id} and list_class = 0 and id < ${before} order by id desc limit ${take}`);
  return tx.jsons(shown(earlier, tx.now(), trusted('order by t.id desc')));
};
/** What the bot has said to the person since a number, oldest first. */
export const saidSince = (tx: Tx, bot_id: number, user_id: number, sequence: number) => {
  const said = rowsWhere(sql`
    bot_id = ${bot_id} and id > ${sequence} and list_class = 0 and channel_id in (
      select c.id from chat_channels c where c.organisation_id = $1 and c.pair = ${`bot:${bot_id}:${user_id}`})`);
  return tx.jsons(shown(said, tx.now(), trusted('order by t.id')));
};
export const getMessage = (tx: Tx, id: number) => tx.json(shown(rowsWhere(sql`id = ${id}`), tx.now())) as Promise<Json>;
export const findSentMessage = (tx: Tx, channel_id: number, user_id: number, client_message_id: string) => {
  const sent = sql`user_id = ${user_id} and channel_id = ${channel_id} and client_message_id = ${client_message_id}`;
  return tx.json(shown(rowsWhere(sent), tx.now()));
};
export const findMessage = (tx: Tx, channel_id: number, id: number) =>
  tx.row<{ id: number; type: string; user_id: number | null; data: string | null }>(sql`
    select id, type, user_id, data from chat_messages
    where organisation_id = $1 and id = ${id} and channel_id = ${channel_id} and list_class = 0`);

/** Which of these messages the reader sees. */
export const seenMessages: PublicNow = (ids, reader) => sql`
  select t.id from chat_messages t join chat_channels c on c.organisation_id = $1 and c.id = t.channel_id
  where t.organisation_id = $1 and t.id = any(${ids}) and ${reader ? seesChannel(reader) : trusted('false')}`;

export interface NewMessage {
  channel_id: number;
  /** ADMM: Atrium writes it. Default: MESG, or FILE with files. */
  type?: 'MESG' | 'FILE' | 'ADMM';
  user_id?: number | undefined;
  bot_id?: number | undefined;
  text: string;
  data?: object | undefined;
  client_message_id?: string | undefined;
  mentions?: readonly Target[];
  /** Default true. */
  push?: boolean | undefined;
}
/** With all that becomes of it. Its channel's row stays locked until commit. */
export const insertMessage = (tx: Tx, message: NewMessage) => {
  const { channel_id, type = 'MESG', user_id = null, bot_id = null, text, data, client_message_id = null } = message;
  const now = tx.now();
  return tx.json(sql`
    with moved as (
      update chat_channels set last_sequence = nextval('chat_sequence'), updated_at = ${now}
      where organisation_id = $1 and id = ${channel_id} returning id, last_sequence),
    added as (
      insert into chat_messages (organisation_id, id, channel_id, sequence, type, user_id, bot_id, text, data,
        client_message_id, created_at, updated_at)
      select $1, moved.last_sequence, moved.id, moved.last_sequence, ${type}, ${user_id}, ${bot_id}, ${text},
        ${data === undefined ? null : JSON.stringify(data)}::json, ${client_message_id}, ${now}, ${now}
      from moved returning *),
    seen as (
      insert into chat_reads (organisation_id, channel_id, user_id, read_sequence, updated_at)
      select $1, channel_id, user_id, id, ${now} from added where user_id is not null
      on conflict (organisation_id, channel_id, user_id) do update
      set read_sequence = excluded.read_sequence, updated_at = excluded.updated_at),
    calls as (${bots().called('added', now)}),
    pushes as (${pushed(message.push === false ? '(select * from added where false)' : 'added', now)}),
    change as (${counted(messagesList, 'added', 1)})
    ${shown(trusted('added'), now)}`) as Promise<Json>;
};
/** With its files and whom it mentions, all or nothing. */
export const storeMessage = (
  tx: Tx,
  { mentions = [], ...message }: NewMessage,
  files: readonly StagedFile[],
  creator_id: number,
) =>
  files.length + mentions.length === 0
    ? insertMessage(tx, message)
    : tx.transaction(async (inside) => {
        const assets = await insertAssets(inside, files, creator_id);
        const type = files.length > 0 ? 'FILE' : 'MESG';
        const { message_id } = JSON.parse(await insertMessage(inside, { ...message, type }));
        await attachFiles(inside, 'message', message_id, 'attachment', assets);
        await replaceMentions(inside, 'message', message_id, mentions);
        return getMessage(inside, message_id);
      });

/** CTE `changed`: the message under the next number. */
const changed = (channel_id: number, id: number, assignments: Sql, now: string) => sql`
  moved as (
    update chat_channels set last_sequence = nextval('chat_sequence')
    where organisation_id = $1 and id = ${channel_id} returning last_sequence),
  changed as (
    update chat_messages t set ${assignments}, sequence = moved.last_sequence,
      updated_at = greatest(${now}::timestamptz, t.updated_at + interval '1 microsecond')
    from moved
    where t.organisation_id = $1 and t.id = ${id} and t.channel_id = ${channel_id} and t.deleted_at is null
    returning t.*)`;
export const updateMessage = (tx: Tx, channel_id: number, id: number, text: string, mentions: readonly Target[]) =>
  tx.transaction(async (inside) => {
    await replaceMentions(inside, 'message', id, mentions);
    const now = inside.now();
    return inside.json(sql`
      with ${changed(channel_id, id, sql`text = ${text}`, now)} ${shown(trusted('changed'), now)}`);
  });
/** What it said and showed is gone; that there was something is kept, for clients that have it. */
export const deleteMessage = (tx: Tx, channel_id: number, id: number) =>
  tx.transaction(async (inside) => {
    const now = inside.now();
    await detachFiles(inside, 'message', [id]);
    await deleteMentionsIn(inside, 'message', [id]);
    const was = '(select organisation_id, list_bucket, 0::smallint as list_class, id from changed)';
    return inside.json(sql`
      with ${changed(channel_id, id, sql`text = '', data = null, deleted_at = ${now}`, now)},
      minus as (${counted(messagesList, was, -1)}),
      plus as (${counted(messagesList, 'changed', 1)})
      select json_build_object('message_id', id)::text as json from changed`);
  });
