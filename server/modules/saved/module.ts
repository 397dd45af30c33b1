import type { Module } from '../../kernel/module.ts';
import { hangsOnContent, viewerColumns } from '../content/family.ts';
import { deleteSavedOf, savedBy } from './queries.ts';
import { savedRoutes } from './routes.ts';

export const saved: Module = {
  name: 'saved',
  tables: ['saved_items'],
  routes: [savedRoutes],
  contributes: [hangsOnContent(deleteSavedOf), viewerColumns(savedBy)],
};
