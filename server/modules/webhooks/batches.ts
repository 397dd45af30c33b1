// Events on their way to a first attempt: see kernel/delivery/first-attempts.ts. Rows are looked up by their keys (`any`, `limit 1`):
// of a join the planner may compare all that an organisation has with each, while its statistics know of none.
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import { LEASE_S } from '../../kernel/delivery/deliveries.ts';
import type { Batch, Made } from '../../kernel/delivery/first-attempts.ts';

/** About so many deliveries come of a batch. */
const DELIVERIES = 500;

/** Batches of the events that a subscription wants. */
export const relayToWebhooks = (tx: Tx, outbox_ids: readonly number[]) =>
  tx.rows(sql`
    insert into webhook_batches (organisation_id, outbox_ids)
    select $1, array_agg(e.id order by e.id) from (
      select o.id, (row_number() over (order by o.id) - 1) * (select count(*) from webhooks where organisation_id = $1) / ${DELIVERIES} as part
      from outbox o where o.organisation_id = $1 and o.id = any(${outbox_ids}::bigint[]) and exists (
        select from webhooks w where w.organisation_id = $1 and o.action = any(w.events) and (w.content_scope = 'all' or o.is_public) and w.created_at <= o.created_at)) e
    group by e.part`);

export const claimBatch = (tx: Tx) =>
  tx.row<Batch>(sql`
    update webhook_batches set attempts = attempts + 1, leased_until = ${tx.now()}::timestamptz + ${LEASE_S} * interval '1 second'
    where organisation_id = $1 and id = (
      select id from webhook_batches where organisation_id = $1 and (leased_until is null or leased_until <= ${tx.now()}::timestamptz) order by id limit 1 for update skip locked)
    returning id, attempts as attempt`);

export const giveBackBatch = (tx: Tx, { id, attempt }: Batch) =>
  tx.rows(
    sql`update webhook_batches set attempts = attempts - 1, leased_until = null where organisation_id = $1 and id = ${id} and attempts = ${attempt}`,
  );

export interface Content {
  /** Of the outbox row, or of the delivery. */
  id: number;
  event_id: string;
  action: string;
  /** JSON text of an object with the event's resources. Null: not kept any more. */
  payload: string | null;
  is_public: boolean;
  created_at: string;
  resource_id: number | null;
  is_sample: boolean;
}
export const findBatchContents = (tx: Tx, batch_id: number) =>
  tx.rows<Content>(sql`
    select o.id, o.event_id, o.action, o.payload::text as payload, o.is_public, iso(o.created_at) as created_at, false as is_sample,
      case when exists (select from webhooks where organisation_id = $1 and content_scope = 'public') then (o.payload -> split_part(o.action, '.', 1) ->> 'id')::bigint end as resource_id
    from outbox o where o.organisation_id = $1 and o.id = any((select outbox_ids from webhook_batches where organisation_id = $1 and id = ${batch_id})::bigint[])`);
export const findContents = (tx: Tx, delivery_ids: readonly number[]) =>
  tx.rows<Content>(sql`
    select d.id, d.event_id, d.action, coalesce(d.payload, o.payload)::text as payload, coalesce(o.is_public, true) as is_public, iso(d.created_at) as created_at,
      d.payload is not null as is_sample, (o.payload -> split_part(d.action, '.', 1) ->> 'id')::bigint as resource_id
    from webhook_deliveries d left join lateral (select * from outbox where organisation_id = $1 and id = d.outbox_id limit 1) o on true
    where d.organisation_id = $1 and d.id = any(${delivery_ids}::bigint[])`);

/** The end of a batch: a row a delivery, and none when the batch has another worker by now. */
export async function writeBatch(
  tx: Tx,
  { id, attempt }: Batch,
  made: readonly Made[],
): Promise<ReadonlyMap<number, number>> {
  const of = (pick: (one: Made) => string | number | null | undefined) => arrayText(made.map(pick));
  const held = await tx.rows<{ id: number; webhook_id: number; outbox_id: number }>(sql`
    with mine as (delete from webhook_batches where organisation_id = $1 and id = ${id} and attempts = ${attempt} returning id),
    d as (
      insert into webhook_deliveries (organisation_id, webhook_id, event_id, action, outbox_id, state, attempts, next_attempt_at, leased_until,
        last_attempt_at, last_status, last_failure, latency_ms, answer, signature, masked_headers, created_at)
      select $1, m.webhook_id, o.event_id, o.action, o.id,
        case when outcome = 'delivered' then 'delivered' when outcome in ('due', 'held') then 'pending' when outcome = 'interrupted' then 'failed' else 'withheld' end,
        case when outcome in ('delivered', 'held') then ${attempt}::int else ${attempt}::int - 1 end, ${tx.now()}::timestamptz,
        case when outcome = 'held' then ${tx.now()}::timestamptz + ${LEASE_S} * interval '1 second' end,
        'epoch'::timestamptz + sent_at * interval '1 microsecond', status, case when outcome not in ('delivered', 'due', 'held') then outcome end,
        latency_ms, answer, signature, masked_headers::json, o.created_at
      from mine cross join unnest(
        ${of(({ first }) => first.target_id)}::bigint[], ${of(({ first }) => first.outbox_id)}::bigint[], ${of(({ outcome }) => outcome)}::text[],
        ${of(({ sent }) => sent?.outgoing.at)}::bigint[], ${of(({ sent }) => sent?.answer.status)}::int[], ${of(({ sent }) => sent?.answer.latency_ms)}::int[],
        ${of(({ sent }) => sent?.answer.answer)}::text[], ${of(({ sent }) => sent?.outgoing.headers['webhook-signature'])}::text[],
        ${of(({ sent }) => maskedOf(sent?.outgoing.masked))}::text[])
      as m(webhook_id, outbox_id, outcome, sent_at, status, latency_ms, answer, signature, masked_headers)
      cross join lateral (select * from outbox where organisation_id = $1 and id = m.outbox_id limit 1) o
      where exists (select from webhooks w where w.organisation_id = $1 and w.id = m.webhook_id)
      returning id, webhook_id, outbox_id, leased_until)
    select id, webhook_id, outbox_id from d where leased_until is not null`);
  if (held.length === 0) return new Map();
  const places = new Map(made.map(({ first }, place) => [`${first.target_id} ${first.outbox_id}`, place]));
  return new Map(held.map(({ id, webhook_id, outbox_id }) => [places.get(`${webhook_id} ${outbox_id}`) as number, id]));
}

const maskedOf = (masked: Readonly<Record<string, string>> = {}) =>
  Object.keys(masked).length === 0 ? null : JSON.stringify(masked);

/** Text of a PostgreSQL array: cheaper than to let the driver quote every number. */
const arrayText = (values: readonly (string | number | null | undefined)[]) => `{${values.map(elementOf).join(',')}}`;
const elementOf = (value: string | number | null | undefined) =>
  value == null
    ? 'null'
    : typeof value === 'number'
      ? value
      : `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
