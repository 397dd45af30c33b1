// One SCIM request as its handler sees it, and what handlers hand back.
import type { Tx } from '../../kernel/data/db.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { ScimBase } from './access.ts';
import { ScimError } from './errors.ts';
import type { FoundSecret, ScimSettings } from './queries.ts';

export interface ScimCall {
  readonly base: ScimBase;
  readonly secret: FoundSecret;
  readonly settings: ScimSettings;
  readonly services: Services;
  readonly tx: Tx;
  /** Address of the base, without a slash at the end. */
  readonly root: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly isPatch: boolean;
  /** Of the path; empty where it has none. */
  readonly id: string;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Operations of a bulk request that are done, each with an entry of its own in the log, whatever becomes of the rest. */
  readonly done: Done[];
}
export interface Done {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly outcome: ScimAnswer | ScimError;
}

export interface Change {
  attribute: string;
  from?: unknown;
  to?: unknown;
}
export interface ScimAnswer {
  readonly status: number;
  /** JSON text. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly resource?: { readonly type: 'User' | 'Group'; readonly id: number };
  readonly changes?: readonly Change[];
}
export type ScimHandler = (call: ScimCall) => Promise<ScimAnswer>;

/** A parameter by its name in any case: providers write startIndex and startindex. */
export const parameter = (query: Readonly<Record<string, unknown>>, name: string): unknown =>
  query[name] ?? Object.entries(query).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];

/** The path's id, or 0, which nothing has. */
export const idOf = ({ id }: ScimCall): number => (/^[1-9]\d{0,15}$/.test(id) ? Number(id) : 0);

const tags = (header: string) => header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
const names = (header: string, version: string) =>
  header.trim() === '*' || tags(header).includes(version.replace(/^W\//, ''));

/** RFC 7644 3.14: a change to another version than the client's is refused. Ask with the row locked. */
export function requireVersion({ ifMatch }: ScimCall, version: string) {
  if (ifMatch !== undefined && !names(ifMatch, version))
    throw new ScimError(
      412,
      undefined,
      'The resource has changed since: read it again. Its version is in the header ETag.',
      {
        etag: version,
      },
    );
}
export const isKnown = ({ ifNoneMatch }: ScimCall, version: string) =>
  ifNoneMatch !== undefined && names(ifNoneMatch, version);
