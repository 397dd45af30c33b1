import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { fileErrors } from '../assets/contract.ts';
import { audienceErrors } from '../audiences/contract.ts';
import { Card, Channel, ChannelUrl, Message, QuickReply } from '../chat/contract.ts';

const callbackStates = ['pending', 'delivered', 'failed', 'withheld'] as const;
const botTypes = ['productivity', 'learning'] as const;
const BotUserId = (description?: string) => t.RequiredText(64, description);
export const Bot = t.Object(
  {
    bot_userid: BotUserId('Made on create; identifies the bot in every call and callback.'),
    bot_nickname: t.Text(80),
    bot_type: t.OneOf(botTypes),
    bot_profile_url: t.Nullable(t.Url()),
    bot_callback_url: t.Nullable(
      t.Url('Where messages of employees are posted to. Null for people who do not administer bots.'),
    ),
    active: t.Flag('An inactive bot is in no list of employees, gets no messages and sends none.'),
    engine_callback: t.Flag('Also sends the older, engine-level form of the callback.'),
    audience: t.Object({ is_global: t.Flag(), teams: t.Array(t.Id()), spaces: t.Array(t.Id()) }),
    created_by: t.Nullable(t.Id()),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
  },
  { title: 'Bot' },
);

const ids = t.Optional(t.Array(t.Id(), { maxItems: 200 }));
const BotAudience = t.Object({ type: t.OneOf(['teams', 'spaces']), teams: ids, spaces: ids });
export const NewBot = t.Object({
  bot_nickname: t.RequiredText(80),
  bot_type: t.OneOf(botTypes),
  bot_profile_url: t.Optional(t.Nullable(t.Link('Address of an image that everybody can load.'))),
  bot_webhook_url: t.Optional(t.Nullable(t.Link('Gets a POST for every message of an employee to the bot.'))),
  global_audience: t.Optional(t.Flag('Everybody sees the bot. Else `audience` says who.')),
  audience: t.Optional(BotAudience),
  active: t.Optional(t.Flag('Default 1; kept when omitted on replace.')),
  engine_callback: t.Optional(t.Flag('Default 0; kept when omitted on replace.')),
});

const upload = (what: string) => t.Optional(t.File(`${what}: the file itself; an address is not taken.`));
export const BotMessage = t.Object({
  bot_userid: BotUserId('The bot must belong to the channel.'),
  channel_url: ChannelUrl(),
  type: t.OneOf(['message', 'quick_reply', 'card', 'image', 'file', 'video']),
  message: t.Optional(t.Text(10_000, 'Required for type message; shown above quick replies, cards and files.')),
  replies: t.Optional(t.Array(QuickReply, { maxItems: 25 })),
  cards: t.Optional(t.Array(Card, { maxItems: 10 })),
  image: upload('For type image'),
  video: upload('For type video'),
  file: upload('For any of the three'),
  files: t.Optional(t.Array(t.File(), { maxItems: 10 })),
  send_push: t.Optional(t.Flag('Default 1; 0 suppresses the push notification.')),
});

const Callback = t.Object(
  {
    id: t.Id(),
    event_id: t.Text(36, '`meta.id`, the same in every attempt.'),
    action: t.OneOf(['chat_bot_message_sent', 'bot_message_notification']),
    message_id: t.Id(),
    state: t.OneOf(
      callbackStates,
      'withheld: the message, the bot or its view of the person was gone before it was sent.',
    ),
    attempts: t.Integer(),
    next_attempt_at: t.Nullable(t.Timestamp()),
    last_status: t.Nullable(t.Integer()),
    last_failure: t.Nullable(t.Text(100)),
    created_at: t.Timestamp(),
    log: t.Array(
      t.Object({
        attempt: t.Integer(),
        sent_at: t.Timestamp(),
        latency_ms: t.Integer(),
        status: t.Nullable(t.Integer()),
        failure: t.Nullable(t.Text(100)),
        request_headers: t.Unsafe<Record<string, string>>({ type: 'object' }),
        answer: t.Nullable(t.Text(4096)),
      }),
    ),
  },
  { title: 'Callback' },
);
const CallbackKey = t.Object(
  {
    kid: t.Text(64),
    created_at: t.Timestamp(),
    signs_from: t.Timestamp(),
    expires_at: t.Nullable(t.Timestamp('Published until then.')),
  },
  { title: 'CallbackKey' },
);
const anything = t.Unsafe<unknown>({ type: 'object' });
const exchange = {
  callback: t.Object({ url: t.Url(), headers: anything, body: anything }),
  jwt: t.Object({ header: anything, payload: anything }),
  answer: t.Object({
    status: t.Nullable(t.Integer()),
    failure: t.Nullable(t.Text(100)),
    body: t.Text(4096),
    latency_ms: t.Integer(),
  }),
};
const engine_callback = t.Nullable(t.Object(exchange, { description: 'The second request, of bots that ask for it.' }));
const Trial = t.Object({ ...exchange, engine_callback, messages: t.Array(Message) }, { title: 'Trial' });

const params = t.Object({ bot_userid: BotUserId() });
const closed = { channel_url: 'demo-bot', type: 'message', message: 'Your ticket is closed.', send_push: false };
const helpdesk = { bot_userid: 'bot_helpdesk' };
const roles = ['developer', 'admin'] as const;
const errors = { ...audienceErrors, url_refused: 400 };
const sentErrors = { bot_not_found: 400, channel_not_found: 400, bot_not_in_channel: 403, bot_inactive: 409 };
const administering = { scope: 'chats.bots.write', roles } as const;
const writing = { ...administering, body: NewBot, documented: 'multipart', reply: Bot, errors } as const;
const inspecting = { scope: 'chats.bots.read', roles } as const;

