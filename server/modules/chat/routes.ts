import { refuse, refuseForbidden, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { channelFor } from './access.ts';
import { chat } from './contract.ts';
import { tellChannelChanged } from './events.ts';
import { changeMembers, open } from './opening.ts';
import * as queries from './queries.ts';
import { markRead, send } from './sending.ts';

const PRESENCE_MAX = 200;

export const chatRoutes = routes(chat, {
  listChannels: ({ tx, actor, query }) => queries.listChannels(tx, actor, query.type, query.skip, query.take),
  openChannel: (call) => open(call, call.body),
  getChannel: async ({ tx, actor, params }) =>
    (await queries.findChannel(tx, actor, params.channel_url)) ?? refuseNotFound(),
  async listChannelMembers({ tx, actor, params, query }) {
    return queries.listChannelMembers(
      tx,
      await channelFor(tx, actor, params.channel_url, 'see'),
      query.skip,
      query.take,
    );
  },
  changeChannelMembers: (call) => changeMembers(call, call.params.channel_url, call.body),

  async listMessages({ tx, actor, params, query }) {
    return queries.listMessages(tx, (await channelFor(tx, actor, params.channel_url, 'see')).id, query);
  },
  sendMessage: (call) => send(call, call.params.channel_url, call.body),
  async replaceMessage(call) {
    const { channel, message } = await messageFor(call, call.params, 'write');
    if (message.user_id !== call.actor.user_id || message.type === 'ADMM')
      refuseForbidden('Only who wrote a message edits it.');
    if (!call.body.message.trim()) refuseInvalid('message', 'must not be empty');
    const edited =
      (await queries.updateMessage(call.tx, channel.id, message.id, call.body.message)) ?? refuseNotFound();
    tellChannelChanged(call.tx, channel.id);
    return edited;
  },
  async deleteMessage(call) {
    const { channel, message } = await messageFor(call, call.params);
    const moderates = call.actor.roles.some((role) => role === 'moderator' || role === 'admin');
    if (message.user_id !== call.actor.user_id && !moderates)
      refuseForbidden('Only who wrote a message, or a moderator, deletes it.');
    const gone = (await queries.deleteMessage(call.tx, channel.id, message.id)) ?? refuseNotFound();
    tellChannelChanged(call.tx, channel.id);
    return gone;
  },
  async pressButton(call) {
    const { message } = await messageFor(call, call.params);
    const pressed = messageOfButton(message.data, call.body);
    return send(call, call.params.channel_url, { message: pressed, client_message_id: call.body.client_message_id });
  },
  markRead: (call) => markRead(call, call.params.channel_url, call.body.message_id),
  listPresence({ tx, query }) {
    if (query.user_ids.length > PRESENCE_MAX) refuseInvalid('user_ids', `must have at most ${PRESENCE_MAX} entries`);
    return queries.listPresence(tx, query.user_ids);
  },
});

async function messageFor(
  { tx, actor }: Pick<Call, 'tx' | 'actor'>,
  { channel_url, message_id }: { channel_url: string; message_id: number },
  right: 'see' | 'write' = 'see',
) {
  const channel = await channelFor(tx, actor, channel_url, right);
  return { channel, message: (await queries.findMessage(tx, channel.id, message_id)) ?? refuseNotFound() };
}

interface Buttons {
  replies?: { label: string; message: string }[];
  cards?: { buttons?: { label: string; message?: string }[] }[];
}
/** What pressing this label says. */
function messageOfButton(data: string | null, { label, card }: { label: string; card?: number }): string {
  const { replies = [], cards = [] } = JSON.parse(data ?? '{}') as Buttons;
  const buttons =
    card === undefined ? [...replies, ...cards.flatMap((each) => each.buttons ?? [])] : (cards[card]?.buttons ?? []);
  const pressed = buttons.find((button) => button.label === label && button.message !== undefined);
  return (
    pressed?.message ??
    refuse('button_not_found', 'This message has no such button that says something.', { path: 'label' })
  );
}
