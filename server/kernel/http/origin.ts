import type { FastifyRequest } from 'fastify';
import type { Origin } from '../data/origin.ts';
import type { Actor, Credential } from '../people/auth.ts';
import { requestId } from './request-id.ts';

/** What the audit's triggers keep of the request that changes something. */
export interface Asked {
  /** operationId, or what else begun it. */
  readonly action: string;
  /** Microseconds since 1970. */
  readonly at?: number;
  readonly kind?: Credential['kind'];
  readonly credential_id?: number;
  readonly user_id?: number;
  readonly request_id?: string;
  readonly ip?: string;
  readonly user_agent?: string;
  /** First word of its path. */
  readonly noun?: string;
}

const USER_AGENT_MAX = 200;

/** Of a request whose credential may not be known yet. */
export function originOf(request: FastifyRequest): Origin {
  let known: string | undefined;
  return () => {
    if (known !== undefined) return known;
    const { credential, actor, routeOptions } = request;
    const { operation, endpoint } = routeOptions.config;
    const asked: Asked = {
      action: operation ?? endpoint?.operation ?? `${request.method} ${routeOptions.url ?? ''}`,
      at: request.received_micros,
      ...(credential && { kind: credential.kind, credential_id: credential.credential_id }),
      ...(actor && { user_id: actor.user_id }),
      request_id: request.id,
      ip: request.ip,
      user_agent: (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_MAX).toWellFormed(),
      noun: nounOf(routeOptions.url ?? ''),
    };
    const text = JSON.stringify(asked);
    if (credential) known = text;
    return text;
  };
}

const nounOf = (path: string) => /^\/v1\/(?:admin\/|jwt\/)?([\w-]+)/.exec(path)?.[1] ?? '';

/** Of what an actor asks for over a socket that was opened from this address. */
export function originOfFrame({ kind, credential_id, user_id }: Actor, action: string, ip: string, at: number): Origin {
  const asked: Asked = { action, at, kind, credential_id, user_id, request_id: requestId(at / 1000), ip, noun: 'chat' };
  return () => JSON.stringify(asked);
}

/** Of work that no request waits for. */
export const originOfWork =
  (action: string, now_micros: () => number): Origin =>
  () =>
    JSON.stringify({ action, at: now_micros() } satisfies Asked);
