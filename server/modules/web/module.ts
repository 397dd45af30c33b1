import type { Module } from '../../kernel/module.ts';
import { mountPages } from './pages.ts';
import { startRoutes } from './routes.ts';

/** The pages that people open in a browser. */
export const web: Module = {
  name: 'web',
  routes: [startRoutes],
  mount: mountPages,
};
