import type { Module } from '../../kernel/module.ts';
import { hangsOnContent } from '../content/family.ts';
import { deletePollsOf } from './queries.ts';
import { pollRoutes } from './routes.ts';

export const polls: Module = {
  name: 'polls',
  tables: ['polls', 'poll_options', 'poll_votes'],
  routes: [pollRoutes],
  contributes: [hangsOnContent(deletePollsOf)],
};
