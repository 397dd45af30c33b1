import { endpoint, Flag, family, Id, Nullable, Shape, Text, Timestamp, Type } from '../../kernel/contract/contract.ts';

export const PushSubscription = Shape(
  { id: Id(), endpoint: Text(2048), user_agent: Text(512), created_at: Timestamp() },
  { title: 'PushSubscription' },
);
const TimeOfDay = (description: string) => Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', description });
const settings = {
  from_people: Flag('Messages of people.'),
  from_bots: Flag('Messages of bots that ask for it.'),
  quiet_from: Nullable(TimeOfDay('HH:MM, in the person’s time zone, else the organisation’s.')),
  quiet_until: Nullable(TimeOfDay('HH:MM; on the next day where it is earlier than quiet_from.')),
};
export const PushSettings = Shape(settings, { title: 'PushSettings' });

export const push = family('push', 'Web Push: notifications in the browsers and phones of employees.', {
  getPushKey: endpoint({
    method: 'GET',
    path: '/v1/push/key',
    summary: 'Read the key to subscribe with',
    description: 'The applicationServerKey of `pushManager.subscribe`.',
    scope: null,
    actors: 'person',
    reply: Shape({ public_key: Text(200) }),
    example: {},
  }),
  listPushSubscriptions: endpoint({
    method: 'GET',
    path: '/v1/push/subscriptions',
    summary: 'List my subscriptions',
    description: 'Ordered by id.',
    scope: null,
    actors: 'person',
    list: PushSubscription,
    example: {},
  }),
  createPushSubscription: endpoint({
    method: 'POST',
    path: '/v1/push/subscriptions',
    summary: 'Subscribe this browser',
    description:
      'Takes the JSON of a PushSubscription. A browser that subscribes again, also as somebody else, has one subscription.',
    scope: null,
    actors: 'person',
    status: 201,
    body: Shape({
      endpoint: Type.String({ format: 'uri', maxLength: 2048 }),
      keys: Shape({
        p256dh: Type.String({ pattern: '^[\\w-]{87}=?$', description: 'Uncompressed P-256 point, base64url.' }),
        auth: Type.String({ pattern: '^[\\w-]{22}(==)?$', description: '16 bytes, base64url.' }),
      }),
    }),
    documented: 'json',
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
  deletePushSubscription: endpoint({
    method: 'DELETE',
    path: '/v1/push/subscriptions/{id}',
    summary: 'End one of my subscriptions',
    scope: null,
    actors: 'person',
    reply: Shape({ id: Id() }),
    example: { params: { id: 1 } },
  }),
  getPushSettings: endpoint({
    method: 'GET',
    path: '/v1/push/settings',
    summary: 'Read what I am notified of',
    scope: null,
    actors: 'person',
    reply: PushSettings,
    example: {},
  }),
  putPushSettings: endpoint({
    method: 'PUT',
    path: '/v1/push/settings',
    summary: 'Set what I am notified of, and my quiet hours',
    scope: null,
    actors: 'person',
    body: PushSettings,
    documented: 'json',
    reply: PushSettings,
    example: { body: { from_people: true, from_bots: true, quiet_from: '22:00', quiet_until: '07:00' } },
  }),
});
