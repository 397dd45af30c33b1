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
} from '../../kernel/contract.ts';
import { fileErrors } from '../assets/contract.ts';
import { audienceErrors } from '../audiences/contract.ts';
import { Card, Channel, ChannelUrl, QuickReply } from '../chat/contract.ts';

export const botTypes = ['productivity', 'learning'] as const;
export const BotUserId = (description?: string) => RequiredText(64, description);
export const Bot = Shape(
  {
    bot_userid: BotUserId('Made on create; identifies the bot in every call and callback.'),
    bot_nickname: Text(80),
    bot_type: OneOf(botTypes),
    bot_profile_url: Nullable(Url()),
    bot_callback_url: Nullable(Url('Where messages of employees are posted to. Null for people who do not administer bots.')),
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

const gone = Shape({ bot_userid: BotUserId() });
const params = Shape({ bot_userid: BotUserId() });
const roles = ['developer', 'admin'] as const;
const errors = { ...audienceErrors, url_refused: 400 };
const sentErrors = { bot_not_found: 400, channel_not_found: 400, bot_not_in_channel: 403, bot_inactive: 409, ...fileErrors };

export const bots = family('bots', 'Chatbots: who they are, what they say, and the callbacks that tell them what employees say.', {
  listBots: endpoint({
    method: 'GET',
    path: '/v1/chat/bots',
    summary: 'List bots',
    description: 'Ordered by id. A person who does not administer bots sees the active ones whose audience they are in.',
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
    description: 'With global_audience=1 everybody sees it; with 0 those whom audience[teams][n] or audience[spaces][n] names.',
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
    description: 'An omitted audience, webhook address, active or engine_callback is kept; an empty webhook address is removed.',
    scope: 'chats.bots.write',
    roles,
    params,
    body: NewBot,
    documented: 'multipart',
    reply: Bot,
    errors,
    example: { params: { bot_userid: 'bot_helpdesk' }, body: { bot_nickname: 'Help desk', bot_type: 'productivity', global_audience: 1 } },
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
      body: { bot_userid: 'bot_helpdesk', channel_url: 'demo-bot', type: 'message', message: 'Your ticket is closed.', send_push: false },
    },
  }),
});
