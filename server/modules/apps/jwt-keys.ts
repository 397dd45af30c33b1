import { createPublicKey, type KeyObject, type webcrypto } from 'node:crypto';
import { refuse } from '../../kernel/errors.ts';
import type { JwtKeys } from './queries.ts';

const RSA_BITS_MIN = 2048;

/** Refuses what is no public key of a kind that user JWTs may be signed with. */
export function checkPublicKeys(keys: JwtKeys['keys']) {
  const wrong = (i: number, message: string) => refuse('jwks_invalid', message, { path: `jwks.keys[${i}]` });
  keys.forEach((jwk, i) => {
    if (jwk.d !== undefined) wrong(i, 'This is a private key. Send its public part, and do not use this key any more.');
    if (keys.some((other, j) => j < i && other.kid === jwk.kid)) wrong(i, 'Another key of the set has this kid.');
    const key = publicKeyOf(jwk);
    if (!key || !isStrong(key))
      wrong(i, `This is no public key of a kind that is taken: RSA of at least ${RSA_BITS_MIN} bits, P-256 or Ed25519.`);
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
  return asymmetricKeyType === 'ed25519' || (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1');
}
