import type { Module } from '../../kernel/module.ts';
import { roleScopes } from '../../kernel/people/scopes.ts';
import { deleteOldCalls } from './queries.ts';
import { mountRecording } from './recording.ts';
import { requestRoutes } from './routes.ts';

export const requests: Module = {
  name: 'requests',
  tables: ['request_chunks', 'request_usage', 'request_settings'],
  routes: [requestRoutes],
  chores: [(tx, { config }) => deleteOldCalls(tx, config.request_days)],
  mount: mountRecording,
  contributes: [roleScopes({ role: 'developer', scope: 'admin.requests.read' })],
};
