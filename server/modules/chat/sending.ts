// What a person does in a channel, the same over HTTP and over the socket.

import { refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { UploadedFile } from '../../kernel/contract/schema.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { uploadsOf, withFiles } from '../assets/access.ts';
import { type ChannelRow, channelFor } from './access.ts';
import { tellChannelChanged, tellRead } from './events.ts';
import * as queries from './queries.ts';

/** All that sending needs; a call of an endpoint has it, and so has a socket. */
export interface Sender {
  tx: Tx;
  actor: Actor;
  services: Services;
}
export interface Draft {
  message?: string | undefined;
  files?: readonly UploadedFile[] | undefined;
  client_message_id?: string | undefined;
}

export async function send(sender: Sender, channel_url: string, draft: Draft): Promise<Json> {
  const { tx, actor } = sender;
  const channel = await channelFor(tx, actor, channel_url, 'write');
  if (!draft.message?.trim() && !draft.files?.length)
    refuseInvalid('message', 'must not be empty where no file is sent');
  const sent = await store(sender, channel, draft).catch(async (error) => {
    if (error.constraint !== 'chat_messages__client_message_id_key' || !draft.client_message_id) throw error;
    return (await queries.findSentMessage(tx, channel.id, actor.user_id, draft.client_message_id)) ?? refuseNotFound();
  });
  tellChannelChanged(tx, channel.id);
  return sent;
}

const store = (sender: Sender, { id: channel_id }: ChannelRow, { message = '', files, client_message_id }: Draft) =>
  withFiles(sender, uploadsOf('files', 'any', files), (staged) => {
    const user_id = sender.actor.user_id;
    return queries.storeMessage(
      sender.tx,
      { channel_id, type: 'MESG', user_id, text: message, client_message_id },
      staged,
      user_id,
    );
  });

export async function markRead({ tx, actor }: Sender, channel_url: string, up_to: number | undefined): Promise<Json> {
  const channel = await channelFor(tx, actor, channel_url, 'see');
  const read = await queries.upsertRead(tx, actor, channel.id, up_to);
  tellRead(tx, `${channel.id}:${actor.user_id}:${read?.read_sequence}`);
  return queries.getUnread(tx, actor, channel.id);
}
