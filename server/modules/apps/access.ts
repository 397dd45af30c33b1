import type { Clock } from '../../kernel/clock.ts';
import type { Role } from '../../kernel/contract/contract.ts';
import { refuse } from '../../kernel/contract/errors.ts';
import { type Authenticator, refuseUnauthorized, serviceId } from '../../kernel/people/auth.ts';
import { covers, scopesOf } from '../../kernel/people/scopes.ts';
import { randomSecret, sha256 } from '../../kernel/people/secrets.ts';
import { type KeyStatus, keyByHash, touchKey } from './queries.ts';

const TOUCH_EVERY_MS = 60_000;

interface Found {
  id: number;
  status: KeyStatus;
  scopes: string[];
  user_id: number;
  /** Of the person, for a personal key. */
  roles: Role[] | null;
  expires_ms: number | null;
  used_ms: number | null;
}

/** `atr_` and 256 random bits. Whatever text a client sends is compared as a whole, so any alphabet works. */
export const newToken = () => `atr_${randomSecret()}`;

/**
 * `Authorization: Bearer <key>` with `Service-Id`. A key is looked up for every request, so one that was revoked is
 * refused at once on every node; requests of one moment share the lookup.
 */
export function keyAuthenticator(clock: Clock): Authenticator {
  const touched = new Map<number, number>();
  return async (request, brandHeader, db) => {
    const header = request.headers.authorization;
    if (header === undefined) return undefined;
    const token = /^Bearer\s+(.+)$/i.exec(header)?.[1]?.trim();
    if (!token) return refuseUnauthorized();
    const tx = db.inOrganisation(serviceId(brandHeader('service-id')));
    const json = await tx.lookup(keyByHash, sha256(token));
    if (!json) return refuseUnauthorized();
    const key = JSON.parse(json) as Found;
    const { organisation_id } = tx;
    request.credential = { kind: key.roles ? 'personal_key' : 'key', organisation_id, credential_id: key.id };
    const now = clock.micros() / 1000;
    if (key.expires_ms !== null && key.expires_ms <= now) return refuseUnauthorized();
    if (key.status === 'pending') refuse('pending_approval', 'An admin has to approve this key before it works.');
    if (now - Math.max(key.used_ms ?? 0, touched.get(key.id) ?? 0) > TOUCH_EVERY_MS) {
      touched.set(key.id, now);
      await touchKey(tx, key.id);
    }
    return {
      organisation_id,
      user_id: key.user_id,
      ...(key.roles ? personal(key.scopes, key.roles) : { kind: 'key', scopes: key.scopes, roles: [] }),
      credential_id: key.id,
      ...(key.expires_ms !== null && { expires_ms: key.expires_ms }),
    };
  };
}

/** A role that was taken away takes its scopes from the person's keys. */
const personal = (scopes: readonly string[], roles: readonly Role[]) => {
  const held = scopesOf(roles);
  const covered = scopes.filter((scope) => covers(held, scope));
  return { kind: 'personal_key', is_person: true, scopes: covered, roles } as const;
};