const about = 'Chatbots: who they are, what they say, and the callbacks that tell them what employees say.';
export const bots = family('bots', about, {
  listBots: endpoint('GET /v1/chat/bots', 'List bots', {
    description:
      'Ordered by id. A person who does not administer bots sees the active ones whose audience they are in.',
    scope: 'chats.bots.read',
    list: Bot,
    example: {},
  }),
  getBot: endpoint('GET /v1/chat/bots/{bot_userid}', 'Read a bot', {
    scope: 'chats.bots.read',
    params,
    reply: Bot,
    example: { params: helpdesk },
  }),
  createBot: endpoint('POST /v1/chat/bots', 'Create a bot', {
    description:
      'With global_audience=1 everybody sees it; with 0 those whom audience[teams][n] or audience[spaces][n] names.',
    ...writing,
    status: 201,
    example: {
      body: {
        bot_nickname: 'Shift planner',
        bot_type: 'productivity',
        bot_profile_url: 'https://northwind.example/shift.png',
        global_audience: false,
        audience: { type: 'teams', teams: [1] },
        active: true,
      },
    },
  }),
  replaceBot: endpoint('PUT /v1/chat/bots/{bot_userid}', 'Replace a bot', {
    description:
      'An omitted audience, webhook address, active or engine_callback is kept; an empty webhook address is removed.',
    ...writing,
    params,
    example: {
      params: helpdesk,
      body: { bot_nickname: 'Help desk', bot_type: 'productivity', global_audience: true },
    },
  }),
  deleteBot: endpoint('DELETE /v1/chat/bots/{bot_userid}', 'Delete a bot', {
    description: 'Its channels disappear from the lists of employees; callbacks that wait are dropped.',
    ...administering,
    params,
    reply: t.Object({ bot_userid: BotUserId() }),
    example: { params: helpdesk },
  }),
  openBotChannel: endpoint('POST /v1/chat/bots/channels', 'Open the channel between a bot and a person', {
    description: 'There is one channel for each bot and person: when it exists already, the answer is that one.',
    ...administering,
    status: 201,
    body: t.Object({ bot_userid: BotUserId(), user_id: t.Id() }),
    documented: 'multipart',
    reply: Channel,
    beside: t.Object({ channel_url: ChannelUrl() }),
    errors: { bot_not_found: 400, user_not_found: 400, bot_not_visible: 403, bot_inactive: 409 },
    example: { body: { ...helpdesk, user_id: 5 } },
  }),
  sendBotMessage: endpoint('POST /v1/chat/bots/message', 'Send a message as a bot', {
    description:
      'Text, quick replies and cards as JSON; an image, a file or a video as multipart with the file itself. `data` ' +
      'is the sent message as JSON text.',
    scope: 'chats.message.write',
    roles,
    body: BotMessage,
    reply: t.String({ description: 'The sent message (Message) as JSON text.' }),
    beside: t.Object({ channel_url: ChannelUrl() }),
    errors: { ...sentErrors, ...fileErrors },
    example: { body: { ...helpdesk, ...closed } },
  }),

  tryBot: endpoint('POST /v1/chat/bots/{bot_userid}/playground', 'Try a bot', {
    description:
      'Sends the callback as if the person had written the message in their channel with the bot, which is opened ' +
      'when there is none, in the engine-level form too when the bot asks for that, and shows what went out, the ' +
      'decoded JWT, the answer, and what the bot said in the channel until it answered. A signed-in person tries it ' +
      'as themselves; a key names user_id. The message is not stored; what the bot says is.',
    ...administering,
    params,
    body: t.Object({ message: t.RequiredText(10_000), user_id: t.Optional(t.Id()) }),
    reply: Trial,
    errors: { bot_not_visible: 403, bot_inactive: 409, callback_missing: 409, user_not_found: 400 },
    example: { params: { bot_userid: 'bot_sales' }, body: { message: 'What is my target?', user_id: 2 } },
  }),
  listCallbacks: endpoint('GET /v1/chat/bots/{bot_userid}/callbacks', 'List the callbacks of a bot', {
    description: 'Newest first, each with the log of its attempts.',
    ...inspecting,
    params,
    query: t.Object({ state: t.Optional(t.OneOf(callbackStates)) }),
    list: Callback,
    example: { params: helpdesk },
  }),
  redeliverCallback: endpoint('POST /v1/chat/bots/{bot_userid}/callbacks/{id}/redeliver', 'Send a callback again', {
    ...administering,
    params: t.Object({ bot_userid: BotUserId(), id: t.Id() }),
    reply: t.Object({ id: t.Id() }),
    example: { params: { bot_userid: 'bot_sales', id: 1 } },
  }),
  listCallbackKeys: endpoint('GET /v1/chat/callback-keys', 'List the keys that sign callbacks', {
    description: 'The published ones, newest first; their public parts are at /.well-known/jwks.json.',
    ...inspecting,
    reply: t.Array(CallbackKey),
    example: {},
  }),
  rotateCallbackKey: endpoint('POST /v1/chat/callback-keys', 'Rotate the key that signs callbacks', {
    description:
      'The new key is published at once and signs in ten minutes; the former one stays published for a day after ' +
      'that. With is_leaked the former ones end now.',
    ...administering,
    status: 201,
    body: t.Object({ is_leaked: t.Optional(t.Flag()) }),
    reply: t.Array(CallbackKey),
    example: { body: { is_leaked: false } },
  }),
});
