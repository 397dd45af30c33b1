// Standard Webhooks: `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64, one for each secret that is in
// use.
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** 24 to 64 bytes are allowed. */
const SECRET_BYTES = 32;
export const newSigningSecret = () => PREFIX + randomBytes(SECRET_BYTES).toString('base64');
export const signingKeyOf = (secret: string) => createSecretKey(secret.slice(PREFIX.length), 'base64');

export interface Signed {
  id: string;
  /** Unix seconds. */
  timestamp: number;
  body: Uint8Array;
}
export const signatures = (keys: readonly KeyObject[], { id, timestamp, body }: Signed): string =>
  keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`)
    .join(' ');
