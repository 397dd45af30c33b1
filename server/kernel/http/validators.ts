// ETags of single resources, and what clients make depend on them: a 304 for who has it already, a 412 for who would
// change something else than what they have read.
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { Endpoint } from '../contract/contract.ts';
import { refuse } from '../contract/errors.ts';
import type { Tx } from '../data/db.ts';
import { sql } from '../data/sql.ts';
import type { Answer } from './envelope.ts';
import type { Call } from './routes.ts';

type Handler = (call: Call) => Promise<Answer | undefined>;

/** A single resource, which is read alone. */
export const isSingle = ({ method, reply, list, media }: Endpoint) => method === 'GET' && reply && !list && !media;

/** Of the resource, not of what is around it. */
function etagOf(answer: Answer | undefined): string | undefined {
  if (answer === undefined) return undefined;
  const data = typeof answer === 'string' ? answer : 'data' in answer ? answer.data : undefined;
  return typeof data === 'string' ? `"${hash('sha1', data, 'base64url')}"` : undefined;
}

/** Says what the answer's ETag is. Returns whether the client has just that. */
export function isKnown(request: FastifyRequest, reply: FastifyReply, answer: Answer): boolean {
  const etag = etagOf(answer);
  if (etag === undefined) return false;
  reply.header('etag', etag).header('cache-control', 'private, no-cache');
  return request.headers['if-none-match'] !== undefined && fresh(request.headers, { etag });
}

const PLAIN = /^\s*(W\/)?/;
/**
 * The handler, in one transaction with the question whether the resource still is what the client has read. Of all that
 * ask so at once, one goes first.
 */
export function unlessChanged(expected: string, path: string, read: Handler | undefined, handler: Handler): Handler {
  return (call) =>
    call.tx.transaction(async (tx: Tx) => {
      if (!read) return refuseChanged('This path has no ETag: nothing says whether it has changed.');
      await tx.rows(sql`select pg_advisory_xact_lock($1::int, hashtext(${path}))`);
      const { language } = (call.body ?? {}) as { language?: string | null };
      const query = typeof language === 'string' ? { language } : {};
      const etag = etagOf(await read({ ...call, tx, query } as Call));
      const tags = expected.split(',').map((tag) => tag.replace(PLAIN, '').trim());
      if (expected.trim() !== '*' && !tags.includes(etag ?? ''))
        return refuseChanged('The resource is not what it was when you read it. Read it again.');
      return handler({ ...call, tx });
    });
}
const refuseChanged = (message: string) => refuse('precondition_failed', message, { path: 'If-Match' });
