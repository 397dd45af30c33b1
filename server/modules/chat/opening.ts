// Opening channels and changing who is in them.
import type { Static } from 'typebox';
import { refuse, refuseFields, refuseForbidden, refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import type { Call } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { inBotAudience } from '../bots/access.ts';
import { botRows, findPersonFor } from '../bots/queries.ts';
import { spaceFor } from '../spaces/access.ts';
import { peopleOf } from '../users/access.ts';
import { type ChannelRow, channelFor } from './access.ts';
import type { chat } from './contract.ts';
import { tellChannelChanged, tellMembersChanged } from './events.ts';
import * as queries from './queries.ts';

type Opening = Static<typeof chat.endpoints.openChannel.body>;
type MembersChange = Static<typeof chat.endpoints.changeChannelMembers.body>;
type Asked = Pick<Call, 'tx' | 'actor'>;

export const MEMBERS_MAX = 1000;
/** Each is called back for every message. */
const BOTS_MAX = 20;

export async function open({ tx, actor }: Asked, body: Opening): Promise<Json> {
  const planned = await plan(tx, actor, body);
  const channel = await queries.openOnce(tx, { ...planned, created_by: actor.user_id });
  if (channel.is_new) tellMembersChanged(tx, channel.id);
  return queries.getChannel(tx, actor, channel.id);
}

type Plan = Omit<queries.NewChannel, 'created_by'>;
async function plan(tx: Tx, actor: Actor, body: Opening): Promise<Plan> {
  const { type, name } = body;
  if (actor.kind === 'key' && (type === 'direct' || type === 'bot'))
    refuseForbidden('A key opens group and space channels, and bot channels at /v1/chat/bots/channels.');
  if (type === 'bot') return botPlan(tx, actor, body.bot_userid);
  if (type === 'space') return { type, space_id: await spaceOf(tx, actor, body.space_id), members: [] };
  const people = await peopleOf(tx, [
    { field: 'user_ids', values: body.user_ids ?? [], external: false },
    { field: 'external_user_ids', values: body.external_user_ids ?? [], external: true },
  ]);
  const named = [...new Set([...people.values()].flat())];
  if (type === 'group') {
    const members = [...new Set([...named, ...(actor.kind === 'key' ? [] : [actor.user_id])])];
    if (members.length > MEMBERS_MAX) refuseInvalid('user_ids', `must leave the group at most ${MEMBERS_MAX} people`);
    return { type, name, members };
  }
  const [other, ...more] = named.filter((id) => id !== actor.user_id);
  if (other === undefined || more.length > 0) return refuseInvalid('user_ids', 'must name exactly one other person');
  const members = [actor.user_id, other].toSorted((a, b) => a - b);
  return { type, pair: `direct:${members.join(':')}`, members };
}

async function botPlan(tx: Tx, actor: Actor, bot_userid: string | undefined): Promise<Plan> {
  if (!bot_userid) return refuseInvalid('bot_userid', 'is required for a channel of type bot');
  const [bot] = await botRows(tx, actor, [bot_userid]);
  const visible =
    bot && (await findPersonFor(tx, bot.id, actor.user_id, inBotAudience(sql`${actor.user_id}::bigint`)))?.visible;
  if (!bot || !visible)
    return refuse('bot_not_found', 'There is no such bot, or you may not see it.', { path: 'bot_userid' });
  if (!bot.active) refuse('bot_inactive', 'This bot is not active.', { path: 'bot_userid' });
  return queries.botChannel(bot.id, actor.user_id);
}
async function spaceOf(tx: Tx, actor: Actor, space_id: number | undefined): Promise<number> {
  if (space_id === undefined) return refuseInvalid('space_id', 'is required for a channel of type space');
  const space = await spaceFor(tx, actor, space_id, 'manage').catch((error) => {
    if (error.code === 'not_found')
      refuse('space_not_found', 'There is no such space, or you may not see it.', { path: 'space_id' });
    throw error;
  });
  if (space.is_archived) refuse('space_archived', 'The space is archived; bring it back first.', { path: 'space_id' });
  return space.id;
}

// ---- Members -----------------------------------------------------------------------------------------------------

export async function changeMembers({ tx, actor }: Asked, channel_url: string, body: MembersChange) {
  const channel = await channelFor(tx, actor, channel_url, 'see');
  if (channel.type !== 'group') refuse('members_fixed', 'Only the members of a group can be changed.');
  const change = await changeOf(tx, actor, body);
  const done = await tx.transaction(async (inside) => {
    await queries.lockChannel(inside, channel.id);
    await allowRemoval(inside, actor, channel, change.remove);
    const removed = await queries.deleteMembers(inside, channel.id, change.remove);
    const added = await queries.insertMembers(inside, channel.id, change.add);
    if ((await queries.countMembers(inside, channel.id)) > MEMBERS_MAX)
      refuse('too_many_members', `A group has at most ${MEMBERS_MAX} people.`);
    const botsRemoved = await queries.deleteBotMembers(inside, channel.id, change.removeBots);
    const botsAdded = await queries.insertBotMembers(inside, channel.id, change.addBots);
    const moved = { added: added.map(({ user_id }) => user_id), removed: removed.map(({ user_id }) => user_id) };
    if (moved.added.length + moved.removed.length > 0)
      await queries.insertMessage(inside, {
        channel_id: channel.id,
        type: 'ADMM',
        text: '',
        data: { type: 'members', ...moved },
      });
    if ((await queries.countBotMembers(inside, channel.id)) > BOTS_MAX)
      refuse('too_many_members', `A group has at most ${BOTS_MAX} bots.`);
    const meta = {
      users_added: added.length,
      users_removed: removed.length,
      bots_added: botsAdded.length,
      bots_removed: botsRemoved.length,
    };
    return { data: await queries.getChannel(inside, actor, channel.id), meta };
  });
  tellMembersChanged(tx, channel.id);
  tellChannelChanged(tx, channel.id);
  return done;
}

async function changeOf(tx: Tx, actor: Actor, body: MembersChange) {
  if (Object.values(body).every((value) => value === undefined))
    refuseFields([
      { path: '', message: 'needs at least one of ids_to_add, ids_to_remove and their external and bot forms' },
    ]);
  const fields = ['ids_to_add', 'ids_to_remove', 'external_ids_to_add', 'external_ids_to_remove'] as const;
  const people = await peopleOf(
    tx,
    fields.map((field) => ({ field, values: body[field] ?? [], external: field.startsWith('external_') })),
  );
  const named = (operation: 'add' | 'remove') => [
    ...new Set([...(people.get(`ids_to_${operation}`) ?? []), ...(people.get(`external_ids_to_${operation}`) ?? [])]),
  ];
  const [add, remove] = [named('add'), named('remove')];
  const both = add
    .filter((id) => remove.includes(id))
    .map((id) => ({ path: 'ids_to_add', message: `adds user ${id}, who is also to be removed` }));
  if (both.length > 0) refuseFields(both);
  return {
    add,
    remove,
    addBots: await botIds(tx, actor, 'bot_userids_to_add', body.bot_userids_to_add ?? [], true),
    removeBots: await botIds(tx, actor, 'bot_userids_to_remove', body.bot_userids_to_remove ?? [], false),
  };
}

/** Only a global bot may be among people of whom some could be outside its audience. */
async function botIds(
  tx: Tx,
  actor: Actor,
  field: string,
  bot_userids: readonly string[],
  global: boolean,
): Promise<number[]> {
  if (bot_userids.length === 0) return [];
  const found = new Map((await botRows(tx, actor, bot_userids)).map((bot) => [bot.bot_userid, bot]));
  const path = (i: number) => `${field}[${i}]`;
  return bot_userids.map((bot_userid, i) => {
    const bot =
      found.get(bot_userid) ?? refuse('bot_not_found', `There is no such bot: ${bot_userid}.`, { path: path(i) });
    if (global && !bot.is_global)
      refuse('bot_not_global', 'Only a global bot can be added to a group.', { path: path(i) });
    return bot.id;
  });
}

async function allowRemoval(tx: Tx, actor: Actor, channel: ChannelRow, remove: readonly number[]) {
  if (actor.kind === 'key' || channel.created_by === actor.user_id || remove.every((id) => id === actor.user_id))
    return;
  if (await queries.isMember(tx, channel.id, channel.created_by))
    refuseForbidden('Who opened the group removes others from it.');
}
