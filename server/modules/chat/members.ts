// Who is in a channel: statements.
import type { Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import type { ChannelRow } from './access.ts';

const membersList: Listing = { table: 'chat_members', at: null, id: 'user_id', newestFirst: false };
const spacePeopleList: Listing = { table: 'space_members', at: null, id: 'user_id', newestFirst: false };

/** The person `u` of the organisation `o` as JSON. */
export const person = trusted(`json_build_object('id', u.id, 'name', coalesce(nullif(u.display_name, ''), u.name),
  'email', u.email, 'avatar_url', avatar_url(o.web_url, u.photo_key, u.name))`);

export const listMembers = (tx: Tx, { id, space_id }: ChannelRow, skip: number, take: number) => {
  const shown = sql`
    select ${person}::text as json from users u join organisations o on o.id = $1
    where u.organisation_id = $1 and u.id = listed.id`;
  if (space_id !== null) return listRows(tx, spacePeopleList, { skip, take, bucket: space_id, classes: [0] }, shown);
  const active = sql`exists (select from users u where u.organisation_id = $1 and u.id = t.user_id and u.is_active)`;
  return listRows(tx, membersList, { skip, take, ...everyRow, where: [sql`t.channel_id = ${id}`, active] }, shown);
};
export const isMember = (tx: Tx, channel_id: number, user_id: number | null) =>
  tx.any(sql`
    select user_id from chat_members
    where organisation_id = $1 and channel_id = ${channel_id} and user_id = ${user_id}`);
/** People and bots. */
export const countMembers = async (tx: Tx, channel_id: number) =>
  (await tx.value<[number, number]>(sql`
    select array[
      (select count(*) from chat_members where organisation_id = $1 and channel_id = ${channel_id}),
      (select count(*) from chat_bot_members where organisation_id = $1 and channel_id = ${channel_id})]`)) ?? [0, 0];

/** Returns the ids of those who were none. Who joins has nothing unread. */
export const insertMembers = (tx: Tx, channel_id: number, user_ids: readonly number[]) =>
  tx.values<number>(sql`
    with added as (
      insert into chat_members (organisation_id, channel_id, user_id, created_at)
      select $1, ${channel_id}, u.id, ${tx.now()}
      from users u where u.organisation_id = $1 and u.id = any(${user_ids}::bigint[]) and u.kind = 'person'
      order by u.id on conflict do nothing returning user_id),
    marked as (
      insert into chat_reads (organisation_id, channel_id, user_id, read_sequence, updated_at)
      select $1, c.id, added.user_id, c.last_sequence, ${tx.now()}
      from added, chat_channels c where c.organisation_id = $1 and c.id = ${channel_id} on conflict do nothing)
    select user_id from added`);
/** Returns the ids of those who were members. */
export const deleteMembers = (tx: Tx, channel_id: number, user_ids: readonly number[]) =>
  tx.values<number>(sql`
    delete from chat_members
    where organisation_id = $1 and channel_id = ${channel_id} and user_id = any(${user_ids}::bigint[])
    returning user_id`);
export const insertBotMembers = (tx: Tx, channel_id: number, bot_ids: readonly number[]) =>
  tx.values<number>(sql`
    insert into chat_bot_members (organisation_id, channel_id, bot_id, created_at)
    select $1, ${channel_id}, b, ${tx.now()} from unnest(${bot_ids}::bigint[]) b
    on conflict do nothing returning bot_id`);
export const deleteBotMembers = (tx: Tx, channel_id: number, bot_ids: readonly number[]) =>
  tx.values<number>(sql`
    delete from chat_bot_members
    where organisation_id = $1 and channel_id = ${channel_id} and bot_id = any(${bot_ids}::bigint[])
    returning bot_id`);
