import {
  endpoint,
  File,
  Flag,
  family,
  Id,
  List,
  Nullable,
  OneOf,
  Optional,
  RequiredText,
  Shape,
  Text,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';
import { fileErrors } from '../assets/contract.ts';
import { audienceErrors } from '../audiences/contract.ts';
import { Card, Channel, ChannelUrl, Message, QuickReply } from '../chat/contract.ts';

export const callbackStates = ['pending', 'delivered', 'failed', 'withheld'] as const;
export const botTypes = ['productivity', 'learning'] as const;
export const BotUserId = (description?: string) => RequiredText(64, description);
export const Bot = Shape(
  {
    bot_userid: BotUserId('Made on create; identifies the bot in every call and callback.'),
    bot_nickname: Text(80),
    bot_type: OneOf(botTypes),
    bot_profile_url: Nullable(Url()),
    bot_callback_url: Nullable(
      Url('Where messages of employees are posted to. Null for people who do not administer bots.'),
    ),
    active: Flag('An inactive bot is in no list of employees, gets no messages and sends none.'),
    engine_callback: Flag('Also sends the older, engine-level form of the callback.'),
    audience: Shape({ is_global: Flag(), teams: List(Id()), spaces: List(Id()) }),
    created_by: Nullable(Id()),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Bot' },
);

const BotAudience = Shape({
  type: OneOf(['teams', 'spaces']),
  teams: Optional(Type.Array(Id(), { maxItems: 200 })),
  spaces: Optional(Type.Array(Id(), { maxItems: 200 })),
});
const PublicUrl = (description: string) =>
  Type.String({ format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://', maxLength: 2048, description });
const botFields = {
  bot_nickname: RequiredText(80),
  bot_type: OneOf(botTypes),
  bot_profile_url: Optional(Nullable(PublicUrl('Address of an image that everybody can load.'))),
  bot_webhook_url: Optional(Nullable(PublicUrl('Gets a POST for every message of an employee to the bot.'))),
  global_audience: Optional(Flag('Everybody sees the bot. Else `audience` says who.')),
  audience: Optional(BotAudience),
  active: Optional(Flag('Default 1; kept when omitted on replace.')),
  engine_callback: Optional(Flag('Default 0; kept when omitted on replace.')),
};
export const NewBot = Shape(botFields);

export const sentTypes = ['message', 'quick_reply', 'card', 'image', 'file', 'video'] as const;
const upload = (what: string) => Optional(File(`${what}: the file itself; an address is not taken.`));
export const BotMessage = Shape({
  bot_userid: BotUserId('The bot must belong to the channel.'),
  channel_url: ChannelUrl(),
  type: OneOf(sentTypes),
  message: Optional(Text(10_000, 'Required for type message; shown above quick replies, cards and files.')),
  replies: Optional(Type.Array(QuickReply, { maxItems: 25 })),
  cards: Optional(Type.Array(Card, { maxItems: 10 })),
  image: upload('For type image'),
  video: upload('For type video'),
  file: upload('For any of the three'),
  files: Optional(Type.Array(File(), { maxItems: 10 })),
  send_push: Optional(Flag('Default 1; 0 suppresses the push notification.')),
});

const Callback = Shape(
  {
    id: Id(),
    event_id: Text(36, '`meta.id`, the same in every attempt.'),
    action: OneOf(['chat_bot_message_sent', 'bot_message_notification']),
    message_id: Id(),
    state: OneOf(
      callbackStates,
      'withheld: the message, the bot or its view of the person was gone before it was sent.',
    ),
    attempts: Type.Integer(),
    next_attempt_at: Nullable(Timestamp()),
    last_status: Nullable(Type.Integer()),
    last_failure: Nullable(Text(100)),
    created_at: Timestamp(),
    log: List(
      Shape({
        attempt: Type.Integer(),
        sent_at: Timestamp(),
        latency_ms: Type.Integer(),
        status: Nullable(Type.Integer()),
        failure: Nullable(Text(100)),
        request_headers: Type.Unsafe<Record<string, string>>({ type: 'object' }),
        answer: Nullable(Text(4096)),
      }),
    ),
  },
  { title: 'Callback' },
);
const CallbackKey = Shape(
  {
    kid: Text(64),
    created_at: Timestamp(),
    signs_from: Timestamp(),
    expires_at: Nullable(Timestamp('Published until then.')),
  },
  { title: 'CallbackKey' },
);
const anything = Type.Unsafe<unknown>({ type: 'object' });
const Trial = Shape(
  {
    callback: Shape({ url: Url(), headers: anything, body: anything }),
    jwt: Shape({ header: anything, payload: anything }),
    answer: Shape({
      status: Nullable(Type.Integer()),
      failure: Nullable(Text(100)),
      body: Text(4096),
      latency_ms: Type.Integer(),
    }),
    messages: List(Message),
  },
  { title: 'Trial' },
);

const gone = Shape({ bot_userid: BotUserId() });
const params = Shape({ bot_userid: BotUserId() });
const roles = ['developer', 'admin'] as const;
const errors = { ...audienceErrors, url_refused: 400 };
const sentErrors = {
  bot_not_found: 400,
  channel_not_found: 400,
  bot_not_in_channel: 403,
  bot_inactive: 409,
  ...fileErrors,
};

export const bots = family(
  'bots',
  'Chatbots: who they are, what they say, and the callbacks that tell them what employees say.',
  {
    listBots: endpoint({
      method: 'GET',
      path: '/v1/chat/bots',
      summary: 'List bots',
      description:
        'Ordered by id. A person who does not administer bots sees the active ones whose audience they are in.',
      scope: 'chats.bots.read',
      list: Bot,
      example: {},
    }),
    getBot: endpoint({
      method: 'GET',
      path: '/v1/chat/bots/{bot_userid}',
      summary: 'Read a bot',
      scope: 'chats.bots.read',
      params,
      reply: Bot,
      example: { params: { bot_userid: 'bot_helpdesk' } },
    }),
    createBot: endpoint({
      method: 'POST',
      path: '/v1/chat/bots',
      summary: 'Create a bot',
      description:
        'With global_audience=1 everybody sees it; with 0 those whom audience[teams][n] or audience[spaces][n] names.',
      scope: 'chats.bots.write',
      roles,
      status: 201,
      body: NewBot,
      documented: 'multipart',
      reply: Bot,
      errors,
      example: {
        body: {
          bot_nickname: 'Shift planner',
          bot_type: 'productivity',
          bot_profile_url: 'https://northwind.example/shift.png',
          global_audience: 0,
          audience: { type: 'teams', teams: [1] },
          active: 1,
        },
      },
    }),
    replaceBot: endpoint({
      method: 'PUT',
      path: '/v1/chat/bots/{bot_userid}',
      summary: 'Replace a bot',
      description:
        'An omitted audience, webhook address, active or engine_callback is kept; an empty webhook address is removed.',
      scope: 'chats.bots.write',
      roles,
      params,
      body: NewBot,
      documented: 'multipart',
      reply: Bot,
      errors,
      example: {
        params: { bot_userid: 'bot_helpdesk' },
        body: { bot_nickname: 'Help desk', bot_type: 'productivity', global_audience: 1 },
      },
    }),
    deleteBot: endpoint({
      method: 'DELETE',
      path: '/v1/chat/bots/{bot_userid}',
      summary: 'Delete a bot',
      description: 'Its channels disappear from the lists of employees; callbacks that wait are dropped.',
      scope: 'chats.bots.write',
      roles,
      params,
      reply: gone,
      example: { params: { bot_userid: 'bot_helpdesk' } },
    }),
    openBotChannel: endpoint({
      method: 'POST',
      path: '/v1/chat/bots/channels',
      summary: 'Open the channel between a bot and a person',
      description: 'There is one channel for each bot and person: when it exists already, the answer is that one.',
      scope: 'chats.bots.write',
      roles,
      status: 201,
      body: Shape({ bot_userid: BotUserId(), user_id: Id() }),
      documented: 'multipart',
      reply: Channel,
      beside: Shape({ channel_url: ChannelUrl() }),
      errors: { bot_not_found: 400, user_not_found: 400, bot_not_visible: 403, bot_inactive: 409 },
      example: { body: { bot_userid: 'bot_helpdesk', user_id: 5 } },
    }),
    sendBotMessage: endpoint({
      method: 'POST',
      path: '/v1/chat/bots/message',
      summary: 'Send a message as a bot',
      description:
        'Text, quick replies and cards as JSON; an image, a file or a video as multipart with the file itself. `data` is the sent message as JSON text.',
      scope: 'chats.message.write',
      roles,
      body: BotMessage,
      documented: 'json',
      reply: Type.String({ description: 'The sent message (Message) as JSON text.' }),
      beside: Shape({ channel_url: ChannelUrl() }),
      errors: sentErrors,
      example: {
        body: {
          bot_userid: 'bot_helpdesk',
          channel_url: 'demo-bot',
          type: 'message',
          message: 'Your ticket is closed.',
          send_push: false,
        },
      },
    }),

    tryBot: endpoint({
      method: 'POST',
      path: '/v1/chat/bots/{bot_userid}/playground',
      summary: 'Try a bot',
      description:
        'Sends one callback as if the person had written the message in their channel with the bot, which is opened when there is none, and shows what went out, the decoded JWT, the answer, and what the bot said in the channel until it answered. A signed-in person tries it as themselves; a key names user_id. The message is not stored; what the bot says is.',
      scope: 'chats.bots.write',
      roles,
      params,
      body: Shape({ message: RequiredText(10_000), user_id: Optional(Id()) }),
      documented: 'json',
      reply: Trial,
      errors: { bot_not_visible: 403, bot_inactive: 409, callback_missing: 409, user_not_found: 400 },
      example: { params: { bot_userid: 'bot_sales' }, body: { message: 'What is my target?', user_id: 2 } },
    }),
    listCallbacks: endpoint({
      method: 'GET',
      path: '/v1/chat/bots/{bot_userid}/callbacks',
      summary: 'List the callbacks of a bot',
      description: 'Newest first, each with the log of its attempts.',
      scope: 'chats.bots.read',
      roles,
      params,
      query: Shape({ state: Optional(OneOf(callbackStates)) }),
      list: Callback,
      example: { params: { bot_userid: 'bot_helpdesk' } },
    }),
    redeliverCallback: endpoint({
      method: 'POST',
      path: '/v1/chat/bots/{bot_userid}/callbacks/{id}/redeliver',
      summary: 'Send a callback again',
      scope: 'chats.bots.write',
      roles,
      params: Shape({ bot_userid: BotUserId(), id: Id() }),
      reply: Shape({ id: Id() }),
      example: { params: { bot_userid: 'bot_sales', id: 1 } },
    }),
    listCallbackKeys: endpoint({
      method: 'GET',
      path: '/v1/chat/callback-keys',
      summary: 'List the keys that sign callbacks',
      description: 'The published ones, newest first; their public parts are at /.well-known/jwks.json.',
      scope: 'chats.bots.read',
      roles,
      reply: List(CallbackKey),
      example: {},
    }),
    rotateCallbackKey: endpoint({
      method: 'POST',
      path: '/v1/chat/callback-keys',
      summary: 'Rotate the key that signs callbacks',
      description:
        'The new key is published at once and signs in ten minutes; the former one stays published for a day after that. With is_leaked the former ones end now.',
      scope: 'chats.bots.write',
      roles,
      status: 201,
      body: Shape({ is_leaked: Optional(Flag()) }),
      documented: 'json',
      reply: List(CallbackKey),
      example: { body: { is_leaked: false } },
    }),
  },
);
