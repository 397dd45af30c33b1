// The provisioning log: one row for every SCIM request and every operation of a bulk request, written after the answer.
// Rows of one moment are one statement; a log that cannot be written is reported and never repeats or fails a request.
import type { FastifyBaseLogger } from 'fastify';
import type { Services } from '../../kernel/http/routes.ts';
import { idIn, type Operation, type ScimCall } from './call.ts';
import { masked } from './changes.ts';
import { ScimError } from './errors.ts';
import { insertRequests, type LogEntry } from './log-queries.ts';

const BATCH_MAX = 200;
/** More than this waits only while the database does not answer. */
const WAITING_MAX = 20_000;
const LOGGED_LENGTH_MAX = 16_384;

/** Of this process's services. */
const logs = new WeakMap<Services, ProvisioningLog>();
export function logOf(services: Services, logger: FastifyBaseLogger): ProvisioningLog {
  const log = logs.get(services) ?? provisioningLog(services, logger);
  logs.set(services, log);
  return log;
}
/** What was answered before is in the log that is read now, on this node. */
export const settled = async (services: Services) => logs.get(services)?.settled();

type ProvisioningLog = ReturnType<typeof provisioningLog>;
function provisioningLog({ db }: Services, logger: FastifyBaseLogger) {
  const waiting: LogEntry[] = [];
  let writing: Promise<void> | undefined;
  const write = async () => {
    // After the poll phase, so that requests of one turn share the statement.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const organisation_id = waiting[0]?.organisation_id ?? 0;
      const batch = waiting.slice(0, BATCH_MAX).filter((entry) => entry.organisation_id === organisation_id);
      for (const entry of batch) waiting.splice(waiting.indexOf(entry), 1);
      await insertRequests(db.inOrganisation(organisation_id), batch).catch((err) =>
        logger.error({ err, organisation_id, entries: batch.length }, 'the provisioning log was not written'),
      );
    }
    writing = undefined;
  };
  return {
    add(entry: LogEntry) {
      if (waiting.length >= WAITING_MAX) waiting.shift();
      waiting.push(entry);
      writing ??= write();
    },
    /** When everything added so far is stored. */
    async settled() {
      while (writing) await writing;
    },
  };
}

type Measured = Pick<LogEntry, 'request_id' | 'ms' | 'created_at' | 'status'>;
export function entryOf(call: ScimCall, operation: Operation, measured: Measured): LogEntry {
  const { method, path, query, body, outcome } = operation;
  const [answer, error] = outcome instanceof ScimError ? [undefined, outcome] : [outcome, undefined];
  const full = call.settings.log_values === 'full';
  const request = { query: masked(query, full), body: masked(body, full) };
  const { length } = JSON.stringify(request);
  const isShown = full || measured.status >= 500;
  const { type = null, id = null } = answer?.resource ?? {};
  return {
    ...measured,
    organisation_id: call.tx.organisation_id,
    provider: call.base.provider,
    secret_id: call.secret.id,
    is_dry_run: call.isDryRun,
    method: method.slice(0, 10),
    path: path.slice(0, 500),
    scim_type: error?.scimType ?? null,
    detail: error ? (isShown ? error.message : String(masked(error.message, false, 'filter'))) : null,
    resource_type: type,
    resource_id: id,
    user_id: type === 'User' ? id : (error?.options.user_id ?? personIn(path)),
    request: length <= LOGGED_LENGTH_MAX ? request : { query: request.query, length },
    changes: masked(answer?.changes ?? [], full) as unknown[],
  };
}
/** A request about a person that failed is found by that person all the same. */
const personIn = (path: string) => idIn(/\/Users\/(\d+)\/?$/.exec(path)?.[1]) || null;
