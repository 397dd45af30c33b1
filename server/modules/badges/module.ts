import type { Module } from '../../kernel/module.ts';
import { moderatedFamily } from '../../kernel/people/scopes.ts';
import { listsPeople } from '../users/deactivation.ts';
import * as events from './events.ts';
import { badgeUsersList } from './queries.ts';
import { badgeRoutes } from './routes.ts';
import { awardBadges, awardDaily } from './worker.ts';

export const badges: Module = {
  name: 'badges',
  tables: ['badges', 'badge_users', 'badge_withdrawals'],
  routes: [badgeRoutes],
  events: Object.values(events),
  visibility: { badge: 'always' },
  lists: [badgeUsersList],
  jobs: [awardBadges],
  chores: [awardDaily],
  contributes: [moderatedFamily('badges'), listsPeople(badgeUsersList)],
};
