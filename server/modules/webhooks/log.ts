// Deliveries as rows: made by the relay, read by the console, kept for a while.
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { USER_AGENT } from './delivery.ts';
import { deleteWebhook, deliveryColumns, findListeners } from './queries.ts';

const deliveriesList: Listing = { table: 'webhook_deliveries', at: null, id: 'id', newestFirst: true };
const show = (source: Sql) =>
  sql`select row_to_json(r)::text as json from (select ${deliveryColumns} from ${source}) r`;

export const insertSample = (tx: Tx, webhook_id: number, action: string, payload: string) =>
  tx.json(sql`
    with d as (
      insert into webhook_deliveries (organisation_id, webhook_id, event_id, action, payload, next_attempt_at, created_at)
      select $1, w.id, gen_random_uuid(), ${action}, ${payload}::json, ${tx.now()}, ${tx.now()} from webhooks w where w.organisation_id = $1 and w.id = ${webhook_id} returning *)
    ${show(trusted('d'))}`);

/** For the demo: the newest event of this action, refused by a receiver that was away for the first attempt and all others. */
export const insertFailedDelivery = (tx: Tx, webhook_id: number, action: string) =>
  tx.rows(sql`
    with d as (
      insert into webhook_deliveries (organisation_id, webhook_id, event_id, action, outbox_id, state, attempts, next_attempt_at, last_attempt_at, last_status, last_failure, created_at)
      select $1, ${webhook_id}, o.event_id, o.action, o.id, 'failed', 5, ${tx.now()}, ${tx.now()}, 503, 'status_503', o.created_at
      from outbox o where o.organisation_id = $1 and o.action = ${action} order by o.id desc limit 1 returning id)
    insert into webhook_attempts (organisation_id, delivery_id, attempt, sent_at, latency_ms, status, failure, request_headers, answer)
    select $1, d.id, n, ${tx.now()}::timestamptz - (5 - n) * interval '10 minutes', 40, 503, 'status_503', '{"content-type":"application/json"}', 'Back soon.' from d, generate_series(1, 5) n`);

export interface DeliveryFilter {
  skip: number;
  take: number;
  state?: string;
  action?: string;
  failure?: string;
  event_id?: string;
  since?: string;
  until?: string;
}
export const listDeliveries = (tx: Tx, webhook_id: number, filter: DeliveryFilter) => {
  const { skip, take, state, action, failure, event_id, since, until } = filter;
  const given = (value: unknown, condition: Sql) => (value === undefined ? [] : [condition]);
  const where = [
    sql`t.webhook_id = ${webhook_id}`,
    ...given(state, sql`t.state = ${state}`),
    ...given(action, sql`t.action = ${action}`),
    ...given(failure, sql`t.last_failure = ${failure}`),
    ...given(event_id, sql`t.event_id = ${event_id}::uuid`),
    ...given(since, sql`t.created_at >= ${since}::timestamptz`),
    ...given(until, sql`t.created_at < ${until}::timestamptz`),
  ];
  return listRows(
    tx,
    deliveriesList,
    { skip, take, ...everyRow, where },
    show(sql`webhook_deliveries d where d.organisation_id = $1 and d.id = listed.id`),
  );
};

export interface LoggedDelivery {
  delivery: Record<string, unknown> & { action: string; event_id: string };
  /** Text of the payload without action and meta. */
  payload: string | null;
  log: {
    attempt: number;
    sent_at: string;
    latency_ms: number;
    status: number | null;
    failure: string | null;
    request_headers: Record<string, string>;
    answer: string | null;
  }[];
}
/** Columns of webhook_attempts, of the one attempt of a delivery `d` that its first request delivered. */
const ownAttempt =
  trusted(`d.id as delivery_id, d.attempts as attempt, d.last_attempt_at as sent_at, d.latency_ms, d.last_status as status, null::text as failure,
  (coalesce(d.masked_headers::jsonb, '{}') || jsonb_build_object('content-type', 'application/json', 'user-agent', '${USER_AGENT}', 'webhook-id', d.event_id,
    'webhook-timestamp', floor(extract(epoch from d.last_attempt_at))::text, 'webhook-signature', d.signature))::json as request_headers, d.answer`);

