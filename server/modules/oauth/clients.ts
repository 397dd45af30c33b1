// Programs register themselves (RFC 7591); what is registered is trusted in nothing but where it may send people back.
import { randomSecret } from '../../kernel/people/secrets.ts';

export class OAuthError extends Error {
  readonly error: string;
  readonly status: number;
  constructor(error: string, description: string, status = 400) {
    super(description);
    this.error = error;
    this.status = status;
  }
}

const URIS_MAX = 10;
const URI_LENGTH_MAX = 2048;
const NAME_LENGTH_MAX = 255;
/** RFC 8252 7.3: a program on the person's own machine listens at whatever port is free. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Schemes that a browser acts on by itself. */
const ACTIVE = new Set(['javascript:', 'data:', 'blob:', 'file:', 'about:', 'vbscript:', 'ws:', 'wss:', 'ftp:']);

export interface NewClient {
  readonly client_id: string;
  readonly name: string;
  readonly website: string | null;
  readonly redirect_uris: readonly string[];
}

/** From a request of RFC 7591 section 2. Every client is a public one: PKCE instead of a secret. */
export function registered({ redirect_uris, client_name, client_uri }: Record<string, unknown>): NewClient {
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || redirect_uris.length > URIS_MAX)
    throw new OAuthError('invalid_redirect_uri', `redirect_uris must be 1 to ${URIS_MAX} addresses.`);
  for (const uri of redirect_uris) refuseUnlessRedirect(uri);
  return {
    client_id: randomSecret(),
    name: typeof client_name === 'string' && client_name.trim() !== '' ? client_name.slice(0, NAME_LENGTH_MAX) : '?',
    website: typeof client_uri === 'string' && URL.parse(client_uri)?.protocol === 'https:' ? client_uri : null,
    redirect_uris,
  };
}

/** RFC 8252 7: https, http on the person's own machine, or a scheme of the program's own. */
function refuseUnlessRedirect(uri: unknown): void {
  const url = typeof uri === 'string' && uri.length <= URI_LENGTH_MAX ? URL.parse(uri) : null;
  const isPlain = url?.protocol === 'http:' && !LOOPBACK.has(url.hostname);
  if (!url || isPlain || ACTIVE.has(url.protocol) || url.hash !== '' || url.username !== '')
    throw new OAuthError(
      'invalid_redirect_uri',
      'A redirect URI is https, http on the loopback, or of a scheme of the program’s own; without a fragment.',
    );
}

/** Equal, but for the port on the loopback. */
export function isRedirect(given: string, known: readonly string[]): boolean {
  return known.includes(given) || known.some((one) => withoutPort(one) === withoutPort(given));
}
function withoutPort(uri: string): string {
  const url = URL.parse(uri);
  if (url?.protocol !== 'http:' || !LOOPBACK.has(url.hostname)) return uri;
  url.port = '';
  return url.href;
}
