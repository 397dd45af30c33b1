// What a client may ask for over its socket: `{"action": …, "id": …}`, answered with `{"event": "reply", "id": …}`.
import type { TObject } from 'typebox';
import { Refusal } from '../../kernel/contract/errors.ts';
import * as t from '../../kernel/contract/schema.ts';
import { type Check, compileCheck } from '../../kernel/contract/validate.ts';
import type { Json } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { channelFor } from './access.ts';
import { ChannelUrl } from './contract.ts';
import { tellTyping } from './events.ts';
import { earlierMessages, listPresence } from './queries.ts';
import { markRead, type Sender, send } from './sending.ts';

const place = t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const Hello = t.Object({
  channels: t.Optional(t.Array(t.Object({ channel_url: ChannelUrl(), last_sequence: place }), { maxItems: 2000 })),
});
export type Hello = t.Static<typeof Hello>;

interface Action<S extends TObject> {
  body: S;
  run(sender: Sender, body: t.Static<S>, socket: Watching): Promise<Json>;
}
/** People whose coming and going the socket is told about. */
export interface Watching {
  watch(user_ids: readonly number[]): void;
}
const action = <S extends TObject>(body: S, run: Action<S>['run']) => ({ body, run }) as unknown as Action<TObject>;

const HISTORY_MAX = 100;
const WATCHED_MAX = 200;
const nothingToSay = toJson(null);

const actions: Readonly<Record<string, Action<TObject>>> = {
  send: action(
    t.Object({
      channel_url: ChannelUrl(),
      message: t.RequiredText(10_000),
      client_message_id: t.Optional(t.RequiredText(100)),
    }),
    (sender, body) => send(sender, body.channel_url, body),
  ),
  read: action(t.Object({ channel_url: ChannelUrl(), message_id: t.Optional(t.Id()) }), (sender, body) =>
    markRead(sender, body.channel_url, body.message_id),
  ),
  history: action(
    t.Object({
      channel_url: ChannelUrl(),
      before: t.Id(),
      take: t.Optional(t.Integer({ minimum: 1, maximum: HISTORY_MAX })),
    }),
    async ({ tx, actor }, { channel_url, before, take = 50 }) => {
      const channel = await channelFor(tx, actor, channel_url, 'see');
      return `[${(await earlierMessages(tx, channel.id, before, take)).join(',')}]` as Json;
    },
  ),
  typing: action(t.Object({ channel_url: t.Text(64) }), async ({ tx, actor }, { channel_url }) => {
    const channel = await channelFor(tx, actor, channel_url, 'write');
    tellTyping(tx, `${channel.id}:${actor.user_id}`);
    return nothingToSay;
  }),
  watch: action(t.Object({ user_ids: t.Array(t.Id(), { maxItems: WATCHED_MAX }) }), ({ tx }, { user_ids }, socket) => {
    socket.watch(user_ids);
    return listPresence(tx, user_ids);
  }),
};

const checks = new Map<string, Check>();
const checkOf = (name: string, schema: TObject) => {
  const known = checks.get(name) ?? compileCheck(schema);
  checks.set(name, known);
  return known;
};
const tolerant = { form: false, warnings: [] };

/** Reads one frame of a client. Throws a Refusal where it is not JSON or breaks its contract. */
export function readAction(text: string): { action: string; id: unknown; body: Record<string, unknown> } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal('malformed_body', 'A frame must be a JSON object.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal('malformed_body', 'A frame must be a JSON object.');
  const { action: name, id, ...rest } = body as Record<string, unknown>;
  return { action: String(name), id: typeof id === 'string' || typeof id === 'number' ? id : null, body: rest };
}
export const readHello = (body: Record<string, unknown>) => checkOf('hello', Hello)(body, tolerant) as Hello;

export async function act(
  sender: Sender,
  socket: Watching,
  name: string,
  body: Record<string, unknown>,
): Promise<Json> {
  const found = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!found)
    throw new Refusal(
      'invalid_request',
      `There is no action "${name.slice(0, 40)}"; there are ${Object.keys(actions).join(', ')}.`,
    );
  return found.run(sender, checkOf(name, found.body)(body, tolerant) as never, socket);
}

export const replyText = (id: unknown, data: Json) => `{"event":"reply","id":${JSON.stringify(id)},"data":${data}}`;
export function failureText(id: unknown, error: unknown): string {
  const refusal = error instanceof Refusal ? error : new Refusal('internal_error', 'Something broke on our side.');
  return JSON.stringify({
    event: 'reply',
    id,
    data: null,
    code: refusal.code,
    message: refusal.message,
    errors: refusal.errors,
  });
}
