import { isoOfMicros } from '../../kernel/clock.ts';
import { refuse, refuseNotFound } from '../../kernel/contract/errors.ts';
import { newKey } from '../../kernel/files/storage.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { routes } from '../../kernel/http/routes.ts';
import { getUrlExpiry, updateUrlExpiry } from '../organisations/queries.ts';
import { confirmUpload } from './confirmation.ts';
import { assets } from './contract.ts';
import { refuseBeyondQuota, refuseManyPending, type Uploading } from './quota.ts';
import * as uploads from './uploads.ts';

const UPLOAD_SECONDS = 3600;

export const assetRoutes = routes(assets, {
  async createUploadUrl(call) {
    const { tx, actor, body, services } = call;
    const { clock, config, storage } = services;
    if (body.byte_size > config.asset_bytes_max)
      refuse('payload_too_large', `A file may have at most ${config.asset_bytes_max} bytes.`, { path: 'byte_size' });
    await refuseManyPending(call);
    await refuseBeyondQuota(call, body.byte_size, 'byte_size');
    const key = newKey();
    const expires_s = Math.floor(clock.micros() / 1_000_000) + UPLOAD_SECONDS;
    const { id, url } = await uploads.insertPending(tx, actor, body, key, expires_s);
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
  listAssets: ({ tx, actor, query }) => uploads.listAssets(tx, actor, query),
  getAsset: async ({ tx, actor, params }) => (await uploads.findAsset(tx, actor, params.assetId)) ?? refuseNotFound(),
  deleteAsset: async ({ tx, actor, params }) =>
    (await uploads.deleteAsset(tx, actor, params.assetId).catch((error) => {
      if (error.constraint === 'content_files__asset_id_fkey')
        refuse('asset_in_use', 'Content shows this asset; take it out there first.');
      throw error;
    })) ?? refuseNotFound(),
  getSignUrlSettings: ({ tx }) => getUrlExpiry(tx),
  putSignUrlSettings: ({ tx, body }) => updateUrlExpiry(tx, body.url_expiry_seconds),
});

async function confirm({ tx, actor, services }: Uploading, id: number) {
  const asset = (await uploads.findUpload(tx, actor, id)) ?? refuseNotFound();
  const isMissing = asset.state === 'pending' && !(await confirmUpload(tx, services, asset));
  // Another confirmation may have been first.
  if (isMissing && (await uploads.findUpload(tx, actor, id))?.state === 'pending')
    refuse('upload_missing', 'Nothing was uploaded to the address yet.');
  return (await uploads.findAsset(tx, actor, id)) ?? refuseNotFound();
}
