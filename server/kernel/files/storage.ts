import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { UploadedFile } from '../contract/schema.ts';

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
  /** The same content under a new key. Undefined: there is nothing under the old one. */
  copy(organisation_id: number, key: string): Promise<string | undefined>;
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

/** What is being written lies here, on the same file system, until it is whole. */
export const partsFolder = (folder: string) => join(folder, 'parts');

export function localStorage(folder: string): Storage {
  const pathOf = (organisation_id: number, key: string) => join(folder, String(organisation_id), key.slice(0, 2), key);
  /** Writes a part, then gives it its place; what fails leaves nothing. */
  const placed = async <Result>(
    write: (part: string) => Promise<void>,
    path: string,
    place: (part: string, path: string) => Promise<Result>,
  ) => {
    const part = join(partsFolder(folder), newKey());
    await Promise.all([mkdir(dirname(path), { recursive: true }), mkdir(dirname(part), { recursive: true })]);
    try {
      await write(part);
      return await place(part, path);
    } finally {
      await rm(part, { force: true });
    }
  };
  return {
    newKey,
    async put(organisation_id, content) {
      const key = newKey();
      const write = async (part: string) => {
        if (Buffer.isBuffer(content)) return writeFile(part, content, { flush: true });
        if (content.path === undefined) return writeFile(part, await content.bytes(), { flush: true });
        const from = content.path;
        // The upload folder may be on another file system.
        await link(from, part).catch(() => copyFile(from, part));
        return flushed(part);
      };
      await placed(write, pathOf(organisation_id, key), rename);
      return key;
    },
    receive: (organisation_id, key, content) =>
      placed(
        (part) => pipeline(content, createWriteStream(part, { flush: true })),
        pathOf(organisation_id, key),
        (part, path) =>
          link(part, path).then(
            () => true,
            (error) => (error.code === 'EEXIST' ? false : Promise.reject(error)),
          ),
      ),
    async copy(organisation_id, key) {
      const copy = newKey();
      const path = pathOf(organisation_id, copy);
      await mkdir(dirname(path), { recursive: true });
      return link(pathOf(organisation_id, key), path).then(
        () => copy,
        (error) => (error.code === 'ENOENT' ? undefined : Promise.reject(error)),
      );
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

async function flushed(path: string) {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

const STALE_MS = 24 * 3_600_000;
/** Removes what a process that was killed left half written. Nodes that share the folder may be writing there now. */
export async function discardStale(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > STALE_MS) await rm(path, { force: true });
  }
}
