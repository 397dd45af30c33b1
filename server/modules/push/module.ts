import type { Module } from '../../kernel/module.ts';
import { endsWithPerson } from '../users/deactivation.ts';
import { pushNote } from './notifications.ts';
import { endSubscriptions } from './queries.ts';
import { pushRoutes } from './routes.ts';

export const push: Module = {
  name: 'push',
  tables: ['push_subscriptions', 'push_settings', 'vapid_keys'],
  routes: [pushRoutes],
  jobs: [pushNote],
  contributes: [endsWithPerson({ name: 'push_subscriptions', end: endSubscriptions })],
};
