// An upload counts once it is what was announced. Whoever has its address can write there as long as that is good, so
// what is looked at, and kept, is a copy that nobody else can reach.
import { createHash } from 'node:crypto';
import { Refusal, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Storage } from '../../kernel/files/storage.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { AssetRow } from './addresses.ts';
import { type Inspected, inspect } from './inspection.ts';
import type { PixelBudget } from './quota.ts';
import { confirmAsset, deletePending } from './uploads.ts';

/** Larger pictures get no thumbnail: it needs them in memory whole. */
const WHOLE_BYTES_MAX = 64 * 1024 * 1024;
const HEAD_BYTES = 8192;

/** Returns false when nothing was uploaded. What is not what was announced is gone afterwards. */
export async function confirmUpload(
  tx: Tx,
  { storage, config }: Pick<Services, 'storage' | 'config'>,
  asset: AssetRow,
): Promise<boolean> {
  const { organisation_id } = tx;
  const storage_key = await storage.copy(organisation_id, asset.storage_key);
  if (storage_key === undefined) return false;
  let unused = [storage_key];
  try {
    const { thumbnail, ...found } = await examined(
      storage,
      organisation_id,
      { ...asset, storage_key },
      { left: config.pixels_max },
    );
    const thumbnail_key = thumbnail ? await storage.put(organisation_id, thumbnail) : null;
    if (thumbnail_key) unused.push(thumbnail_key);
    if (await confirmAsset(tx, asset.id, { ...found, storage_key, thumbnail_key })) unused = [asset.storage_key];
  } catch (error) {
    if ((error as Refusal).code === 'file_invalid') {
      await deletePending(tx, asset.id);
      unused.push(asset.storage_key);
    }
    throw error;
  } finally {
    for (const key of unused) await storage.remove(organisation_id, key);
  }
  return true;
}

async function examined(
  storage: Storage,
  organisation_id: number,
  asset: AssetRow,
  pixels: PixelBudget,
): Promise<Inspected & { sha256: string }> {
  const wrong = (path: string, message: string) => new Refusal('file_invalid', message, { path });
  const { byte_size, sha256, content } = await readThrough(storage, organisation_id, asset.storage_key);
  if (byte_size !== asset.byte_size)
    throw wrong('byte_size', `The upload has ${byte_size} bytes, not the ${asset.byte_size} that were announced.`);
  if (asset.sha256 !== null && asset.sha256 !== sha256)
    throw wrong('sha256', 'The upload has another SHA-256 than was announced.');
  return {
    ...(await inspect(content, asset, 'any', 'content_type', pixels, content.length === byte_size)),
    sha256,
  };
}

/** Its hash, and its content: of large files only the beginning. */
async function readThrough(storage: Storage, organisation_id: number, key: string) {
  const { byte_size, stream } = (await storage.open(organisation_id, key)) ?? refuseNotFound();
  const keep = byte_size <= WHOLE_BYTES_MAX ? byte_size : HEAD_BYTES;
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let seen = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    if (seen < keep) kept.push(chunk.subarray(0, keep - seen));
    seen += chunk.length;
  }
  return { byte_size, sha256: hash.digest('hex'), content: Buffer.concat(kept) };
}
