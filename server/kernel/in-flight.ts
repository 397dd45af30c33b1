// Requests of people that this node is answering. A credential is checked when a request begins; a person who leaves while
// it runs must not get its answer either, so leaving refuses what is under way, before it is confirmed to whoever asked.
import type { FastifyRequest } from 'fastify';
import type { Actor } from './auth.ts';

export interface InFlight {
  /** `closed` is called when the answer has been sent or the client has gone. */
  begin(request: FastifyRequest, actor: Actor, closed: (end: () => void) => void): void;
  /** Refuses the person's requests; `except` is the actor whose own request asks for it. */
  refuse(organisation_id: number, user_id: number, except?: Actor): void;
}

export function createInFlight(): InFlight {
  const requests = new Map<string, Set<FastifyRequest>>();
  const keyOf = (organisation_id: number, user_id: number) => `${organisation_id}:${user_id}`;
  return {
    begin(request, actor, closed) {
      const key = keyOf(actor.organisation_id, actor.user_id);
      const own = requests.get(key) ?? new Set();
      requests.set(key, own.add(request));
      closed(() => {
        own.delete(request);
        if (own.size === 0 && requests.get(key) === own) requests.delete(key);
      });
    },
    refuse(organisation_id, user_id, except) {
      for (const request of requests.get(keyOf(organisation_id, user_id)) ?? [])
        if (except === undefined || request.actor !== except) request.refused = true;
    },
  };
}
