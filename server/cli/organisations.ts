import type { Tx } from '../kernel/data/db.ts';
import { slugOf } from '../modules/content/slug.ts';
import { listOrganisations } from '../modules/organisations/queries.ts';
import { createOrganisation } from '../setup.ts';
import { type Call, type Command, type Outcome, readName, table, UsageError } from './command.ts';

const hostname = /^(?=.{1,253}(:|$))[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/;

async function create(call: Call): Promise<Outcome> {
  const name = readName(call.argument, '<name>');
  const domain = call.text('domain')?.toLowerCase() ?? localhostOf(name, call.config.port);
  if (!hostname.test(domain))
    throw new UsageError(`--domain must be a host name, for example intranet.example.com: ${domain} is none.`);
  const db = await call.db();
  const holder = (await listOrganisations(db)).find((one) => one.domain === domain);
  if (holder) {
    const taken = `The domain ${domain} is taken by organisation ${holder.id} (${holder.name}).`;
    throw new Error(`${taken} Choose another with --domain.`);
  }
  const demo = call.flag('demo') ? { is_demo: true, fill: await demoCompany(call) } : {};
  const created = await createOrganisation(db, { name, domain, ...demo });
  const { organisation_id, api_base_url, scim_base_urls, admin, api_key, scim_secret } = created;
  const credentials = {
    'Service-Id': organisation_id,
    API: api_base_url,
    'API key': api_key,
    ...Object.fromEntries(Object.entries(scim_base_urls).map(([provider, url]) => [`SCIM ${provider}`, url])),
    'SCIM secret': `${scim_secret} (direct)`,
    'Sign-in': `${admin.email}  ${admin.password}`,
  };
  return {
    json: { organisation_id, domain, api_base_url, scim_base_urls, admin, api_key, scim_secret },
    text: `Created ${name}. These credentials are shown only this once:\n\n${table(credentials)}`,
  };
}

/** Loaded when it is asked for: it writes through many modules. */
async function demoCompany({ config }: Call): Promise<(tx: Tx) => Promise<void>> {
  const [{ fillDemo }, { storageFor }, { createSealing }] = await Promise.all([
    import('../world/northwind.ts'),
    import('../kernel/files/s3-storage.ts'),
    import('../kernel/people/sealing.ts'),
  ]);
  const services = { storage: await storageFor(config), sealing: createSealing(config) };
  return (tx) => fillDemo(tx, services);
}

/** A host name has Latin letters; a name in another script needs --domain. */
function localhostOf(name: string, port: number): string {
  const slug = slugOf(name);
  if (!/^[a-z0-9-]{1,63}$/.test(slug))
    throw new UsageError('No host name can be made of this name: choose one with --domain.');
  return `${slug}.localhost${port === 0 ? '' : `:${port}`}`;
}

async function list(call: Call): Promise<Outcome> {
  const found = await listOrganisations(await call.db());
  const organisations = found.map(({ id, name, domain, web_url, is_demo }) => ({
    id,
    name,
    domain,
    url: web_url,
    is_demo,
  }));
  const lines = found.map(({ id, name, domain }) => `${String(id).padStart(6)}  ${name}  (${domain})\n`);
  return {
    json: { organisations },
    text: lines.join('') || 'There is no organisation yet. `atrium org create <name>` makes one.\n',
  };
}

export const organisationCommands: readonly Command[] = [
  {
    words: 'org create',
    argument: 'name',
    about: 'Create an organisation with an admin, an API key for everything and a SCIM secret',
    options: {
      domain: { value: 'HOST', about: 'Host that people open; default <name>.localhost with the port.' },
      demo: { about: 'Fill it with the demo company.' },
    },
    run: create,
  },
  { words: 'org list', about: 'List the organisations', run: list },
];
