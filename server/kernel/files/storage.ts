// Files by key: what people upload, thumbnails, pictures. Read this file first of this room: it says what a storage
// does, and does it in a folder. s3-storage.ts does the same in a bucket, and chooses between the two.
//
//   Key          32 random characters, made here. Nothing that a client sent is in it, nobody guesses it, and it means
//                something in its own organisation only. Rows of the database know what lies under it.
//
//   In, with     kernel/http/form.ts reads the files of a request, small ones into memory, large ones to the upload
//   a request    folder. The module looks at what they are (modules/assets/inspection.ts), and `put` stores them
//                before the row is written. Whoever fails to write the row removes the file.
//
//   In, alone    A client with a large file asks for an address first, and sends the bytes there: to Atrium, where
//                `receive` takes them (modules/assets/files.ts), or to the bucket (`directUpload`). Then it confirms.
//                As the address stays open for a while, what is confirmed is a `copy` that only the server can reach
//                (modules/assets/confirmation.ts).
//
//   Out          By a signed address; `open` gives a stream, of all or of a range (modules/assets/files.ts). Readers
//                are never sent to a bucket.
//
//   Away         What no row uses any more is removed by a job of the module that owns the row. To remove what is not
//                there is no error: a job may run twice.
//
// In a folder, a file is written and flushed among the parts, and gets its place by one rename or link. So what has a
// key is whole, whenever the process is killed; what was left among the parts is discarded at a later start.
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What is stored: bytes, or a file of this machine, which is never read into memory whole. */
export type Content = Buffer | { path: string };

export interface Storage {
  /** Returns its key. */
  put(organisation_id: number, content: Content): Promise<string>;
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
  /** Where a client can PUT the bytes itself. Without it: only through Atrium. */
  directUpload?(
    organisation_id: number,
    key: string,
    file: { content_type: string; byte_size: number },
    expires_s: number,
  ): Promise<{ url: string; headers: Record<string, string> }>;
}

const KEY = /^[A-Za-z0-9_-]{32}$/;
export const newKey = () => randomBytes(24).toString('base64url');

/** What is being written lies here, on the same file system, until it is whole. */
export const partsFolder = (folder: string) => join(folder, 'parts');

/** For `catch`: what an error of this code means. */
const meaning =
  <Value>(code: string, value: Value) =>
  (error: { code?: string }): Value => {
    if (error.code === code) return value;
    throw error;
  };

export function localStorage(folder: string): Storage {
  const pathOf = (organisation_id: number, key: string) => join(folder, String(organisation_id), key.slice(0, 2), key);
  /** Writes a part, then gives it its place; what fails leaves nothing. */
  const placed = async <Result>(
    path: string,
    write: (part: string) => Promise<void>,
    place: (part: string, path: string) => Promise<Result>,
  ) => {
    const part = join(partsFolder(folder), newKey());
    await Promise.all([path, part].map((each) => mkdir(dirname(each), { recursive: true })));
    try {
      await write(part);
      return await place(part, path);
    } finally {
      await rm(part, { force: true });
    }
  };
  const byteSize = async (organisation_id: number, key: string) =>
    KEY.test(key) ? (await stat(pathOf(organisation_id, key)).catch(() => undefined))?.size : undefined;
  return {
    byteSize,
    async put(organisation_id, content) {
      const key = newKey();
      const write = async (part: string) => {
        if (Buffer.isBuffer(content)) return writeFile(part, content, { flush: true });
        // The upload folder may be on another file system.
        await link(content.path, part).catch(() => copyFile(content.path, part));
        await using file = await open(part, 'r+');
        await file.datasync();
      };
      await placed(pathOf(organisation_id, key), write, rename);
      return key;
    },
    receive: (organisation_id, key, content) =>
      placed(
        pathOf(organisation_id, key),
        (part) => pipeline(content, createWriteStream(part, { flush: true })),
        (part, path) => link(part, path).then(() => true, meaning('EEXIST', false)),
      ),
    async copy(organisation_id, key) {
      const copy = newKey();
      const path = pathOf(organisation_id, copy);
      await mkdir(dirname(path), { recursive: true });
      return link(pathOf(organisation_id, key), path).then(() => copy, meaning('ENOENT', undefined));
    },
    async open(organisation_id, key, range) {
      const byte_size = await byteSize(organisation_id, key);
      const path = pathOf(organisation_id, key);
      return byte_size === undefined ? undefined : { byte_size, stream: createReadStream(path, range) };
    },
    async remove(organisation_id, key) {
      if (KEY.test(key)) await rm(pathOf(organisation_id, key), { force: true });
    },
  };
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
