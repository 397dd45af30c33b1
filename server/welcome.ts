import type { CreatedOrganisation } from './setup.ts';

export interface Started {
  /** Where people open it. */
  url: string;
  /** Where else this machine is reached. */
  others: readonly string[];
  /** The demo organisation, when this start made it. */
  created: CreatedOrganisation | undefined;
  organisations: readonly { id: number; name: string }[];
}

/** What `npm start` prints; credentials only once, because only their hashes are stored. */
export function welcome({ url, others, created, organisations }: Started): string {
  const network = others.length > 0 ? `Others reach it at ${others.join(', ')}\n` : '';
  if (created) return demo(url, network, created);
  return `Atrium serves on ${url} (API reference: ${url}/docs)\n${network}${next(organisations)}`;
}

function demo(url: string, network: string, created: CreatedOrganisation): string {
  const { organisation_id, api_key, scim_secret, admin } = created;
  return `
Atrium serves on ${url} with the demo organisation Northwind Retail.
${network}These credentials are shown only this once:

  URL         ${url}            (API reference: ${url}/docs)
  Service-Id  ${organisation_id}
  API key     ${api_key}
  SCIM        ${scim_secret}
  Sign-in     ${admin.email}  ${admin.password}

Try it:

  curl ${url}/v1/users/by-external-id/E-1001 -H 'Service-Id: ${organisation_id}' -H 'Authorization: Bearer ${api_key}'

`;
}

/** What to do now: make an organisation, or get credentials again that were shown once. */
function next(organisations: Started['organisations']): string {
  const [first] = organisations;
  if (!first)
    return `There is no organisation yet. Make one, with credentials, in a second terminal with the same settings:

  npx atrium org create "Your company"

It lives at the address above; ATRIUM_BASE_URL, or --domain, says where else people reach it.

`;
  const ids = organisations.slice(0, 5).map(({ id, name }) => `${name} is ${id}`);
  const more = organisations.length > ids.length ? ', `npx atrium org list` shows all' : '';
  return `Credentials are shown once, when they are made. Further ones (Service-Id: ${ids.join(', ')}${more}):

  npx atrium key create --org ${first.id} --name "A name" --scopes '*'
  npx atrium user password --org ${first.id} --email name@example.com
  npx atrium scim secret --org ${first.id}

`;
}
