import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { contentNouns, Person } from '../content/contract.ts';
import { TimeOfDay } from '../push/contract.ts';

/** What settings switch, one by one. */
export const kinds = [
  'mention',
  'comment',
  'reply',
  'kudos',
  'badge',
  'must_read',
  'event',
  'approval',
  'space',
] as const;
export type Kind = (typeof kinds)[number];
export const topics = ['conversation', 'kudos', 'badge', 'must_read', 'event', 'approval', 'space'] as const;
export type Topic = (typeof topics)[number];
export const reasonNames = [
  'mention',
  'reply',
  'comment',
  'kudos',
  'badge',
  'must_read',
  'cancelled',
  'changed',
  'invited',
  'approval_asked',
  'approved',
  'rejected',
  'added',
  'role_given',
] as const;
export type Reason = (typeof reasonNames)[number];

export const thingTypes = [...contentNouns, 'space', 'badge'] as const;
export type ThingType = (typeof thingTypes)[number];

/** What a person is told of, and may mute. */
const type = t.OneOf(thingTypes);
const Notification = t.Object(
  {
    id: t.Id(),
    topic: t.OneOf(topics),
    thing: t.Object({ type, id: t.Id(), title: t.Text(1000), permalink: t.Url() }),
    reasons: t.Array(
      t.Object({
        reason: t.OneOf(reasonNames),
        text: t.Text(1000),
        people: t.Array(Person, { description: 'The latest three whose doing it was.' }),
        people_count: t.Integer(),
        comment_id: t.Nullable(t.Id()),
        at: t.Timestamp(),
      }),
      { description: 'Why, the latest first.' },
    ),
    is_read: t.Flag(),
    is_muted: t.Flag(),
    at: t.Timestamp(),
  },
  { title: 'Notification' },
);

const Channels = t.Object({ kind: t.OneOf(kinds), in_app: t.Flag(), push: t.Flag() }, { title: 'NotificationKind' });
const channels = { kinds: t.Array(Channels, { maxItems: 50 }) };
const quiet = { quiet_from: t.Nullable(TimeOfDay()), quiet_until: t.Nullable(TimeOfDay()) };
const NotificationSettings = t.Object(
  { ...channels, ...quiet, timezone: t.Timezone() },
  { title: 'NotificationSettings' },
);
const level = t.OneOf(['none', 'personal']);
const Mute = t.Object({ type, id: t.Id(), title: t.Text(1000), level, created_at: t.Timestamp() }, { title: 'Mute' });
const gone = t.Object({ type, id: t.Id() });

const persons = { actors: 'person' } as const;
const params = t.Object({ type, id: t.Id() });

export const notifications = family('notifications', 'What a person is told, and why.', {
  listNotifications: endpoint('GET /v1/notifications', 'List my notifications', {
    description:
      'Latest first, one for each thing and topic, of what the person may see now; at most 1,000. In en, de or ar.',
    ...persons,
    query: t.Object({ is_read: t.Optional(t.Flag()), language: t.Optional(t.Language()) }),
    list: Notification,
    example: { query: { is_read: 0 } },
  }),
  countNotifications: endpoint('GET /v1/notifications/count', 'Count what I have not read', {
    ...persons,
    description: 'At most 100.',
    reply: t.Object({ unread_count: t.Integer() }),
    example: {},
  }),
  readNotifications: endpoint('POST /v1/notifications/read', 'Mark as read', {
    description: 'Those named by `ids`, all of a `thing`, or with `until_id` that one and all before it.',
    ...persons,
    body: t.Object({
      ids: t.Optional(t.Array(t.Id(), { maxItems: 500 })),
      thing: t.Optional(t.Object({ type, id: t.Id() })),
      until_id: t.Optional(t.Id()),
    }),
    reply: t.Object({ read_count: t.Integer() }),
    example: { body: { thing: { type: 'update', id: 1 } } },
  }),
  getNotificationSettings: endpoint('GET /v1/notifications/settings', 'Read how I am told', {
    ...persons,
    reply: NotificationSettings,
    example: {},
  }),
  putNotificationSettings: endpoint('PUT /v1/notifications/settings', 'Set how I am told', {
    description:
      'What is not named stays. What is off in the app is not pushed either. Pushes wait for the end of quiet hours.',
    ...persons,
    body: t.Object({
      kinds: t.Optional(channels.kinds),
      quiet_from: t.Optional(quiet.quiet_from),
      quiet_until: t.Optional(quiet.quiet_until),
    }),
    reply: NotificationSettings,
    example: {
      body: { kinds: [{ kind: 'comment', in_app: true, push: false }] },
    },
  }),
  listMutes: endpoint('GET /v1/notifications/mutes', 'List what I have muted', {
    ...persons,
    list: Mute,
    example: {},
  }),
  mute: endpoint('PUT /v1/notifications/mutes/{type}/{id}', 'Mute content or a space', {
    description:
      '`personal` leaves mentions, replies, kudos and my events. Muted spaces mute what is posted to them alone.',
    ...persons,
    params,
    body: t.Object({ level: t.Optional(level) }),
    reply: gone,
    example: { params: { type: 'space', id: 2 }, body: { level: 'personal' } },
  }),
  unmute: endpoint('DELETE /v1/notifications/mutes/{type}/{id}', 'Hear of it again', {
    ...persons,
    params,
    reply: gone,
    example: { params: { type: 'space', id: 2 } },
  }),
});
