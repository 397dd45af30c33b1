import type { WebhookEvent } from './api.d.ts';

export type { WebhookAction, WebhookEvent, WebhookMeta } from './api.d.ts';

export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;
export interface VerifyOptions {
  /** How far the time of sending may be from now; 300 s. */
  toleranceSeconds?: number;
  /** Milliseconds since 1970; Date.now. */
  now?: () => number;
}
export class WebhookRefused extends Error {
  readonly reason: 'missing_header' | 'too_old' | 'too_new' | 'wrong_signature' | 'malformed_body';
}
/**
 * Returns the event, or throws a WebhookRefused. `body` is what arrived, byte by byte.
 * Give both secrets while one is being replaced.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: VerifyOptions,
): WebhookEvent;
