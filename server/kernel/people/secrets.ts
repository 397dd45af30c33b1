import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { refuse } from '../contract/errors.ts';

/** 256 random bits; base64url. */
export const randomSecret = () => randomBytes(32).toString('base64url');
/** Enough for a secret of 256 random bits, which cannot be guessed; hex. A lookup by it compares nothing secret. */
export const sha256 = (secret: string) => hash('sha256', secret);

/** In a time that says nothing about where they differ. */
export const isSame = (given: string, expected: string) =>
  given.length === expected.length && timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)));

// OWASP's second choice for argon2id: 19 MiB, 2 passes, 1 lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/** Half of the processors, and half of libuv's four threads at most: the others are for files, which share them. */
const AT_ONCE = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)));
const WAITING_MAX = 500;
const waiting: (() => void)[] = [];
let running = 0;

const argon2id = promisify(argon2) as (algorithm: 'argon2id', parameters: object) => Promise<Buffer>;
/** In turn, a few at a time. */
async function derive(parameters: object): Promise<Buffer> {
  if (waiting.length >= WAITING_MAX)
    refuse('unavailable', 'Too many people sign in just now. Try again in a few seconds.', {
      headers: { 'retry-after': '5' },
    });
  if (running < AT_ONCE) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await argon2id('argon2id', parameters);
  } finally {
    // Whoever is next takes the place over.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

/** PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive({ ...cost, nonce, message: Buffer.from(password, 'utf8') });
  const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(nonce)}$${encode(tag)}`;
}

const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/;
/** Takes as long for an unknown person as for a wrong password. */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const found = parts.exec(stored ?? decoy);
  if (!found) return false;
  const [, memory, passes, parallelism, nonce = '', tag = ''] = found;
  const expected = Buffer.from(tag, 'base64');
  const given = await derive({
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
    nonce: Buffer.from(nonce, 'base64'),
    message: Buffer.from(password, 'utf8'),
  });
  return timingSafeEqual(given, expected) && stored != null;
}
const decoy =
  `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}` +
  `$${randomBytes(16).toString('base64')}$${randomBytes(32).toString('base64')}`;
