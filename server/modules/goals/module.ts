import type { Module } from '../../kernel/module.ts';
import { moderatedFamily } from '../../kernel/people/scopes.ts';
import { goalRoutes } from './routes.ts';

export const goals: Module = {
  name: 'goals',
  tables: ['goals'],
  routes: [goalRoutes],
  contributes: [moderatedFamily('goals')],
};
