// Files in a bucket of any S3-compatible service. The SDK is loaded when a bucket is configured.
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { type DirectUpload, localStorage, newKey, type Storage } from './storage.ts';

export interface Bucket {
  endpoint: string | undefined;
  region: string;
  bucket: string;
  access_key_id: string;
  secret_access_key: string;
}

export async function s3Storage({
  endpoint,
  region,
  bucket,
  access_key_id,
  secret_access_key,
}: Bucket): Promise<Storage> {
  const s3 = await import('@aws-sdk/client-s3');
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const client = new s3.S3Client({
    region,
    // A service of one's own seldom has a host name for each bucket.
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
    // Services other than Amazon's refuse checksums that nobody asked for.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A download holds its connection for as long as its reader takes.
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: 60_000,
      httpAgent: { maxSockets: 500 },
      httpsAgent: { maxSockets: 500 },
    },
  });
  const at = (organisation_id: number, key: string) => ({ Bucket: bucket, Key: `${organisation_id}/${key}` });
  const missing = (error: { name?: string; $metadata?: { httpStatusCode?: number } }) => {
    if (error.name === 'NoSuchKey' || error.name === 'NotFound' || error.$metadata?.httpStatusCode === 404)
      return undefined;
    throw error;
  };
  const byteSize = async (organisation_id: number, key: string) =>
    (await client.send(new s3.HeadObjectCommand(at(organisation_id, key))).catch(missing))?.ContentLength;

  return {
    newKey,
    async put(organisation_id, content) {
      const key = newKey();
      const isBuffer = Buffer.isBuffer(content);
      const Body = isBuffer
        ? content
        : content.path === undefined
          ? await content.bytes()
          : createReadStream(content.path);
      const ContentLength = isBuffer ? content.length : content.byte_size;
      await client.send(new s3.PutObjectCommand({ ...at(organisation_id, key), Body, ContentLength }));
      return key;
    },
    // Clients of a bucket upload to it themselves: see directUpload.
    receive: async () => false,
    async copy(organisation_id, key) {
      const copy = newKey();
      const CopySource = `${bucket}/${organisation_id}/${key}`;
      const done = await client
        .send(new s3.CopyObjectCommand({ ...at(organisation_id, copy), CopySource }))
        .catch(missing);
      return done && copy;
    },
    async open(organisation_id, key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const found = await client
        .send(new s3.GetObjectCommand({ ...at(organisation_id, key), ...(Range ? { Range } : {}) }))
        .catch(missing);
      return found && { byte_size: found.ContentLength ?? 0, stream: found.Body as Readable };
    },
    byteSize,
    async remove(organisation_id, key) {
      await client.send(new s3.DeleteObjectCommand(at(organisation_id, key)));
    },
    async directUpload(organisation_id, key, { content_type, byte_size }, expires_s): Promise<DirectUpload> {
      const command = new s3.PutObjectCommand({
        ...at(organisation_id, key),
        ContentType: content_type,
        ContentLength: byte_size,
      });
      const url = await getSignedUrl(client, command, {
        expiresIn: expires_s,
        signableHeaders: new Set(['content-type', 'content-length']),
      });
      return { url, headers: { 'content-type': content_type } };
    },
  };
}

/** The bucket of the settings, or the data folder. */
export const storageFor = async (config: Config): Promise<Storage> =>
  config.s3_bucket
    ? s3Storage({
        endpoint: config.s3_endpoint,
        region: config.s3_region,
        bucket: config.s3_bucket,
        access_key_id: config.s3_access_key_id,
        secret_access_key: config.s3_secret_access_key,
      })
    : localStorage(config.files_folder);
