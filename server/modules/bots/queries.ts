import type { Paging } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { cleared, inserted, kept, replaced, type Values } from '../../kernel/data/rows.ts';
import { jsonOf, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { ChatBot } from '../chat/bots.ts';
import { administersBots, inBotAudience, seesBot } from './access.ts';

const botsList: Listing = { table: 'bots', at: null, id: 'id', newestFirst: false };

const shown = (condition: Sql, withUrl: boolean) =>
  jsonOf(sql`
    select b.bot_userid, b.bot_nickname, b.bot_type, b.bot_profile_url,
      ${trusted(withUrl ? 'b.bot_callback_url' : 'null as bot_callback_url')}, b.active, b.engine_callback,
      (
        select json_build_object('is_global', b.is_global,
          'teams', coalesce(json_agg(a.team_id order by a.team_id) filter (where a.team_id is not null), '[]'),
          'spaces', coalesce(json_agg(a.space_id order by a.space_id) filter (where a.space_id is not null), '[]'))
        from bot_audiences a where a.organisation_id = $1 and a.bot_id = b.id) as audience,
      b.created_by, iso(b.created_at) as created_at, iso(b.updated_at) as updated_at
    from bots b where b.organisation_id = $1 and ${condition}`);

export const listBots = (tx: Tx, actor: Actor, paging: Paging) => {
  const page = { ...paging, ...everyRow, where: [seesBot(actor, trusted('t'))] };
  return listRows(tx, botsList, page, shown(sql`b.id = listed.id`, administersBots(actor)));
};
export const findBot = (tx: Tx, actor: Actor, bot_userid: string) =>
  tx.json(shown(sql`b.bot_userid = ${bot_userid} and ${seesBot(actor)}`, administersBots(actor)));
export const getBot = (tx: Tx, id: number) => tx.json(shown(sql`b.id = ${id}`, true)) as Promise<Json>;

/** Bots that the actor may know of, by their bot_userid. */
export const findBots = (tx: Tx, actor: Actor, bot_userids: readonly string[]) =>
  tx.rows<ChatBot & { bot_callback_url: string | null }>(sql`
    select b.id, b.bot_userid, b.is_global, b.active, b.bot_callback_url,
      ${inBotAudience(sql`${actor.user_id}::bigint`)} as is_for_actor
    from bots b where b.organisation_id = $1 and b.bot_userid = any(${bot_userids}::text[]) and ${seesBot(actor)}`);
/** Its id. */
export const lockBot = (tx: Tx, bot_userid: string) =>
  tx.value<number>(sql`
    select id from bots
    where organisation_id = $1 and bot_userid = ${bot_userid} and deleted_at is null for update`);

const written = {
  name: 'bots',
  columns: {
    bot_nickname: cleared('text'),
    bot_type: cleared('text'),
    bot_profile_url: cleared('text'),
    bot_callback_url: kept('text'),
    engine_callback: kept('boolean', false),
    is_global: kept('boolean', false),
    active: kept('boolean', true),
  },
};
/** Returns its id. */
export const insertBot = async (tx: Tx, bot_userid: string, created_by: number, bot: Values) => {
  const own = { bot_userid, created_by, created_at: tx.now(), updated_at: tx.now() };
  return (await tx.value<number>(inserted(written, bot, own, 'id'))) as number;
};
export const updateBot = (tx: Tx, id: number, bot: Values) => {
  const set = sql`updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond')`;
  return tx.rows(sql`with ${replaced(written, id, bot, { set, always: true })} select id from changed`);
};
/** Its id. */
export const deleteBot = (tx: Tx, bot_userid: string) =>
  tx.value<number>(sql`
    update bots set deleted_at = ${tx.now()}, active = false
    where organisation_id = $1 and bot_userid = ${bot_userid} and deleted_at is null returning id`);

/** Scalar: bots that this person made. */
export const countBotsOf = (user_id: number) => sql`(
  select count(*) from bots b
  where b.organisation_id = $1 and b.created_by = ${user_id} and b.deleted_at is null)`;
