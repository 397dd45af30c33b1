// Somebody who is about to leave, with every way in that a person can have open.
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { type Call, signIn, type TestAtrium, world } from './atrium.ts';
import { scimOf } from './scim.ts';
import { PASSWORD } from './world.ts';

export interface Leaver {
  readonly id: number;
  readonly email: string;
}
export async function personWithPassword(atrium: TestAtrium, n: number): Promise<Leaver> {
  const email = `leaver.${n}@northwind.example`;
  const { body } = await scimOf(atrium)('POST', '/Users', {
    body: {
      userName: email,
      externalId: `L-${n}`,
      name: { givenName: 'Lee', familyName: String(n) },
      password: PASSWORD,
    },
  });
  return { id: Number(body.id), email };
}

const APP = 1;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
/** Lets the app act for people; returns what signs for one. */
export async function trustedApp(atrium: TestAtrium): Promise<(person: Leaver) => Promise<Record<string, string>>> {
  const jwk = { ...(publicKey.export({ format: 'jwk' }) as { kty: string }), kid: 'leavers', alg: 'EdDSA', use: 'sig' };
  assert.equal(
    (await atrium.call('PUT', `/v1/admin/apps/${APP}/jwt-settings`, { json: { jwks: { keys: [jwk] }, scopes: ['*'] } }))
      .status,
    200,
  );
  return async ({ id }) => ({
    'x-service-jwt': await new SignJWT({
      iss: String(APP),
      sub: String(id),
      jti: randomUUID(),
      exp: Math.floor(atrium.clock.micros() / 1_000_000) + 300,
    })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT' })
      .sign(privateKey),
    'x-service-jwt-keyid': 'leavers',
  });
}

export interface Everything {
  readonly session: Awaited<ReturnType<typeof signIn>>;
  /** Token of a personal key. */
  readonly key: string;
  /** Path of the calendar that has no other credential. */
  readonly feed: string;
}
/** A session, a personal key, a push subscription, a calendar feed and a pending job. */
export async function everythingOf(atrium: TestAtrium, { id, email }: Leaver): Promise<Everything> {
  const session = await signIn(atrium, email, PASSWORD);
  const made = async (...request: Parameters<Call>) => {
    const { status, body } = await session.call(...request);
    assert.equal(status, 201, JSON.stringify(body));
    return body.data;
  };
  const { api_key } = await made('POST', '/v1/keys', { json: { name: 'Mine', scopes: ['pages.*.read'] } });
  const { url } = await made('POST', '/v1/me/calendar-feed');
  await made('POST', '/v1/push/subscriptions', {
    json: { endpoint: `https://push.example.net/${randomUUID()}`, keys: browserKeys },
  });
  await atrium.rows(
    `insert into jobs (organisation_id, kind, payload, run_at)
     values ($1, 'remind', jsonb_build_object('user_id', $2::bigint), now() + interval '1 day')`,
    [world.northwind.organisation_id, id],
  );
  return { session, key: api_key, feed: new URL(url).pathname };
}
const browserKeys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};
