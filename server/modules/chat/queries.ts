import { randomBytes } from 'node:crypto';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { counted, everyRow, type Listing, listRows, totalOf } from '../../kernel/data/listing.ts';
import { nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { attachFiles, detachFiles, filesOf, insertAssets, type StagedFile } from '../assets/queries.ts';
import { botAuthor, calledBack } from '../bots/queries.ts';
import { pushed } from '../push/queries.ts';
import { spaceMembersList } from '../spaces/members.ts';
import { belongs, channelsNear, seesChannel } from './access.ts';
import type { ChannelType } from './contract.ts';

/** Ordered by their last change: what a person belongs to is few enough to sort. */
const activeChannels: Listing = { table: 'chat_channels', at: 'last_sequence', id: 'id', newestFirst: true };
const newestChannels: Listing = { table: 'chat_channels', at: null, id: 'id', newestFirst: true };
/** One bucket a channel; class 0 messages, 1 deleted ones. Within a channel, ids are in the order of commits. */
export const messagesList: Listing = { table: 'chat_messages', at: null, id: 'id', newestFirst: true };
const membersList: Listing = { table: 'chat_members', at: null, id: 'user_id', newestFirst: false };
const spacePeopleList: Listing = { table: 'space_members', at: null, id: 'user_id', newestFirst: false };

// ---- What is shown -----------------------------------------------------------------------------------------------

const person = trusted(
  `json_build_object('id', u.id, 'name', coalesce(nullif(u.display_name, ''), u.name), 'email', u.email, 'avatar_url', avatar_url(o.web_url, u.photo_key, u.name))`,
);
/** The message `t` as JSON; needs its channel's address. */
export const messageColumns = (channel_url: Sql, now: string) => sql`
  t.id as message_id, ${channel_url} as channel_url, t.type, t.text, t.data,
  case when t.type = 'FILE' then ${filesOf('message', 'attachment', now)} else '[]'::json end as files,
  (select ${person} from users u join organisations o on o.id = $1 where u.organisation_id = $1 and u.id = t.user_id) as "user",
  (select ${botAuthor} from bots b where b.organisation_id = $1 and b.id = t.bot_id) as bot,
  t.client_message_id, t.sequence, t.sequence <> t.id as is_edited, iso(t.created_at) as created_at, iso(t.updated_at) as updated_at`;
const messageOf = (source: Sql, now: string, order = nothing) => sql`
  select row_to_json(r)::text as json from (
    select ${messageColumns(trusted('c.channel_url'), now)} from ${source} join chat_channels c on c.organisation_id = $1 and c.id = t.channel_id ${order}) r`;

const UNREAD_MAX = 1000;
const MEMBERS_SHOWN = 100;
const readSequence = (user_id: number) =>
  sql`coalesce((select x.read_sequence from chat_reads x where x.organisation_id = $1 and x.channel_id = c.id and x.user_id = ${user_id}), 0)`;
/** Who joined a space has not missed what was said there before. */
const unreadCount = (user_id: number) => sql`(
  select count(*) from (select m.created_at from chat_messages m where m.organisation_id = $1 and m.list_bucket = c.id and m.list_class = 0 and m.id > ${readSequence(user_id)}
    and m.user_id is distinct from ${user_id} order by m.id desc limit ${trusted(String(UNREAD_MAX))}) as newest
  where newest.created_at > coalesce((select sm.created_at from space_members sm where sm.organisation_id = $1 and sm.space_id = c.space_id and sm.user_id = ${user_id}), '-infinity'))`;
const memberIds = trusted(`
  select m.user_id from chat_members m where m.organisation_id = $1 and m.channel_id = c.id
  union all select m.user_id from space_members m where m.organisation_id = $1 and m.space_id = c.space_id and m.list_class = 0`);

/** What was said last is for who may read messages; of people, for who belongs: an admin may open what they do not belong to. */
const reads = (actor: Actor): Sql => {
  if (!holds(actor.scopes, 'chats.messages.read')) return trusted('false');
  return actor.kind === 'key' ? trusted('true') : belongs(sql`${actor.user_id}::bigint`);
};

const channelOf = (actor: Actor, source: Sql, now: string) => sql`
  select row_to_json(r)::text as json from (
    select c.channel_url, c.type,
      case c.type when 'space' then (select s.name from spaces s where s.organisation_id = $1 and s.id = c.space_id)
        when 'bot' then (select b.bot_nickname from bots b where b.organisation_id = $1 and b.id = c.bot_id)
        when 'direct' then coalesce((select coalesce(nullif(u.display_name, ''), u.name) from chat_members m join users u on u.organisation_id = $1 and u.id = m.user_id
          where m.organisation_id = $1 and m.channel_id = c.id and m.user_id <> ${actor.user_id} limit 1), '')
        else c.name end as name,
      c.space_id,
      (select coalesce(json_agg(${person} order by u.id), '[]') from (select user_id from (${memberIds}) ids order by user_id limit ${trusted(String(MEMBERS_SHOWN))}) m
        join users u on u.organisation_id = $1 and u.id = m.user_id and u.is_active join organisations o on o.id = $1) as members,
      case when c.space_id is not null then ${totalOf(spaceMembersList, trusted('c.space_id'), [0])} else (
        select count(*) from chat_members m join users u on u.organisation_id = $1 and u.id = m.user_id and u.is_active where m.organisation_id = $1 and m.channel_id = c.id) end as member_count,
      (select coalesce(json_agg(${botAuthor} order by b.id), '[]') from bots b where b.organisation_id = $1 and b.deleted_at is null
        and (b.id = c.bot_id or b.is_global and b.id in (select x.bot_id from chat_bot_members x where x.organisation_id = $1 and x.channel_id = c.id))) as bots,
      (select row_to_json(l) from (select ${messageColumns(trusted('c.channel_url'), now)} from chat_messages t
        where t.organisation_id = $1 and t.list_bucket = c.id and t.list_class = 0 and ${reads(actor)} order by t.id desc limit 1) l) as last_message,
      ${actor.kind === 'key' ? trusted('0') : unreadCount(actor.user_id)} as unread_count, ${readSequence(actor.user_id)} as read_sequence, c.last_sequence,
      iso(c.created_at) as created_at, iso(c.updated_at) as updated_at
    from ${source}) r`;

// ---- Channels ----------------------------------------------------------------------------------------------------

export const listChannels = (tx: Tx, actor: Actor, type: ChannelType | undefined, skip: number, take: number) => {
  const near = actor.kind === 'key' ? [] : [sql`t.id = any(${channelsNear(actor.user_id)})`];
  const where = [...near, seesChannel(actor, 't'), ...(type ? [sql`t.type = ${type}`] : [])];
  return listRows(
    tx,
    actor.kind === 'key' ? newestChannels : activeChannels,
    { skip, take, ...everyRow, where },
    channelOf(actor, sql`chat_channels c where c.organisation_id = $1 and c.id = listed.id`, tx.now()),
  );
};
export const findChannel = (tx: Tx, actor: Actor, channel_url: string) =>
  tx.json(
    channelOf(
      actor,
      sql`chat_channels c where c.organisation_id = $1 and c.channel_url = ${channel_url} and ${seesChannel(actor)}`,
      tx.now(),
    ),
  );
export const getChannel = (tx: Tx, actor: Actor, id: number) =>
  tx.json(
    channelOf(actor, sql`chat_channels c where c.organisation_id = $1 and c.id = ${id}`, tx.now()),
  ) as Promise<Json>;

export interface NewChannel {
  /** Made here unless given. */
  channel_url?: string;
  type: ChannelType;
  name?: string | undefined;
  /** There is one channel of this pair. */
  pair?: string | undefined;
  bot_id?: number | undefined;
  space_id?: number | undefined;
  created_by: number;
  members: readonly number[];
}
export interface OpenedChannel {
  id: number;
  channel_url: string;
  is_new: boolean;
}
/** The channel; made when there is none of this pair or space. Undefined: made by a transaction that is not visible yet, so ask again. */
const openChannel = (
  tx: Tx,
  { channel_url = newChannelUrl(), type, name = '', pair, bot_id, space_id, created_by, members }: NewChannel,
) =>
  tx.row<OpenedChannel>(sql`
    with added as (
      insert into chat_channels (organisation_id, channel_url, type, name, pair, bot_id, space_id, created_by, created_at, updated_at)
      values ($1, ${channel_url}, ${type}, ${name}, ${pair ?? null}, ${bot_id ?? null}, ${space_id ?? null}, ${created_by}, ${tx.now()}, ${tx.now()})
      on conflict do nothing returning id, channel_url),
    joined as (
      insert into chat_members (organisation_id, channel_id, user_id, created_at)
      select $1, added.id, u.id, ${tx.now()} from added, users u where u.organisation_id = $1 and u.id = any(${members}::bigint[]) and u.kind = 'person' order by u.id)
    select id, channel_url, true as is_new from added
    union all select id, channel_url, false from chat_channels where organisation_id = $1 and (pair = ${pair ?? null} or space_id = ${space_id ?? null})`);

/** 128 random bits. */
const newChannelUrl = () => `chat_${randomBytes(16).toString('base64url')}`;

/** Two that open the same channel at once get the same one: the second attempt sees what the first one lost to. */
export async function openOnce(tx: Tx, channel: NewChannel): Promise<OpenedChannel> {
  const opened = (await openChannel(tx, channel)) ?? (await openChannel(tx, channel));
  if (!opened) throw new Error('A channel was neither made nor found.');
  return opened;
}
export const botChannel = (bot_id: number, user_id: number) =>
  ({ type: 'bot', pair: `bot:${bot_id}:${user_id}`, bot_id, members: [user_id] }) as const;

// ---- Members -----------------------------------------------------------------------------------------------------

export const listChannelMembers = (
  tx: Tx,
  channel: { id: number; space_id: number | null },
  skip: number,
  take: number,
) => {
  const shown = sql`select ${person}::text as json from users u join organisations o on o.id = $1 where u.organisation_id = $1 and u.id = listed.id`;
  if (channel.space_id !== null)
    return listRows(tx, spacePeopleList, { skip, take, bucket: channel.space_id, classes: [0] }, shown);
  const active = sql`exists (select from users u where u.organisation_id = $1 and u.id = t.user_id and u.is_active)`;
  return listRows(
    tx,
    membersList,
    { skip, take, ...everyRow, where: [sql`t.channel_id = ${channel.id}`, active] },
    shown,
  );
};
export const isMember = async (tx: Tx, channel_id: number, user_id: number | null) =>
  (await tx.row(
    sql`select user_id from chat_members where organisation_id = $1 and channel_id = ${channel_id} and user_id = ${user_id}`,
  )) !== undefined;
export const countMembers = async (tx: Tx, channel_id: number) =>
  (
    await tx.row<{ count: number }>(
      sql`select count(*) as count from chat_members where organisation_id = $1 and channel_id = ${channel_id}`,
    )
  )?.count ?? 0;
export const countBotMembers = async (tx: Tx, channel_id: number) =>
  (
    await tx.row<{ count: number }>(
      sql`select count(*) as count from chat_bot_members where organisation_id = $1 and channel_id = ${channel_id}`,
    )
  )?.count ?? 0;
export const lockChannel = (tx: Tx, id: number) =>
  tx.rows(sql`select id from chat_channels where organisation_id = $1 and id = ${id} for update`);
/** Who joins has nothing unread. */
export const insertMembers = (tx: Tx, channel_id: number, user_ids: readonly number[]) =>
  tx.rows<{ user_id: number }>(sql`
    with added as (
      insert into chat_members (organisation_id, channel_id, user_id, created_at)
      select $1, ${channel_id}, u.id, ${tx.now()} from users u where u.organisation_id = $1 and u.id = any(${user_ids}::bigint[]) and u.kind = 'person' order by u.id
      on conflict do nothing returning user_id),
    marked as (
      insert into chat_reads (organisation_id, channel_id, user_id, read_sequence, updated_at)
      select $1, ${channel_id}, added.user_id, c.last_sequence, ${tx.now()} from added, chat_channels c where c.organisation_id = $1 and c.id = ${channel_id} on conflict do nothing)
    select user_id from added`);
export const deleteMembers = (tx: Tx, channel_id: number, user_ids: readonly number[]) =>
  tx.rows<{ user_id: number }>(
    sql`delete from chat_members where organisation_id = $1 and channel_id = ${channel_id} and user_id = any(${user_ids}::bigint[]) returning user_id`,
  );
export const insertBotMembers = (tx: Tx, channel_id: number, bot_ids: readonly number[]) =>
  tx.rows<{ bot_id: number }>(sql`
    insert into chat_bot_members (organisation_id, channel_id, bot_id, created_at) select $1, ${channel_id}, b, ${tx.now()} from unnest(${bot_ids}::bigint[]) b
    on conflict do nothing returning bot_id`);
export const deleteBotMembers = (tx: Tx, channel_id: number, bot_ids: readonly number[]) =>
  tx.rows<{ bot_id: number }>(
    sql`delete from chat_bot_members where organisation_id = $1 and channel_id = ${channel_id} and bot_id = any(${bot_ids}::bigint[]) returning bot_id`,
  );

// ---- Messages ----------------------------------------------------------------------------------------------------

export const listMessages = (
  tx: Tx,
  channel_id: number,
  {
    skip,
    take,
    before,
    after,
  }: { skip: number; take: number; before?: number | undefined; after?: number | undefined },
) =>
  listRows(
    tx,
    messagesList,
    {
      skip,
      take,
      bucket: channel_id,
      classes: [0],
      where: [
        ...(before === undefined ? [] : [sql`t.id < ${before}`]),
        ...(after === undefined ? [] : [sql`t.id > ${after}`]),
      ],
    },
    messageOf(sql`(select * from chat_messages where organisation_id = $1 and id = listed.id) t`, tx.now()),
  );
/** Messages before one, newest first, without a total: how a client scrolls back. */
export const earlierMessages = (tx: Tx, channel_id: number, before: number, take: number) =>
  tx.jsons(
    messageOf(
      sql`(select * from chat_messages where organisation_id = $1 and list_bucket = ${channel_id} and list_class = 0 and id < ${before} order by id desc limit ${take}) t`,
      tx.now(),
      trusted('order by t.id desc'),
    ),
  );
export const getMessage = (tx: Tx, id: number) =>
  tx.json(
    messageOf(sql`(select * from chat_messages where organisation_id = $1 and id = ${id}) t`, tx.now()),
  ) as Promise<Json>;

export interface NewMessage {
  channel_id: number;
  type: 'MESG' | 'FILE' | 'ADMM';
  user_id?: number | undefined;
  bot_id?: number | undefined;
  text: string;
  data?: unknown;
  client_message_id?: string | undefined;
  /** Default true. */
  push?: boolean | undefined;
}
/** Locks the channel's row: the next number, and with it the order, is this message's until commit. */
export const insertMessage = (tx: Tx, message: NewMessage) =>
  tx.json(sql`
    with moved as (
      update chat_channels set last_sequence = nextval('chat_sequence'), updated_at = ${tx.now()} where organisation_id = $1 and id = ${message.channel_id} returning id, last_sequence),
    added as (
      insert into chat_messages (organisation_id, id, channel_id, sequence, type, user_id, bot_id, text, data, client_message_id, created_at, updated_at)
      select $1, moved.last_sequence, moved.id, moved.last_sequence, ${message.type}, ${message.user_id ?? null}, ${message.bot_id ?? null}, ${message.text},
        ${message.data === undefined ? null : JSON.stringify(message.data)}::json, ${message.client_message_id ?? null}, ${tx.now()}, ${tx.now()} from moved returning *),
    seen as (
      insert into chat_reads (organisation_id, channel_id, user_id, read_sequence, updated_at) select $1, channel_id, user_id, id, ${tx.now()} from added where user_id is not null
      on conflict (organisation_id, channel_id, user_id) do update set read_sequence = excluded.read_sequence, updated_at = excluded.updated_at),
    callbacks as (${calledBack('added', tx.now())}),
    pushes as (${pushed(message.push === false ? '(select * from added where false)' : 'added', tx.now())}),
    change as (${counted(messagesList, 'added', 1)})
    ${messageOf(sql`added t`, tx.now())}`) as Promise<Json>;
/** With its files, if it has some, all or nothing. */
export const storeMessage = (
  tx: Tx,
  message: NewMessage,
  files: readonly StagedFile[],
  creator_id: number,
): Promise<Json> =>
  files.length === 0
    ? insertMessage(tx, message)
    : tx.transaction(async (inside) => {
        const assets = await insertAssets(inside, files, creator_id);
        const { message_id } = JSON.parse(await insertMessage(inside, { ...message, type: 'FILE' })) as {
          message_id: number;
        };
        await attachFiles(inside, 'message', message_id, 'attachment', assets);
        return getMessage(inside, message_id);
      });
export const findSentMessage = (tx: Tx, channel_id: number, user_id: number, client_message_id: string) =>
  tx.json(
    messageOf(
      sql`(select * from chat_messages where organisation_id = $1 and user_id = ${user_id} and channel_id = ${channel_id} and client_message_id = ${client_message_id}) t`,
      tx.now(),
    ),
  );

/** What the bot has said to the person since a number, oldest first. */
export const saidSince = (tx: Tx, bot_id: number, user_id: number, sequence: number) =>
  tx.jsons(
    messageOf(
      sql`(select m.* from chat_messages m join chat_channels x on x.organisation_id = $1 and x.id = m.channel_id and x.pair = ${`bot:${bot_id}:${user_id}`}
        where m.organisation_id = $1 and m.bot_id = ${bot_id} and m.id > ${sequence} and m.list_class = 0) t`,
      tx.now(),
      trusted('order by t.id'),
    ),
  );

export interface MessageRow {
  id: number;
  type: string;
  user_id: number | null;
  data: string | null;
}
export const findMessage = (tx: Tx, channel_id: number, id: number) =>
  tx.row<MessageRow>(
    sql`select id, type, user_id, data::text as data from chat_messages where organisation_id = $1 and id = ${id} and channel_id = ${channel_id} and list_class = 0`,
  );
const changed = (tx: Tx, channel_id: number, id: number, assignments: Sql) => sql`
  moved as (
    update chat_channels set last_sequence = nextval('chat_sequence') where organisation_id = $1 and id = ${channel_id} returning last_sequence),
  changed as (
    update chat_messages t set ${assignments}, sequence = moved.last_sequence, updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond') from moved
    where t.organisation_id = $1 and t.id = ${id} and t.channel_id = ${channel_id} and t.deleted_at is null returning t.*)`;
export const updateMessage = (tx: Tx, channel_id: number, id: number, text: string) =>
  tx.json(sql`with ${changed(tx, channel_id, id, sql`text = ${text}`)} ${messageOf(sql`changed t`, tx.now())}`);
/** What it said and showed is gone; that there was something is kept, for clients that have it. */
export const deleteMessage = (tx: Tx, channel_id: number, id: number) =>
  tx.transaction(async (inside) => {
    await detachFiles(inside, 'message', [id]);
    return emptyMessage(inside, channel_id, id);
  });
const emptyMessage = (tx: Tx, channel_id: number, id: number) =>
  tx.json(sql`
    with ${changed(tx, channel_id, id, sql`text = '', data = null, deleted_at = ${tx.now()}`)},
    minus as (${counted(messagesList, '(select organisation_id, list_bucket, 0::smallint as list_class, id from changed)', -1)}),
    plus as (${counted(messagesList, 'changed', 1)})
    select json_build_object('message_id', id)::text as json from changed`);

export const upsertRead = (tx: Tx, actor: Actor, channel_id: number, up_to: number | undefined) =>
  tx.row<{ read_sequence: number }>(sql`
    insert into chat_reads as x (organisation_id, channel_id, user_id, read_sequence, updated_at)
    select $1, c.id, ${actor.user_id}, least(c.last_sequence, coalesce(${up_to ?? null}::bigint, c.last_sequence)), ${tx.now()} from chat_channels c where c.organisation_id = $1 and c.id = ${channel_id}
    on conflict (organisation_id, channel_id, user_id) do update set read_sequence = greatest(x.read_sequence, excluded.read_sequence), updated_at = excluded.updated_at
    returning read_sequence`);
export const getUnread = (tx: Tx, actor: Actor, channel_id: number) =>
  tx.json(sql`
    select json_build_object('channel_url', c.channel_url, 'read_sequence', ${readSequence(actor.user_id)}, 'unread_count', ${unreadCount(actor.user_id)})::text as json
    from chat_channels c where c.organisation_id = $1 and c.id = ${channel_id}`) as Promise<Json>;

// ---- Presence ----------------------------------------------------------------------------------------------------

const PRESENT_FOR = trusted(`interval '1 minute'`);
export const listPresence = (tx: Tx, user_ids: readonly number[]) =>
  tx.json(sql`
    select coalesce(json_agg(json_build_object('user_id', u.id, 'is_online', exists (
      select from chat_presence p where p.organisation_id = $1 and p.user_id = u.id and p.seen_at > ${tx.now()}::timestamptz - ${PRESENT_FOR})) order by u.id), '[]')::text as json
    from users u where u.organisation_id = $1 and u.id = any(${user_ids}::bigint[]) and u.kind = 'person' and u.is_active`) as Promise<Json>;
