// Files in a bucket of any S3-compatible service. The SDK is loaded when a bucket is configured.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Config } from '../config.ts';
import { Refusal } from '../contract/errors.ts';
import { localStorage, newKey, type Storage } from './storage.ts';

/** The bucket of the settings, or the data folder. */
export const storageFor = async (config: Config): Promise<Storage> =>
  config.s3_bucket ? s3Storage(config) : localStorage(config.files_folder);

async function s3Storage(config: Config): Promise<Storage> {
  const s3 = await import('@aws-sdk/client-s3');
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const agent = { maxSockets: 500 };
  const client = new s3.S3Client({
    region: config.s3_region,
    // A service of one's own seldom has a host name for each bucket.
    ...(config.s3_endpoint ? { endpoint: config.s3_endpoint, forcePathStyle: true } : {}),
    credentials: { accessKeyId: config.s3_access_key_id, secretAccessKey: config.s3_secret_access_key },
    // Services other than Amazon's refuse checksums that nobody asked for.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A download holds its connection for as long as its reader takes.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 60_000, httpAgent: agent, httpsAgent: agent },
  });
  const Bucket = config.s3_bucket;
  const at = (organisation_id: number, key: string) => ({ Bucket, Key: `${organisation_id}/${key}` });
  /** For `catch`: what is not there is undefined. */
  const missing = (error: { $metadata?: { httpStatusCode?: number } }) => {
    return error.$metadata?.httpStatusCode === 404 ? undefined : away(error);
  };

  return {
    async put(organisation_id, content) {
      const key = newKey();
      const isBuffer = Buffer.isBuffer(content);
      const ContentLength = isBuffer ? content.length : (await stat(content.path)).size;
      const Body = isBuffer ? content : createReadStream(content.path);
      await client.send(new s3.PutObjectCommand({ ...at(organisation_id, key), Body, ContentLength })).catch(away);
      return key;
    },
    // Clients of a bucket upload to it themselves: see directUpload.
    receive: async () => false,
    async copy(organisation_id, key) {
      const copy = newKey();
      const CopySource = `${Bucket}/${organisation_id}/${key}`;
      const command = new s3.CopyObjectCommand({ ...at(organisation_id, copy), CopySource });
      return (await client.send(command).catch(missing)) && copy;
    },
    async open(organisation_id, key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const command = new s3.GetObjectCommand({ ...at(organisation_id, key), Range });
      const found = await client.send(command).catch(missing);
      return found && { byte_size: found.ContentLength ?? 0, stream: found.Body as Readable };
    },
    async byteSize(organisation_id, key) {
      const found = await client.send(new s3.HeadObjectCommand(at(organisation_id, key))).catch(missing);
      return found?.ContentLength;
    },
    async remove(organisation_id, key) {
      await client.send(new s3.DeleteObjectCommand(at(organisation_id, key))).catch(away);
    },
    async directUpload(organisation_id, key, { content_type, byte_size }, expires_s) {
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

/** For `catch`: it does not answer, or answers that something is wrong with it or with the settings. */
function away(cause: unknown): never {
  const headers = { 'retry-after': '1' };
  throw new Refusal('unavailable', 'The storage of files does not answer right now. Try again shortly.', {
    headers,
    cause,
  });
}
