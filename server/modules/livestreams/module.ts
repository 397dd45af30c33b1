import type { Module } from '../../kernel/module.ts';
import { moderatedFamily } from '../../kernel/people/scopes.ts';
import { livestreamRoutes } from './routes.ts';

export const livestreams: Module = {
  name: 'livestreams',
  tables: ['livestreams', 'livestream_audiences'],
  routes: [livestreamRoutes],
  contributes: [moderatedFamily('livestreams')],
};
