import type { Module } from '../../kernel/module.ts';
import { everybodysFamily } from '../../kernel/people/scopes.ts';
import { hangsOnContent } from '../content/family.ts';
import { hears } from '../users/happenings.ts';
import { DUE, due, insertNotice, relayToNotices } from './notices.ts';
import { pushNotification } from './pushing.ts';
import { deleteNotificationsOf, deleteOldNotifications } from './queries.ts';
import { notificationRoutes } from './routes.ts';
import { tellPeople } from './telling.ts';

/** One ledger of what each person is told, and why; see telling.ts. */
export const notifications: Module = {
  name: 'notifications',
  tables: ['notices', 'notifications', 'notification_settings', 'notification_mutes'],
  routes: [notificationRoutes],
  relays: [relayToNotices],
  jobs: [pushNotification],
  chores: [tellPeople, deleteOldNotifications],
  due,
  mount: (_app, _services, { fanOut, touched }) => fanOut.hear(DUE, ({ organisation_id }) => touched(organisation_id)),
  contributes: [everybodysFamily('notifications'), hears(insertNotice), hangsOnContent(deleteNotificationsOf)],
};
