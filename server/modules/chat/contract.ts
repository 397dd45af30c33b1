import {
  ExternalId,
  endpoint,
  File,
  Flag,
  family,
  Id,
  IdList,
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
import { ContentFile, fileErrors } from '../assets/contract.ts';

export const channelTypes = ['direct', 'group', 'space', 'bot'] as const;
export type ChannelType = (typeof channelTypes)[number];
export const ChannelUrl = (description?: string) => RequiredText(64, description ?? 'Opaque.');
const Sequence = (description?: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...(description ? { description } : {}) });

const HttpUrl = Type.String({ format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://', maxLength: 2048 });
export const QuickReply = Shape({ label: RequiredText(100), message: RequiredText(10_000) }, { title: 'QuickReply' });
export const CardButton = Shape(
  { label: RequiredText(100), message: Optional(RequiredText(10_000)), link: Optional(HttpUrl) },
  { title: 'CardButton' },
);
export const Card = Shape(
  {
    cardTitle: Optional(Text(255)),
    cardDescription: Optional(Text(2000)),
    cardImage: Optional(HttpUrl),
    buttons: Optional(Type.Array(CardButton, { maxItems: 10 })),
  },
  { title: 'Card' },
);

const Person = Shape({ id: Id(), name: Text(511), email: Text(254), avatar_url: Url() });
const BotAuthor = Shape({ bot_userid: Text(64), bot_nickname: Text(80), bot_profile_url: Nullable(Url()) });
export const Message = Shape(
  {
    message_id: Id(),
    channel_url: ChannelUrl(),
    type: OneOf(
      ['MESG', 'FILE', 'ADMM'],
      'MESG: text, quick replies or cards. FILE: has files. ADMM: written by Atrium, about the channel.',
    ),
    text: Text(10_000),
    data: Nullable(
      Shape({
        type: OneOf(['quick_reply', 'card', 'members']),
        replies: Optional(List(QuickReply)),
        cards: Optional(List(Card)),
        added: Optional(List(Id())),
        removed: Optional(List(Id())),
      }),
    ),
    files: List(ContentFile),
    user: Nullable(Person),
    bot: Nullable(BotAuthor),
    client_message_id: Nullable(Text(100)),
    sequence: Sequence('Changes with every edit; see the socket.'),
    is_edited: Flag(),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Message' },
);
export const Channel = Shape(
  {
    channel_url: ChannelUrl(),
    type: OneOf(channelTypes),
    name: Text(511, 'Of a direct channel: the other person; of a bot or space channel: theirs.'),
    space_id: Nullable(Id()),
    members: List(Person),
    member_count: Type.Integer({ description: 'People; `members` has the first 100.' }),
    bots: List(BotAuthor),
    last_message: Nullable(Message),
    unread_count: Type.Integer({ minimum: 0, maximum: 1000, description: 'Counted up to 1,000.' }),
    read_sequence: Sequence('How far the asking person has read.'),
    last_sequence: Sequence(),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Channel' },
);

const people = { maxItems: 1000 };
const params = Shape({ channel_url: ChannelUrl() });
const messageParams = Shape({ channel_url: ChannelUrl(), message_id: Id() });
const writeErrors = { bot_inactive: 409 };
const Unread = Shape({ channel_url: ChannelUrl(), read_sequence: Sequence(), unread_count: Type.Integer() });

export const chat = family(
  'chat',
  'Channels and messages. Live over the socket at /v1/chat/socket: see the guide chat.md.',
  {
    listChannels: endpoint({
      method: 'GET',
      path: '/v1/chat/channels',
      summary: 'List channels',
      description:
        'A person gets the channels they belong to, the one with the newest message first. A key gets group, bot and visible space channels, newest first; never direct ones, and last_message only with chats.messages.read.',
      scope: 'chats.channels.read',
      query: Shape({ type: Optional(OneOf(channelTypes)) }),
      list: Channel,
      example: { query: { take: 10 } },
    }),
    openChannel: endpoint({
      method: 'POST',
      path: '/v1/chat/channels',
      summary: 'Open a channel',
      description:
        'Two people have one direct channel, a bot and a person one, a space one: when it exists already, the answer is that one. A key opens group and space channels.',
      scope: 'chats.channels.write',
      status: 201,
      body: Shape({
        type: OneOf(channelTypes),
        name: Optional(Text(255, 'Of a group.')),
        user_ids: Optional(Type.Array(Id(), people)),
        external_user_ids: Optional(Type.Array(ExternalId(), people)),
        bot_userid: Optional(Text(64, 'For type bot.')),
        space_id: Optional(Id('For type space.')),
      }),
      documented: 'json',
      reply: Channel,
      errors: { bot_not_found: 400, space_not_found: 400, space_archived: 409, bot_inactive: 409 },
      example: { body: { type: 'group', name: 'Opening day', user_ids: [2, 4] } },
    }),
    getChannel: endpoint({
      method: 'GET',
      path: '/v1/chat/channels/{channel_url}',
      summary: 'Read a channel',
      scope: 'chats.channels.read',
      params,
      reply: Channel,
      example: { params: { channel_url: 'demo-group' } },
    }),
    listChannelMembers: endpoint({
      method: 'GET',
      path: '/v1/chat/channels/{channel_url}/members',
      summary: 'List the people of a channel',
      description: 'Active people, ordered by id.',
      scope: 'chats.channels.read',
      params,
      list: Person,
      example: { params: { channel_url: 'demo-group' } },
    }),
    changeChannelMembers: endpoint({
      method: 'PATCH',
      path: '/v1/chat/channels/{channel_url}/members',
      summary: 'Add and remove people and bots of a group',
      description:
        'At least one field. All or nothing. Only global bots can be added. A person may remove themselves; others only who opened the group, or anybody once that person has left it. Other types have the members that they have.',
      scope: 'chats.channels.write',
      params,
      body: Shape({
        ids_to_add: Optional(Type.Array(Id(), people)),
        ids_to_remove: Optional(Type.Array(Id(), people)),
        external_ids_to_add: Optional(Type.Array(ExternalId(), people)),
        external_ids_to_remove: Optional(Type.Array(ExternalId(), people)),
        bot_userids_to_add: Optional(Type.Array(Text(64), { maxItems: 20 })),
        bot_userids_to_remove: Optional(Type.Array(Text(64), { maxItems: 20 })),
      }),
      documented: 'multipart',
      reply: Channel,
      meta: Shape({
        users_added: Type.Integer(),
        users_removed: Type.Integer(),
        bots_added: Type.Integer(),
        bots_removed: Type.Integer(),
      }),
      errors: { bot_not_found: 400, bot_not_global: 400, members_fixed: 409, too_many_members: 409 },
      example: {
        params: { channel_url: 'demo-group' },
        body: { ids_to_add: [3], bot_userids_to_add: ['bot_helpdesk'] },
      },
    }),

    listMessages: endpoint({
      method: 'GET',
      path: '/v1/chat/channels/{channel_url}/messages',
      summary: 'List the messages of a channel',
      description: 'Newest first. `before` and `after` are message ids.',
      scope: 'chats.messages.read',
      params,
      query: Shape({ before: Optional(Id()), after: Optional(Id()) }),
      list: Message,
      example: { params: { channel_url: 'demo-group' } },
    }),
    sendMessage: endpoint({
      method: 'POST',
      path: '/v1/chat/channels/{channel_url}/messages',
      summary: 'Send a message',
      description:
        'Text, files or both. A message with a client_message_id that was sent already is answered with the one that was stored.',
      scope: null,
      actors: 'person',
      status: 201,
      params,
      body: Shape({
        message: Optional(Text(10_000)),
        files: Optional(Type.Array(File(), { maxItems: 10 })),
        client_message_id: Optional(RequiredText(100)),
      }),
      documented: 'json',
      reply: Message,
      errors: { ...writeErrors, ...fileErrors },
      example: { params: { channel_url: 'demo-group' }, body: { message: 'Who opens on Saturday?' } },
    }),
    replaceMessage: endpoint({
      method: 'PUT',
      path: '/v1/chat/channels/{channel_url}/messages/{message_id}',
      summary: 'Edit a message of mine',
      scope: null,
      actors: 'person',
      params: messageParams,
      body: Shape({ message: RequiredText(10_000) }),
      documented: 'json',
      reply: Message,
      errors: writeErrors,
      example: {
        params: { channel_url: 'demo-group', message_id: 4 },
        body: { message: 'The new opening hours start on Monday.' },
      },
    }),
    deleteMessage: endpoint({
      method: 'DELETE',
      path: '/v1/chat/channels/{channel_url}/messages/{message_id}',
      summary: 'Delete a message',
      description: 'One of mine; a moderator or admin who belongs to the channel deletes any.',
      scope: null,
      actors: 'person',
      params: messageParams,
      reply: Shape({ message_id: Id() }),
      example: { params: { channel_url: 'demo-group', message_id: 4 } },
    }),
    pressButton: endpoint({
      method: 'POST',
      path: '/v1/chat/channels/{channel_url}/messages/{message_id}/press',
      summary: 'Press a quick reply or a card’s button',
      description:
        'Sends the `message` of the reply or button as mine. A button with a link is opened by the client and not pressed here.',
      scope: null,
      actors: 'person',
      status: 201,
      params: messageParams,
      body: Shape({
        label: RequiredText(100),
        card: Optional(Type.Integer({ minimum: 0, description: 'Place of the card, from 0.' })),
        client_message_id: Optional(RequiredText(100)),
      }),
      documented: 'json',
      reply: Message,
      errors: { ...writeErrors, button_not_found: 400 },
      example: { params: { channel_url: 'demo-ada-bot', message_id: 7 }, body: { label: 'Yes' } },
    }),
    markRead: endpoint({
      method: 'POST',
      path: '/v1/chat/channels/{channel_url}/read',
      summary: 'Mark as read',
      description: 'Up to this message, or all. What was read stays read.',
      scope: null,
      actors: 'person',
      params,
      body: Shape({ message_id: Optional(Id()) }),
      documented: 'json',
      reply: Unread,
      example: { params: { channel_url: 'demo-group' }, body: { message_id: 4 } },
    }),
    listPresence: endpoint({
      method: 'GET',
      path: '/v1/chat/presence',
      summary: 'Who is online',
      description: 'People with an open socket on any node; the state of a node that died ends after a minute.',
      scope: null,
      actors: 'person',
      query: Shape({ user_ids: IdList('Up to 200 people.') }),
      reply: List(Shape({ user_id: Id(), is_online: Flag() })),
      example: { query: { user_ids: '1,2' } },
    }),
  },
);
