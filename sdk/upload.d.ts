import type { Asset } from './api.d.ts';
import type { Client, Progress } from './client.d.ts';

/** Where the bytes go, and until when. It can be stored as JSON. It is as good as a credential for this one file. */
export interface Announced {
  asset_id: number;
  upload_url: string;
  method: 'PUT';
  headers: { 'content-type': string };
  expires_at: string;
}
export interface UploadOptions {
  fileName?: string;
  contentType?: string;
  /** Hex; compared when all has arrived. */
  sha256?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Called before the first byte: keep it to go on later. */
  onAnnounced?: (announced: Announced) => void | Promise<void>;
  /** Goes on with what was announced before; no second asset is made. */
  resume?: Announced;
}
/**
 * A file of any size, outside of a form: announced, sent, confirmed. A cut sends the file again to the same address, as
 * often as the client retries reads. What comes back can be shown by content.
 */
export function uploadFile(atrium: Client, file: Blob, options?: UploadOptions): Promise<Asset>;
