// Deliveries as rows: read by the console, made due again, kept for a while.
import type { Query } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { given, jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { webhooks } from './contract.ts';
import { USER_AGENT } from './messages.ts';
import { deleteWebhook, deliveryColumns, findListeners } from './queries.ts';

const deliveriesList: Listing = { table: 'webhook_deliveries', at: null, id: 'id', newestFirst: true };
const shown = (source: Sql) => jsonOf(sql`select ${deliveryColumns} from ${source}`);

export const insertSample = (tx: Tx, webhook_id: number, action: string, payload: string) =>
  tx.json(sql`
    with d as (
      insert into webhook_deliveries
        (organisation_id, webhook_id, event_id, action, payload, next_attempt_at, created_at)
      select $1, w.id, gen_random_uuid(), ${action}, ${payload}::json, ${tx.now()}, ${tx.now()}
      from webhooks w where w.organisation_id = $1 and w.id = ${webhook_id} returning *)
    ${shown(trusted('d'))}`);

/** For the demo: the newest event of this action, refused by a receiver that was away for every attempt. */
export const insertFailedDelivery = (tx: Tx, webhook_id: number, action: string) =>
  tx.rows(sql`
    with d as (
      insert into webhook_deliveries (organisation_id, webhook_id, event_id, action, outbox_id, state, attempts,
        next_attempt_at, last_attempt_at, last_status, last_failure, created_at)
      select $1, ${webhook_id}, o.event_id, o.action, o.id, 'failed', 5, ${tx.now()}, ${tx.now()}, 503, 'status_503',
        o.created_at
      from outbox o where o.organisation_id = $1 and o.action = ${action} order by o.id desc limit 1 returning id)
    insert into webhook_attempts (organisation_id, ${attemptColumns})
    select $1, d.id, n, ${tx.now()}::timestamptz - (5 - n) * interval '10 minutes', 40, 503, 'status_503',
      '{"content-type":"application/json"}', 'Back soon.'
    from d, generate_series(1, 5) n`);

type Filter = Query<typeof webhooks.endpoints.listWebhookDeliveries>;
export const listDeliveries = (tx: Tx, webhook_id: number, { skip, take, ...filter }: Filter) => {
  const where = [
    sql`t.webhook_id = ${webhook_id}`,
    ...given(filter.state, (state) => sql`t.state = ${state}`),
    ...given(filter.action, (action) => sql`t.action = ${action}`),
    ...given(filter.failure, (failure) => sql`t.last_failure = ${failure}`),
    ...given(filter.event_id, (event_id) => sql`t.event_id = ${event_id}::uuid`),
    ...given(filter.since, (since) => sql`t.created_at >= ${since}::timestamptz`),
    ...given(filter.until, (until) => sql`t.created_at < ${until}::timestamptz`),
  ];
  const row = sql`webhook_deliveries d where d.organisation_id = $1 and d.id = listed.id`;
  return listRows(tx, deliveriesList, { skip, take, ...everyRow, where }, shown(row));
};

const attemptColumns = trusted('delivery_id, attempt, sent_at, latency_ms, status, failure, request_headers, answer');
/** The same, of the one attempt of a delivery `d` that its first request delivered: it has no row of its own. */
const ownAttempt = sql`
  d.id as delivery_id, d.attempts as attempt, d.last_attempt_at as sent_at, d.latency_ms, d.last_status as status,
  null::text as failure, (coalesce(d.masked_headers::jsonb, '{}') || jsonb_build_object(
    'content-type', 'application/json', 'user-agent', ${literal(USER_AGENT)}, 'webhook-id', d.event_id,
    'webhook-timestamp', floor(extract(epoch from d.last_attempt_at))::text,
    'webhook-signature', d.signature))::json as request_headers, d.answer`;

/** JSON texts; the payload is that of the event, without action and meta. */
export const findDelivery = (tx: Tx, webhook_id: number, id: number) =>
  tx.row<{ delivery: string; payload: string | null; log: string }>(sql`
    with d as (
      select * from webhook_deliveries where organisation_id = $1 and id = ${id} and webhook_id = ${webhook_id}),
    log as (
      select ${attemptColumns} from webhook_attempts
      where organisation_id = $1 and delivery_id = (select id from d)
      union all select ${ownAttempt} from d where d.latency_ms is not null),
    shown as (
      select attempt, iso(sent_at) as sent_at, latency_ms, status, failure, request_headers, answer from log)
    select (${shown(trusted('d'))}) as delivery, coalesce(d.payload, o.payload)::text as payload,
      (select coalesce(json_agg(shown order by attempt), '[]') from shown)::text as log
    from d left join outbox o on o.organisation_id = $1 and o.id = d.outbox_id`);
/** By the delivery's id, or by that of its event (`meta.id`), which each subscription was sent. */
export const findDeliveries = (tx: Tx, id: number | string) =>
  tx.rows<{ id: number; webhook_id: number }>(sql`
    select d.id, d.webhook_id from webhook_deliveries d
    where d.organisation_id = $1 and ${typeof id === 'number' ? sql`d.id = ${id}` : sql`d.event_id = ${id}::uuid`}
    order by d.id`);

const anew = (tx: Tx) => sql`
  state = 'pending', attempts_before = d.attempts_before + d.attempts, attempts = 0, next_attempt_at = ${tx.now()}`;
/**
 * Its first attempt goes to the log, where further ones will be. Undefined: there is no such delivery, or it is on
 * its way.
 */
export const redeliver = (tx: Tx, webhook_id: number, id: number) =>
  tx.json(sql`
    with was as (
      select * from webhook_deliveries
      where organisation_id = $1 and id = ${id} and webhook_id = ${webhook_id} and state <> 'pending' for update),
    logged as (
      insert into webhook_attempts (organisation_id, ${attemptColumns})
      select $1, ${ownAttempt} from was d where d.latency_ms is not null),
    d as (
      update webhook_deliveries d
      set ${anew(tx)}, latency_ms = null, answer = null, signature = null, masked_headers = null
      from was where d.organisation_id = $1 and d.id = was.id returning d.*)
    ${shown(trusted('d'))}`);

const RECOVERED_MAX = 10_000;
/** Given up, or not readable by the node that was to send it; `next_attempt_at` is when that was. */
const lost = sql`(d.state = 'failed' or d.state = 'withheld' and d.last_failure = 'secret_unreadable')`;
/** Sends those of a subscription for which the condition on `d` holds anew, oldest first, so many at once. */
export const madeDue = (tx: Tx, webhook_id: number, condition: Sql) => sql`
  update webhook_deliveries d set ${anew(tx)}
  where d.organisation_id = $1 and ${condition} and d.id = any(array(
    select d.id from webhook_deliveries d
    where d.organisation_id = $1 and d.webhook_id = ${webhook_id} and ${condition}
    order by d.id limit ${RECOVERED_MAX}))
  returning d.id`;
export const recoverFailed = (tx: Tx, webhook_id: number, since: string) =>
  tx.json(sql`
    with d as (${madeDue(tx, webhook_id, sql`${lost} and d.next_attempt_at >= ${since}::timestamptz`)})
    select json_build_object('recovered', count(*))::text as json from d`) as Promise<Json>;

/** Of a table, in a statement; statements of one call. */
const [DELETED_AT_ONCE, PORTIONS_MAX] = [5000, 20];
/**
 * What is older than the log is kept, in portions from the lowest ids, which are the oldest; temporary subscriptions
 * whose command has gone.
 */
export async function deleteOldDeliveries(tx: Tx, days: number) {
  const before = sql`${tx.now()}::timestamptz - ${days} * interval '1 day'`;
  const oldest = (table: string) => {
    const first = (count: number) => sql`
      select id, created_at from ${trusted(table)} where organisation_id = $1 order by id limit ${literal(count)}`;
    return sql`array(
      select id from (${first(DELETED_AT_ONCE)}) oldest
      where created_at < ${before} and (select created_at from (${first(1)}) first) < ${before})`;
  };
  const inPortions = async (deletion: Sql) => {
    for (let n = 0; n < PORTIONS_MAX; n++)
      if ((await tx.value(sql`${deletion} select count(*) from old`)) !== DELETED_AT_ONCE) return;
  };
  await inPortions(sql`
    with old as (
      delete from webhook_deliveries
      where organisation_id = $1 and id = any (${oldest('webhook_deliveries')}) returning id),
    log as (delete from webhook_attempts a using old where a.organisation_id = $1 and a.delivery_id = old.id)`);
  // What a worker logged while the delivery's subscription was being deleted.
  await tx.rows(sql`
    delete from webhook_attempts where organisation_id = $1 and delivery_id < coalesce((
      select id from webhook_deliveries where organisation_id = $1 order by id limit 1), 9223372036854775807)`);
  await inPortions(sql`
    with old as (
      delete from outbox
      where organisation_id = $1 and id = any (${oldest('outbox')}) and relayed_at is not null returning id)`);
  for (const id of await findListeners(tx, 'gone')) await deleteWebhook(tx, id);
}
