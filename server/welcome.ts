import type { CreatedOrganisation } from './setup.ts';

/** What `npm start` prints; credentials only once, because only their hashes are stored. */
export function welcome(url: string, created: CreatedOrganisation | undefined): string {
  if (!created) return `Atrium serves on ${url} (API reference: ${url}/docs)\n`;
  const { organisation_id, api_key, scim_secret, admin } = created;
  return `
Atrium serves on ${url} with the demo organisation Northwind Retail.
These credentials are shown only this once:

  URL         ${url}            (API reference: ${url}/docs)
  Service-Id  ${organisation_id}
  API key     ${api_key}
  SCIM        ${scim_secret}
  Sign-in     ${admin.email}  ${admin.password}

Try it:

  curl ${url}/v1/users/by-external-id/E-1001 -H 'Service-Id: ${organisation_id}' -H 'Authorization: Bearer ${api_key}'

`;
}
