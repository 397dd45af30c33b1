// User JWTs (RFC 7519): an app that people are signed in to acts as one of them. The app signs with a key of its own,
// whose public part is in its JWT settings. What is wrong with a JWT is said as far as its sender knows it: before the
// signature is checked, nothing about apps; after it, nothing about people but that there is none such.
import type { JSONWebKeySet, JWTPayload } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import type { Role } from '../../kernel/contract/contract.ts';
import { refuse } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Egress } from '../../kernel/delivery/egress.ts';
import { type Authenticator, serviceId } from '../../kernel/people/auth.ts';
import { common, lentRoles, openToJwts, scopesOf } from '../../kernel/people/scopes.ts';
import { sha256 } from '../../kernel/people/secrets.ts';
import { createPublishedKeys } from './jwt-keys.ts';
import { findJwtRules, type JwtKeys, type JwtRules, useAppJwt, useJwt } from './jwt-settings.ts';

/** No shared secrets: a public key must never work as one. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
const CLOCK_SKEW_SECONDS = 5;
const JTI_LENGTH_MAX = 255;
const APP = 'app';
/** All that a person can do whom an app acts as. */
export const reachOfJwts = () => scopesOf(lentRoles);

const refuseJwt = (code: `jwt_${string}`, message: string, cause?: unknown): never =>
  refuse(code, message, { headers: { 'www-authenticate': 'Bearer error="invalid_token"' }, cause });

/** `Service-Id`, `x-service-jwt`, and `x-service-jwt-keyid`, the kid of the key that signed it. */
export function jwtAuthenticator({ clock, egress }: { clock: Clock; egress: Egress }): Authenticator {
  const publishedKey = createPublishedKeys(egress, clock);
  const keyOf = async ({ jwks, jwks_url }: JwtRules, kid: string) => {
    if (jwks_url) return publishedKey(jwks_url, kid);
    return (JSON.parse(jwks ?? '{"keys":[]}') as JwtKeys).keys.find((key) => key.kid === kid);
  };
  return async (request, brandHeader, db) => {
    const token = brandHeader('x-service-jwt');
    if (token === undefined) return undefined;
    const tx = db.inOrganisation(serviceId(brandHeader('service-id')));
    const jose = await import('jose');
    const { alg, payload } = readToken(() => ({
      ...jose.decodeProtectedHeader(token),
      payload: jose.decodeJwt(token),
    }));
    if (!ALGORITHMS.includes(String(alg)))
      return refuseJwt('jwt_algorithm_refused', `A JWT is signed with ${ALGORITHMS.join(', ')}.`);
    const app_id = appOf(payload);
    const rules = await findJwtRules(tx, app_id);
    const key = rules && (await keyOf(rules, brandHeader('x-service-jwt-keyid') ?? ''));
    if (!rules || !key)
      return refuseJwt('jwt_key_unknown', 'The app that iss names has no key with the id of x-service-jwt-keyid.');
    await jose
      .compactVerify(token, jose.createLocalJWKSet({ keys: [key] } as JSONWebKeySet), { algorithms: ALGORITHMS })
      .catch((error) =>
        refuseJwt('jwt_signature_invalid', 'The signature is not by the key of x-service-jwt-keyid.', error),
      );
    request.credential = { kind: 'jwt', organisation_id: tx.organisation_id, credential_id: app_id };
    checkTimes(payload, clock.micros() / 1_000_000, rules.lifetime_seconds_max);
    checkAudience(payload, tx, rules);
    const use = { app_id, ...useOf(payload, rules) };
    const isApp = payload.sub === APP;
    const found = await (isApp ? useAppJwt(tx, use) : useJwt(tx, { ...use, ...personOf(payload) }));
    if (!found) return refuseJwt('jwt_person_unknown', 'sub or email names no person who has access.');
    if (!found.is_first) return refuseJwt('jwt_replayed', 'A JWT with this jti was used before.');
    const credential = { organisation_id: tx.organisation_id, credential_id: app_id, expires_ms: expiryOf(payload) };
    if (isApp) return { ...credential, kind: 'app', user_id: found.id, scopes: rules.scopes ?? [], roles: [] };
    const roles = found.roles.filter((role) => lentRoles.includes(role));
    return {
      ...credential,
      kind: 'jwt',
      user_id: found.id,
      scopes: scopesWithin(roles, rules.scopes),
      roles,
    };
  };
}

