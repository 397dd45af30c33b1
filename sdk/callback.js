// Is this callback from my organisation, for my bot, fresh, and about this very body?
// No dependencies: Node's own crypto checks the signature (RS256, RFC 7518 3.3).
import { createHash, createPublicKey, timingSafeEqual, verify } from 'node:crypto';

const CACHED_MS = 5 * 60_000;
/** A kid that is not known is looked for again at most this often, whatever tokens somebody makes up. */
const REFETCHED_MS = 10_000;
const FETCH_MS = 5000;

export class CallbackRefused extends Error {
  constructor(reason, message) {
    super(message);
    this.name = 'CallbackRefused';
    this.reason = reason;
  }
}
const refuse = (reason, message) => {
  throw new CallbackRefused(reason, message);
};

export async function verifyCallback(jwt, body, options) {
  const { baseUrl, botUserId, toleranceSeconds = 5, now = Date.now, fetch: get = fetch } = options;
  if (!jwt) refuse('missing', 'The callback carries no JWT.');
  const [head, claimed, signature, ...more] = jwt.split('.');
  if (!head || !claimed || !signature || more.length > 0) refuse('malformed', 'This is no signed JWT.');
  const header = decoded(head);
  const claims = decoded(claimed);
  // Whatever the token says about itself, it is checked as RS256: a public key never serves as a secret.
  if (header.alg !== 'RS256') refuse('algorithm', 'Callbacks are signed with RS256.');
  // Extensions that must be understood (RFC 7515 4.1.11); none is.
  if (header.crit !== undefined) refuse('extension', 'The JWT asks for an extension that is not known here.');
  const base = baseUrl.replace(/\/+$/, '');
  const published = `${base}/.well-known/jwks.json`;
  if (claims.publicKeyUrl !== published) refuse('key_address', 'The JWT names keys of somewhere else.');
  const key = await keyOf(options.jwksUrl ?? published, header.kid, get);
  if (!verify('RSA-SHA256', Buffer.from(`${head}.${claimed}`), key, Buffer.from(signature, 'base64url')))
    refuse('signature', 'The signature is not of this JWT.');
  const seconds = now() / 1000;
  if (typeof claims.exp !== 'number' || claims.exp + toleranceSeconds <= seconds)
    refuse('expired', 'The JWT has expired.');
  if (typeof claims.nbf === 'number' && claims.nbf - toleranceSeconds > seconds)
    refuse('not_yet_valid', 'The JWT is not valid yet.');
  if (claims.iss !== base) refuse('issuer', 'The JWT is of another organisation.');
  if (![botUserId].flat().includes(claims.aud)) refuse('audience', 'The JWT is for another bot.');
  if (!sameHash(claims.body_sha256, createHash('sha256').update(body).digest()))
    refuse('body', 'The JWT was made for another body.');
  return claims;
}

function decoded(part) {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  return refuse('malformed', 'This is no signed JWT.');
}

function sameHash(hex, expected) {
  const given = Buffer.from(typeof hex === 'string' ? hex : '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** By address: a promise of the keys by kid, and when they were asked for. Those who ask at once share it. */
const sets = new Map();

async function keyOf(url, kid, get) {
  const known = sets.get(url);
  const age = known ? Date.now() - known.asked_at : CACHED_MS;
  const keys = await (age < CACHED_MS ? known.keys : freshKeys(url, get));
  const key =
    keys.get(kid) ?? (age >= REFETCHED_MS && age < CACHED_MS ? (await refreshed(url, known, get)).get(kid) : undefined);
  return key ?? refuse('unknown_key', 'The JWT was signed with a key that is not published.');
}

/** Of those who miss a key at once, the first asks. */
function refreshed(url, known, get) {
  const current = sets.get(url);
  return current && current !== known ? current.keys : freshKeys(url, get);
}

function freshKeys(url, get) {
  const before = sets.get(url);
  const set = { keys: fetchKeys(url, get), asked_at: Date.now() };
  sets.set(url, set);
  // A failure is told to those who wait for it, and costs no keys that were there.
  set.keys.catch(() => sets.get(url) === set && (before ? sets.set(url, before) : sets.delete(url)));
  return set.keys;
}

async function fetchKeys(url, get) {
  const response = await get(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_MS) });
  if (!response.ok) throw new Error(`The keys at ${url} cannot be read: ${response.status}.`);
  const jwks = await response.json();
  const usable = (jwks.keys ?? []).filter(({ kty, use }) => kty === 'RSA' && (use === undefined || use === 'sig'));
  return new Map(usable.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })]));
}
