import type { Module } from '../../kernel/module.ts';
import { roleScopes } from '../../kernel/people/scopes.ts';
import { endsWithPerson, outlivesPerson } from '../users/deactivation.ts';
import { keyAuthenticator } from './access.ts';
import { jwtAuthenticator } from './jwt-access.ts';
import { deleteExpiredJwtUses } from './jwt-settings.ts';
import { countAppKeysOf, revokePersonalKeys } from './queries.ts';
import { appRoutes } from './routes.ts';

export const apps: Module = {
  name: 'apps',
  tables: ['apps', 'api_keys', 'app_jwt_settings', 'app_jwt_uses'],
  routes: [appRoutes],
  authenticators: ({ clock, egress }) => [jwtAuthenticator({ clock, egress }), keyAuthenticator(clock)],
  chores: [deleteExpiredJwtUses],
  contributes: [
    roleScopes({ role: 'developer', scope: 'admin.apps.*' }),
    endsWithPerson({ name: 'personal_keys', end: revokePersonalKeys }),
    outlivesPerson({ name: 'app_keys', count: countAppKeysOf }),
  ],
};
