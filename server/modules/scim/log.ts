// The provisioning log: one row for every SCIM request, written after its answer. Rows of one moment are one statement; a
// log that cannot be written is reported and never repeats or fails a request.
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../kernel/data/db.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { insertRequests, type LogEntry } from './log-queries.ts';

export interface ProvisioningLog {
  add(entry: LogEntry): void;
  /** When everything added so far is stored. */
  settled(): Promise<void>;
}

const BATCH_MAX = 200;
/** More than this waits only while the database does not answer. */
const WAITING_MAX = 20_000;

const logs = new WeakMap<Services, ProvisioningLog>();
/** The one log of this process's services. */
export function logOf(services: Services, logger: FastifyBaseLogger): ProvisioningLog {
  const log = logs.get(services) ?? createProvisioningLog(services.db, logger);
  logs.set(services, log);
  return log;
}
/** What was answered before is in the log that is read now, on this node. */
export const settled = async (services: Services) => logs.get(services)?.settled();

function createProvisioningLog(db: Db, logger: FastifyBaseLogger): ProvisioningLog {
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
    add(entry) {
      if (waiting.length >= WAITING_MAX) waiting.shift();
      waiting.push(entry);
      writing ??= write();
    },
    settled: async () => {
      while (writing) await writing;
    },
  };
}
