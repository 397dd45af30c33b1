// Rows that are to be sent to somebody's server, and what is known of them. A row belongs to a *target* (a webhook, a bot).
//
// A claim counts the attempt and takes a lease: a worker that dies gives its rows back by its end, and what it may have sent already is sent again with the next number, never with the same.
import type { Tx } from '../data/db.ts';
import { type Sql, sql, trusted } from '../data/sql.ts';

/**
 * A table of deliveries has organisation_id, id, <target_id>, event_id uuid, action, state, attempts, attempts_before,
 * next_attempt_at, leased_until, last_attempt_at, last_status, last_failure, created_at; an index (organisation_id, <target_id>,
 * next_attempt_at, id) where state = 'pending'. Its log has organisation_id, delivery_id, attempt (the three are its key),
 * sent_at, latency_ms, status, failure, request_headers json, answer. Migration 0021 shows both.
 */
export interface DeliveryTables {
  readonly deliveries: string;
  readonly log: string;
  readonly targets: string;
  /** Column of `deliveries` that names the target. */
  readonly target_id: string;
}

export interface Claimed {
  readonly id: number;
  readonly target_id: number;
  readonly event_id: string;
  readonly action: string;
  /** Of this row, from 1. */
  readonly attempt: number;
  /** `meta.attempt`: goes on where an earlier delivery of the event ended. */
  readonly attempt_shown: number;
}

/** Longer than the slowest attempt: twice a token and twice a request, 10 s each. */
export const LEASE_S = 45;
export const ATTEMPTS_MAX = 5;

/**
 * Claims what is due, a row of every target before the second of any. `free` says how many a target may have; targets
 * that are not named may have `otherwise`. `open` is a condition on the target `o`.
 */
export const claimDeliveries = (
  tx: Tx,
  { deliveries, targets, target_id }: DeliveryTables,
  open: Sql,
  { free, otherwise, most }: { free: ReadonlyMap<number, number>; otherwise: number; most: number },
): Promise<Claimed[]> => {
  const [table, target] = [trusted(deliveries), trusted(target_id)];
  return tx.rows(sql`
    with due as (
      select d.id, row_number() over (partition by o.id order by d.next_attempt_at, d.id) as n from (
        select o.id, coalesce(f.free, ${otherwise}::int) as free from ${trusted(targets)} o
        left join unnest(${[...free.keys()]}::bigint[], ${[...free.values()]}::int[]) as f(id, free) on f.id = o.id
        where o.organisation_id = $1 and ${open}) o
      cross join lateral (
        select d.id, d.next_attempt_at from ${table} d
        where d.organisation_id = $1 and d.${target} = o.id and d.state = 'pending' and d.next_attempt_at <= ${tx.now()}::timestamptz
          and (d.leased_until is null or d.leased_until <= ${tx.now()}::timestamptz)
        order by d.next_attempt_at, d.id limit o.free for update skip locked) d
      where o.free > 0)
    update ${table} d set attempts = d.attempts + 1, leased_until = ${tx.now()}::timestamptz + interval '${trusted(String(LEASE_S))} seconds'
    where d.organisation_id = $1 and d.id = any (array(select id from due order by n limit ${most}))
    returning d.id, d.${target} as target_id, d.event_id, d.action, d.attempts as attempt, d.attempts_before + d.attempts as attempt_shown`);
};

export interface Settled {
  readonly id: number;
  readonly attempt: number;
  readonly attempt_shown: number;
  readonly state: 'pending' | 'delivered' | 'failed' | 'withheld';
  readonly next_attempt_at: string;
  readonly failure: string | null;
  /** Null: nothing was sent, so there is nothing to log and the attempt does not count. */
  readonly sent: Sent | null;
}
export interface Sent {
  readonly at: string;
  readonly latency_ms: number;
  readonly status: number | null;
  readonly request_headers: string;
  readonly answer: string | null;
}

/**
 * Writes what became of attempts, with their log. A worker that was away longer than its lease changes nothing that
 * another one holds, unless it brings a success: nothing is sent again after that. `state || ''` keeps the planner from
 * walking the index of everything that is pending instead of looking up these few, and `any` from comparing everything that
 * the organisation has with each of them, which looks cheap while statistics know of none.
 */
export const settleDeliveries = (tx: Tx, { deliveries, log }: DeliveryTables, settled: readonly Settled[]) => {
  const of = <T>(pick: (one: Settled) => T) => settled.map(pick);
  return tx.rows(sql`
    with s as (
      select * from unnest(${of(({ id }) => id)}::bigint[], ${of(({ attempt }) => attempt)}::int[], ${of((one) => one.attempt_shown)}::int[],
        ${of(({ state }) => state)}::text[], ${of((one) => one.next_attempt_at)}::timestamptz[], ${of(({ failure }) => failure)}::text[],
        ${of(({ sent }) => sent?.at ?? null)}::timestamptz[], ${of(({ sent }) => sent?.latency_ms ?? null)}::int[], ${of(({ sent }) => sent?.status ?? null)}::int[],
        ${of(({ sent }) => sent?.request_headers ?? null)}::text[], ${of(({ sent }) => sent?.answer ?? null)}::text[])
      as s(id, attempt, attempt_shown, state, next_attempt_at, failure, sent_at, latency_ms, status, request_headers, answer)),
    logged as (
      insert into ${trusted(log)} (organisation_id, delivery_id, attempt, sent_at, latency_ms, status, failure, request_headers, answer)
      select $1, id, attempt_shown, sent_at, latency_ms, status, failure, request_headers::json, answer from s where sent_at is not null
      on conflict do nothing)
    update ${trusted(deliveries)} d set state = s.state, next_attempt_at = s.next_attempt_at, leased_until = null,
      attempts = d.attempts - case when s.sent_at is null then 1 else 0 end,
      last_failure = case when s.sent_at is null and s.state = 'pending' then d.last_failure else s.failure end,
      last_status = case when s.sent_at is null and s.state = 'pending' then d.last_status else s.status end,
      last_attempt_at = coalesce(s.sent_at, d.last_attempt_at)
    from s where d.organisation_id = $1 and d.id = any(array(select id from s)) and d.id = s.id and d.state || '' = 'pending' and (s.state = 'delivered' or d.attempts = s.attempt)`);
};
