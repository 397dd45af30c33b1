import type { Module } from '../../kernel/module.ts';
import { activityRoutes } from './routes.ts';

/** What happened and what is new, read from the rows of the families themselves. */
export const activity: Module = { name: 'activity', routes: [activityRoutes] };
