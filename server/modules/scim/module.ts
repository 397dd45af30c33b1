import { sql } from '../../kernel/data/sql.ts';
import type { Module } from '../../kernel/module.ts';
import { roleScopes } from '../../kernel/people/scopes.ts';
import { allowsPasscodes } from '../sessions/passcodes.ts';
import { personWritten } from '../users/arrival.ts';
import { outlivesPerson } from '../users/deactivation.ts';
import { deleteOldRequests, requestsList } from './log-queries.ts';
import { scimProtocol } from './openapi.ts';
import { fetchPhoto } from './photos.ts';
import { mountScim } from './protocol.ts';
import { provisioningRoutes } from './routes.ts';
import { adoptReports, passcodesAllowed } from './user-queries.ts';

export const scim: Module = {
  name: 'scim',
  tables: ['scim_secrets', 'scim_settings', 'scim_users', 'scim_emails', 'scim_assignments', 'scim_requests'],
  routes: [provisioningRoutes],
  lists: [requestsList],
  jobs: [fetchPhoto as never],
  chores: [deleteOldRequests],
  mount: mountScim,
  protocol: scimProtocol,
  contributes: [
    roleScopes({ role: 'it_admin', scope: 'admin.provisioning.*' }),
    personWritten(adoptReports),
    allowsPasscodes(passcodesAllowed),
    outlivesPerson({
      name: 'scim_secrets',
      count: (user_id) => sql`(
        select count(*) from scim_secrets s
        where s.organisation_id = $1 and s.created_by = ${user_id} and s.revoked_at is null)`,
    }),
  ],
};
