// Opening channels.
import type { Static } from 'typebox';
import { refuse, refuseForbidden, refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Call } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { spaceFor } from '../spaces/access.ts';
import { peopleOf } from '../users/access.ts';
import { bots } from './bots.ts';
import { botChannel, getChannel, type NewChannel, openOnce } from './channels.ts';
import type { chat } from './contract.ts';
import { tell } from './hints.ts';

type Asked = Static<typeof chat.endpoints.openChannel.body>;
type Plan = Omit<NewChannel, 'created_by'>;
export const MEMBERS_MAX = 1000;

export const open = async ({ tx, actor }: Pick<Call, 'tx' | 'actor'>, body: Asked) =>
  (await openAs(tx, actor, await planFor(tx, actor, body))).json;

export async function openAs(tx: Tx, actor: Actor, plan: Plan) {
  const { id, channel_url, is_new } = await openOnce(tx, { ...plan, created_by: actor.user_id });
  if (is_new) tell(tx, 'chat.members', id);
  return { channel_url, json: await getChannel(tx, actor, id) };
}

async function planFor(tx: Tx, actor: Actor, body: Asked): Promise<Plan> {
  const { type, name } = body;
  if (actor.kind === 'key' && (type === 'direct' || type === 'bot'))
    refuseForbidden('A key opens group and space channels, and bot channels at /v1/chat/bots/channels.');
  if (type === 'bot') return botChannel(await botFor(tx, actor, body.bot_userid), actor.user_id);
  if (type === 'space') return { type, space_id: await spaceOf(tx, actor, body.space_id), members: [] };
  const people = await peopleOf(tx, [
    { field: 'user_ids', values: body.user_ids ?? [], external: false },
    { field: 'external_user_ids', values: body.external_user_ids ?? [], external: true },
  ]);
  const named = new Set([...people.values()].flat());
  if (type === 'group') {
    if (actor.kind !== 'key') named.add(actor.user_id);
    if (named.size > MEMBERS_MAX) refuseInvalid('user_ids', `must leave the group at most ${MEMBERS_MAX} people`);
    return { type, name, members: [...named] };
  }
  named.delete(actor.user_id);
  const [other, ...more] = named;
  if (other === undefined || more.length > 0) return refuseInvalid('user_ids', 'must name exactly one other person');
  const members = [actor.user_id, other].toSorted((a, b) => a - b);
  return { type, pair: `direct:${members.join(':')}`, members };
}

async function botFor(tx: Tx, actor: Actor, bot_userid: string | undefined): Promise<number> {
  if (!bot_userid) return refuseInvalid('bot_userid', 'is required for a channel of type bot');
  const [bot] = await bots().find(tx, actor, [bot_userid]);
  if (!bot?.is_for_actor)
    return refuse('bot_not_found', 'There is no such bot, or you may not see it.', { path: 'bot_userid' });
  if (!bot.active) refuse('bot_inactive', 'This bot is not active.', { path: 'bot_userid' });
  return bot.id;
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
