import { createHash } from 'node:crypto';
import { isoOfMicros } from '../../kernel/clock.ts';
import type { Tx } from '../../kernel/db.ts';
import { toJson } from '../../kernel/envelope.ts';
import { notFound, Refusal, refuse } from '../../kernel/errors.ts';
import { type Call, routes } from '../../kernel/routes.ts';
import { assets } from './contract.ts';
import { inspect } from './inspection.ts';
import * as queries from './queries.ts';

const UPLOAD_SECONDS = 3600;
/** Larger pictures get no thumbnail: it needs them in memory whole. */
const WHOLE_BYTES_MAX = 64 * 1024 * 1024;
const HEAD_BYTES = 8192;

export const assetRoutes = routes(assets, {
  async createUploadUrl({ tx, actor, body, services: { clock, config, storage } }) {
    if (body.byte_size > config.asset_bytes_max)
      refuse('payload_too_large', `A file may have at most ${config.asset_bytes_max} bytes.`, { path: 'byte_size' });
    const key = storage.newKey();
    const expires_s = Math.floor(clock.micros() / 1_000_000) + UPLOAD_SECONDS;
    const { id, url } = await queries.insertPending(tx, actor, body, key, expires_s);
    const direct = await storage.directUpload?.(tx.organisation_id, key, body, UPLOAD_SECONDS);
    return toJson({
      asset_id: id,
      upload_url: direct?.url ?? url,
      method: 'PUT',
      headers: { 'content-type': body.content_type },
      expires_at: isoOfMicros(expires_s * 1_000_000),
    });
  },
  confirmAsset: (call) => confirm(call, call.params.assetId),
  listAssets: ({ tx, actor, query }) => queries.listAssets(tx, actor, query),
  getAsset: async ({ tx, actor, params }) => (await queries.findAsset(tx, actor, params.assetId)) ?? notFound(),
  async deleteAsset({ tx, actor, params, services: { storage } }) {
    const asset = await tx.transaction(async (inside) => {
      const found = (await queries.lockAsset(inside, actor, params.assetId)) ?? notFound();
      if (await queries.isUsed(inside, found.id)) refuse('asset_in_use', 'Content shows this asset; take it out there first.');
      await queries.deleteAsset(inside, found.id);
      return found;
    });
    await queries.removeStored(tx, storage, [asset]);
    return toJson({ id: asset.id });
  },
  getSignUrlSettings: ({ tx }) => queries.getUrlExpiry(tx),
  putSignUrlSettings: ({ tx, body }) => queries.updateUrlExpiry(tx, body.url_expiry_seconds),
});

async function confirm(call: Pick<Call, 'tx' | 'actor' | 'services'>, id: number) {
  const { tx, actor, services } = call;
  const refused = await tx.transaction(async (inside) => {
    const asset = (await queries.lockAsset(inside, actor, id)) ?? notFound();
    if (asset.state === 'ready') return undefined;
    try {
      await queries.confirmAsset(inside, id, await examined(inside, services.storage, asset));
      return undefined;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'file_invalid') throw error;
      await queries.deleteAsset(inside, id);
      await services.storage.remove(tx.organisation_id, asset.storage_key);
      return error;
    }
  });
  // What is not what was announced is gone for good, so the transaction stands before the answer says so.
  if (refused) throw refused;
  return (await queries.findAsset(tx, actor, id)) ?? notFound();
}

async function examined(
  { organisation_id }: Tx,
  storage: Call['services']['storage'],
  asset: queries.AssetRow,
): Promise<queries.Confirmed> {
  const byte_size = await storage.byteSize(organisation_id, asset.storage_key);
  if (byte_size === undefined) throw new Refusal('upload_missing', 'Nothing was uploaded to the address yet.');
  const wrong = (path: string, message: string) => new Refusal('file_invalid', message, { path });
  if (byte_size !== asset.byte_size)
    throw wrong('byte_size', `The upload has ${byte_size} bytes, not the ${asset.byte_size} that were announced.`);
  const { hash, content } = await readThrough(storage, organisation_id, asset);
  if (asset.sha256 !== null && asset.sha256 !== hash) throw wrong('sha256', 'The upload has another SHA-256 than was announced.');
  const { thumbnail, ...found } = await inspect(content, asset.content_type, 'any', 'content_type', content.length === byte_size);
  return { ...found, sha256: hash, thumbnail_key: thumbnail ? await storage.put(organisation_id, thumbnail) : null };
}

/** Its hash, and its content: of large files only the beginning. */
async function readThrough(storage: Call['services']['storage'], organisation_id: number, { storage_key, byte_size }: queries.AssetRow) {
  const keep = byte_size <= WHOLE_BYTES_MAX ? byte_size : HEAD_BYTES;
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let seen = 0;
  const file = (await storage.open(organisation_id, storage_key)) ?? notFound();
  for await (const chunk of file.stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    if (seen < keep) kept.push(chunk.subarray(0, keep - seen));
    seen += chunk.length;
  }
  return { hash: hash.digest('hex'), content: Buffer.concat(kept) };
}
