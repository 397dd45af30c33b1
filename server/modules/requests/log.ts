// The request log of a node: calls wait for a second, then those of one credential are one row. A request never waits
// for it; when the database does not answer, what is beyond the limit is dropped and counted.
import type { FastifyBaseLogger } from 'fastify';
import type { Metrics } from '../../kernel/http/metrics.ts';
import type { Services } from '../../kernel/http/routes.ts';
import type { Credential } from '../../kernel/people/auth.ts';
import { type Chunk, insertChunk } from './queries.ts';

const FLUSH_MS = 1000;
const CALLS_MAX = 1000;
const BODIES_LENGTH_MAX = 1_000_000;
/** On this node, waiting for the database. */
const WAITING_MAX = 20_000;

export interface Call {
  request_id: string;
  /** Microseconds since 1970. */
  at: number;
  method: string;
  path: string;
  operation: string | null;
  status: number;
  ms: number;
  code?: string | undefined;
  request_bytes?: number | undefined;
  answer_bytes?: number | undefined;
  user_id?: number | undefined;
  /** Names of fields that its endpoint does not have. */
  ignored?: readonly string[] | undefined;
  /** Names of fields that a replacement cleared. */
  cleared?: readonly string[] | undefined;
  /** What else a finding wants to know of it. */
  notes?: readonly string[] | undefined;
  /** Equal for equal bodies of creates. */
  digest?: string | undefined;
}

export type RequestLog = ReturnType<typeof createLog>;
const logs = new WeakMap<Services, RequestLog>();
/** Undefined: the installation keeps none. */
export const logOf = (services: Services): RequestLog | undefined => logs.get(services);
export function openLog(services: Services, logger: FastifyBaseLogger, metrics: Metrics): RequestLog | undefined {
  if (services.config.request_days === 0) return undefined;
  const log = createLog(services, logger, metrics);
  logs.set(services, log);
  return log;
}
/** What was answered before is in the log that is read now, on this node. */
export const settled = async (services: Services) => logs.get(services)?.settled();

function createLog({ db }: Services, logger: FastifyBaseLogger, metrics: Metrics) {
  const open = new Map<string, Chunk>();
  const full: Chunk[] = [];
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  const write = async () => {
    for (let chunk = full.shift(); chunk; chunk = full.shift()) {
      const { organisation_id, count } = chunk;
      await insertChunk(db.inOrganisation(organisation_id), chunk).catch((err) => {
        metrics.requestsDropped(count);
        logger.error({ err, organisation_id, calls: count }, 'the request log was not written');
      });
      waiting -= count;
    }
    writing = undefined;
  };
  const close = (key: string, chunk: Chunk) => {
    open.delete(key);
    full.push(chunk);
    writing ??= write();
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const [key, chunk] of open) close(key, chunk);
  };

  return {
    /** `scope` is what the endpoint asks for; `body` is JSON text. */
    add({ organisation_id, kind, credential_id }: Credential, call: Call, scope: string | null, body?: string) {
      if (kind === 'session') return;
      if (waiting >= WAITING_MAX) return metrics.requestsDropped(1);
      const key = `${organisation_id} ${kind} ${credential_id}`;
      let chunk = open.get(key);
      if (!chunk) {
        chunk = newChunk({ organisation_id, kind, credential_id });
        open.set(key, chunk);
      }
      waiting++;
      addTo(chunk, call, scope, body);
      if (chunk.count >= CALLS_MAX || chunk.bodies_length > BODIES_LENGTH_MAX) close(key, chunk);
      else timer ??= setTimeout(flush, FLUSH_MS);
    },
    /** When everything added so far is stored. */
    async settled() {
      flush();
      while (writing) await writing;
    },
  };
}

const newChunk = (credential: Pick<Chunk, 'organisation_id' | 'kind' | 'credential_id'>): Chunk => ({
  ...credential,
  first_at: Number.POSITIVE_INFINITY,
  last_at: 0,
  count: 0,
  calls: [],
  bodies: [],
  bodies_length: 0,
  statuses: new Set(),
  usage: new Map(),
});

function addTo(chunk: Chunk, call: Call, scope: string | null, body: string | undefined) {
  const { at, status, ms, operation } = call;
  if (at < chunk.first_at) chunk.first_at = at;
  if (at > chunk.last_at) chunk.last_at = at;
  chunk.count++;
  chunk.calls.push(JSON.stringify(call));
  chunk.bodies.push(body ?? 'null');
  chunk.bodies_length += body?.length ?? 0;
  chunk.statuses.add(status);
  const name = operation ?? '';
  let used = chunk.usage.get(name);
  if (!used) {
    used = { scope, calls: 0, refused: 0, ms: 0 };
    chunk.usage.set(name, used);
  }
  used.calls++;
  used.ms += ms;
  if (status >= 400) used.refused++;
}
