// What the provisioning log says of a request, and of each operation of a bulk request.
import type { ScimBase, ScimCredential } from './access.ts';
import type { Done, ScimAnswer } from './call.ts';
import { masked } from './changes.ts';
import { ScimError } from './errors.ts';
import type { LogEntry } from './log-queries.ts';

export interface Context {
  readonly credential: ScimCredential;
  readonly base: ScimBase;
  readonly request_id: string;
  readonly is_dry_run: boolean;
  readonly ms: number;
  readonly created_at: string;
}
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly query: unknown;
  readonly body: unknown;
  readonly answer: ScimAnswer | undefined;
  readonly error: ScimError | undefined;
}

const LOGGED_LENGTH_MAX = 16_384;

export function entryOf(
  { credential, base, ...context }: Context,
  { method, path, status, query, body, answer, error }: Seen,
): LogEntry {
  const full = credential.settings.log_values === 'full';
  const shown = { query: masked(query, full), ...(body === undefined ? {} : { body: masked(body, full) }) };
  const length = JSON.stringify(shown).length;
  return {
    ...context,
    organisation_id: credential.tx.organisation_id,
    provider: base.provider,
    secret_id: credential.secret.id,
    method: method.slice(0, 10),
    path: path.slice(0, 500),
    status,
    scim_type: error?.scimType ?? null,
    detail: error
      ? full || error.status >= 500
        ? error.message
        : String(masked(error.message, full, 'filter'))
      : null,
    resource_type: answer?.resource?.type ?? null,
    resource_id: answer?.resource?.id ?? null,
    user_id: answer?.resource?.type === 'User' ? answer.resource.id : (error?.user_id ?? personIn(path)),
    request: length <= LOGGED_LENGTH_MAX ? shown : { query: shown.query, length },
    changes: masked(answer?.changes ?? [], full),
  };
}

export function operationEntry(context: Context, { method, path, body, outcome }: Done): LogEntry {
  const [answer, error] = outcome instanceof ScimError ? [undefined, outcome] : [outcome, undefined];
  return entryOf(context, { method, path, status: outcome.status, query: {}, body, answer, error });
}

/** A request about a person that failed is found by that person all the same. */
function personIn(path: string): number | null {
  const id = /\/Users\/([1-9]\d{0,15})\/?$/.exec(path)?.[1];
  return id === undefined ? null : Number(id);
}
