// Requests of people that this node is answering. A credential is checked when a request begins; a person who leaves while
// it runs must not get its answer either, so leaving refuses what is under way, before it is confirmed to whoever asked.
import type { FastifyRequest } from 'fastify';
import type { Actor } from './auth.ts';
import type { Clock } from './clock.ts';

export interface InFlight {
  /** `closed` is called when the answer has been sent or the client has gone. */
  begin(request: FastifyRequest, actor: Actor, closed: (end: () => void) => void): void;
  /** Refuses the person's requests; `except` is the actor whose own request asks for it. */
  refuse(organisation_id: number, user_id: number, except?: Actor): void;
}

/** No request takes longer from its first byte to the check of its credential. */
const REMEMBERED_MICROS = 600_000_000;

export function createInFlight(clock: Clock): InFlight {
  const requests = new Map<string, Set<FastifyRequest>>();
  const refusedAt = new Map<string, number>();
  const keyOf = (organisation_id: number, user_id: number) => `${organisation_id}:${user_id}`;
  return {
    begin(request, actor, closed) {
      const key = keyOf(actor.organisation_id, actor.user_id);
      // Its credential was read before the person left, and arrived here afterwards.
      if (request.received_micros <= (refusedAt.get(key) ?? -1)) request.refused = true;
      const own = requests.get(key) ?? new Set();
      requests.set(key, own.add(request));
      closed(() => {
        own.delete(request);
        if (own.size === 0 && requests.get(key) === own) requests.delete(key);
      });
    },
    refuse(organisation_id, user_id, except) {
      const now = clock.micros();
      for (const [key, micros] of refusedAt) if (micros < now - REMEMBERED_MICROS) refusedAt.delete(key);
      const key = keyOf(organisation_id, user_id);
      refusedAt.set(key, now);
      for (const request of requests.get(key) ?? []) if (except === undefined || request.actor !== except) request.refused = true;
    },
  };
}
