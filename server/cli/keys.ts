import type { Tx } from '../kernel/data/db.ts';
// Modules declare the families that scopes are of.
import '../modules.ts';
import { isScope } from '../kernel/people/scopes.ts';
import {
  decideKey,
  findAppByName,
  findKeys,
  insertApp,
  type KeyRow,
  lockKey,
  revokeKey,
} from '../modules/apps/queries.ts';
import { basesOf } from '../modules/scim/access.ts';
import { findSettings, type ScimSettings } from '../modules/scim/queries.ts';
import { createKey, createScimSecret } from '../setup.ts';
import type { Call, Command, Outcome } from './command.ts';
import { needed, org, organisationOf, readId, readList, readName, table, UsageError } from './command.ts';

const key = needed('ID', 'The key’s id: see `atrium key list`.');
const APP = 'Command line';
const GUARD =
  'The sync guard is off. It pauses a run that would deactivate more than 10 % of people within an hour: turn it on ' +
  'before the first run. PUT /v1/admin/provisioning with {"guard_percent": 10}.';

async function create(call: Call): Promise<Outcome> {
  const scopes = readList(call.text('scopes'));
  const malformed = scopes.filter((scope) => !isScope(scope)).join('", "');
  if (malformed)
    throw new UsageError(`--scopes must be * or a list of <family>.<part>.<read|write|admin>: "${malformed}" is none.`);
  const name = readName(call.text('name'), '--name');
  const { tx } = await organisationOf(call);
  const json = await tx.transaction(async (inside) => {
    const app_id = await commandLineApp(inside);
    return { app_id, ...(await createKey(inside, app_id, name, scopes)) };
  });
  return { json, text: `Key ${json.key_id} of the app "${APP}". It is shown only this once:\n\n${json.api_key}\n` };
}

async function commandLineApp(tx: Tx): Promise<number> {
  const found = await findAppByName(tx, APP);
  if (found !== undefined) return found;
  const app = { name: APP, description: 'Keys made with `atrium key create`.', created_by: null };
  return (JSON.parse(await insertApp(tx, app)) as { id: number }).id;
}

async function list(call: Call): Promise<Outcome> {
  const keys = await findKeys((await organisationOf(call)).tx);
  const stateOf = ({ revoked, status, last_used_at }: KeyRow) => {
    if (revoked) return 'revoked';
    if (status !== 'active') return status === 'pending' ? 'waits for approval' : 'refused';
    return last_used_at ? `last used ${last_used_at}` : 'never used';
  };
  const lines = keys.map(
    (key) => `${String(key.id).padStart(6)}  ${key.name}  ${key.scopes.join(',')}  ${stateOf(key)}\n`,
  );
  return { json: { keys }, text: lines.join('') || 'There is no key.\n' };
}

/** Whoever has a shell of the server decides as an admin would. */
const decide =
  (status: 'active' | 'refused') =>
  async (call: Call): Promise<Outcome> => {
    const key_id = readId(call.text('key'), '--key');
    const { tx, organisation } = await organisationOf(call);
    await tx.transaction(async (inside) => {
      const key = await lockKey(inside, key_id);
      if (!key) throw unknownKey(organisation.id, key_id);
      if (key.status !== 'pending') throw new Error(`There is nothing to decide: key ${key_id} is ${key.status}.`);
      await decideKey(inside, key_id, status, null);
    });
    const text = status === 'active' ? `Key ${key_id} works from now on.\n` : `Key ${key_id} is refused.\n`;
    return { json: { key_id, status }, text };
  };

const unknownKey = (org: number, key: number) =>
  new Error(`Organisation ${org} has no key ${key}. \`atrium key list --org ${org}\` shows its keys.`);

async function revoke(call: Call): Promise<Outcome> {
  const key_id = readId(call.text('key'), '--key');
  const { tx, organisation } = await organisationOf(call);
  const json = await revokeKey(tx, key_id);
  if (!json) throw unknownKey(organisation.id, key_id);
  const { revoked_at } = JSON.parse(json) as { revoked_at: string };
  return { json: { key_id, revoked_at }, text: `Key ${key_id} is refused from now on.\n` };
}

async function scimSecret(call: Call): Promise<Outcome> {
  const provider = call.text('provider') ?? 'direct';
  const known = basesOf(call.config.scim_providers);
  const found = known.find((each) => each.provider === provider);
  if (!found)
    throw new UsageError(`--provider must be one of ${[...new Set(known.map((each) => each.provider))].join(', ')}.`);
  const { tx, organisation } = await organisationOf(call);
  const scim_base_url = `${organisation.web_url}${found.path}`;
  const scim_secret = await createScimSecret(tx, provider);
  const settings = await findSettings(tx);
  const isGuarded = settings === undefined || (JSON.parse(settings) as ScimSettings).guard_percent !== null;
  const suggestion = isGuarded ? undefined : GUARD;
  const former = `The former secret of ${provider} is good for one more day. The new one is shown only this once:`;
  const addresses = table({ 'Base URL': scim_base_url, Secret: scim_secret });
  return {
    json: { provider, scim_base_url, scim_secret, suggestion },
    text: `${former}\n\n${addresses}${suggestion ? `\n${suggestion}\n` : ''}`,
  };
}

export const keyCommands: readonly Command[] = [
  {
    words: 'key create',
    about: 'Create an API key',
    options: {
      org,
      name: needed('NAME', 'What the key is for.'),
      scopes: needed('LIST', "'*', or for example 'pages.*.read,users.*.read'."),
    },
    run: create,
  },
  { words: 'key list', about: 'List the API keys', options: { org }, run: list },
  {
    words: 'key approve',
    about: 'Approve a key that waits for an admin',
    options: { org, key },
    run: decide('active'),
  },
  { words: 'key refuse', about: 'Refuse a key that waits for an admin', options: { org, key }, run: decide('refused') },
  {
    words: 'key revoke',
    about: 'Refuse an API key from now on',
    options: { org, key },
    run: revoke,
  },
  {
    words: 'scim secret',
    about: 'Create a SCIM secret; the former one goes on for a day',
    options: {
      org,
      provider: { value: 'NAME', about: 'direct, idp-a, idp-b or another of ATRIUM_SCIM_PROVIDERS; default direct.' },
    },
    run: scimSecret,
  },
];
