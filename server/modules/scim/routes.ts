import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes, type Services } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { covers } from '../../kernel/people/scopes.ts';
import { sha256 } from '../../kernel/people/secrets.ts';
import { findOrganisation } from '../organisations/queries.ts';
import { basesOf, DIRECT, newSecret } from './access.ts';
import { provisioning } from './contract.ts';
import { liftGuard } from './guard.ts';
import { settled } from './log.ts';
import { listReceipts, listRequests } from './log-queries.ts';
import * as queries from './queries.ts';

export const provisioningRoutes = routes(provisioning, {
  getProvisioning: ({ tx, services }) => shown(tx, services),
  replaceProvisioning: ({ tx, actor, body, services }) =>
    tx.transaction(async (inside) => {
      const { providers_granting_admin = [] } = body;
      const former = await grantingAdmin(inside);
      refuseUnknownProviders(services, 'providers_granting_admin', providers_granting_admin);
      if (providers_granting_admin.some((name) => !former.includes(name)))
        refuseUnlessUnlimited(actor, 'providers_granting_admin');
      await queries.upsertSettings(inside, { ...queries.defaults, ...body });
      return shown(inside, services);
    }),
  async liftSyncGuard({ tx, services }) {
    await liftGuard(tx);
    return shown(tx, services);
  },
  listScimSecrets: ({ tx, query }) => queries.listSecrets(tx, query.skip, query.take),
  async createScimSecret({ tx, actor, body: { provider = DIRECT, overlap_hours = 24 }, services }) {
    refuseUnknownProviders(services, 'provider', [provider]);
    if ((await grantingAdmin(tx)).includes(provider)) refuseUnlessUnlimited(actor, 'provider');
    const scim_secret = newSecret(tx.organisation_id);
    const secret = await queries.insertSecret(tx, provider, sha256(scim_secret), actor.user_id, overlap_hours);
    return toJson({ ...JSON.parse(secret), scim_secret });
  },
  revokeScimSecret: async ({ tx, params }) => (await queries.revokeSecret(tx, params.id)) ?? refuseNotFound(),
  async listScimRequests({ tx, query, services }) {
    await settled(services);
    return listRequests(tx, query);
  },
  listReceipts: ({ tx, query }) => listReceipts(tx, query),
});

async function grantingAdmin(tx: Tx): Promise<readonly string[]> {
  const settings = JSON.parse((await queries.findSettings(tx)) ?? '{}') as Partial<queries.ScimSettings>;
  return settings.providers_granting_admin ?? [];
}
/** What can make an admin is handed out by who could do all that an admin can. */
function refuseUnlessUnlimited({ scopes }: Actor, path: string) {
  if (covers(scopes, '*')) return;
  refuse('forbidden', 'Only an admin lets a provider make admins, or makes a secret of such a provider.', { path });
}
function refuseUnknownProviders({ config }: Services, path: string, named: readonly string[]) {
  const known = new Set(basesOf(config.scim_providers).map(({ provider }) => provider));
  if (named.some((name) => !known.has(name))) refuseInvalid(path, `must be of ${[...known].join(', ')}`);
}

async function shown(tx: Tx, { config }: Services) {
  const { api_base_url } = JSON.parse((await findOrganisation(tx)) ?? refuseNotFound()) as { api_base_url: string };
  const bases = basesOf(config.scim_providers).map(({ path, ...base }) => ({ ...base, url: api_base_url + path }));
  const state = { guard_paused_at: null, guard_notice: null, guard_lifted_until: null };
  return toJson({ ...queries.defaults, ...state, ...JSON.parse((await queries.findSettings(tx)) ?? '{}'), bases });
}
