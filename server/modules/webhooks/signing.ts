// Standard Webhooks: `v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<body>` in base64, one for each secret that is in use.
import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** 24 to 64 bytes are allowed. */
const SECRET_BYTES = 32;
export const newSigningSecret = () => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

export interface Signed {
  id: string;
  /** Unix seconds. */
  timestamp: number;
  body: string;
}
export const signatures = (secrets: readonly string[], { id, timestamp, body }: Signed): string =>
  secrets
    .map((secret) => createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64')).update(`${id}.${timestamp}.${body}`))
    .map((mac) => `v1,${mac.digest('base64')}`)
    .join(' ');
