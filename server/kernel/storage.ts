import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { UploadedFile } from './contract.ts';

export interface DirectUpload {
  url: string;
  headers: Record<string, string>;
}

/** Files by key. A key is made here and cannot be guessed; it never contains anything that a client sent. */
export interface Storage {
  newKey(): string;
  /** Bytes, or a file as it was uploaded, which is never read into memory whole. */
  put(organisation_id: number, content: Buffer | UploadedFile): Promise<string>;
  /** Writes under a key that is not taken yet; content that fails leaves nothing. False: the key is taken. */
  receive(organisation_id: number, key: string, content: AsyncIterable<Buffer>): Promise<boolean>;
  /** `range` in bytes, both ends included. */
  open(
    organisation_id: number,
    key: string,
    range?: { start: number; end: number },
  ): Promise<{ byte_size: number; stream: Readable } | undefined>;
  byteSize(organisation_id: number, key: string): Promise<number | undefined>;
  remove(organisation_id: number, key: string): Promise<void>;
  /** Where a client can PUT the bytes itself. Undefined: only through Atrium. */
  directUpload?(
    organisation_id: number,
    key: string,
    file: { content_type: string; byte_size: number },
    expires_s: number,
  ): Promise<DirectUpload>;
}

export const KEY = /^[A-Za-z0-9_-]{32}$/;
export const newKey = () => randomBytes(24).toString('base64url');

export function localStorage(folder: string): Storage {
  const pathOf = (organisation_id: number, key: string) => join(folder, String(organisation_id), key.slice(0, 2), key);
  const made = async (path: string) => {
    await mkdir(dirname(path), { recursive: true });
    return `${path}.part`;
  };
  return {
    newKey,
    async put(organisation_id, content) {
      const key = newKey();
      const path = pathOf(organisation_id, key);
      const part = await made(path);
      if (Buffer.isBuffer(content)) await writeFile(part, content, { flush: true });
      else if (content.path === undefined) await writeFile(part, await content.bytes(), { flush: true });
      else {
        const from = content.path;
        // The upload folder may be on another file system.
        await link(from, part).catch(() => copyFile(from, part));
      }
      await rename(part, path);
      return key;
    },
    async receive(organisation_id, key, content) {
      const path = pathOf(organisation_id, key);
      const part = `${await made(path)}-${newKey()}`;
      try {
        await pipeline(content, createWriteStream(part, { flush: true }));
        return await link(part, path).then(
          () => true,
          () => false,
        );
      } finally {
        await rm(part, { force: true });
      }
    },
    async open(organisation_id, key, range) {
      if (!KEY.test(key)) return undefined;
      const path = pathOf(organisation_id, key);
      const found = await stat(path).catch(() => undefined);
      return found && { byte_size: found.size, stream: createReadStream(path, range) };
    },
    byteSize: async (organisation_id, key) => (await stat(pathOf(organisation_id, key)).catch(() => undefined))?.size,
    async remove(organisation_id, key) {
      if (KEY.test(key)) await rm(pathOf(organisation_id, key), { force: true });
    },
  };
}
