// What a person does in a channel, the same over HTTP and over the socket.
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { UploadedFile } from '../../kernel/contract/schema.ts';
import type { Json } from '../../kernel/data/db.ts';
import type { Call } from '../../kernel/http/routes.ts';
import { type Upload, uploadsOf, withFiles } from '../assets/access.ts';
import { channelFor } from './access.ts';
import { tell } from './hints.ts';
import { findSentMessage, type NewMessage, storeMessage } from './messages.ts';
import { getUnread, upsertRead } from './reads.ts';

/** All that sending needs; a call of an endpoint has it, and so has a socket. */
export type Sender = Pick<Call, 'tx' | 'actor' | 'services'>;
export interface Draft {
  message?: string | undefined;
  files?: readonly UploadedFile[] | undefined;
  client_message_id?: string | undefined;
}

export async function send(sender: Sender, channel_url: string, draft: Draft): Promise<Json> {
  const { tx, actor } = sender;
  const { message: text = '', files, client_message_id } = draft;
  const { id: channel_id } = await channelFor(tx, actor, channel_url, 'write');
  if (!text.trim() && !files?.length) refuseInvalid('message', 'must not be empty where no file is sent');
  const message = { channel_id, user_id: actor.user_id, text, client_message_id };
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

interface Buttons {
  replies?: { label: string; message: string }[];
  cards?: { buttons?: { label: string; message?: string }[] }[];
}
/** What pressing this label says. */
export function messageOfButton(data: string | null, label: string, card: number | undefined): string {
  const { replies = [], cards = [] } = JSON.parse(data ?? '{}') as Buttons;
  const all = card === undefined ? cards : cards.slice(card, card + 1);
  const buttons = [...(card === undefined ? replies : []), ...all.flatMap((each) => each.buttons ?? [])];
  return (
    buttons.find((button) => button.label === label && button.message !== undefined)?.message ??
    refuse('button_not_found', 'This message has no such button that says something.', { path: 'label' })
  );
}