export const findDelivery = (tx: Tx, webhook_id: number, id: number) =>
  tx.row<{ delivery: string; payload: string | null; log: string }>(sql`
    select row_to_json(r)::text as delivery, p.payload, (
      select coalesce(json_agg(json_build_object('attempt', a.attempt, 'sent_at', iso(a.sent_at), 'latency_ms', a.latency_ms, 'status', a.status, 'failure', a.failure,
        'request_headers', a.request_headers, 'answer', a.answer) order by a.attempt), '[]')
      from (
        select a.attempt, a.sent_at, a.latency_ms, a.status, a.failure, a.request_headers, a.answer from webhook_attempts a where a.organisation_id = $1 and a.delivery_id = r.id
        union all select o.attempt, o.sent_at, o.latency_ms, o.status, o.failure, o.request_headers, o.answer
        from (select ${ownAttempt} from webhook_deliveries d where d.organisation_id = $1 and d.id = r.id and d.latency_ms is not null) o) a)::text as log
    from (select ${deliveryColumns} from webhook_deliveries d where d.organisation_id = $1 and d.id = ${id} and d.webhook_id = ${webhook_id}) r
    cross join lateral (
      select coalesce(d.payload, o.payload)::text as payload from webhook_deliveries d left join outbox o on o.organisation_id = $1 and o.id = d.outbox_id
      where d.organisation_id = $1 and d.id = r.id) p`);

const anew = (tx: Tx) =>
  sql`state = 'pending', attempts_before = d.attempts_before + d.attempts, attempts = 0, next_attempt_at = ${tx.now()}`;
/** Its first attempt goes to the log, where further ones will be. Undefined: there is no such delivery, or it is on its way. */
export const redeliver = (tx: Tx, webhook_id: number, id: number) =>
  tx.transaction(async (inside) => {
    const mine = sql`d.organisation_id = $1 and d.id = ${id} and d.webhook_id = ${webhook_id} and d.state <> 'pending'`;
    if (!(await inside.row(sql`select id from webhook_deliveries d where ${mine} for update`))) return undefined;
    return inside.json(sql`
      with logged as (
        insert into webhook_attempts (organisation_id, delivery_id, attempt, sent_at, latency_ms, status, failure, request_headers, answer)
        select $1, o.* from (select ${ownAttempt} from webhook_deliveries d where ${mine} and d.latency_ms is not null) o),
      d as (
        update webhook_deliveries d set ${anew(tx)}, latency_ms = null, answer = null, signature = null, masked_headers = null where ${mine} returning *)
      ${show(trusted('d'))}`);
  });
export const findWebhookOfDelivery = async (tx: Tx, id: number) =>
  (
    await tx.row<{ webhook_id: number }>(
      sql`select webhook_id from webhook_deliveries where organisation_id = $1 and id = ${id}`,
    )
  )?.webhook_id;
export const RECOVERED_MAX = 10_000;
/** Given up, or not readable by the node that was to send it; `next_attempt_at` is when that was. */
const lost = sql`(d.state = 'failed' or d.state = 'withheld' and d.last_failure = 'secret_unreadable')`;
export const recoverFailed = (tx: Tx, webhook_id: number, since: string) =>
  tx.json(sql`
    with d as (
      update webhook_deliveries d set ${anew(tx)} where d.organisation_id = $1 and ${lost} and d.id = any(array(
        select d.id from webhook_deliveries d
        where d.organisation_id = $1 and d.webhook_id = ${webhook_id} and ${lost} and d.next_attempt_at >= ${since}::timestamptz order by d.id limit ${RECOVERED_MAX}))
      returning d.id)
    select json_build_object('recovered', count(*))::text as json from d`) as Promise<Json>;

/** Of a table, in a statement; statements of one call. */
const [DELETED_AT_ONCE, PORTIONS_MAX] = [5000, 20];
/** What is older than the log is kept, in portions from the lowest ids, which are the oldest; temporary subscriptions whose command has gone. */
export async function deleteOldDeliveries(tx: Tx, days: number) {
  const before = sql`${tx.now()}::timestamptz - ${days} * interval '1 day'`;
  const portion = (table: string) =>
    sql`array(select id from (select id, created_at from ${trusted(table)} where organisation_id = $1 order by id limit ${DELETED_AT_ONCE}) oldest
      where created_at < ${before} and (select created_at from ${trusted(table)} where organisation_id = $1 order by id limit 1) < ${before})`;
  const inPortions = async (deletion: Sql) => {
    for (let n = 0; n < PORTIONS_MAX; n++)
      if (
        (await tx.row<{ deleted: number }>(sql`${deletion} select count(*) as deleted from old`))?.deleted !==
        DELETED_AT_ONCE
      )
        return;
  };
  await inPortions(sql`
    with old as (delete from webhook_deliveries where organisation_id = $1 and id = any (${portion('webhook_deliveries')}) returning id),
    log as (delete from webhook_attempts a using old where a.organisation_id = $1 and a.delivery_id = old.id)`);
  // What a worker logged while the delivery's subscription was being deleted.
  await tx.rows(sql`
    delete from webhook_attempts where organisation_id = $1
      and delivery_id < coalesce((select id from webhook_deliveries where organisation_id = $1 order by id limit 1), 9223372036854775807)`);
  await inPortions(
    sql`with old as (delete from outbox where organisation_id = $1 and id = any (${portion('outbox')}) and relayed_at is not null returning id)`,
  );
  for (const id of await findListeners(tx, 'gone')) await deleteWebhook(tx, id);
}
