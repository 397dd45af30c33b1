import type { Module } from '../../kernel/module.ts';
import { scopeFamilies } from '../../kernel/people/scopes.ts';
import { deleteJobsOf } from '../../kernel/work/jobs.ts';
import { endsWithPerson } from './deactivation.ts';
import * as events from './events.ts';
import { usersList } from './queries.ts';
import { userRoutes } from './routes.ts';

export const users: Module = {
  name: 'users',
  tables: ['users', 'deprovisioning_receipts'],
  routes: [userRoutes],
  events: Object.values(events),
  visibility: { user: 'always' },
  lists: [usersList],
  contributes: [
    scopeFamilies({
      name: 'users',
      roles: { user: ['read'], developer: ['read'], it_admin: ['*'] },
      sensitive: ['*.write', '*.admin'],
    }),
    endsWithPerson({ name: 'jobs', end: deleteJobsOf }),
  ],
};
