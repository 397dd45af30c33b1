// Access tokens of OAuth 2.0 client credentials (RFC 6749 4.4), in the memory of this node, one for a subscription.
import { EgressFailure } from '../../kernel/delivery/egress.ts';
import type { Services } from '../../kernel/http/routes.ts';

export interface Client {
  /** Of the subscription as it is now: a changed subscription is another client. */
  key: string;
  version: string;
  login_url: string;
  client_id: string;
  client_secret: string;
  form_params: Readonly<Record<string, string>>;
}
interface Token {
  access_token: string;
  good_until_micros: number;
}
type Tokens = Map<string, { version: string; token: Promise<Token> }>;
const tokensOfNodes = new WeakMap<Services, Tokens>();

const ANSWER_BYTES_MAX = 64 * 1024;
/** RFC 6749 5.1 leaves it to the server's documentation when `expires_in` is missing. */
const LIFETIME_S = 300;
/** A token is not used in the last fifth of its life, at most 30 s: a delivery is on its way for a while. */
const margin = (lifetime_s: number) => Math.min(30, lifetime_s / 5);

/**
 * The header to send with. After a 401 `renew` asks for another token than the last one, which somebody may have
 * already.
 */
export function authoriserOf(services: Services, client: Client) {
  const tokens: Tokens = tokensOfNodes.get(services) ?? new Map();
  tokensOfNodes.set(services, tokens);
  const fetched = () => {
    const entry = { version: client.version, token: fetchToken(services, client) };
    tokens.set(client.key, entry);
    entry.token.catch(() => tokens.get(client.key) === entry && tokens.delete(client.key));
    return entry.token;
  };
  const current = async (): Promise<string> => {
    const known = tokens.get(client.key);
    const token = known?.version === client.version ? await known.token : undefined;
    if (token && services.clock.micros() < token.good_until_micros) return token.access_token;
    // Whoever waited for the same token finds what the first of them fetches.
    const newer = tokens.get(client.key);
    const next = newer && newer !== known && newer.version === client.version ? newer.token : fetched();
    return (await next).access_token;
  };
  let used: string | undefined;
  return async (renew: boolean): Promise<Record<string, string>> => {
    let token = await current();
    if (renew && token === used) {
      const known = tokens.get(client.key);
      if (known && (await known.token).access_token === used && tokens.get(client.key) === known) fetched();
      token = await current();
    }
    used = token;
    return { authorization: `Bearer ${token}` };
  };
}

async function fetchToken({ egress, clock }: Services, client: Client): Promise<Token> {
  const { login_url: url, client_id, client_secret, form_params } = client;
  const asked_micros = clock.micros();
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, ...form_params });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const answer = await egress
    .send({ method: 'POST', url, headers, body: body.toString(), answer_bytes_max: ANSWER_BYTES_MAX })
    .catch((error) => {
      throw error instanceof EgressFailure ? new EgressFailure(`token_${error.kind}`, error.message) : error;
    });
  if (answer.status < 200 || answer.status >= 300)
    throw new EgressFailure(`token_status_${answer.status}`, `The token request was answered with ${answer.status}.`);
  const { access_token, expires_in } = parsed(answer.body);
  // RFC 6750 2.1: the characters that a bearer token may have.
  if (typeof access_token !== 'string' || !/^[\w~+/.-]+=*$/.test(access_token))
    throw new EgressFailure('token_invalid', 'The answer to the token request has no access_token.');
  const given = Number(expires_in);
  const lifetime_s = expires_in !== undefined && Number.isFinite(given) && given > 0 ? given : LIFETIME_S;
  return { access_token, good_until_micros: asked_micros + (lifetime_s - margin(lifetime_s)) * 1e6 };
}

function parsed(body: Buffer): { access_token?: unknown; expires_in?: unknown } {
  try {
    return JSON.parse(body.toString('utf8')) ?? {};
  } catch {
    return {};
  }
}
