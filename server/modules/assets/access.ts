import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type FieldError, refuseFields, refuseInvalid } from '../../kernel/contract/errors.ts';
import type { UploadedFile } from '../../kernel/contract/schema.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Call } from '../../kernel/http/routes.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { type Accepts, inspect } from './inspection.ts';
import { attachFiles, findAssets, insertAssets, type StagedFile } from './queries.ts';

export type { Accepts } from './inspection.ts';

export interface Upload {
  /** As the client names it, for errors: `gallery[0]`. */
  field: string;
  accepts: Accepts;
  file: UploadedFile;
}

/** The files of one field, in order. */
export const uploadsOf = (
  field: string,
  accepts: Accepts,
  files: readonly UploadedFile[] | UploadedFile | null | undefined,
): Upload[] =>
  files == null
    ? []
    : 'bytes' in files
      ? [{ field, accepts, file: files }]
      : files.map((file, i) => ({ field: `${field}[${i}]`, accepts, file }));

/** Checks and stores the files, then writes; when anything fails, no file stays behind. */
export async function withFiles<Result>(
  { tx, services: { storage } }: Pick<Call, 'tx' | 'services'>,
  uploads: readonly Upload[],
  write: (staged: StagedFile[]) => Promise<Result>,
): Promise<Result> {
  const stored: string[] = [];
  try {
    const staged: StagedFile[] = [];
    for (const { field, accepts, file } of uploads) {
      const content = file.path === undefined ? await file.bytes() : { path: file.path };
      const { thumbnail, ...found } = await inspect(content, file.content_type, accepts, field);
      const storage_key = await storage.put(tx.organisation_id, content);
      stored.push(storage_key);
      const thumbnail_key = thumbnail ? await storage.put(tx.organisation_id, thumbnail) : null;
      if (thumbnail_key) stored.push(thumbnail_key);
      staged.push({
        field,
        ...found,
        file_name: file.file_name.slice(0, 255) || 'file',
        byte_size: file.byte_size,
        sha256: await sha256Of(content),
        storage_key,
        thumbnail_key,
      });
    }
    return await write(staged);
  } catch (error) {
    await Promise.all(stored.map((key) => storage.remove(tx.organisation_id, key)));
    throw error;
  }
}

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
 * The assets that a request names exist, are of a kind that the field takes, and may be used: by who uploaded them, by a
 * key or an admin if they were uploaded by themselves, and in the content that shows them already. Else anybody could have
 * a private file shown.
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
  const errors: FieldError[] = [];
  for (const { field, accepts, ids, single } of mentions)
    for (const [i, id] of ids.entries()) {
      const asset = found.get(id);
      const path = single ? field : `${field}[${i}]`;
      const usable =
        asset &&
        ((isUnbounded(actor) && asset.origin === 'api') || asset.creator_id === actor.user_id || asset.is_shown);
      if (!usable) errors.push({ path, message: `names no asset that you may use: ${id}` });
      else if (accepts !== 'any' && !asset.content_type.startsWith(`${accepts}/`))
        errors.push({ path, message: `must be of type ${accepts}, not ${asset.content_type}` });
    }
  if (errors.length > 0) refuseFields(errors);
}

/** What a body says about the files of content; each field that it does not name stays as it is. */
export interface GivenFiles {
  gallery?: readonly UploadedFile[];
  gallery_ids?: readonly number[];
  attachments?: readonly UploadedFile[];
  attachment_ids?: readonly number[];
  video?: UploadedFile | null;
  video_id?: number | null;
  cover_image?: UploadedFile | null;
  cover_image_id?: number | null;
}
const places = [
  { role: 'gallery', field: 'gallery', ids: 'gallery_ids', accepts: 'image' },
  { role: 'attachment', field: 'attachments', ids: 'attachment_ids', accepts: 'any' },
  { role: 'video', field: 'video', ids: 'video_id', accepts: 'video' },
  { role: 'cover', field: 'cover_image', ids: 'cover_image_id', accepts: 'image' },
] as const;
const listOf = <T>(value: T | readonly T[] | null | undefined) =>
  value == null ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T];

/** Puts the files that the request brought into the content, after those it names by id. Returns whether it shows other files now. */
export type Placing = (tx: Tx, kind: string, content_id: number) => Promise<boolean>;

/** Checks and stores the files of a body, then writes; `write` places them into the content that it wrote. */
export const withContentFiles = <Result>(
  call: Pick<Call, 'tx' | 'actor' | 'services'>,
  body: GivenFiles,
  write: (place: Placing) => Promise<Result>,
): Promise<Result> =>
  withFiles(
    call,
    places.flatMap(({ field, accepts }) => uploadsOf(field, accepts, body[field])),
    (staged) =>
      write(async (tx, kind, content_id) => {
        const named = places.filter(({ ids, field }) => body[ids] !== undefined || body[field] !== undefined);
        await checkAssets(
          tx,
          call.actor,
          named.map(({ ids, accepts }) => ({
            field: ids,
            accepts,
            ids: listOf(body[ids]),
            single: ids.endsWith('_id'),
          })),
          { kind, id: content_id },
        );
        let changed = false;
        for (const { role, field, ids } of named) {
          const brought = staged.filter((file) => file.field.split('[')[0] === field);
          const added = await insertAssets(tx, brought, call.actor.user_id);
          const shown = [...listOf<number>(body[ids]), ...added];
          if (
            await attachFiles(
              tx,
              kind,
              content_id,
              role,
              role === 'video' || role === 'cover' ? shown.slice(-1) : shown,
            )
          )
            changed = true;
        }
        return changed;
      }),
  );
