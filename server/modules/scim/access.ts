import type { FastifyRequest } from 'fastify';
import type { Tx } from '../../kernel/data/db.ts';
import { originOf } from '../../kernel/http/origin.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { randomSecret, sha256 } from '../../kernel/people/secrets.ts';
import { ScimError } from './errors.ts';
import { defaults, type FoundSecret, type ScimSettings, secretByHash, touchSecret } from './queries.ts';
import type { ManagerForm } from './user-document.ts';

/** A path under which SCIM is served, and the provider that it is for. */
export interface ScimBase {
  readonly path: string;
  readonly provider: string;
  readonly manager: ManagerForm;
}
export const DIRECT = 'direct';

/** The direct base in each of its forms, and one for each provider of the settings. */
export const basesOf = (providers: readonly string[]): ScimBase[] => [
  { path: '/scim/v2/scim', provider: DIRECT, manager: 'id' },
  { path: '/scim/v2', provider: DIRECT, manager: 'id' },
  { path: '/scim/v1/scim', provider: DIRECT, manager: 'id' },
  ...providers.map((entry): ScimBase => {
    const [provider = '', form] = entry.split('=');
    return { path: `/${provider}/v2/scim`, provider, manager: form === 'email' ? 'email' : 'id' };
  }),
];

/** A SCIM request has no Service-Id: the secret says whose it is. */
export const newSecret = (organisation_id: number) => `scim_${organisation_id}_${randomSecret()}`;

export interface ScimCredential {
  readonly tx: Tx;
  /** False: it was good once, or is good elsewhere; the log says who still uses it. */
  readonly isGood: boolean;
  readonly secret: FoundSecret;
  readonly settings: ScimSettings;
}

const TOUCH_EVERY_MS = 60_000;
export function refuseUnauthorized(): never {
  const headers = { 'www-authenticate': 'Bearer realm="SCIM"' };
  throw new ScimError(401, undefined, 'The SCIM secret is missing, unknown, revoked or expired.', { headers });
}

/** Looked up by its hash for every request: a revoked secret is refused at once on every node. */
export function secretAuthenticator({ db, clock }: Services) {
  const touched = new Map<number, number>();
  return async (request: FastifyRequest, base: ScimBase): Promise<ScimCredential> => {
    const token = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim() ?? '';
    const organisation_id = Number(/^scim_([1-9]\d{0,14})_[\w-]{20,100}$/.exec(token)?.[1] ?? refuseUnauthorized());
    const tx = db.inOrganisation(organisation_id, originOf(request));
    const found = (await tx.lookup(secretByHash, sha256(token))) ?? refuseUnauthorized();
    const secret = JSON.parse(found) as FoundSecret;
    const settings = secret.settings ?? defaults;
    const now = clock.micros() / 1000;
    const isOver = secret.is_revoked || (secret.expires_ms !== null && secret.expires_ms <= now);
    const isGood = !isOver && (!settings.binds_secrets || secret.provider === base.provider);
    if (isGood && now - Math.max(secret.used_ms ?? 0, touched.get(secret.id) ?? 0) > TOUCH_EVERY_MS) {
      touched.set(secret.id, now);
      await touchSecret(tx, secret.id);
    }
    return { tx, isGood, secret, settings };
  };
}
