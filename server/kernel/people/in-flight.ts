// Requests of people that this node is working on. A credential is checked when a request begins; a person who leaves
// while it runs must neither get its answer nor have it go on afterwards.
// So leaving refuses what is under way, and waits for it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Tx } from '../data/db.ts';
import type { Actor } from './auth.ts';

export interface InFlight {
  /** Returns false when the person left while the credential was read: nothing may be done for this request. */
  begin(request: FastifyRequest, reply: FastifyReply, actor: Actor): boolean;
  /** The person of a request that was received at this moment has left since. */
  hasLeft(actor: Actor, received_micros: number): boolean;
  /** The actor's own request asks for it: it is answered, even if it is about themselves. */
  spare(actor: Actor): void;
  /** Refuses the person's requests, and resolves when this node works on none of them any more. */
  refuse(organisation_id: number, user_id: number): Promise<void>;
}

/** No request takes longer from its first byte to the check of its credential. */
const REMEMBERED_MICROS = 600_000_000;
/** Whoever reads or sends more slowly is cut off. */
const ENDED_WITHIN_MS = 2000;

export function createInFlight(clock: Clock): InFlight {
  const requests = new Map<string, Map<FastifyRequest, Promise<void>>>();
  const refusedAt = new Map<string, number>();
  const spared = new WeakSet<Actor>();
  const keyOf = (organisation_id: number, user_id: number) => `${organisation_id}:${user_id}`;
  const hasLeft: InFlight['hasLeft'] = ({ organisation_id, user_id }, received_micros) =>
    received_micros <= (refusedAt.get(keyOf(organisation_id, user_id)) ?? -1);
  return {
    hasLeft,
    spare: (actor) => void spared.add(actor),
    begin(request, reply, actor) {
      if (hasLeft(actor, request.received_micros)) return false;
      const key = keyOf(actor.organisation_id, actor.user_id);
      const own = requests.get(key) ?? new Map<FastifyRequest, Promise<void>>();
      const { promise, resolve } = Promise.withResolvers<void>();
      requests.set(key, own.set(request, promise));
      reply.raw.once('close', () => {
        // A client that hangs up does not stop what its request began.
        Promise.resolve(request.work)
          .catch(() => {})
          .then(() => {
            resolve();
            own.delete(request);
            if (own.size === 0 && requests.get(key) === own) requests.delete(key);
          });
      });
      return true;
    },
    async refuse(organisation_id, user_id) {
      const now = clock.micros();
      for (const [key, micros] of refusedAt) if (micros < now - REMEMBERED_MICROS) refusedAt.delete(key);
      const key = keyOf(organisation_id, user_id);
      refusedAt.set(key, now);
      const own = requests.get(key) ?? new Map<FastifyRequest, Promise<void>>();
      const refused = [...own].filter(([{ actor }]) => actor === undefined || !spared.has(actor));
      for (const [request] of refused) request.refused = true;
      const patience = new AbortController();
      const late = sleep(ENDED_WITHIN_MS, undefined, { signal: patience.signal }).catch(() => {});
      await Promise.race([Promise.all(refused.map(([, ended]) => ended)), late]);
      patience.abort();
      for (const [request] of refused) if (own.has(request)) request.raw.destroy();
    },
  };
}

// ---- Leaving, on every node -----------------------------------------------------------------------------------------

/** Topic of hints between nodes (kernel/work/fan-out.ts). */
export const PEOPLE_ENDED = 'people.ended';
/** What one hint can name. */
const PEOPLE_MAX = 400;
/** These people lost access: what they have under way on any node has ended before the transaction returns. */
export function tellPeopleEnded(tx: Tx, user_ids: readonly number[]) {
  for (let from = 0; from < user_ids.length; from += PEOPLE_MAX)
    tx.tellAll(PEOPLE_ENDED, user_ids.slice(from, from + PEOPLE_MAX).join(','));
}
export const peopleIn = (key: string): number[] => key.split(',').map(Number);
