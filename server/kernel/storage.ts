import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

/** Files by key. A key is made here and cannot be guessed; it never contains anything that a client sent. */
export interface Storage {
  put(organisation_id: number, bytes: Buffer): Promise<string>;
  open(organisation_id: number, key: string): Promise<{ byte_size: number; stream: Readable } | undefined>;
  remove(organisation_id: number, key: string): Promise<void>;
}

const KEY = /^[A-Za-z0-9_-]{32}$/;

export function localStorage(folder: string): Storage {
  const pathOf = (organisation_id: number, key: string) => join(folder, String(organisation_id), key.slice(0, 2), key);
  return {
    async put(organisation_id, bytes) {
      const key = randomBytes(24).toString('base64url');
      const path = pathOf(organisation_id, key);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(`${path}.part`, bytes, { flush: true });
      await rename(`${path}.part`, path);
      return key;
    },
    async open(organisation_id, key) {
      if (!KEY.test(key)) return undefined;
      const path = pathOf(organisation_id, key);
      const found = await stat(path).catch(() => undefined);
      return found && { byte_size: found.size, stream: createReadStream(path) };
    },
    async remove(organisation_id, key) {
      if (KEY.test(key)) await rm(pathOf(organisation_id, key), { force: true });
    },
  };
}
