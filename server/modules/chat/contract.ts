import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { ContentFile, fileErrors } from '../assets/contract.ts';
import { Mention, mentioned } from '../mentions/contract.ts';

export const channelTypes = ['direct', 'group', 'space', 'bot'] as const;
export type ChannelType = (typeof channelTypes)[number];
export const ChannelUrl = (description?: string) => t.RequiredText(64, description ?? 'Opaque.');
const Sequence = (description?: string) =>
  t.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...(description ? { description } : {}) });

const LABEL_MAX = 255;
export const QuickReply = t.Object(
  { label: t.RequiredText(LABEL_MAX), message: t.RequiredText(10_000) },
  { title: 'QuickReply' },
);
export const CardButton = t.Object(
  { label: t.RequiredText(LABEL_MAX), message: t.Optional(t.RequiredText(10_000)), link: t.Optional(t.Link()) },
  { title: 'CardButton' },
);
export const Card = t.Object(
  {
    cardTitle: t.Optional(t.Text(2000)),
    cardDescription: t.Optional(t.Text(2000)),
    cardImage: t.Optional(t.Link()),
    buttons: t.Optional(t.Array(CardButton, { maxItems: 10 })),
  },
  { title: 'Card' },
);

const Person = t.Object({ id: t.Id(), name: t.Text(511), email: t.Text(254), avatar_url: t.Url() });
const BotAuthor = t.Object({ bot_userid: t.Text(64), bot_nickname: t.Text(80), bot_profile_url: t.Nullable(t.Url()) });
export const Message = t.Object(
  {
    message_id: t.Id(),
    channel_url: ChannelUrl(),
    type: t.OneOf(
      ['MESG', 'FILE', 'ADMM'],
      'MESG: text, quick replies or cards. FILE: has files. ADMM: written by Atrium, about the channel.',
    ),
    text: t.Text(10_000),
    data: t.Nullable(
      t.Object({
        type: t.OneOf(['quick_reply', 'card', 'members']),
        replies: t.Optional(t.Array(QuickReply)),
        cards: t.Optional(t.Array(Card)),
        added: t.Optional(t.Array(t.Id())),
        removed: t.Optional(t.Array(t.Id())),
      }),
    ),
    files: t.Array(ContentFile),
    user: t.Nullable(Person),
    bot: t.Nullable(BotAuthor),
    mentions: t.Array(Mention),
    client_message_id: t.Nullable(t.Text(100)),
    sequence: Sequence('Changes with every edit; see the socket.'),
    is_edited: t.Flag(),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
  },
  { title: 'Message' },
);
export const Channel = t.Object(
  {
    channel_url: ChannelUrl(),
    type: t.OneOf(channelTypes),
    name: t.Text(511, 'Of a direct channel: the other person; of a bot or space channel: theirs.'),
    space_id: t.Nullable(t.Id()),
    members: t.Array(Person),
    member_count: t.Integer({ description: 'People; `members` has the first 100.' }),
    bots: t.Array(BotAuthor),
    last_message: t.Nullable(Message),
    unread_count: t.Integer({ minimum: 0, maximum: 1000, description: 'Counted up to 1,000.' }),
    read_sequence: Sequence('How far the asking person has read.'),
    last_sequence: Sequence(),
    created_at: t.Timestamp(),
    updated_at: t.Timestamp(),
  },
  { title: 'Channel' },
);

const people = { maxItems: 1000 };
const params = t.Object({ channel_url: ChannelUrl() });
const messageParams = t.Object({ channel_url: ChannelUrl(), message_id: t.Id() });
/** What a person says and does, never a key. */
const personal = { scope: 'chats.message.write', actors: 'person' } as const;
const ofMessage = { ...personal, params: messageParams } as const;
const writeErrors = { bot_inactive: 409 };
const clientMessageId = t.Optional(t.RequiredText(100));
const inGroup = { channel_url: 'demo-group' };
const ofGroup = { ...inGroup, message_id: 4 };
const ofChannel = { scope: 'chats.channels.read', params, example: { params: inGroup } } as const;

