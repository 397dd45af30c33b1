import { refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes, type Services } from '../../kernel/http/routes.ts';
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
  async replaceProvisioning({ tx, body, services }) {
    await queries.upsertSettings(tx, { ...queries.defaults, ...body });
    return shown(tx, services);
  },
  async liftSyncGuard({ tx, services }) {
    await liftGuard(tx);
    return shown(tx, services);
  },
  listScimSecrets: ({ tx, query }) => queries.listSecrets(tx, query.skip, query.take),
  async createScimSecret({ tx, actor, body: { provider = DIRECT, overlap_hours = 24 }, services }) {
    const known = [...new Set(basesOf(services.config.scim_providers).map((base) => base.provider))];
    if (!known.includes(provider)) refuseInvalid('provider', `must be one of ${known.join(', ')}`);
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

async function shown(tx: Tx, { config }: Services) {
  const { api_base_url } = JSON.parse((await findOrganisation(tx)) ?? refuseNotFound()) as { api_base_url: string };
  const bases = basesOf(config.scim_providers).map(({ path, ...base }) => ({ ...base, url: api_base_url + path }));
  const state = { guard_paused_at: null, guard_notice: null, guard_lifted_until: null };
  return toJson({ ...queries.defaults, ...state, ...JSON.parse((await queries.findSettings(tx)) ?? '{}'), bases });
}
