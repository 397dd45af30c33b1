import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import type { Role } from '../../kernel/contract/contract.ts';
import { refuse } from '../../kernel/contract/errors.ts';
import { type Authenticator, refuseUnauthorized } from '../../kernel/people/auth.ts';
import { scopesOf } from '../../kernel/people/scopes.ts';
import { sha256 } from '../../kernel/people/secrets.ts';
import { sessionByHash, touchSession } from './queries.ts';

export const SESSION_COOKIE = 'atrium_session';
const TOUCH_EVERY_MS = 5 * 60_000;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Found {
  id: number;
  user_id: number;
  csrf_token: string;
  roles: Role[];
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
    const idle_ms = clock.micros() / 1000 - session.last_seen_ms;
    if (idle_ms > config.session_days * 86_400_000) return refuseUnauthorized();
    if (!SAFE_METHODS.has(request.method) && !same(String(request.headers['x-csrf-token'] ?? ''), session.csrf_token)) {
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
    };
  };

const same = (given: string, expected: string) =>
  given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