const about = 'Channels and messages. Live over the socket at /v1/chat/socket: see the guide chat.md.';
export const chat = family('chat', about, {
  listChannels: endpoint('GET /v1/chat/channels', 'List channels', {
    description:
      'A person gets the channels they belong to, the one with the newest message first. A key gets group, bot and ' +
      'visible space channels, newest first; never direct ones, and last_message only with chats.messages.read.',
    scope: 'chats.channels.read',
    query: t.Object({ type: t.Optional(t.OneOf(channelTypes)) }),
    list: Channel,
    example: { query: { take: 10 } },
  }),
  openChannel: endpoint('POST /v1/chat/channels', 'Open a channel', {
    description:
      'Two people have one direct channel, a bot and a person one, a space one: when it exists already, the answer ' +
      'is that one. A key opens group and space channels.',
    scope: 'chats.channels.write',
    status: 201,
    body: t.Object({
      type: t.OneOf(channelTypes),
      name: t.Optional(t.Text(255, 'Of a group.')),
      user_ids: t.Optional(t.Array(t.Id(), people)),
      external_user_ids: t.Optional(t.Array(t.ExternalId(), people)),
      bot_userid: t.Optional(t.Text(64, 'For type bot.')),
      space_id: t.Optional(t.Id('For type space.')),
    }),
    reply: Channel,
    errors: { bot_not_found: 400, space_not_found: 400, space_archived: 409, bot_inactive: 409 },
    example: { body: { type: 'group', name: 'Opening day', user_ids: [2, 4] } },
  }),
  getChannel: endpoint('GET /v1/chat/channels/{channel_url}', 'Read a channel', {
    ...ofChannel,
    reply: Channel,
  }),
  listChannelMembers: endpoint('GET /v1/chat/channels/{channel_url}/members', 'List the people of a channel', {
    description: 'Active people, ordered by id.',
    ...ofChannel,
    list: Person,
  }),
  changeChannelMembers: endpoint(
    'PATCH /v1/chat/channels/{channel_url}/members',
    'Add and remove people and bots of a group',
    {
      description:
        'At least one field. All or nothing. Only global bots can be added. A person may remove themselves; others ' +
        'only who opened the group, or anybody once that person has left it. Other types have the members that they ' +
        'have.',
      scope: 'chats.channels.write',
      params,
      body: t.Object({
        ids_to_add: t.Optional(t.Array(t.Id(), people)),
        ids_to_remove: t.Optional(t.Array(t.Id(), people)),
        external_ids_to_add: t.Optional(t.Array(t.ExternalId(), people)),
        external_ids_to_remove: t.Optional(t.Array(t.ExternalId(), people)),
        bot_userids_to_add: t.Optional(t.Array(t.Text(64), { maxItems: 20 })),
        bot_userids_to_remove: t.Optional(t.Array(t.Text(64), { maxItems: 20 })),
      }),
      documented: 'multipart',
      reply: Channel,
      meta: t.Object({
        users_added: t.Integer(),
        users_removed: t.Integer(),
        bots_added: t.Integer(),
        bots_removed: t.Integer(),
      }),
      errors: { bot_not_found: 400, bot_not_global: 400, members_fixed: 409, too_many_members: 409 },
      example: { params: inGroup, body: { ids_to_add: [3], bot_userids_to_add: ['bot_helpdesk'] } },
    },
  ),

  listMessages: endpoint('GET /v1/chat/channels/{channel_url}/messages', 'List the messages of a channel', {
    description: 'Newest first. `before` and `after` are message ids.',
    scope: 'chats.messages.read',
    params,
    query: t.Object({ before: t.Optional(t.Id()), after: t.Optional(t.Id()) }),
    list: Message,
    example: { params: inGroup },
  }),
  sendMessage: endpoint('POST /v1/chat/channels/{channel_url}/messages', 'Send a message', {
    description:
      'Text, files or both. A message with a client_message_id that was sent already is answered with the one that ' +
      'was stored.',
    ...personal,
    status: 201,
    params,
    body: t.Object({
      message: t.Optional(t.Text(10_000)),
      files: t.Optional(t.Array(t.File(), { maxItems: 10 })),
      client_message_id: clientMessageId,
      ...mentioned,
    }),
    reply: Message,
    errors: { ...writeErrors, ...fileErrors },
    example: { params: inGroup, body: { message: 'Who opens on Saturday?' } },
  }),
  replaceMessage: endpoint('PUT /v1/chat/channels/{channel_url}/messages/{message_id}', 'Edit a message of mine', {
    ...ofMessage,
    description: 'Mentions are replaced.',
    body: t.Object({ message: t.RequiredText(10_000), ...mentioned }),
    reply: Message,
    errors: writeErrors,
    example: { params: ofGroup, body: { message: 'The new opening hours start on Monday.' } },
  }),
  deleteMessage: endpoint('DELETE /v1/chat/channels/{channel_url}/messages/{message_id}', 'Delete a message', {
    description: 'One of mine; a moderator or admin who belongs to the channel deletes any.',
    ...ofMessage,
    reply: t.Object({ message_id: t.Id() }),
    example: { params: ofGroup },
  }),
  pressButton: endpoint(
    'POST /v1/chat/channels/{channel_url}/messages/{message_id}/press',
    'Press a quick reply or a card’s button',
    {
      description:
        'Sends the `message` of the reply or button as mine. A button with a link is opened by the client and not ' +
        'pressed here.',
      ...ofMessage,
      status: 201,
      body: t.Object({
        label: t.RequiredText(LABEL_MAX),
        card: t.Optional(t.Integer({ minimum: 0, maximum: 100, description: 'Place of the card, from 0.' })),
        client_message_id: clientMessageId,
      }),
      reply: Message,
      errors: { ...writeErrors, button_not_found: 400 },
      example: { params: { channel_url: 'demo-ada-bot', message_id: 7 }, body: { label: 'Yes' } },
    },
  ),
  markRead: endpoint('POST /v1/chat/channels/{channel_url}/read', 'Mark as read', {
    description: 'Up to this message, or all. What was read stays read.',
    ...personal,
    params,
    body: t.Object({ message_id: t.Optional(t.Id()) }),
    reply: t.Object({ channel_url: ChannelUrl(), read_sequence: Sequence(), unread_count: t.Integer() }),
    example: { params: inGroup, body: { message_id: 4 } },
  }),
  createSocketTicket: endpoint('POST /v1/chat/socket-tickets', 'Get a ticket for the socket', {
    description:
      'Opens one socket within 30 seconds: `/v1/chat/socket?ticket=…`. For browsers, which send no headers there.',
    ...personal,
    status: 201,
    reply: t.Object({ ticket: t.Text(64), expires_at: t.Timestamp() }, { title: 'SocketTicket' }),
    example: {},
  }),
  listPresence: endpoint('GET /v1/chat/presence', 'Who is online', {
    description: 'People with an open socket on any node; the state of a node that died ends after a minute.',
    ...personal,
    scope: 'chats.channels.read',
    query: t.Object({ user_ids: t.IdList('Up to 200 people.') }),
    reply: t.Array(t.Object({ user_id: t.Id(), is_online: t.Flag() })),
    example: { query: { user_ids: '1,2' } },
  }),
});
