// What the parts of a multipart form become: text, and files in memory or on disk, all within limits.
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { refuse, refuseInvalid } from '../contract/errors.ts';
import type { UploadedFile } from '../contract/schema.ts';
import type { BodyLimits } from './body-limits.ts';
import { firstKey } from './fields.ts';
import { refuseUnlessBounded } from './json.ts';
import { textOf } from './text.ts';

export type FileLimits = Pick<Config, 'file_bytes_max' | 'upload_folder'>;
export type FormLimits = FileLimits & Omit<BodyLimits, 'isOpen'>;

/** What the headers of a part say. */
export interface PartHead {
  name: string;
  /** Of a file, even when it is empty. Some clients send none: in fields that take files, every part is one. */
  file_name: string | undefined;
  /** Empty where it says none. */
  content_type: string;
}

interface Part {
  name: string;
  write(piece: Buffer): void | Promise<void>;
  /** When the whole form is read. */
  value(): unknown;
}

const refuseSize = (message: string, path?: string) => refuse('payload_too_large', message, { path });

/** `isRead` takes the names as they come; of a text that is not read only its name is kept. */
export function formWithin(limits: FormLimits, isSmall: boolean, isRead: (name: string) => boolean) {
  const { text_bytes_max, file_fields, file_bytes_max, files_max } = limits;
  const { create, close, discard } = filesIn(isSmall ? undefined : limits.upload_folder);
  const parts: Part[] = [];
  let files = 0;
  let text_bytes = 0;

  const counted = (piece: Buffer) => {
    text_bytes += piece.length;
    if (text_bytes > text_bytes_max) refuseSize(`The text fields are larger than ${text_bytes_max} bytes together.`);
  };
  const unread = (name: string): Part => ({ name: firstKey(name), write: counted, value: () => '' });
  const text = ({ name, content_type }: PartHead): Part => {
    const pieces: Buffer[] = [];
    return {
      name,
      write(piece) {
        counted(piece);
        pieces.push(piece);
      },
      value() {
        const bytes = Buffer.concat(pieces);
        if (isJson(content_type)) refuseUnlessBounded(bytes);
        const written = textOf(bytes, content_type, `The field "${name}"`, name);
        return isJson(content_type) ? jsonOf(written, name) : written;
      },
    };
  };
  const file = async ({ name, file_name, content_type }: PartHead): Promise<Part> => {
    if (files_max === 0) refuseInvalid(name, 'must not be a file');
    if (++files > files_max) refuseSize(`A request may carry at most ${files_max} files.`, name);
    const { write, ...stored } = await create();
    let byte_size = 0;
    return {
      name,
      write(piece) {
        byte_size += piece.length;
        if (byte_size > file_bytes_max) refuseSize(`The file "${name}" is larger than ${file_bytes_max} bytes.`, name);
        return write(piece);
      },
      // Nothing, without a file name, is how a form empties a field.
      value: () =>
        byte_size === 0 && file_name === undefined
          ? ''
          : { file_name: file_name ?? '', content_type, byte_size, ...stored },
    };
  };
  return {
    /** A promise only where there is something to wait for: most forms are a few lines of text. */
    open(head: PartHead): void | Promise<void> {
      const isKnown = isRead(head.name);
      const isFile = head.file_name !== undefined && !isJson(head.content_type);
      if (isFile || file_fields.has(firstKey(head.name))) return file(head).then((part) => void parts.push(part));
      parts.push(isKnown ? text(head) : unread(head.name));
    },
    write: (piece: Buffer) => parts.at(-1)?.write(piece),
    async fields() {
      await close();
      return parts.map(({ name, value }) => [name, value()] as const);
    },
    discard,
  };
}

/** So clients that are made from the API document write objects; browsers give such a part a file name. */
const isJson = (content_type: string) => /^application\/json\b/i.test(content_type);

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('malformed_body', `The field "${path}" is not valid JSON.`, { path });
  }
}

/** Where files lie until the answer is sent: in a folder, or in memory. */
function filesIn(folder: string | undefined) {
  const onDisk: { path: string; handle: FileHandle }[] = [];
  const close = async () => {
    for (const { handle } of onDisk) await handle.close();
  };
  return {
    close,
    async create(): Promise<Pick<Part, 'write'> & Pick<UploadedFile, 'bytes' | 'path'>> {
      if (folder === undefined) {
        const pieces: Buffer[] = [];
        return { write: (piece) => void pieces.push(piece), bytes: async () => Buffer.concat(pieces) };
      }
      await mkdir(folder, { recursive: true });
      const path = join(folder, randomUUID());
      const handle = await open(path, 'wx');
      onDisk.push({ path, handle });
      return { path, write: (piece) => handle.appendFile(piece), bytes: () => readFile(path) };
    },
    async discard() {
      await close();
      for (const { path } of onDisk) await rm(path, { force: true });
    },
  };
}
