// What a kind of receiver brings: where its deliveries are, and how one becomes a request. The drawing is in engine.ts.
import type { FastifyBaseLogger } from 'fastify';
import type { Tx } from '../data/db.ts';
import type { Sql } from '../data/sql.ts';
import type { Services } from '../http/routes.ts';
import type { FirstAttempt } from './first-attempts.ts';
import type { Answer, Outgoing, Withheld } from './send.ts';

export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'withheld';
export const ATTEMPTS_MAX = 5;
/** Longer than the slowest attempt: twice a token and twice a request, 10 s each. */
export const LEASE_S = 45;

/**
 * A table of deliveries has organisation_id, id, <target_id>, event_id uuid, action, state, attempts,
 * attempts_before, next_attempt_at, leased_until, last_attempt_at, last_status, last_failure, created_at; an index
 * (organisation_id, <target_id>, next_attempt_at, id) where state = 'pending'. Its log has organisation_id,
 * delivery_id, attempt (the three are its key), sent_at, latency_ms, status, failure, request_headers json, answer.
 * Migration 0021 shows both.
 */
export interface DeliveryTables {
  readonly deliveries: string;
  readonly log: string;
  readonly targets: string;
  /** Column of `deliveries` that names the target. */
  readonly target_id: string;
}

/** A delivery whose next attempt this node makes. */
export interface Claimed {
  readonly id: number;
  readonly target_id: number;
  /** Of this row, from 1. */
  readonly attempt: number;
  /** `meta.attempt`: goes on where an earlier delivery of the event ended. */
  readonly attempt_shown: number;
}

export interface Destination extends DeliveryTables {
  /** Condition on the target `o`: it is written to now. Rows of others wait. */
  readonly open: Sql;
  /** By the id of the delivery. Rows without an entry are withheld as `gone`. */
  prepare(tx: Tx, claimed: readonly Claimed[], services: Services): Promise<ReadonlyMap<number, Outgoing | Withheld>>;
  /** Events that are tried before they have rows. */
  readonly batches?: EventBatches;
  /** Ids of targets that something was delivered to, or that failed, at this moment. */
  settled?(tx: Tx, health: Health, services: Services, logger: FastifyBaseLogger): Promise<void>;
}
export type Health = Readonly<Record<'delivered' | 'failed', readonly number[]>>;

/** Some events on their way to their first attempts: one lease for all deliveries that come of them. */
export interface Batch {
  readonly id: number;
  /** From 1. */
  readonly attempt: number;
}
export interface EventBatches {
  claim(tx: Tx): Promise<Batch | undefined>;
  giveBack(tx: Tx, batch: Batch): Promise<unknown>;
  prepare(tx: Tx, batch: Batch, services: Services): Promise<FirstAttempt[]>;
  /** Ends the batch, unless it has another worker by now: then nothing is written. Returns the rows that are leased. */
  write(tx: Tx, batch: Batch, rows: readonly NewDelivery[]): Promise<LeasedRow[]>;
}
/** A delivery as it is written for the first time, after its first attempt. */
export interface NewDelivery {
  readonly target_id: number;
  readonly outbox_id: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly failure: string | null;
  /** Pending, and this node settles it as every other row. */
  readonly leased: boolean;
  /** Of what was delivered. */
  readonly sent?: { outgoing: Outgoing; answer: Answer };
}
export type LeasedRow = Pick<NewDelivery, 'target_id' | 'outbox_id'> & { id: number };
