import { forgetNotes } from '../../kernel/data/changes.ts';
import type { Module } from '../../kernel/module.ts';
import { changeRoutes } from './routes.ts';

/** What changed, of every family that has it; see kernel/data/changes.ts. */
export const changes: Module = {
  name: 'changes',
  routes: [changeRoutes],
  chores: [(tx, { config }) => forgetNotes(tx, config.changes_days)],
};
