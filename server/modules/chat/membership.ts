// Changing who is in a group.
import type { Static } from 'typebox';
import { refuse, refuseForbidden } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Call } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { additionsAndRemovals } from '../users/access.ts';
import { type ChannelRow, channelFor } from './access.ts';
import { bots } from './bots.ts';
import { getChannel, lockChannel } from './channels.ts';
import type { chat } from './contract.ts';
import { tell } from './hints.ts';
import * as queries from './members.ts';
import { insertMessage } from './messages.ts';
import { MEMBERS_MAX } from './opening.ts';

type Asked = Static<typeof chat.endpoints.changeChannelMembers.body>;
/** Each is called back for every message. */
const BOTS_MAX = 20;

export async function changeMembers({ tx, actor }: Pick<Call, 'tx' | 'actor'>, channel_url: string, body: Asked) {
  const channel = await channelFor(tx, actor, channel_url);
  if (channel.type !== 'group') refuse('members_fixed', 'Only the members of a group can be changed.');
  const { id } = channel;
  const { add, remove, addBots, removeBots } = await changeOf(tx, actor, body);
  const done = await tx.transaction(async (inside) => {
    await lockChannel(inside, id);
    await refuseUnlessRemovable(inside, actor, channel, remove);
    const removed = await queries.deleteMembers(inside, id, remove);
    const added = await queries.insertMembers(inside, id, add);
    const bots_removed = await queries.deleteBotMembers(inside, id, removeBots);
    const bots_added = await queries.insertBotMembers(inside, id, addBots);
    const [people, bots] = await queries.countMembers(inside, id);
    if (people > MEMBERS_MAX) refuse('too_many_members', `A group has at most ${MEMBERS_MAX} people.`);
    if (bots > BOTS_MAX) refuse('too_many_members', `A group has at most ${BOTS_MAX} bots.`);
    if (added.length + removed.length > 0) {
      const data = { type: 'members', added, removed };
      await insertMessage(inside, { channel_id: id, type: 'ADMM', text: '', data });
    }
    const meta = {
      users_added: added.length,
      users_removed: removed.length,
      bots_added: bots_added.length,
      bots_removed: bots_removed.length,
    };
    return { data: await getChannel(inside, actor, id), meta };
  });
  tell(tx, 'chat.members', id);
  tell(tx, 'chat.channel', id);
  return done;
}

async function changeOf(tx: Tx, actor: Actor, body: Asked) {
  const botFields = ['bot_userids_to_add', 'bot_userids_to_remove'] as const;
  const { add, remove } = await additionsAndRemovals(tx, body, botFields);
  return {
    add,
    remove,
    addBots: await botIds(tx, actor, 'bot_userids_to_add', body),
    removeBots: await botIds(tx, actor, 'bot_userids_to_remove', body),
  };
}

/** Only a global bot may be among people of whom some could be outside its audience. */
async function botIds(tx: Tx, actor: Actor, field: 'bot_userids_to_add' | 'bot_userids_to_remove', body: Asked) {
  const bot_userids = body[field] ?? [];
  if (bot_userids.length === 0) return [];
  const found = await bots().find(tx, actor, bot_userids);
  return bot_userids.map((bot_userid, i) => {
    const path = `${field}[${i}]`;
    const bot = found.find((one) => one.bot_userid === bot_userid);
    if (!bot) return refuse('bot_not_found', `There is no such bot: ${bot_userid}.`, { path });
    if (field === 'bot_userids_to_add' && !bot.is_global)
      refuse('bot_not_global', 'Only a global bot can be added to a group.', { path });
    return bot.id;
  });
}

async function refuseUnlessRemovable(tx: Tx, actor: Actor, channel: ChannelRow, remove: readonly number[]) {
  if (actor.kind === 'key' || channel.created_by === actor.user_id || remove.every((id) => id === actor.user_id))
    return;
  if (await queries.isMember(tx, channel.id, channel.created_by))
    refuseForbidden('Who opened the group removes others from it.');
}
