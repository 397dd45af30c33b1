import { createPublicKey, type KeyObject, type webcrypto } from 'node:crypto';
import { refuse } from '../../kernel/contract/errors.ts';
import { type Egress, EgressFailure } from '../../kernel/delivery/egress.ts';
import type { JwtKeys } from './jwt-settings.ts';

const RSA_BITS_MIN = 2048;

/** Refuses what is no public key of a kind that user JWTs may be signed with. */
export function checkPublicKeys(keys: JwtKeys['keys']) {
  const wrong = (i: number, message: string) => refuse('jwks_invalid', message, { path: `jwks.keys[${i}]` });
  keys.forEach((jwk, i) => {
    if (jwk.d !== undefined) wrong(i, 'This is a private key. Send its public part, and do not use this key any more.');
    if (keys.some((other, j) => j < i && other.kid === jwk.kid)) wrong(i, 'Another key of the set has this kid.');
    const key = publicKeyOf(jwk);
    if (!key || !isStrong(key))
      wrong(
        i,
        `This is no public key of a kind that is taken: RSA of at least ${RSA_BITS_MIN} bits, P-256 or Ed25519.`,
      );
  });
}

function publicKeyOf(jwk: JwtKeys['keys'][number]): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk as webcrypto.JsonWebKey, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function isStrong({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_BITS_MIN;
  return (
    asymmetricKeyType === 'ed25519' || (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1')
  );
}

// ---- Published keys ----------------------------------------------------------------------------------------------

const CACHED_MS = 5 * 60_000;
/** A kid that is not known is looked for again at most this often, whatever tokens somebody makes up. */
const REFETCHED_MS = 10_000;
const SET_BYTES_MAX = 64 * 1024;

interface KeySet {
  keys: Promise<JwtKeys['keys']>;
  asked_ms: number;
  expires_ms: number;
}

/** The key with this kid at an app's address; undefined when there is none, or when the address does not answer. */
export function createPublishedKeys(
  egress: Egress,
): (url: string, kid: string) => Promise<JwtKeys['keys'][number] | undefined> {
  const sets = new Map<string, KeySet>();
  const ask = (url: string, former?: KeySet) => {
    const asked_ms = performance.now();
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
  return async (url, kid) => {
    const known = sets.get(url);
    const now = performance.now();
    if (!known || known.expires_ms <= now) return find(ask(url), kid);
    const found = await find(known, kid);
    if (found || now - known.asked_ms < REFETCHED_MS) return found;
    // Of those who miss a key at once, the first asks.
    const current = sets.get(url);
    return find(current && current !== known ? current : ask(url, known), kid);
  };
}

async function read(egress: Egress, url: string): Promise<JwtKeys['keys']> {
  const { status, body } = await egress.send({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    answer_bytes_max: SET_BYTES_MAX,
  });
  if (status !== 200) throw new Error(`The keys cannot be read: ${status}.`);
  const { keys = [] } = JSON.parse(body.toString('utf8')) as Partial<JwtKeys>;
  return keys.filter((jwk) => {
    const key = publicKeyOf(jwk);
    return key !== undefined && isStrong(key);
  });
}

/** The guard that decides when keys are read decides here too. */
export async function checkAddress(egress: Egress, url: string) {
  await egress.check(url).catch((error) => {
    if (error instanceof EgressFailure) refuse('url_refused', error.message, { path: 'jwks_url' });
    throw error;
  });
}
