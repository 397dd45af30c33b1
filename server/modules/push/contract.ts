import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

export const PushSubscription = t.Object(
  { id: t.Id(), endpoint: t.Text(2048), user_agent: t.Text(512), created_at: t.Timestamp() },
  { title: 'PushSubscription' },
);
export const TimeOfDay = (description = 'HH:MM') => t.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description });
const settings = {
  from_people: t.Flag('Messages of people.'),
  from_bots: t.Flag('Messages of bots that ask for it.'),
  quiet_from: t.Nullable(TimeOfDay('HH:MM, in the person’s time zone, else the organisation’s.')),
  quiet_until: t.Nullable(TimeOfDay('HH:MM; on the next day where it is earlier than quiet_from.')),
};
export const PushSettings = t.Object(settings, { title: 'PushSettings' });

/** Notifications show messages. */
const mine = { scope: 'chats.messages.read', actors: 'person' } as const;

export const push = family('push', 'Web Push: notifications in the browsers and phones of employees.', {
  getPushKey: endpoint('GET /v1/push/key', 'Read the key to subscribe with', {
    description: 'The applicationServerKey of `pushManager.subscribe`.',
    ...mine,
    reply: t.Object({ public_key: t.Text(200) }),
    example: {},
  }),
  listPushSubscriptions: endpoint('GET /v1/push/subscriptions', 'List my subscriptions', {
    description: 'Ordered by id.',
    ...mine,
    list: PushSubscription,
    example: {},
  }),
  createPushSubscription: endpoint('POST /v1/push/subscriptions', 'Subscribe this browser', {
    description:
      'Takes the JSON of a PushSubscription. A browser that subscribes again, also as somebody else, has one ' +
      'subscription.',
    ...mine,
    status: 201,
    body: t.Object({
      endpoint: t.String({ format: 'uri', maxLength: 2048 }),
      keys: t.Object({
        p256dh: t.String({ pattern: '^[\\w-]{87}=?$', description: 'Uncompressed P-256 point, base64url.' }),
        auth: t.String({ pattern: '^[\\w-]{22}(==)?$', description: '16 bytes, base64url.' }),
      }),
    }),
    reply: PushSubscription,
    errors: { url_refused: 400, too_many_subscriptions: 409 },
    example: {
      body: {
        endpoint: 'https://push.example.net/send/abc',
        keys: {
          p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          auth: 'BTBZMqHH6r4Tts7J_aSIgg',
        },
      },
    },
  }),
  deletePushSubscription: endpoint('DELETE /v1/push/subscriptions/{id}', 'End one of my subscriptions', {
    ...mine,
    reply: t.Object({ id: t.Id() }),
    example: { params: { id: 1 } },
  }),
  getPushSettings: endpoint('GET /v1/push/settings', 'Read what I am notified of', {
    ...mine,
    reply: PushSettings,
    example: {},
  }),
  putPushSettings: endpoint('PUT /v1/push/settings', 'Set what I am notified of, and my quiet hours', {
    ...mine,
    body: PushSettings,
    reply: PushSettings,
    example: { body: { from_people: true, from_bots: true, quiet_from: '22:00', quiet_until: '07:00' } },
  }),
});
