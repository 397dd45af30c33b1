// `X-Dry-Run: 1` on a write: all of it happens in one transaction that is rolled back, and the answer says what would
// have been: the reply, what of the resource would change, which events there would be and who would be told.
//
//   database   one transaction; what other nodes are told waits for a commit that never comes. Ids are used up.
//   files      stored meanwhile, and removed at the end; none that was there before is removed
//   outside    nothing is sent: what asks another server while the client waits cannot be tried
import { isDeepStrictEqual } from 'node:util';
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract/contract.ts';
import { refuseInvalid } from '../contract/errors.ts';
import type { Json, Tx } from '../data/db.ts';
import { type EventOfTransaction, eventsOf } from '../delivery/outbox.ts';
import type { Storage } from '../files/storage.ts';
import { isOpen } from './body-limits.ts';
import type { Answer, WithMeta } from './envelope.ts';
import { dataOf, isEmpty } from './replacement.ts';
import type { Call, Services } from './routes.ts';

type Handler = (call: Call) => Promise<Answer | undefined>;
type Fields = Record<string, unknown>;

/** What a dry run says, in `meta.dry_run`. */
export interface DryRun {
  /** Of the real answer. */
  readonly status: number;
  /** Null: what the call does is no change of the resource that its address names. */
  readonly changes: readonly Change[] | null;
  /** Fields with a value that a replacement would clear, because it leaves them out. */
  readonly cleared: readonly string[];
  readonly events: readonly EventOfTransaction[];
}
export interface Change {
  /** `audience.spaces` */
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Signing in and the like count their attempts, whatever comes of them. */
export const mayBeTried = (endpoint: Endpoint) => endpoint.method !== 'GET' && !isOpen(endpoint);

/** Whether the request asks for it; refused where it could not be kept. */
export function isDryRun({ headers }: FastifyRequest, endpoint: Endpoint): boolean {
  const asked = headers['x-dry-run'];
  if (asked === undefined || /^(0|false)$/i.test(String(asked))) return false;
  if (!/^(1|true)$/i.test(String(asked))) refuseInvalid('X-Dry-Run', 'must be 1 or 0');
  if (endpoint.method === 'GET') return false;
  return mayBeTried(endpoint) || refuseInvalid('X-Dry-Run', 'cannot be used here: attempts are counted');
}

const rollback = new Error('dry run');

/** The handler's answer with what it would have done; `read` reads the resource of the same address. */
export async function tried(
  call: Call,
  endpoint: Endpoint,
  run: Handler,
  read: Handler | undefined,
  clearable: readonly string[],
): Promise<WithMeta> {
  const files = trialStorage(call.services.storage);
  const services: Services = { ...call.services, storage: files.storage, egress: nowhere };
  const client = { ...call.client, setCookie() {}, answered() {} };
  const sent = (call.body ?? {}) as Fields;
  const query = typeof sent.language === 'string' ? { language: sent.language } : {};
  let found: WithMeta | undefined;
  const work = async (tx: Tx) => {
    const inside = { ...call, tx, services, client, isDryRun: true };
    const look = async () => read && dataOf(await read({ ...inside, query } as Call).catch(() => undefined));
    const before = await look();
    const answer = await run(inside);
    const after = await look();
    const dry_run: DryRun = {
      status: endpoint.status ?? 200,
      changes: read ? changesBetween(before, after) : null,
      cleared: clearable.filter((name) => !isEmpty(before?.[name]) && isEmpty(after?.[name])),
      events: await eventsOf(tx),
    };
    found = withMeta(answer, dry_run);
    throw rollback;
  };
  try {
    await call.tx.transaction(work);
  } catch (error) {
    if (error !== rollback) throw error;
  } finally {
    await files.discard(call.tx.organisation_id);
  }
  return found as WithMeta;
}

function withMeta(answer: Answer | undefined, dry_run: DryRun): WithMeta {
  if (typeof answer === 'string') return { data: answer, meta: { dry_run } };
  if (answer && 'rows' in answer) return { data: answer.rows, meta: { ...answer.meta, dry_run } };
  if (answer && 'data' in answer) return { ...answer, meta: { ...answer.meta, dry_run } };
  return { data: 'null' as Json, meta: { dry_run } };
}

/** Of every change they say only that there was one. */
const ALWAYS = new Set(['updated_at', 'sequence']);
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function changesBetween(before: Fields = {}, after: Fields = {}, prefix = ''): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [from, to] = [before[name], after[name]];
    if (ALWAYS.has(name) || isDeepStrictEqual(from, to)) return [];
    if (isFields(from) && isFields(to)) return changesBetween(from, to, `${prefix}${name}.`);
    return [{ path: prefix + name, before: from, after: to }];
  });
}

function trialStorage(storage: Storage) {
  const made: string[] = [];
  const kept = <Key extends string | undefined>(key: Key) => {
    if (key !== undefined) made.push(key);
    return key;
  };
  const trial: Storage = {
    ...storage,
    put: async (organisation_id, content) => kept(await storage.put(organisation_id, content)),
    copy: async (organisation_id, key) => kept(await storage.copy(organisation_id, key)),
    remove: async () => {},
  };
  return {
    storage: trial,
    discard: (organisation_id: number) => Promise.all(made.map((key) => storage.remove(organisation_id, key))),
  };
}

const nowhere: Services['egress'] = {
  check: async () => {},
  send: async () => refuseInvalid('X-Dry-Run', 'cannot be used here: this asks another server'),
  close: async () => {},
};
