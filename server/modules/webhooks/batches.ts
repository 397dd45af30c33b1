// Events on their way to a first attempt: see kernel/delivery/first-attempts.ts. Rows are looked up by their keys
// (`any`, `limit 1`): of a join the planner may compare all that an organisation has with each, while its statistics
// know of none.
import type { Tx } from '../../kernel/data/db.ts';
import { literal, sql } from '../../kernel/data/sql.ts';
import { type Batch, LEASE_S, type LeasedRow, type NewDelivery } from '../../kernel/delivery/destination.ts';
import { recordset } from '../../kernel/delivery/recordset.ts';

/** About so many deliveries come of a batch. */
const DELIVERIES = 500;

/** Condition: the subscription `w` hears of the outbox row `o`. */
const wants = sql`w.status = 'active' and o.action = any(w.events) and w.created_at <= o.created_at
  and (w.content_scope = 'all' or o.is_public)`;

/** Batches of the events that a subscription wants. */
export const relayToWebhooks = (tx: Tx, outbox_ids: readonly number[]) =>
  tx.rows(sql`
    insert into webhook_batches (organisation_id, outbox_ids)
    select $1, array_agg(e.id order by e.id)
    from (
      select o.id, (row_number() over (order by o.id) - 1)
        * (select count(*) from webhooks where organisation_id = $1) / ${DELIVERIES} as part
      from outbox o
      where o.organisation_id = $1 and o.id = any(${outbox_ids}::bigint[]) and exists (
        select from webhooks w
        where w.organisation_id = $1 and ${wants})) e
    group by e.part`);

export const listHearers = (tx: Tx, outbox_ids: readonly number[]) =>
  tx.rows<{ outbox_id: number; webhook_id: number; name: string }>(sql`
    select o.id as outbox_id, w.id as webhook_id, w.name
    from outbox o join webhooks w on w.organisation_id = $1 and ${wants}
    where o.organisation_id = $1 and o.id = any(${outbox_ids}::bigint[])
    order by o.id, w.id`);

export const claimBatch = (tx: Tx) => {
  const now = sql`${tx.now()}::timestamptz`;
  return tx.row<Batch>(sql`
    update webhook_batches
    set attempts = attempts + 1, leased_until = ${now} + interval '${literal(LEASE_S)} seconds'
    where organisation_id = $1 and id = (
      select id from webhook_batches
      where organisation_id = $1 and (leased_until is null or leased_until <= ${now})
      order by id limit 1 for update skip locked)
    returning id, attempts as attempt`);
};

export const giveBackBatch = (tx: Tx, { id, attempt }: Batch) =>
  tx.rows(sql`
    update webhook_batches set attempts = attempts - 1, leased_until = null
    where organisation_id = $1 and id = ${id} and attempts = ${attempt}`);

export interface Content {
  /** Of the outbox row, or of the delivery. */
  id: number;
  event_id: string;
  action: string;
  /** The payload's first key: whose visibility decides. */
  noun: string;
  /** JSON text of an object with the event's resources. Null: not kept any more. */
  payload: string | null;
  is_public: boolean;
  created_at: string;
  resource_id: number | null;
  space_id: number | null;
  is_sample: boolean;
}
export const findBatchContents = (tx: Tx, batch_id: number) =>
  tx.rows<Content>(sql`
    select o.id, o.event_id, o.action, noun, o.payload::text as payload, o.is_public, iso(o.created_at) as created_at,
      false as is_sample,
      o.space_id, case when exists (
          select from webhooks where organisation_id = $1 and (content_scope = 'public' or scopes is not null))
        then (o.payload -> noun ->> 'id')::bigint end as resource_id
    from outbox o cross join split_part(o.action, '.', 1) as noun
    where o.organisation_id = $1 and o.id = any((
      select outbox_ids from webhook_batches where organisation_id = $1 and id = ${batch_id})::bigint[])
    order by o.id`);
export const findContents = (tx: Tx, delivery_ids: readonly number[]) =>
  tx.rows<Content>(sql`
    select d.id, d.event_id, d.action, noun, coalesce(d.payload, o.payload)::text as payload,
      coalesce(o.is_public, true) as is_public, iso(d.created_at) as created_at, d.payload is not null as is_sample,
      (o.payload -> noun ->> 'id')::bigint as resource_id, o.space_id
    from webhook_deliveries d cross join split_part(d.action, '.', 1) as noun
    left join lateral (select * from outbox where organisation_id = $1 and id = d.outbox_id limit 1) o on true
    where d.organisation_id = $1 and d.id = any(${delivery_ids}::bigint[])`);

const columns = {
  bigint: ['target_id', 'outbox_id', 'sent_at'],
  int: ['attempts', 'status', 'latency_ms'],
  text: ['state', 'failure', 'answer', 'signature'],
  boolean: ['leased'],
  json: ['masked_headers'],
} as const;
/** The end of a batch: a row a delivery, and none when the batch has another worker by now. */
export const writeBatch = (tx: Tx, { id, attempt }: Batch, rows: readonly NewDelivery[]) => {
  const written = rows.map((row) => ({
    ...row,
    status: row.sent?.answer.status,
    latency_ms: row.sent?.answer.latency_ms,
    answer: row.sent?.answer.answer,
    sent_at: row.sent?.outgoing.at,
    signature: row.sent?.outgoing.headers['webhook-signature'],
    masked_headers: maskedOf(row.sent?.outgoing.masked),
  }));
  const now = sql`${tx.now()}::timestamptz`;
  return tx.rows<LeasedRow>(sql`
    with mine as (
      delete from webhook_batches where organisation_id = $1 and id = ${id} and attempts = ${attempt} returning id),
    d as (
      insert into webhook_deliveries (organisation_id, webhook_id, event_id, action, outbox_id, state, attempts,
        next_attempt_at, leased_until, last_attempt_at, last_status, last_failure, latency_ms, answer, signature,
        masked_headers, created_at)
      select $1, m.target_id, o.event_id, o.action, o.id, m.state, m.attempts, ${now},
        case when m.leased then ${now} + interval '${literal(LEASE_S)} seconds' end,
        'epoch'::timestamptz + m.sent_at * interval '1 microsecond', m.status, m.failure, m.latency_ms, m.answer,
        m.signature, m.masked_headers, o.created_at
      from mine cross join ${recordset('m', columns, written)}
      cross join lateral (select * from outbox where organisation_id = $1 and id = m.outbox_id limit 1) o
      where exists (select from webhooks w where w.organisation_id = $1 and w.id = m.target_id)
      returning id, webhook_id as target_id, outbox_id, leased_until)
    select id, target_id, outbox_id from d where leased_until is not null`);
};
const maskedOf = (masked: Readonly<Record<string, string>> = {}) =>
  Object.keys(masked).length === 0 ? null : JSON.stringify(masked);
