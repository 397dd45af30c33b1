// Secrets that must be used again, kept sealed in the database: AES-256-GCM,
// with a key that the database does not have.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';

export interface Sealing {
  /** `purpose` says what the secret is of; what was sealed for one purpose opens for no other. */
  seal(purpose: string, secret: string): string;
  /** A key for this purpose alone, always the same; hex. */
  keyFor(purpose: string): string;
  /** Throws when the key or the purpose is another one, or the text was changed. */
  open(purpose: string, sealed: string): string;
  /** Equal for equal keys, and tells nothing of them. */
  fingerprint(): string;
}

/** Purpose of the key that addresses of files are signed with. */
export const FILE_KEY = 'addresses of files';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1.';

export function createSealing(config: Pick<Config, 'secret_key' | 'data_dir'>): Sealing {
  let key: Buffer | undefined;
  const theKey = () => {
    key ??= keyOf(config);
    return key;
  };
  return {
    keyFor: (purpose) => Buffer.from(hkdfSync('sha256', theKey(), '', purpose, KEY_BYTES)).toString('hex'),
    seal(purpose, secret) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', theKey(), iv).setAAD(Buffer.from(purpose));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return VERSION + Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
    },
    open(purpose, sealed) {
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', theKey(), bytes.subarray(0, IV_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
    },
    fingerprint: () => createHmac('sha256', theKey()).update('fingerprint').digest('hex'),
  };
}

/** From the setting, else from a file in the data folder that is made once. */
function keyOf({ secret_key, data_dir }: Pick<Config, 'secret_key' | 'data_dir'>): Buffer {
  const path = keyFile(data_dir);
  if (secret_key === undefined && !existsSync(path)) makeKey(data_dir, path);
  const key = Buffer.from(secret_key ?? readFileSync(path, 'utf8'), 'base64');
  if (key.length !== KEY_BYTES)
    throw new Error(
      `${secret_key === undefined ? path : 'ATRIUM_SECRET_KEY'} must be ${KEY_BYTES} bytes in base64, ` +
        'for example from: openssl rand -base64 32',
    );
  return key;
}

export const keyFile = (data_dir: string) => join(data_dir, 'secret.key');

/** Whole at once: a node that shares the folder reads it when it is there. */
function makeKey(data_dir: string, path: string) {
  mkdirSync(data_dir, { recursive: true });
  const fresh = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(fresh, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(fresh, path);
  } catch (error) {
    // A command that runs beside the server, or another node, made it first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh);
  }
}
