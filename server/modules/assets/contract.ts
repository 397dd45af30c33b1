import {
  endpoint,
  File,
  Flag,
  family,
  Id,
  IdList,
  List,
  Nullable,
  OneOf,
  Optional,
  RequiredText,
  Shape,
  Text,
  Timestamp,
  Type,
  Url,
} from '../../kernel/contract/contract.ts';

const fields = {
  url: Url('Signed; it expires.'),
  thumbnail_url: Nullable(Url('A WebP image of at most 640 pixels; null for what is no image.')),
  file_name: Text(255),
  content_type: Text(127),
  byte_size: Type.Integer({ minimum: 0 }),
  width: Nullable(Type.Integer()),
  height: Nullable(Type.Integer()),
};
/** A file as content shows it: in a gallery, as an attachment, a video or a cover. */
export const ContentFile = Shape({ asset_id: Id(), ...fields }, { title: 'ContentFile' });
export const Asset = Shape(
  {
    id: Id(),
    ...fields,
    sha256: Nullable(Text(64)),
    state: OneOf(['pending', 'ready']),
    reference: Text(40, 'asset://{id}, for use in html_content.'),
    is_used: Flag('Some content shows it.'),
    creator_id: Id(),
    created_at: Timestamp(),
  },
  { title: 'Asset' },
);

/** Fields of content that shows files. */
export const shownFiles = {
  gallery: List(ContentFile),
  attachments: List(ContentFile),
  video: Nullable(ContentFile),
};
const files = (description: string) => Optional(Type.Array(File(), { maxItems: 20, description }));
const ids = (description: string) => Optional(Type.Array(Id(), { maxItems: 20, description }));
export const newFiles = {
  gallery: files('Images.'),
  gallery_ids: ids(
    'Images that were uploaded before; on replace, those that stay. Without any gallery field the gallery stays.',
  ),
  attachments: files('Files of any type.'),
  attachment_ids: ids('As gallery_ids.'),
  video: Optional(Nullable(File('One video; null removes it.'))),
  video_id: Optional(Nullable(Id('A video that was uploaded before; null removes it.'))),
};
export const newCover = {
  cover_image: Optional(Nullable(File('One image; null removes it.'))),
  cover_image_id: Optional(Nullable(Id('An image that was uploaded before; null removes it.'))),
};
export const fileErrors = { file_invalid: 400 } as const;

const byAssetId = Shape({ assetId: Id() });

export const assets = family('assets', 'Files: uploaded directly, then confirmed, then shown by content.', {
  createUploadUrl: endpoint({
    method: 'POST',
    path: '/v1/assets/upload-url',
    summary: 'Get an address to upload a large file to',
    description:
      'Send the bytes there with the given method and headers before expires_at, then confirm. What is not confirmed in 24 hours is removed.',
    scope: 'assets.*.write',
    status: 201,
    body: Shape({
      file_name: RequiredText(255),
      content_type: Type.String({ maxLength: 127, pattern: '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+( *;[ -~]*)?$' }),
      byte_size: Type.Integer({ minimum: 1, maximum: 1024 ** 4 }),
      sha256: Optional(
        Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'Hex; the confirmation compares it.' }),
      ),
    }),
    documented: 'json',
    reply: Shape({
      asset_id: Id(),
      upload_url: Url(),
      method: OneOf(['PUT']),
      headers: Shape({ 'content-type': Text(127) }),
      expires_at: Timestamp(),
    }),
    errors: { payload_too_large: 413 },
    example: { body: { file_name: 'opening.mp4', content_type: 'video/mp4', byte_size: 73400320 } },
  }),
  confirmAsset: endpoint({
    method: 'POST',
    path: '/v1/assets/{assetId}/confirm',
    summary: 'Confirm an upload',
    description:
      'Compares size, hash and type with what was announced; where they differ, the file and the asset are removed.',
    scope: 'assets.*.write',
    params: byAssetId,
    reply: Asset,
    errors: { file_invalid: 400, upload_missing: 409 },
    example: { params: { assetId: 1 } },
  }),
  listAssets: endpoint({
    method: 'GET',
    path: '/v1/assets',
    summary: 'List assets',
    description:
      'Newest first: what was uploaded by itself. A person sees their own, a key and an admin all. What came with content is read there.',
    scope: 'assets.*.read',
    query: Shape({
      creator_id: Optional(Id()),
      state: Optional(OneOf(['pending', 'ready'])),
      type: Optional(OneOf(['image', 'video', 'audio', 'other'])),
      ids: Optional(IdList()),
    }),
    list: Asset,
    example: { query: { take: 10 } },
  }),
  getAsset: endpoint({
    method: 'GET',
    path: '/v1/assets/{assetId}',
    summary: 'Read an asset',
    scope: 'assets.*.read',
    params: byAssetId,
    reply: Asset,
    example: { params: { assetId: 1 } },
  }),
  deleteAsset: endpoint({
    method: 'DELETE',
    path: '/v1/assets/{assetId}',
    summary: 'Delete an asset',
    description: 'Refused while content shows it.',
    scope: 'assets.*.write',
    params: byAssetId,
    reply: Shape({ id: Id() }),
    errors: { asset_in_use: 409 },
    example: { params: { assetId: 1 } },
  }),
  getSignUrlSettings: endpoint({
    method: 'GET',
    path: '/v1/admin/sign-url',
    summary: 'Read how long signed addresses are good for',
    scope: 'admin.organisation.read',
    roles: ['admin', 'developer'],
    reply: Shape({ url_expiry_seconds: Type.Integer() }),
    example: {},
  }),
  putSignUrlSettings: endpoint({
    method: 'PUT',
    path: '/v1/admin/sign-url',
    summary: 'Set how long signed addresses are good for',
    description: 'At least that long; addresses stay the same for a 24th of it, so that browsers can keep files.',
    scope: 'admin.organisation.write',
    roles: ['admin', 'developer'],
    body: Shape({ url_expiry_seconds: Type.Integer({ minimum: 60, maximum: 31_536_000 }) }),
    documented: 'json',
    reply: Shape({ url_expiry_seconds: Type.Integer() }),
    example: { body: { url_expiry_seconds: 86400 } },
  }),
});
