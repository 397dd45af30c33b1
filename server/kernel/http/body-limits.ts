// What a request may bring, decided by its head, before a byte of its body is read: files only where the contract has
// files, little where it has no body, and least without a credential.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Endpoint } from '../contract/contract.ts';
import { refuse } from '../contract/errors.ts';
import { refuseLate } from './arrival.ts';

/** Of a body that no credential vouches for, and where the contract has none. */
export const SMALL_BODY_BYTES_MAX = 16 * 1024;

export interface BodyLimits {
  readonly isOpen: boolean;
  /** All but files. */
  readonly text_bytes_max: number;
  readonly file_fields: ReadonlySet<string>;
  readonly files_max: number;
  /** Everything, with the heads of the parts. */
  readonly bytes_max: number;
}

/** Anyone may call it: there is no credential to look at before the body is read. */
export const isOpen = ({ scope, roles, actors }: Endpoint) => scope === null && !roles && !actors;
/** Names of the fields of a body that take files, without brackets. */
export const fileFields = ({ body }: Pick<Endpoint, 'body'>): ReadonlySet<string> => {
  const { properties = {} } = (body ?? {}) as { properties?: Record<string, object> };
  const fields = Object.entries(properties).filter(([, field]) => JSON.stringify(field).includes('"x-file":true'));
  return new Set(fields.map(([name]) => name));
};

export function bodyLimits(endpoint: Endpoint, config: Config): BodyLimits {
  const isSmall = isOpen(endpoint) || !endpoint.body;
  const text_bytes_max = Math.min(config.body_bytes_max, isSmall ? SMALL_BODY_BYTES_MAX : Number.POSITIVE_INFINITY);
  const file_fields = fileFields(endpoint);
  const files_max = file_fields.size > 0 ? config.files_max : 0;
  const heads_bytes_max = isSmall ? 0 : config.body_bytes_max;
  const bytes_max = text_bytes_max + heads_bytes_max + files_max * config.file_bytes_max;
  return { isOpen: isOpen(endpoint), text_bytes_max, file_fields, files_max, bytes_max };
}

/** A body that says it is too large is not waited for. */
export function refuseLength({ headers }: FastifyRequest, { text_bytes_max, bytes_max }: BodyLimits) {
  const isForm = headers['content-type']?.startsWith('multipart/');
  const most = isForm ? bytes_max : text_bytes_max;
  if (Number(headers['content-length'] ?? 0) > most)
    refuse('payload_too_large', `A request to this endpoint may have at most ${most} bytes.`);
}

/**
 * Bodies without a credential, together, are held up to so many bytes. When there are more, those that arrive most
 * slowly are given up: who opens connections and sends nothing keeps nobody else out.
 */
export function openBodies(bytes_max: number) {
  const held = new Set<IncomingMessage>();
  return ({ raw, headers }: FastifyRequest, reply: FastifyReply) => {
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    if ((held.size + 1) * SMALL_BODY_BYTES_MAX > bytes_max) {
      const slowest = held.values().find((request) => !request.complete);
      if (!slowest)
        return refuse('unavailable', 'Too many requests are waiting. Try again shortly.', {
          headers: { 'retry-after': '1' },
        });
      held.delete(slowest);
      refuseLate(slowest.socket);
    }
    held.add(raw);
    reply.raw.once('close', () => held.delete(raw));
  };
}
