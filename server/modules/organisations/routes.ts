import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { routes } from '../../kernel/http/routes.ts';
import { organisations } from './contract.ts';
import { findOrganisation, updateOrganisation } from './queries.ts';

export const organisationRoutes = routes(organisations, {
  getOrganisation: async ({ tx }) => (await findOrganisation(tx)) ?? refuseNotFound(),
  replaceOrganisation: ({ tx, body }) => updateOrganisation(tx, body),
});
