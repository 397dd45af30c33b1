// Access tokens: `ato_<organisation id>_<secret>`, good for /mcp and nothing else, so that whoever holds one cannot go
// past the confirmation that tools ask for.
import type { Clock } from '../../kernel/clock.ts';
import type { Role } from '../../kernel/contract/contract.ts';
import { type Authenticator, refuseUnauthorized } from '../../kernel/people/auth.ts';
import { common, lentRoles, openToJwts, scopesOf } from '../../kernel/people/scopes.ts';
import { randomSecret, sha256 } from '../../kernel/people/secrets.ts';
import type { Grantable } from './contract.ts';
import { grantByAccess } from './queries.ts';

export const RESOURCE = '/mcp';
const TOKEN = /^Bearer\s+(ato_([1-9]\d{0,15})_[\w-]{20,100})$/i;

interface Found {
  id: number;
  user_id: number;
  scopes: Grantable[];
  roles: Role[];
  expires_ms: number;
}

export const newAccessToken = (organisation_id: number) => `ato_${organisation_id}_${randomSecret()}`;

export const grantAuthenticator =
  (clock: Clock): Authenticator =>
  async (request, _header, db) => {
    const [, token, organisation] = TOKEN.exec(request.headers.authorization ?? '') ?? [];
    if (!token) return undefined;
    const json = await db.inOrganisation(Number(organisation)).lookup(grantByAccess, sha256(token));
    const grant = json && (JSON.parse(json) as Found);
    const isHere = request.routeOptions.url === RESOURCE;
    if (!grant || grant.expires_ms <= clock.micros() / 1000 || !isHere) return refuseUnauthorized();
    const roles = grant.roles.filter((role) => lentRoles.includes(role));
    const held = openToJwts(scopesOf(roles));
    return {
      kind: 'grant',
      organisation_id: Number(organisation),
      user_id: grant.user_id,
      is_person: true,
      scopes: grant.scopes.includes('write') ? held : common(held, ['*.*.read']),
      roles,
      credential_id: grant.id,
      expires_ms: grant.expires_ms,
    };
  };
