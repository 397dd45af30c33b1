// A file on its way to the server: announced, sent, confirmed. It is shown by what names its id then.
import { call, Refusal } from './call.ts';
import type { Contract, ReplyOf } from './contracts.ts';

export type Asset = ReplyOf<Contract['POST /v1/assets/{assetId}/confirm']>;

interface Watching {
  /** Of 1. */
  onProgress?: (part: number) => void;
  signal?: AbortSignal;
}
export async function upload(file: File, { onProgress, signal }: Watching = {}): Promise<Asset> {
  const { data } = await call('POST /v1/assets/upload-url', {
    body: {
      file_name: file.name.slice(0, 255) || 'file',
      content_type: file.type || 'application/octet-stream',
      byte_size: file.size,
    },
    ...(signal && { signal }),
  });
  await send(data, file, { onProgress: onProgress ?? (() => {}), ...(signal && { signal }) });
  return (await call('POST /v1/assets/{assetId}/confirm', { params: { assetId: data.asset_id } })).data;
}

/** `fetch` does not say how much has gone. */
const send = (
  { method, upload_url, headers }: ReplyOf<Contract['POST /v1/assets/upload-url']>,
  file: File,
  { onProgress, signal }: Watching,
) =>
  new Promise<void>((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open(method, upload_url);
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value);
    sending.upload.onprogress = ({ loaded }) => onProgress?.(file.size === 0 ? 1 : loaded / file.size);
    sending.onload = () => (sending.status < 300 ? resolve() : reject(new Refusal(sending.status)));
    sending.onerror = () => reject(new Refusal(0));
    sending.onabort = () => reject(signal?.reason);
    signal?.addEventListener('abort', () => sending.abort());
    sending.send(file);
  });