const reached = new Map<string, readonly string[]>();
/** Of these roles, within the ceiling of the app. */
function scopesWithin(roles: readonly Role[], ceiling: readonly string[] | null): readonly string[] {
  const key = `${roles} ${ceiling}`;
  const scopes = reached.get(key) ?? (ceiling ? common(scopesOf(roles), ceiling) : openToJwts(scopesOf(roles)));
  if (reached.size > 1000) reached.clear();
  reached.set(key, scopes);
  return scopes;
}

interface Token {
  alg?: string;
  payload: JWTPayload;
}
function readToken(read: () => Token): Token {
  try {
    return read();
  } catch (cause) {
    return refuseJwt('jwt_malformed', 'x-service-jwt is no JWT.', cause);
  }
}

/** An app that speaks for itself says so in sub, and names itself in app_id. */
function appOf({ sub, iss, app_id }: JWTPayload): number {
  const named = String(sub === APP ? (app_id ?? iss) : iss);
  return /^[1-9]\d{0,15}$/.test(named) ? Number(named) : 0;
}

const expiryOf = ({ exp = 0 }: JWTPayload) => (exp + CLOCK_SKEW_SECONDS) * 1000;

function checkTimes({ exp, nbf }: JWTPayload, now_seconds: number, lifetime_seconds_max: number) {
  if (typeof exp !== 'number') return refuseJwt('jwt_claim_missing', 'A JWT needs exp, a number of seconds.');
  if (exp + CLOCK_SKEW_SECONDS <= now_seconds) refuseJwt('jwt_expired', `The JWT expired: exp is ${exp}.`);
  if (nbf !== undefined && !(Number(nbf) - CLOCK_SKEW_SECONDS <= now_seconds))
    refuseJwt('jwt_not_yet_valid', `The JWT is not valid before ${nbf}.`);
  if (exp - now_seconds > lifetime_seconds_max + CLOCK_SKEW_SECONDS)
    refuseJwt('jwt_lifetime_too_long', `exp may be at most ${lifetime_seconds_max} seconds away for this app.`);
}

/** Where it is there, it names this organisation: by its address, or by its Service-Id. */
function checkAudience({ aud }: JWTPayload, { organisation_id }: Tx, { web_url }: JwtRules) {
  if (aud === undefined) return;
  const named = [aud].flat().map((one) => String(one).replace(/\/$/, ''));
  if (!named.includes(web_url) && !named.includes(String(organisation_id)))
    refuseJwt('jwt_audience_wrong', 'aud names neither the base URL of this organisation nor its Service-Id.');
}

function useOf(payload: JWTPayload, { requires_jti }: JwtRules) {
  const { jti } = payload;
  if (jti === undefined && !requires_jti) return { jti_sha256: null, expires_ms: 0 };
  if (typeof jti !== 'string' || jti === '' || jti.length > JTI_LENGTH_MAX)
    return refuseJwt('jwt_claim_missing', `A JWT of this app needs a jti of 1 to ${JTI_LENGTH_MAX} characters.`);
  return { jti_sha256: sha256(jti), expires_ms: expiryOf(payload) };
}

/** `sub` is the user's id; without it `email` names the person. */
function personOf({ sub, email }: JWTPayload): { user_id: number | null; email: string | null } {
  if (sub === undefined && typeof email === 'string') return { user_id: null, email };
  return /^[1-9]\d{0,15}$/.test(String(sub))
    ? { user_id: Number(sub), email: null }
    : refuseJwt('jwt_claim_missing', 'A JWT needs sub, the id of a user, or email.');
}
