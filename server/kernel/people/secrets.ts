import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(argon2) as (algorithm: 'argon2id', parameters: object) => Promise<Buffer>;

/** 256 random bits; base64url. */
export const randomSecret = () => randomBytes(32).toString('base64url');
/** Enough for a secret of 256 random bits, which cannot be guessed; hex. A lookup by it compares nothing secret. */
export const sha256 = (secret: string) => hash('sha256', secret);

// OWASP's second choice for argon2id: 19 MiB, 2 passes, 1 lane.
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/** PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive('argon2id', { ...cost, nonce, message: Buffer.from(password, 'utf8') });
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
  const given = await derive('argon2id', {
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
