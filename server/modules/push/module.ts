import type { Module } from '../../kernel/module.ts';
import { tellsPeople } from '../apps/approvals.ts';
import { endsWithPerson } from '../users/deactivation.ts';
import { insertNotes, pushNote } from './notifications.ts';
import { endSubscriptions } from './queries.ts';
import { pushRoutes } from './routes.ts';

export const push: Module = {
  name: 'push',
  tables: ['push_subscriptions', 'push_settings', 'vapid_keys'],
  routes: [pushRoutes],
  jobs: [pushNote],
  contributes: [endsWithPerson({ name: 'push_subscriptions', end: endSubscriptions }), tellsPeople(insertNotes)],
};
