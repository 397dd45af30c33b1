// User JWTs (RFC 7519): an app that people are signed in to acts as one of them. The app signs with a key of its own,
// whose public part is in its JWT settings; each token is short-lived and taken once.
import type { JSONWebKeySet, JWTPayload } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import type { Role } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Egress } from '../../kernel/delivery/egress.ts';
import { type Authenticator, refuseUnauthorized, serviceId } from '../../kernel/people/auth.ts';
import { scopesOf } from '../../kernel/people/scopes.ts';
import { sha256 } from '../../kernel/people/secrets.ts';
import { createPublishedKeys } from './jwt-keys.ts';
import { findJwtKeySource, type JwtKeys, useJwt } from './jwt-settings.ts';

/** No shared secrets: a public key must never work as one. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const LIFETIME_SECONDS_MAX = 600;
const CLOCK_SKEW_SECONDS = 5;
const JTI_LENGTH_MAX = 255;
/** An app acts as somebody in what they do every day; nobody administers through it, whatever roles they have. */
const rolesOfApps: readonly Role[] = ['user', 'moderator'];

/** `Service-Id`, `x-service-jwt`, and `x-service-jwt-keyid`, the kid of the key that signed it. */
export function jwtAuthenticator({ clock, egress }: { clock: Clock; egress: Egress }): Authenticator {
  const publishedKey = createPublishedKeys(egress);
  const keyOf = async (tx: Tx, app_id: number, kid: string) => {
    const source = await findJwtKeySource(tx, app_id);
    if (source?.jwks_url) return publishedKey(source.jwks_url, kid);
    return (JSON.parse(source?.jwks ?? '{"keys":[]}') as JwtKeys).keys.find((key) => key.kid === kid);
  };
  return async (_request, brandHeader, db) => {
    const token = brandHeader('x-service-jwt');
    if (token === undefined) return undefined;
    const tx = db.inOrganisation(serviceId(brandHeader('service-id')));
    const jose = await import('jose');
    const claimed = claimsOf(() => jose.decodeJwt(token));
    const app_id = /^[1-9]\d{0,15}$/.test(claimed?.iss ?? '') ? Number(claimed?.iss) : 0;
    const kid = brandHeader('x-service-jwt-keyid');
    const key = kid && (await keyOf(tx, app_id, kid));
    if (!key) return refuseUnauthorized();
    const now_seconds = clock.micros() / 1_000_000;
    const payload = await jose
      .jwtVerify(token, jose.createLocalJWKSet({ keys: [key] } as JSONWebKeySet), {
        algorithms: ALGORITHMS,
        issuer: String(app_id),
        requiredClaims: ['exp', 'jti'],
        clockTolerance: CLOCK_SKEW_SECONDS,
        currentDate: new Date(now_seconds * 1000),
      })
      .then(
        (verified) => verified.payload,
        () => undefined,
      );
    const person = payload && personOf(payload);
    if (!payload?.exp || !person || !isShortLived(payload, now_seconds)) return refuseUnauthorized();
    const expires_ms = (payload.exp + CLOCK_SKEW_SECONDS) * 1000;
    const found = await useJwt(tx, { app_id, jti_sha256: sha256(String(payload.jti)), expires_ms, ...person });
    if (!found) return refuseUnauthorized();
    const roles = found.roles.filter((role) => rolesOfApps.includes(role));
    return {
      kind: 'jwt',
      organisation_id: tx.organisation_id,
      user_id: found.id,
      scopes: scopesOf(roles),
      roles,
      credential_id: app_id,
      expires_ms,
    };
  };
}

function claimsOf(read: () => JWTPayload): JWTPayload | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isShortLived({ exp = 0, jti }: JWTPayload, now_seconds: number): boolean {
  const isNamed = typeof jti === 'string' && jti !== '' && jti.length <= JTI_LENGTH_MAX;
  return isNamed && exp - now_seconds <= LIFETIME_SECONDS_MAX + CLOCK_SKEW_SECONDS;
}

/** `sub` is the user's id; without it `email` names the person. */
function personOf({ sub, email }: JWTPayload): { user_id: number | null; email: string | null } | undefined {
  if (sub !== undefined) return /^[1-9]\d{0,15}$/.test(String(sub)) ? { user_id: Number(sub), email: null } : undefined;
  return typeof email === 'string' ? { user_id: null, email } : undefined;
}
