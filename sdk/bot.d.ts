import type { Card, QuickReply } from './api.d.ts';
import type { VerifyOptions } from './callback.js';

export interface IncomingBotMessage {
  message_type: string;
  message_id: number;
  bot_userid: string;
  channel_url: string;
  /** Null when files were sent. */
  message: string | null;
  user_id: number;
  user_email: string;
  files?: { url: string; file_name: string; content_type: string; byte_size: number }[];
}
export interface Sending {
  /** Default true: a push notification goes with it. */
  send_push?: boolean;
}

/** What a bot can say in the channel that it was written to. */
export interface Answer {
  text(message: string, sending?: Sending): Promise<void>;
  quickReplies(message: string, replies: readonly QuickReply[], sending?: Sending): Promise<void>;
  cards(cards: readonly Card[], sending?: Sending): Promise<void>;
  /** The file itself; `type` image and video must be what they say. */
  file(type: 'image' | 'video' | 'file', file: Blob, file_name: string, message?: string): Promise<void>;
}

export interface BotOptions extends Pick<VerifyOptions, 'baseUrl' | 'jwksUrl' | 'toleranceSeconds' | 'now' | 'fetch'> {
  botUserId: string;
  organisationId: number | string;
  /** A key with the scope chats.message.write. */
  apiKey: string;
  /** Name of the header; default `x-service-jwt`. */
  header?: string;
  /** Address of the API where it is not baseUrl, for example inside your own network. */
  apiUrl?: string;
  onMessage(message: IncomingBotMessage, answer: Answer): Promise<void> | void;
  /** Told why a callback is answered with 401 (a CallbackRefused, whose `reason` says which check), 400 or 502. */
  onRefused?(error: Error, status: number): void;
}

/** An IncomingMessage of node:http, perhaps with a body that was read. */
interface HttpRequest extends AsyncIterable<Uint8Array> {
  headers: Record<string, string | string[] | undefined>;
  body?: unknown;
}
/** A ServerResponse of node:http. */
interface HttpResponse {
  writeHead(status: number): { end(): unknown };
}

export interface BotHandler {
  /** For node:http, and for Express in front of body parsers or behind `express.raw({ type: '*\/*' })`. */
  (request: HttpRequest, response: HttpResponse): Promise<void>;
  /** A Fastify plugin: `app.register(handler.fastify, { path: '/bot' })`. */
  fastify(app: unknown, options: { path: string }): Promise<void>;
  /** The bare decision, for any other server: the status to answer with. */
  handle(headers: Record<string, string | string[] | undefined>, body: Uint8Array): Promise<number>;
}

export function createBotHandler(options: BotOptions): BotHandler;
