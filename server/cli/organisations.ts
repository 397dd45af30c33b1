import { baseUrl, defaultAddress } from '../domains.ts';
import type { Config } from '../kernel/config.ts';
import type { Db, Tx } from '../kernel/data/db.ts';
import { slugOf } from '../modules/content/slug.ts';
import { addressOf } from '../modules/organisations/addresses.ts';
import { listOrganisations, updateAddress } from '../modules/organisations/queries.ts';
import { createOrganisation } from '../setup.ts';
import { type Call, type Command, type Outcome, org, organisationOf, readName, table, UsageError } from './command.ts';

function readAddress(text: string, name: string) {
  const address = addressOf(text);
  if (!address) throw new UsageError(`${name} must be a host name, for example intranet.example.com: ${text} is none.`);
  return address;
}

async function create(call: Call): Promise<Outcome> {
  const name = readName(call.argument, '<name>');
  const own = call.text('domain');
  if (own !== undefined) readAddress(own, '--domain');
  const db = await call.db();
  const organisations = await listOrganisations(db);
  const address = own === undefined ? defaultOf(name, call.config, organisations) : readAddress(own, '--domain');
  const { domain } = address;
  const holder = organisations.find((one) => one.domain === domain);
  if (holder) {
    const taken = `The domain ${domain} is taken by organisation ${holder.id} (${holder.name}).`;
    throw new Error(`${taken} Choose another with --domain.`);
  }
  const demo = call.flag('demo') ? { is_demo: true, fill: await demoCompany(call, db) } : {};
  const admin = own === undefined ? { email: `admin@${labelOf(name) ?? 'organisation'}.localhost` } : undefined;
  const created = await createOrganisation(db, { name, domain: own ?? address, admin, ...demo });
  const { organisation_id, api_base_url, scim_base_urls, api_key, scim_secret } = created;
  const credentials = {
    'Service-Id': organisation_id,
    API: api_base_url,
    'API key': api_key,
    ...Object.fromEntries(Object.entries(scim_base_urls).map(([provider, url]) => [`SCIM ${provider}`, url])),
    'SCIM secret': `${scim_secret} (direct)`,
    'Sign-in': `${created.admin.email}  ${created.admin.password}`,
  };
  return {
    json: { organisation_id, domain, api_base_url, scim_base_urls, admin: created.admin, api_key, scim_secret },
    text: `Created ${name}. These credentials are shown only this once:\n\n${table(credentials)}`,
  };
}

/** Loaded when it is asked for: it writes through many modules. */
async function demoCompany({ config }: Call, db: Db): Promise<(tx: Tx) => Promise<void>> {
  const [{ fillDemo }, { storageFor }, { createSealing }, { joinInstallation }] = await Promise.all([
    import('../world/northwind.ts'),
    import('../kernel/files/s3-storage.ts'),
    import('../kernel/people/sealing.ts'),
    import('../kernel/installation.ts'),
  ]);
  const services = { storage: await storageFor(config), sealing: createSealing(config) };
  await joinInstallation({ db, ...services });
  return (tx) => fillDemo(tx, services);
}

const labelOf = (name: string) => /^[a-z0-9-]{1,63}$/.exec(slugOf(name))?.[0];

/** A host name has Latin letters; a name in another script needs --domain where the base itself is taken. */
function defaultOf(name: string, config: Config, organisations: readonly { domain: string }[]) {
  // Without a port, nothing is known to be served at the base itself.
  const isUnknown = config.base_url === undefined && config.port === 0;
  const base = isUnknown ? 'http://localhost' : baseUrl(config, config.port);
  const taken = new Set([...organisations.map(({ domain }) => domain), ...(isUnknown ? ['localhost'] : [])]);
  const address = defaultAddress(name, base, taken);
  if (!address) throw new UsageError('No host name that is free can be made of this name: choose one with --domain.');
  return address;
}

async function changeDomain(call: Call): Promise<Outcome> {
  const address = readAddress(call.argument, '<domain>');
  const { tx, organisation } = await organisationOf(call);
  await updateAddress(tx, address, true);
  const text = `${organisation.name} is at ${address.web_url} from now on; addresses in what is read begin with it.\n`;
  return { json: { organisation_id: organisation.id, ...address }, text };
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
      domain: { value: 'HOST', about: 'Host that people open; default that of ATRIUM_BASE_URL, or a name before it.' },
      demo: { about: 'Fill it with the demo company.' },
    },
    run: create,
  },
  {
    words: 'org domain',
    argument: 'domain',
    about: 'Change the host that people open; http:// in front of it says that it is not served by https',
    options: { org },
    run: changeDomain,
  },
  { words: 'org list', about: 'List the organisations', run: list },
];
