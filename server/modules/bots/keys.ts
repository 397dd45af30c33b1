// The key pairs that sign callbacks. A new one is published for a while before it signs, and the one before it for a
// day after it has signed for the last time, so that no receiver meets a key it cannot find.
import { createPrivateKey, generateKeyPair, type KeyObject, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import type { Sealing } from '../../kernel/people/sealing.ts';

export interface SigningKey {
  kid: string;
  key: KeyObject;
}

const RSA_BITS = 2048;
/** Longer than receivers may cache the published keys. */
const ANNOUNCED_MINUTES = 10;
/** The former key stays published for so long after the next one has begun to sign. */
const OVERLAP_MINUTES = 24 * 60;
const purpose = (tx: Tx, kid: string) => `callback key ${tx.organisation_id} ${kid}`;
const opened = new Map<string, KeyObject>();

/** The key that signs now; the first one is made when it is first needed. */
export async function signingKey(tx: Tx, sealing: Sealing): Promise<SigningKey> {
  const found = await findSigningKey(tx);
  if (!found) {
    await tx.transaction(async (inside) => {
      await lockKeys(inside);
      if (!(await findSigningKey(inside))) await makeKey(inside, sealing, 0);
    });
    return signingKey(tx, sealing);
  }
  const key = opened.get(found.kid) ?? createPrivateKey(sealing.open(purpose(tx, found.kid), found.private_key_sealed));
  opened.set(found.kid, key);
  return { kid: found.kid, key };
}

/** A new key, which signs in ten minutes, or at once when the former one is known to somebody else. */
export async function rotateKey(tx: Tx, sealing: Sealing, is_leaked: boolean): Promise<Json> {
  await signingKey(tx, sealing);
  return tx.transaction(async (inside) => {
    await lockKeys(inside);
    await retireKeys(inside, is_leaked ? 0 : ANNOUNCED_MINUTES + OVERLAP_MINUTES);
    await makeKey(inside, sealing, is_leaked ? 0 : ANNOUNCED_MINUTES);
    return listKeys(inside);
  });
}

async function makeKey(tx: Tx, sealing: Sealing, minutes: number) {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: RSA_BITS });
  const kid = randomUUID();
  const { kty, n, e } = publicKey.export({ format: 'jwk' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  await insertKey(tx, kid, { kty, use: 'sig', alg: 'RS256', kid, n, e }, sealing.seal(purpose(tx, kid), pem), minutes);
}

// ---- Statements --------------------------------------------------------------------------------------------------

const after = (now: string, minutes: number) => sql`${now}::timestamptz + make_interval(mins => ${minutes})`;
const isPublished = (now: string) => sql`
  organisation_id = $1 and (expires_at is null or expires_at > ${now}::timestamptz)`;

const findSigningKey = (tx: Tx) =>
  tx.row<{ kid: string; private_key_sealed: string }>(sql`
    select kid, private_key_sealed from callback_keys
    where ${isPublished(tx.now())} and signs_from <= ${tx.now()}::timestamptz order by signs_from desc limit 1`);
const lockKeys = (tx: Tx) => tx.rows(sql`select id from organisations where id = $1 for no key update`);
const insertKey = (tx: Tx, kid: string, public_jwk: object, private_key_sealed: string, minutes: number) =>
  tx.rows(sql`
    insert into callback_keys (organisation_id, kid, public_jwk, private_key_sealed, created_at, signs_from)
    values ($1, ${kid}, ${JSON.stringify(public_jwk)}::json, ${private_key_sealed}, ${tx.now()},
      ${after(tx.now(), minutes)})`);
/** Keys that have no end yet end after so many minutes; with none, all of them do. */
const retireKeys = (tx: Tx, minutes: number) =>
  tx.rows(sql`
    update callback_keys set expires_at = least(expires_at, ${after(tx.now(), minutes)})
    where organisation_id = $1 and (expires_at is null or ${minutes}::int = 0)`);
export const listKeys = (tx: Tx) =>
  tx.json(sql`
    select coalesce(json_agg(json_build_object(
        'kid', kid, 'created_at', iso(created_at), 'signs_from', iso(signs_from), 'expires_at', iso(expires_at)
      ) order by signs_from desc, kid), '[]')::text as json
    from callback_keys where ${isPublished(tx.now())}`) as Promise<Json>;
/** The JSON Web Key Set (RFC 7517 5). */
export const publishedKeys = (tx: Tx) =>
  tx.json(sql`
    select json_build_object('keys', coalesce(json_agg(public_jwk order by signs_from desc, kid), '[]'))::text as json
    from callback_keys where ${isPublished(tx.now())}`) as Promise<Json>;
export const findPublishedKey = (tx: Tx, kid: string) =>
  tx.json(sql`select public_jwk::text as json from callback_keys where ${isPublished(tx.now())} and kid = ${kid}`);
export const deleteExpiredKeys = (tx: Tx) =>
  tx.rows(sql`delete from callback_keys where organisation_id = $1 and expires_at < ${tx.now()}::timestamptz`);
