// What a client may ask for over its socket: `{"action": …, "id": …}`, answered with `{"event": "reply", "id": …}`.
import type { TObject } from 'typebox';
import { Refusal, refuse } from '../../kernel/contract/errors.ts';
import * as t from '../../kernel/contract/schema.ts';
import { type Check, compileCheck } from '../../kernel/contract/validate.ts';
import type { Json } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { mentioned } from '../mentions/contract.ts';
import { channelFor } from './access.ts';
import type { Connection } from './connection.ts';
import { ChannelUrl } from './contract.ts';
import { tell } from './hints.ts';
import { earlierMessages } from './messages.ts';
import { listPresence } from './presence.ts';
import { markRead, type Sender, send } from './sending.ts';

/** Checks what a client wrote, compiled when it is first needed. */
const reading = <S extends TObject>(schema: S) => {
  let check: Check | undefined;
  return (body: object) => {
    check ??= compileCheck(schema);
    return check(body, { form: false, warnings: [] }) as t.Static<S>;
  };
};
const number = t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Hello = t.Object({
  channels: t.Optional(t.Array(t.Object({ channel_url: ChannelUrl(), last_sequence: number }), { maxItems: 2000 })),
});
export type Hello = t.Static<typeof Hello>;
export const readHello = reading(Hello);

type Action = (sender: Sender, body: object, connection: Connection) => Promise<Json>;
const action = <S extends TObject>(
  schema: S,
  run: (sender: Sender, body: t.Static<S>, connection: Connection) => Promise<Json>,
): Action => {
  const read = reading(schema);
  return async (sender, body, connection) => run(sender, read(body), connection);
};
const actions: Readonly<Record<string, Action>> = {
  send: action(
    t.Object({
      channel_url: ChannelUrl(),
      message: t.RequiredText(10_000),
      client_message_id: t.Optional(t.RequiredText(100)),
      ...mentioned,
    }),
    (sender, body) => send(sender, body.channel_url, body),
  ),
  read: action(t.Object({ channel_url: ChannelUrl(), message_id: t.Optional(t.Id()) }), (sender, body) =>
    markRead(sender, body.channel_url, body.message_id),
  ),
  history: action(
    t.Object({ channel_url: ChannelUrl(), before: t.Id(), take: t.Optional(t.Integer({ minimum: 1, maximum: 100 })) }),
    async ({ tx, actor }, { channel_url, before, take = 50 }) => {
      const { id } = await channelFor(tx, actor, channel_url);
      return `[${(await earlierMessages(tx, id, before, take)).join(',')}]` as Json;
    },
  ),
  typing: action(t.Object({ channel_url: t.Text(64) }), async ({ tx, actor }, { channel_url }) => {
    const { id } = await channelFor(tx, actor, channel_url, 'write');
    tell(tx, 'chat.typing', id, actor.user_id);
    return toJson(null);
  }),
  watch: action(t.Object({ user_ids: t.Array(t.Id(), { maxItems: 200 }) }), ({ tx }, { user_ids }, asking) => {
    asking.watched = new Set(user_ids);
    return listPresence(tx, user_ids);
  }),
};

export interface Asked {
  action: string;
  id: string | number | null;
  body: object;
}
/** Reads one frame of a client. */
export function readAction(text: string): Asked {
  const { action, id, ...body } = objectOf(text);
  return { action: String(action), id: typeof id === 'string' || typeof id === 'number' ? id : null, body };
}
function objectOf(text: string): Record<string, unknown> {
  try {
    const read = JSON.parse(text);
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read;
  } catch {}
  return refuse('malformed_body', 'A frame must be a JSON object.');
}

export function act(sender: Sender, connection: Connection, { action: name, body }: Asked): Promise<Json> {
  const found = Object.hasOwn(actions, name) ? actions[name] : undefined;
  const known = Object.keys(actions).join(', ');
  if (!found) return refuse('invalid_request', `There is no action "${name.slice(0, 40)}"; there are ${known}.`);
  return found(sender, body, connection);
}

export const replyText = (id: Asked['id'], data: Json) => `{"event":"reply","id":${JSON.stringify(id)},"data":${data}}`;
export function failureText(id: Asked['id'], error: unknown): string {
  const refusal = error instanceof Refusal ? error : new Refusal('internal_error', 'Something broke on our side.');
  const { code, message, errors } = refusal;
  return JSON.stringify({ event: 'reply', id, data: null, code, message, errors });
}
