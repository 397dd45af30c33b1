import type { Module } from '../../kernel/module.ts';
import { endsWithPerson } from '../users/deactivation.ts';
import { endSubscriptions } from './queries.ts';
import { pushRoutes } from './routes.ts';
import { pushMessage, pushNote } from './worker.ts';

export const push: Module = {
  name: 'push',
  tables: ['push_subscriptions', 'push_settings', 'vapid_keys'],
  routes: [pushRoutes],
  jobs: [pushMessage, pushNote] as never,
  contributes: [endsWithPerson({ name: 'push_subscriptions', end: endSubscriptions })],
};
