import type { Config } from '../../kernel/config.ts';
import { type FieldError, Refusal, refuseFields, refuseNotFound } from '../../kernel/contract/errors.ts';
import { routes } from '../../kernel/http/routes.ts';
import { addressOf, isOrigin } from './addresses.ts';
import { organisations } from './contract.ts';
import { findOrganisation, updateOrganisation } from './queries.ts';

export const organisationRoutes = routes(organisations, {
  getOrganisation: async ({ tx }) => (await findOrganisation(tx)) ?? refuseNotFound(),
  replaceOrganisation({ tx, body, services }) {
    refuseUnlessOrigins(body.cors_origins ?? [], services.config);
    const values = { ...body, cors_origins: body.cors_origins && [...new Set(body.cors_origins)] };
    return updateOrganisation(tx, values, body.domain === undefined ? undefined : getAddress(body.domain));
  },
});

function refuseUnlessOrigins(origins: readonly string[], { env }: Config) {
  const message = 'must be an origin as browsers send it: https, a host in small letters, no path';
  const errors = origins.flatMap((origin, n): FieldError[] =>
    isOrigin(origin, env !== 'production') ? [] : [{ path: `cors_origins[${n}]`, message }],
  );
  if (errors.length > 0) refuseFields(errors);
}

function getAddress(domain: string) {
  const sentence = 'The domain must be a host name, with a port perhaps, like intranet.example.com.';
  return addressOf(domain) ?? refuseDomain(sentence);
}
function refuseDomain(sentence: string): never {
  throw new Refusal('invalid_request', sentence, { path: 'domain' });
}
