// Standard Webhooks, the receiver's side: who has the secret wrote this body, a moment ago.
import { createHmac, timingSafeEqual } from 'node:crypto';

const PREFIX = 'whsec_';
const TOLERANCE_S = 300;

export class WebhookRefused extends Error {
  /**
   * @param {'missing_header' | 'too_old' | 'too_new' | 'wrong_signature' | 'malformed_body'} reason
   * @param {string} message
   */
  constructor(reason, message) {
    super(message);
    this.name = 'WebhookRefused';
    this.reason = reason;
  }
}

/**
 * Returns the event, or throws a WebhookRefused. `body` is what arrived, byte by byte: not parsed and written again.
 * Give both secrets while one is being replaced.
 */
export function verifyWebhook(body, headers, secrets, { toleranceSeconds = TOLERANCE_S, now = Date.now } = {}) {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  const at = /^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (Number.isNaN(at)) throw new WebhookRefused('missing_header', 'The header webhook-timestamp is no number.');
  const age = now() / 1000 - at;
  if (age > toleranceSeconds) throw new WebhookRefused('too_old', `It was sent more than ${toleranceSeconds} s ago.`);
  if (-age > toleranceSeconds)
    throw new WebhookRefused('too_new', `It was sent more than ${toleranceSeconds} s from now.`);
  const given = signatures
    .split(' ')
    .flatMap((entry) => (entry.startsWith('v1,') ? [Buffer.from(entry.slice(3), 'base64')] : []));
  const expected = [secrets].flat().map((secret) => hmac(secret, `${id}.${timestamp}.${text}`));
  const known = expected.some((mac) => given.some((one) => one.length === mac.length && timingSafeEqual(one, mac)));
  if (!known) throw new WebhookRefused('wrong_signature', 'No signature is by a known secret.');
  try {
    return JSON.parse(text);
  } catch {
    throw new WebhookRefused('malformed_body', 'The body is no JSON.');
  }
}

function hmac(secret, text) {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  // Anybody can sign with an empty key.
  if (key.length === 0) throw new TypeError('The secret is empty.');
  return createHmac('sha256', key).update(text).digest();
}

/** Node's lower-case object, a Headers, or an object in any case. */
function headerOf(headers, name) {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : (headers[name] ?? Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]);
  const text = Array.isArray(value) ? value.join(' ') : value;
  if (typeof text !== 'string' || text === '')
    throw new WebhookRefused('missing_header', `The header ${name} is missing.`);
  return text;
}
