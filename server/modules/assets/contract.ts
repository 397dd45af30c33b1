import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';

const fields = {
  url: t.Url('Signed; it expires.'),
  thumbnail_url: t.Nullable(t.Url('A WebP image of at most 640 pixels; null for what is no image.')),
  file_name: t.Text(255),
  content_type: t.Text(127, 'What the bytes are, whatever was declared.'),
  byte_size: t.Integer({ minimum: 0 }),
  width: t.Nullable(t.Integer()),
  height: t.Nullable(t.Integer()),
};
/** A file as content shows it: in a gallery, as an attachment, a video or a cover. */
export const ContentFile = t.Object({ asset_id: t.Id(), ...fields }, { title: 'ContentFile' });
export const Asset = t.Object(
  {
    id: t.Id(),
    ...fields,
    sha256: t.Nullable(t.Text(64)),
    state: t.OneOf(['pending', 'ready']),
    reference: t.Text(40, 'asset://{id}, for use in html_content.'),
    is_used: t.Flag('Some content shows it.'),
    creator_id: t.Id(),
    created_at: t.Timestamp(),
  },
  { title: 'Asset' },
);

/** Fields of content that shows files. */
export const shownFiles = {
  gallery: t.Array(ContentFile),
  attachments: t.Array(ContentFile),
  video: t.Nullable(ContentFile),
};
const files = (description: string) => t.Optional(t.Array(t.File(), { maxItems: 20, description }));
const ids = (description: string) => t.Optional(t.Array(t.Id(), { maxItems: 20, description }));
export const newFiles = {
  gallery: files('Images.'),
  gallery_ids: ids(
    'Images that were uploaded before; on replace, those that stay. Without any gallery field the gallery stays.',
  ),
  attachments: files('Files of any type.'),
  attachment_ids: ids('As gallery_ids.'),
  video: t.Optional(t.Nullable(t.File('One video; null removes it.'))),
  video_id: t.Optional(t.Nullable(t.Id('A video that was uploaded before; null removes it.'))),
};
export const newCover = {
  cover_image: t.Optional(t.Nullable(t.File('One image; null removes it.'))),
  cover_image_id: t.Optional(t.Nullable(t.Id('An image that was uploaded before; null removes it.'))),
};
const GivenFiles = t.Object({ ...newFiles, ...newCover });
/** What a body says about the files of content; each field that it does not name stays as it is. */
export type GivenFiles = t.Static<typeof GivenFiles>;
export const fileErrors = { file_invalid: 400, quota_exceeded: 413 } as const;

const NewUpload = t.Object({
  file_name: t.WriteOnly(t.RequiredText(255, 'Shown by the asset.')),
  content_type: t.String({ maxLength: 127, pattern: '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+( *;[ -~]*)?$' }),
  byte_size: t.WriteOnly(t.Integer({ minimum: 1, maximum: 1024 ** 4, description: 'Shown by the asset.' })),
  sha256: t.Optional(t.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'Hex; the confirmation compares it.' })),
});
export type NewUpload = t.Static<typeof NewUpload>;
const byAssetId = t.Object({ assetId: t.Id() });

export const assets = family('assets', 'Files: uploaded directly, then confirmed, then shown by content.', {
  createUploadUrl: endpoint('POST /v1/assets/upload-url', 'Get an address to upload a large file to', {
    description:
      'Send the bytes there with the given method and headers before expires_at, then confirm. What is not confirmed ' +
      'in 24 hours is removed.',
    status: 201,
    body: NewUpload,
    reply: t.Object({
      asset_id: t.Id(),
      upload_url: t.Url(),
      method: t.OneOf(['PUT']),
      headers: t.Object({ 'content-type': t.Text(127) }),
      expires_at: t.Timestamp(),
    }),
    errors: { quota_exceeded: 413 },
    example: { body: { file_name: 'opening.mp4', content_type: 'video/mp4', byte_size: 73400320 } },
  }),
  confirmAsset: endpoint('POST /v1/assets/{assetId}/confirm', 'Confirm an upload', {
    description:
      'Compares size and hash with what was announced; where they differ, the file and the asset are removed. ' +
      'content_type is what the bytes are, whatever was announced.',
    params: byAssetId,
    reply: Asset,
    errors: { ...fileErrors, upload_missing: 409 },
    example: { params: { assetId: 1 } },
  }),
  listAssets: endpoint('GET /v1/assets', 'List assets', {
    description:
      'Newest first: what was uploaded by itself. A person sees their own, a key and an admin all. What came with ' +
      'content is read there.',
    query: t.Object({
      creator_id: t.Optional(t.Id()),
      state: t.Optional(t.OneOf(['pending', 'ready'])),
      type: t.Optional(t.OneOf(['image', 'video', 'audio', 'other'])),
      ids: t.Optional(t.IdList()),
    }),
    list: Asset,
    example: { query: { take: 10 } },
  }),
  getAsset: endpoint('GET /v1/assets/{assetId}', 'Read an asset', {
    params: byAssetId,
    reply: Asset,
    example: { params: { assetId: 1 } },
  }),
  deleteAsset: endpoint('DELETE /v1/assets/{assetId}', 'Delete an asset', {
    description: 'Refused while content shows it.',
    params: byAssetId,
    reply: t.Object({ id: t.Id() }),
    errors: { asset_in_use: 409 },
    example: { params: { assetId: 1 } },
  }),
  getSignUrlSettings: endpoint('GET /v1/admin/sign-url', 'Read how long signed addresses are good for', {
    scope: 'admin.organisation.read',
    roles: ['admin', 'developer'],
    reply: t.Object({ url_expiry_seconds: t.Integer() }),
    example: {},
  }),
  putSignUrlSettings: endpoint('PUT /v1/admin/sign-url', 'Set how long signed addresses are good for', {
    description: 'At least that long; addresses stay the same for a 24th of it, so that browsers can keep files.',
    scope: 'admin.organisation.write',
    roles: ['admin', 'developer'],
    body: t.Object({ url_expiry_seconds: t.Integer({ minimum: 60, maximum: 31_536_000 }) }),
    reply: t.Object({ url_expiry_seconds: t.Integer() }),
    example: { body: { url_expiry_seconds: 86400 } },
  }),
});
