import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type FieldError, refuseFields, refuseInvalid } from '../../kernel/contract/errors.ts';
import type { UploadedFile } from '../../kernel/contract/schema.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import type { GivenFiles } from './contract.ts';
import { type Accepts, inspect } from './inspection.ts';
import { attachFiles, findAssets, insertAssets, type StagedFile } from './queries.ts';
import { refuseBeyondQuota, type Uploading } from './quota.ts';

export type { Accepts } from './inspection.ts';

export interface Upload {
  /** As the client names it, for errors: `gallery[0]`. */
  field: string;
  accepts: Accepts;
  file: UploadedFile;
}
type OneOrMore<T> = T | readonly T[] | null | undefined;
const listOf = <T>(value: OneOrMore<T>) =>
  value == null ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T];

/** The files of one field, in order. */
export const uploadsOf = (field: string, accepts: Accepts, files: OneOrMore<UploadedFile>): Upload[] => {
  const isList = Array.isArray(files);
  return listOf(files).map((file, n) => ({ field: isList ? `${field}[${n}]` : field, accepts, file }));
};

/** Checks and stores the files, then writes; when anything fails, no file stays behind. */
export async function withFiles<Result>(
  call: Uploading,
  uploads: readonly Upload[],
  write: (staged: StagedFile[]) => Promise<Result>,
): Promise<Result> {
  const { tx, services } = call;
  const { storage, config } = services;
  const [first] = uploads;
  if (first) await refuseBeyondQuota(call, sumOf(uploads.map(({ file }) => file.byte_size)), first.field);
  const pixels = { left: config.pixels_max };
  const stored: string[] = [];
  const store = async (content: Buffer | { path: string }) => {
    const key = await storage.put(tx.organisation_id, content);
    stored.push(key);
    return key;
  };
  try {
    const staged: StagedFile[] = [];
    for (const { field, accepts, file } of uploads) {
      const content = file.path === undefined ? await file.bytes() : { path: file.path };
      const { thumbnail, ...found } = await inspect(content, file, accepts, field, pixels);
      staged.push({
        field,
        ...found,
        file_name: file.file_name.slice(0, 255) || 'file',
        byte_size: file.byte_size,
        sha256: await sha256Of(content),
        storage_key: await store(content),
        thumbnail_key: thumbnail ? await store(thumbnail) : null,
      });
    }
    return await write(staged);
  } catch (error) {
    await Promise.all(stored.map((key) => storage.remove(tx.organisation_id, key)));
    throw error;
  }
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

async function sha256Of(content: Buffer | { path: string }): Promise<string> {
  const hash = createHash('sha256');
  if (Buffer.isBuffer(content)) return hash.update(content).digest('hex');
  await pipeline(createReadStream(content.path), hash);
  return hash.digest('hex');
}

/** Ids of assets that HTML refers to. */
export const references = (html: string): number[] => [
  ...new Set([...html.matchAll(/asset:\/\/([1-9]\d{0,15})(?!\d)/g)].map(([, id]) => Number(id))),
];

/** HTML of short content is shown as it is, without signed addresses: a reference in it would lead nowhere. */
export function refuseReferences(field: string, html: string): void {
  if (references(html).length > 0) refuseInvalid(field, 'cannot refer to assets; pictures have fields of their own');
}

export interface Mention {
  field: string;
  accepts: Accepts;
  ids: readonly number[];
  /** The field holds one id and no list. */
  single?: boolean;
}

/**
 * The assets that a request names exist, are of a kind that the field takes, and may be used: by who uploaded them, by
 * a key or an admin if they were uploaded by themselves, and in the content that shows them already. Else anybody could
 * have a private file shown.
 */
export async function checkAssets(
  tx: Tx,
  actor: Actor,
  mentions: readonly Mention[],
  shownBy?: { kind: string; id: number },
): Promise<void> {
  const ids = [...new Set(mentions.flatMap((mention) => mention.ids))];
  if (ids.length === 0) return;
  const found = new Map((await findAssets(tx, ids, shownBy)).map((asset) => [asset.id, asset]));
  const errors = mentions.flatMap(({ field, accepts, ids, single }) =>
    ids.flatMap((id, n): FieldError[] => {
      const asset = found.get(id);
      const path = single ? field : `${field}[${n}]`;
      const isOthers = asset?.creator_id !== actor.user_id && !(isUnbounded(actor) && asset?.origin === 'api');
      if (!asset || (isOthers && !asset.is_shown)) return [{ path, message: `names no asset that you may use: ${id}` }];
      if (accepts === 'any' || asset.content_type.startsWith(`${accepts}/`)) return [];
      return [{ path, message: `must be of type ${accepts}, not ${asset.content_type}` }];
    }),
  );
  if (errors.length > 0) refuseFields(errors);
}

const places = [
  { role: 'gallery', field: 'gallery', ids: 'gallery_ids', accepts: 'image' },
  { role: 'attachment', field: 'attachments', ids: 'attachment_ids', accepts: 'any' },
  { role: 'video', field: 'video', ids: 'video_id', accepts: 'video', single: true },
  { role: 'cover', field: 'cover_image', ids: 'cover_image_id', accepts: 'image', single: true },
] as const;

/**
 * Puts the files that the request brought into the content, after those it names by id. Returns whether it shows other
 * files now.
 */
export type Placing = (tx: Tx, kind: string, content_id: number) => Promise<boolean>;

/** Checks and stores the files of a body, then writes; `write` places them into the content that it wrote. */
export const withContentFiles = <Result>(
  call: Uploading,
  body: GivenFiles,
  write: (place: Placing) => Promise<Result>,
): Promise<Result> => {
  const { actor } = call;
  const uploads = places.flatMap(({ field, accepts }) => uploadsOf(field, accepts, body[field]));
  const named = places.filter(({ ids, field }) => body[ids] !== undefined || body[field] !== undefined);
  const mentions = named.map(({ ids, ...place }) => ({ ...place, field: ids, ids: listOf<number>(body[ids]) }));
  return withFiles(call, uploads, (staged) =>
    write(async (tx, kind, content_id) => {
      await checkAssets(tx, actor, mentions, { kind, id: content_id });
      let changed = false;
      for (const { role, field, ids, ...place } of named) {
        const brought = staged.filter((file) => file.field.split('[')[0] === field);
        const shown = [...listOf<number>(body[ids]), ...(await insertAssets(tx, brought, actor.user_id))];
        const kept = 'single' in place ? shown.slice(-1) : shown;
        if (await attachFiles(tx, kind, content_id, role, kept)) changed = true;
      }
      return changed;
    }),
  );
};
