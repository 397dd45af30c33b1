import { refuseForbidden, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import { mentionedIn } from '../mentions/access.ts';
import { channelFor } from './access.ts';
import { findChannel, listChannels } from './channels.ts';
import { chat } from './contract.ts';
import { tell } from './hints.ts';
import { listMembers } from './members.ts';
import { changeMembers } from './membership.ts';
import * as messages from './messages.ts';
import { open } from './opening.ts';
import { listPresence } from './presence.ts';
import { markRead, messageOfButton, send } from './sending.ts';
import { insertTicket } from './tickets.ts';

const PRESENCE_MAX = 200;

export const chatRoutes = routes(chat, {
  listChannels: ({ tx, actor, query }) => listChannels(tx, actor, query.type, query),
  openChannel: (call) => open(call, call.body),
  getChannel: async ({ tx, actor, params }) => (await findChannel(tx, actor, params.channel_url)) ?? refuseNotFound(),
  listChannelMembers: async ({ tx, actor, params, query }) =>
    listMembers(tx, await channelFor(tx, actor, params.channel_url), query.skip, query.take),
  changeChannelMembers: (call) => changeMembers(call, call.params.channel_url, call.body),

  listMessages: async ({ tx, actor, params, query }) =>
    messages.listMessages(tx, (await channelFor(tx, actor, params.channel_url)).id, query),
  sendMessage: (call) => send(call, call.params.channel_url, call.body),
  async replaceMessage({ tx, actor, params, body }) {
    const { channel_id, message } = await messageFor({ tx, actor, params }, 'write');
    if (message.user_id !== actor.user_id || message.type === 'ADMM')
      refuseForbidden('Only who wrote a message edits it.');
    if (!body.message.trim()) refuseInvalid('message', 'must not be empty');
    const mentions = await mentionedIn(tx, actor, body);
    const edited = await messages.updateMessage(tx, channel_id, message.id, body.message, mentions);
    tell(tx, 'chat.channel', channel_id);
    return edited ?? refuseNotFound();
  },
  async deleteMessage({ tx, actor, params }) {
    const { channel_id, message } = await messageFor({ tx, actor, params });
    const moderates = actor.roles.some((role) => role === 'moderator' || role === 'admin');
    if (message.user_id !== actor.user_id && !moderates)
      refuseForbidden('Only who wrote a message, or a moderator, deletes it.');
    const gone = await messages.deleteMessage(tx, channel_id, message.id);
    tell(tx, 'chat.channel', channel_id);
    return gone ?? refuseNotFound();
  },
  async pressButton(call) {
    const { label, card, client_message_id } = call.body;
    const { data } = (await messageFor(call)).message;
    return send(call, call.params.channel_url, { message: messageOfButton(data, label, card), client_message_id });
  },
  markRead: (call) => markRead(call, call.params.channel_url, call.body.message_id),
  createSocketTicket: ({ tx, actor }) => insertTicket(tx, actor),
  listPresence({ tx, query }) {
    if (query.user_ids.length > PRESENCE_MAX) refuseInvalid('user_ids', `must have at most ${PRESENCE_MAX} entries`);
    return listPresence(tx, query.user_ids);
  },
});

type Named = Pick<Call, 'tx' | 'actor'> & { params: { channel_url: string; message_id: number } };
async function messageFor({ tx, actor, params }: Named, right: 'see' | 'write' = 'see') {
  const { id: channel_id } = await channelFor(tx, actor, params.channel_url, right);
  return { channel_id, message: (await messages.findMessage(tx, channel_id, params.message_id)) ?? refuseNotFound() };
}
