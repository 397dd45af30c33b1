import type { Module } from '../../kernel/module.ts';
import { scopeFamilies } from '../../kernel/people/scopes.ts';
import { organisationRoutes } from './routes.ts';

export const organisations: Module = {
  name: 'organisations',
  tables: ['organisations'],
  routes: [organisationRoutes],
  // Search and the security export are families of the interface whose scopes keys may hold already.
  contributes: [
    scopeFamilies({ name: 'admin', roles: {}, sensitive: ['*.*'] }),
    scopeFamilies({ name: 'siem', roles: {}, sensitive: ['*.*'] }),
    scopeFamilies({ name: 'search', roles: { user: ['read'], developer: ['*'] } }),
  ],
};
