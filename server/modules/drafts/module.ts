import type { Module } from '../../kernel/module.ts';
import { endsWithPerson } from '../users/deactivation.ts';
import { endDrafts } from './queries.ts';
import { draftRoutes } from './routes.ts';

export const drafts: Module = {
  name: 'drafts',
  tables: ['drafts'],
  routes: [draftRoutes],
  contributes: [endsWithPerson({ name: 'drafts', end: endDrafts })],
};
