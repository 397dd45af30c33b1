// One SCIM request as its handler sees it, and what handlers hand back.
import type { Endpoint } from '../../kernel/contract/contract.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { ScimBase, ScimCredential } from './access.ts';
import type { Document } from './document.ts';
import { ScimError } from './errors.ts';

export interface ScimCall extends ScimCredential {
  readonly base: ScimBase;
  readonly services: Services;
  /** Address of the base, without a slash at the end. */
  readonly root: string;
  readonly method: string;
  /** Of the path; empty where it has none. */
  readonly id: string;
  readonly query: Readonly<Document>;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly isDryRun: boolean;
  /** Of a bulk request, those that are done: each has its entry in the log, whatever becomes of the rest. */
  readonly operations: Operation[];
}
/** What the log says of. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly query: unknown;
  readonly body: unknown;
  readonly outcome: ScimAnswer | ScimError | undefined;
}

export interface Change {
  attribute: string;
  from?: unknown;
  to?: unknown;
}
export interface ScimAnswer {
  readonly status: number;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly resource?: { readonly type: 'User' | 'Group'; readonly id: number };
  readonly changes?: readonly Change[];
}
export type ScimHandler = (call: ScimCall) => Promise<ScimAnswer>;
export interface ScimEndpoint extends Pick<Endpoint, 'method' | 'path' | 'summary'> {
  readonly operation: string;
  readonly handler: ScimHandler;
}

/** An id as clients write it, or 0, which nothing has. */
export const idIn = (text: unknown): number => (/^[1-9]\d{0,15}$/.test(String(text)) ? Number(text) : 0);

const isNamed = (header: string, version: string) =>
  header.trim() === '*' || header.split(',').some((tag) => strong(tag) === strong(version));
const strong = (tag: string) => tag.trim().replace(/^W\//, '');

/** RFC 7644 3.14: a change to another version than the client's is refused. Ask with the row locked. */
export function requireVersion({ ifMatch }: ScimCall, version: string) {
  if (ifMatch === undefined || isNamed(ifMatch, version)) return;
  const detail = 'The resource has changed since: read it again. Its version is in the header ETag.';
  throw new ScimError(412, undefined, detail, { headers: { etag: version } });
}
export const isKnown = ({ ifNoneMatch }: ScimCall, version: string) =>
  ifNoneMatch !== undefined && isNamed(ifNoneMatch, version);
