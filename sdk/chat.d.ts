import type { Message } from './api.d.ts';
import type { Client } from './client.d.ts';

export type ChatEvent =
  | { event: 'ready'; user_id: number; channels: { channel_url: string; last_sequence: number }[] }
  | { event: 'message.created' | 'message.updated'; channel_url: string; sequence: number; message: Message }
  | { event: 'message.deleted'; channel_url: string; sequence: number; message_id: number }
  | { event: 'channel.joined' | 'channel.left'; channel_url: string }
  | { event: 'channel.read'; channel_url: string; read_sequence: number }
  | { event: 'typing'; channel_url: string; user_id: number }
  | { event: 'presence'; user_id: number; is_online: boolean };

export interface Chat extends AsyncIterable<ChatEvent> {
  /** Resolves with the stored message. Sent again after a cut, it is still one message. */
  send(message: { channel_url: string; message: string; client_message_id?: string }): Promise<Message>;
  /** `read`, `history`, `typing`, `watch`: see the guide of the chat. Rejects with an AtriumError. */
  ask(action: 'read' | 'history' | 'typing' | 'watch', fields?: object): Promise<unknown>;
  /** The greatest sequence of each channel: give it to openChat() after a restart, and nothing is missed. */
  sequences(): Record<string, number>;
  close(): void;
}
export interface ChatOptions {
  sequences?: Record<string, number>;
  signal?: AbortSignal;
  /** Node 20 has none: that of the package ws. */
  WebSocket?: unknown;
}
/** The socket of a signed-in person or a user JWT. It comes back after a cut, and gets what it missed. */
export function openChat(atrium: Client, options?: ChatOptions): Chat;
