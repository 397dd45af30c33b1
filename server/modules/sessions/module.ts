import type { Module } from '../../kernel/module.ts';
import { endsWithPerson } from '../users/deactivation.ts';
import { sessionAuthenticator } from './access.ts';
import { deletePastAttempts } from './attempts.ts';
import { deletePastPasscodes, endPasscodes } from './passcodes.ts';
import { deleteStaleSessions, endSessions, hashCsrfTokens } from './queries.ts';
import { sessionRoutes } from './routes.ts';

export const sessions: Module = {
  name: 'sessions',
  tables: ['sessions', 'sign_in_attempts', 'one_time_passcodes'],
  routes: [sessionRoutes],
  authenticators: ({ clock, config }) => [sessionAuthenticator(clock, config)],
  chores: [
    (tx, { config }) => deleteStaleSessions(tx, config),
    deletePastAttempts,
    deletePastPasscodes,
    hashCsrfTokens,
  ],
  contributes: [
    endsWithPerson({ name: 'sessions', end: endSessions, isSignIn: true }),
    endsWithPerson({ name: 'passcodes', end: endPasscodes, isSignIn: true }),
  ],
};
