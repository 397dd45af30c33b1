import { createPublicKey, type webcrypto } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { refuse } from '../../kernel/contract/errors.ts';
import { type Egress, EgressFailure } from '../../kernel/delivery/egress.ts';
import type { JwtKeys } from './jwt-settings.ts';

const [RSA_BITS_MIN, RSA_BITS_MAX] = [2048, 8192];
/** Signatures by smaller ones can be forged where padding is checked badly (NIST SP 800-56B asks for this least). */
const RSA_EXPONENT_MIN = 65_537n;
const TAKEN = `RSA of ${RSA_BITS_MIN} to ${RSA_BITS_MAX} bits with an exponent of 65537 or more, P-256 or Ed25519`;
type Jwk = JwtKeys['keys'][number];

/** Refuses what is no public key of a kind that user JWTs may be signed with. */
export function checkPublicKeys(keys: readonly Jwk[]) {
  keys.forEach((jwk, n) => {
    const refuseKey = (message: string) => refuse('jwks_invalid', message, { path: `jwks.keys[${n}]` });
    if (jwk.d !== undefined)
      refuseKey('This is a private key. Send its public part, and do not use this key any more.');
    if (keys.slice(0, n).some(({ kid }) => kid === jwk.kid)) refuseKey('Another key of the set has this kid.');
    if (!isTaken(jwk)) refuseKey(`This is no public key of a kind that is taken: ${TAKEN}.`);
  });
}

function isTaken(jwk: Jwk): boolean {
  try {
    const key = createPublicKey({ key: jwk as webcrypto.JsonWebKey, format: 'jwk' });
    const { modulusLength = 0, publicExponent = 0n, namedCurve } = key.asymmetricKeyDetails ?? {};
    if (key.asymmetricKeyType === 'rsa')
      return modulusLength >= RSA_BITS_MIN && modulusLength <= RSA_BITS_MAX && publicExponent >= RSA_EXPONENT_MIN;
    return key.asymmetricKeyType === 'ed25519' || (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1');
  } catch {
    return false;
  }
}

// ---- Published keys ----------------------------------------------------------------------------------------------

const CACHED_MS = 5 * 60_000;
/** A kid that is not known is looked for again at most this often, whatever tokens somebody makes up. */
const REFETCHED_MS = 10_000;
const SET_BYTES_MAX = 64 * 1024;

interface KeySet {
  keys: Promise<readonly Jwk[]>;
  asked_ms: number;
  expires_ms: number;
}

/** The key with this kid at an app's address; undefined when there is none, or when the address does not answer. */
export function createPublishedKeys(egress: Egress, clock: Clock) {
  const sets = new Map<string, KeySet>();
  const now_ms = () => clock.micros() / 1000;
  const ask = (url: string, former?: KeySet) => {
    const asked_ms = now_ms();
    const set = { keys: read(egress, url), asked_ms, expires_ms: asked_ms + CACHED_MS };
    // A failure costs no keys that were there, and does not make them last longer.
    set.keys = set.keys.catch(() => {
      set.expires_ms = former?.expires_ms ?? set.expires_ms;
      return former?.keys ?? [];
    });
    sets.set(url, set);
    return set;
  };
  const find = async ({ keys }: KeySet, kid: string) => (await keys).find((key) => key.kid === kid);
  return async (url: string, kid: string): Promise<Jwk | undefined> => {
    const known = sets.get(url);
    const now = now_ms();
    if (!known || known.expires_ms <= now) return find(ask(url), kid);
    const found = await find(known, kid);
    if (found || now - known.asked_ms < REFETCHED_MS) return found;
    // Of those who miss a key at once, the first asks.
    const current = sets.get(url);
    return find(current && current !== known ? current : ask(url, known), kid);
  };
}

async function read(egress: Egress, url: string): Promise<readonly Jwk[]> {
  const headers = { accept: 'application/json' };
  const { status, body } = await egress.send({ method: 'GET', url, headers, answer_bytes_max: SET_BYTES_MAX });
  if (status !== 200) throw new Error(`The keys cannot be read: ${status}.`);
  const { keys = [] } = JSON.parse(body.toString('utf8')) as Partial<JwtKeys>;
  return keys.filter(isTaken);
}

/** The guard that decides when keys are read decides here too. */
export async function checkAddress(egress: Egress, url: string) {
  await egress.check(url).catch((error) => {
    if (error instanceof EgressFailure) refuse('url_refused', error.message, { path: 'jwks_url' });
    throw error;
  });
}
