import type { Module } from '../../kernel/module.ts';
import { endsWithPerson } from '../users/deactivation.ts';
import { grantAuthenticator } from './access.ts';
import { mountOAuth } from './protocol.ts';
import { deleteUnused, endGrants } from './queries.ts';
import { oauthRoutes } from './routes.ts';

/** Programs that people let act for them. */
export const oauth: Module = {
  name: 'oauth',
  tables: ['oauth_clients', 'oauth_grants'],
  routes: [oauthRoutes],
  authenticators: ({ clock }) => [grantAuthenticator(clock)],
  chores: [deleteUnused],
  mount: mountOAuth,
  contributes: [endsWithPerson({ name: 'grants', end: endGrants, isSignIn: true })],
};
