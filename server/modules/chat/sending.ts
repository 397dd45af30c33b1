// What a person does in a channel, the same over HTTP and over the socket.
import type { Static } from 'typebox';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json } from '../../kernel/data/db.ts';
import type { Call } from '../../kernel/http/routes.ts';
import { type Upload, uploadsOf, withFiles } from '../assets/access.ts';
import { mentionedIn } from '../mentions/access.ts';
import { channelFor } from './access.ts';
import type { chat, Message } from './contract.ts';
import { tell } from './hints.ts';
import { findSentMessage, type NewMessage, storeMessage } from './messages.ts';
import { getUnread, upsertRead } from './reads.ts';

/** All that sending needs; a call of an endpoint has it, and so has a socket. */
export type Sender = Pick<Call, 'tx' | 'actor' | 'services'>;
type Draft = Static<typeof chat.endpoints.sendMessage.body>;

export async function send(sender: Sender, channel_url: string, draft: Draft): Promise<Json> {
  const { tx, actor } = sender;
  const { message: text = '', files, client_message_id } = draft;
  const { id: channel_id } = await channelFor(tx, actor, channel_url, 'write');
  if (!text.trim() && !files?.length) refuseInvalid('message', 'must not be empty where no file is sent');
  const mentions = await mentionedIn(tx, actor, draft);
  const message = { channel_id, user_id: actor.user_id, text, client_message_id, mentions };
  return store(sender, message, uploadsOf('files', 'any', files)).catch(async (error) => {
    if (error.constraint !== 'chat_messages__client_message_id_key' || !client_message_id) throw error;
    return (await findSentMessage(tx, channel_id, actor.user_id, client_message_id)) ?? refuseNotFound();
  });
}

export async function store(sender: Sender, message: NewMessage, uploads: readonly Upload[]): Promise<Json> {
  const { tx, actor } = sender;
  const sent = await withFiles(sender, uploads, (staged) => storeMessage(tx, message, staged, actor.user_id));
  tell(tx, 'chat.channel', message.channel_id);
  return sent;
}

export async function markRead({ tx, actor }: Sender, channel_url: string, up_to: number | undefined): Promise<Json> {
  const { id } = await channelFor(tx, actor, channel_url);
  tell(tx, 'chat.read', id, actor.user_id, await upsertRead(tx, id, actor.user_id, up_to));
  return getUnread(tx, id, actor.user_id);
}

/** What pressing this label says, in any card or in this one. */
export function messageOfButton(data: string | null, label: string, card: number | undefined): string {
  const { replies = [], cards = [] } = JSON.parse(data ?? '{}') as NonNullable<Static<typeof Message>['data']>;
  const inCards = (card === undefined ? cards : cards.slice(card, card + 1)).flatMap(({ buttons = [] }) => buttons);
  const all = card === undefined ? [...replies, ...inCards] : inCards;
  const pressed = all.find((button) => button.label === label && button.message !== undefined);
  if (pressed?.message !== undefined) return pressed.message;
  return refuse('button_not_found', 'This message has no such button that says something.', { path: 'label' });
}
