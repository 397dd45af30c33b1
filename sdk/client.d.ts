import type { DryRun, Operations } from './api.d.ts';

/** What the interface answers. */
export interface Reply<Data, Meta = object> {
  data: Data;
  status: 'success';
  meta: {
    /** Sentences about what had no effect. */
    warnings?: string[];
    /** Of a request with the header X-Dry-Run. */
    dry_run?: DryRun;
  } & Meta;
}
export interface Pagination {
  skip: number;
  take: number;
  /** Exact for the filter. */
  total_records: number;
  /** Address of the next page; null on the last one. */
  next_page: string | null;
}
export type List<Row, Meta = object> = Reply<Row[], { pagination: Pagination } & Meta>;

/** A file of a form. `openAsBlob(path)` of node:fs makes a Blob of a file without reading it into memory. */
export type FileInput = Blob | { content: Blob | Uint8Array; file_name: string; content_type?: string };

export interface Progress {
  /** Bytes. */
  sent: number;
  /** Of a form it is not known everywhere. */
  total: number | undefined;
}
/** How one call is made. */
export interface Settings {
  /** Ends the call; it rejects with the signal's reason. A write that was under way may have happened. */
  signal?: AbortSignal;
  /** Of one attempt; default 30 s, and none for forms with files. 0: none. */
  timeoutMs?: number;
  /** Of reads that failed on the way, or with 429 or 5xx; default 3. Writes are never tried again. */
  retries?: number;
  /** Further headers, such as If-Match. */
  headers?: Record<string, string>;
  /** Of a form: how many bytes have left. */
  onProgress?: (progress: Progress) => void;
}
/** An operation: `request` has the parameters of path and query by their names, and `body`. */
export type Call<Request, Answer, Optional extends boolean = false> = Optional extends true
  ? (request?: Request, settings?: Settings) => Promise<Answer>
  : (request: Request, settings?: Settings) => Promise<Answer>;

type Given = string | (() => string | Promise<string>);
export interface ClientOptions {
  /** Address of Atrium, for example `https://acme.example`. */
  baseUrl: string;
  /** Id of the organisation, which is sent as Service-Id. */
  organisationId?: number | string;
  /** Of an app or a person. */
  apiKey?: Given;
  /** Signed by an app in the name of a person. A function is asked before every attempt: needed where it has a jti. */
  jwt?: Given;
  /** The `kid` of the key that signed it. */
  jwtKeyId?: string;
  /** Of a signed-in person: see signIn(). Browsers send the cookie by themselves. */
  session?: { csrfToken?: string; cookie?: string };
  /** For the operations of SCIM. */
  scimSecret?: Given;
  timeoutMs?: number;
  retries?: number;
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** How pauses between attempts are made. */
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** A method for every operation of the interface. */
export type Client = Readonly<Operations>;
export function createClient(options: ClientOptions): Client;
/** A client in the name of a person. */
export function signIn(
  person: { email: string; password: string },
  options: Pick<ClientOptions, 'baseUrl' | 'organisationId' | 'timeoutMs' | 'retries' | 'fetch' | 'wait'>,
): Promise<Client>;

/** What Atrium refused, or why there was no answer. It carries no credential. */
export class AtriumError extends Error {
  /** The operationId. */
  readonly operation: string;
  /** HTTP status; 0: there was no whole answer. */
  readonly status: number;
  /** Stable, for programs; of status 0 `unreachable` or `timeout`. */
  readonly code: string;
  /** What is wrong with which field; an object as path stands for the whole request. */
  readonly errors: readonly { path: string | object; message: string }[];
  /** Name it when you ask the operator. */
  readonly request_id: string | undefined;
  /** How long the server asks to wait. */
  readonly retryAfterMs: number | undefined;
  /** It was a write, and it may have happened: see reconcile(). */
  readonly isUncertain: boolean;
}
