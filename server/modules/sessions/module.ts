import type { Module } from '../../kernel/module.ts';
import { endsWithPerson } from '../users/deactivation.ts';
import { sessionAuthenticator } from './access.ts';
import { deletePastAttempts } from './attempts.ts';
import { deleteStaleSessions, endSessions, hashCsrfTokens } from './queries.ts';
import { sessionRoutes } from './routes.ts';

export const sessions: Module = {
  name: 'sessions',
  tables: ['sessions', 'sign_in_attempts'],
  routes: [sessionRoutes],
  authenticators: ({ clock, config }) => [sessionAuthenticator(clock, config)],
  chores: [(tx, { config }) => deleteStaleSessions(tx, config), deletePastAttempts, hashCsrfTokens],
  contributes: [endsWithPerson({ name: 'sessions', end: endSessions, isSignIn: true })],
};
