// A large file: announced, sent to the address that was given, confirmed. What was announced is a plain object; who
// keeps it goes on with the same asset later, also in another process.
import { connectionOf } from './client.js';
import { repeated } from './connection.js';
import { AtriumError } from './errors.js';
import { fetchCounted } from './progress.js';

export async function uploadFile(atrium, file, options = {}) {
  const { signal, onAnnounced, resume } = options;
  const announced = resume ?? (await announce(atrium, file, options));
  if (!resume) await onAnnounced?.(announced);
  await send(connectionOf(atrium), file, announced, options);
  return confirmed(atrium, announced.asset_id, { signal });
}

async function announce(atrium, file, { fileName, contentType, sha256, signal }) {
  const body = {
    file_name: fileName ?? file.name ?? 'file',
    content_type: contentType || file.type || 'application/octet-stream',
    byte_size: file.size,
    ...(sha256 ? { sha256 } : {}),
  };
  return (await atrium.createUploadUrl({ body }, { signal })).data;
}

/** An address takes one file, whole, once: sending it again makes nothing twice. */
async function send({ fetch, retries, wait }, file, { upload_url, method, headers }, { signal, onProgress }) {
  const operation = 'uploadFile';
  // What a Blob says of itself would be sent along.
  const body = file.slice(0, file.size, headers['content-type']);
  const init = { method, headers, body, signal, credentials: 'omit' };
  await repeated(retries + 1, wait, signal, async () => {
    const response = await (onProgress
      ? fetchCounted(fetch, upload_url, init, onProgress)
      : fetch(upload_url, init)
    ).catch((cause) => {
      signal?.throwIfAborted();
      throw new AtriumError({ operation, code: 'unreachable', message: 'The upload was cut off.', cause });
    });
    const { ok, status } = response;
    const answer = await response.json().catch(() => undefined);
    // It is there already: the answer to that got lost.
    if (ok || status === 409) return;
    const { code = `http_${status}`, message = `The address answered ${status}.`, meta = {} } = answer ?? {};
    throw new AtriumError({
      ...{ operation, status, code, message },
      errors: meta.errors,
      request_id: meta.request_id,
    });
  });
}

async function confirmed(atrium, assetId, settings) {
  const confirm = () => atrium.confirmAsset({ assetId }, settings);
  try {
    return (await confirm()).data;
  } catch (error) {
    if (!error.isUncertain) throw error;
    const { data } = await atrium.getAsset({ assetId }, settings);
    return data.state === 'ready' ? data : (await confirm()).data;
  }
}
