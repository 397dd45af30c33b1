import type { Clock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import type { Role } from '../../kernel/contract/contract.ts';
import { refuse, refuseForbidden } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Client } from '../../kernel/http/routes.ts';
import { type Authenticator, refuseUnauthorized } from '../../kernel/people/auth.ts';
import { scopesOf } from '../../kernel/people/scopes.ts';
import { isSame, sha256 } from '../../kernel/people/secrets.ts';
import { HASHED, isOwnOrigin, sessionByHash, touchSession } from './queries.ts';

export const SESSION_COOKIE = 'atrium_session';
const TOUCH_EVERY_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Found {
  id: number;
  user_id: number;
  csrf_token: string;
  roles: Role[];
  created_ms: number;
  last_seen_ms: number;
}

/** The cookie is `<organisation id>.<secret>`. Writes also need the session's X-CSRF-Token. */
export const sessionAuthenticator =
  (clock: Clock, config: Config): Authenticator =>
  async (request, _header, db) => {
    const cookie = request.cookies[SESSION_COOKIE];
    if (cookie === undefined || request.headers.authorization !== undefined) return undefined;
    const [, organisation, secret = ''] = /^([1-9]\d{0,15})\.([\w-]{20,100})$/.exec(cookie) ?? [];
    if (!organisation) return refuseUnauthorized();
    const tx = db.inOrganisation(Number(organisation));
    const json = await tx.lookup(sessionByHash, sha256(secret));
    if (!json) return refuseUnauthorized();
    const session = JSON.parse(json) as Found;
    const now_ms = clock.micros() / 1000;
    const idle_ms = now_ms - session.last_seen_ms;
    const expires_ms = session.created_ms + config.session_days_max * DAY_MS;
    if (idle_ms > config.session_days * DAY_MS || now_ms > expires_ms) return refuseUnauthorized();
    const csrf_token = String(request.headers['x-csrf-token'] ?? '');
    if (
      !SAFE_METHODS.has(request.method) &&
      !isSame(csrf_token, csrfTokenOf(secret)) &&
      !isFormer(csrf_token, session)
    ) {
      refuse('csrf_token_required', 'Send the X-CSRF-Token that signing in returned.');
    }
    if (idle_ms > TOUCH_EVERY_MS) await touchSession(tx, session.id);
    return {
      kind: 'session',
      organisation_id: tx.organisation_id,
      user_id: session.user_id,
      is_person: true,
      scopes: scopesOf(session.roles),
      roles: session.roles,
      credential_id: session.id,
      expires_ms,
    };
  };

/** Of a session's secret, which the database does not have either. */
export const csrfTokenOf = (secret: string) => sha256(`X-CSRF-Token ${secret}`);
/** The secret in the cookie of a request that a session has made. */
export const secretIn = ({ cookies }: Pick<Client, 'cookies'>) => cookies[SESSION_COOKIE]?.split('.')[1] ?? '';

/** Sessions of the version before have a token of their own: its hash is kept, or itself while such nodes run. */
const isFormer = (given: string, { csrf_token: kept }: Found) =>
  isSame(kept.startsWith(HASHED) ? HASHED + sha256(given) : given, kept);

/**
 * Signing in needs no CSRF token, so that a page elsewhere could sign a person in as somebody else. Such a page cannot
 * send JSON without asking, and cannot send it without naming itself.
 */
export async function refuseForeignPage(tx: Tx, { headers, host }: Client) {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    refuse('unsupported_media_type', 'Sign in with a body of type application/json.');
  const { origin } = headers;
  if (origin === undefined || hostOf(origin) === host.toLowerCase() || (await isOwnOrigin(tx, origin))) return;
  refuseForbidden('Sign in from a page of this organisation, not from another site.');
}
const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : undefined);
