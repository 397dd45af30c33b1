// An app that speaks for itself, as the demo organisation's first app with a key of its own.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { TestAtrium } from './atrium.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const APP = 1;

/** Headers for one request; `scopes` is the ceiling of the app. */
export async function appJwt(
  atrium: TestAtrium,
  { scopes = ['users.passcodes.write'], claims = {} }: { scopes?: string[] | null; claims?: object } = {},
): Promise<Record<string, string>> {
  const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'own' }] };
  await atrium.call('PUT', `/v1/admin/apps/${APP}/jwt-settings`, { json: { jwks, scopes } });
  const exp = Math.floor(atrium.clock.micros() / 1_000_000) + 300;
  const jwt = new SignJWT({ sub: 'app', app_id: APP, exp, jti: randomUUID(), ...claims });
  const signed = await jwt.setProtectedHeader({ alg: 'ES256', kid: 'own' }).sign(privateKey);
  return { 'x-service-jwt': signed, 'x-service-jwt-keyid': 'own' };
}

/** As the identity provider says it. */
export const provision = (atrium: TestAtrium, user_id: number, fields: object) =>
  atrium.rows(
    `insert into scim_users (organisation_id, user_id, attributes) values (1, $1, $2)
     on conflict (organisation_id, user_id) do update set attributes = excluded.attributes`,
    [user_id, JSON.stringify({ 'urn:example:2.0:User': fields })],
  );
