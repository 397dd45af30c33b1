import type { Module } from '../../kernel/module.ts';
import { endsWithPerson } from '../users/deactivation.ts';
import { deleteFeeds } from './queries.ts';
import { calendarRoutes, mountCalendarFeeds } from './routes.ts';

export const calendars: Module = {
  name: 'calendars',
  tables: ['calendar_feeds'],
  routes: [calendarRoutes],
  mount: mountCalendarFeeds,
  contributes: [endsWithPerson({ name: 'calendar_feeds', end: deleteFeeds })],
};
