import { Refusal, refuseNotFound } from '../../kernel/contract/errors.ts';
import { routes } from '../../kernel/http/routes.ts';
import { addressOf } from './addresses.ts';
import { organisations } from './contract.ts';
import { findOrganisation, updateOrganisation } from './queries.ts';

export const organisationRoutes = routes(organisations, {
  getOrganisation: async ({ tx }) => (await findOrganisation(tx)) ?? refuseNotFound(),
  replaceOrganisation: ({ tx, body }) =>
    updateOrganisation(tx, body, body.domain === undefined ? undefined : getAddress(body.domain)),
});

function getAddress(domain: string) {
  const sentence = 'The domain must be a host name, with a port perhaps, like intranet.example.com.';
  return addressOf(domain) ?? refuseDomain(sentence);
}
function refuseDomain(sentence: string): never {
  throw new Refusal('invalid_request', sentence, { path: 'domain' });
}
