import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { noted } from '../push/notifications.ts';
import { MASK, managers } from './contract.ts';

/** A subscription as stored; secrets are sealed. */
export interface WebhookRow {
  name: string;
  url: string;
  authentication_type: 'none' | 'oauth2';
  login_url: string | null;
  client_id: string | null;
  client_secret_sealed: string | null;
  form_params_sealed: string | null;
  form_param_names: readonly string[];
  custom_headers_sealed: string;
  custom_header_names: readonly string[];
  events: readonly string[];
  content_scope: 'public' | 'all';
  active: boolean;
}

export const deliveryColumns =
  trusted(`d.id, d.webhook_id, d.event_id, d.action, d.state, d.attempts_before + d.attempts as attempts,
  case when d.state = 'pending' then iso(d.next_attempt_at) end as next_attempt_at, iso(d.last_attempt_at) as last_attempt_at, d.last_status, d.last_failure, iso(d.created_at) as created_at`);
const masked = (names: string) => `(select coalesce(json_object_agg(n, '${MASK}'), '{}') from unnest(${names}) n)`;
/** What waits was not tried yet: of a large backlog only the oldest part is searched for the last that was. */
const searchedUpTo = `coalesce((select p.id from webhook_deliveries p where p.organisation_id = $1 and p.webhook_id = w.id and p.state = 'pending'
  order by p.next_attempt_at, p.id offset 1000 limit 1), 9223372036854775807)`;
const columns = trusted(`w.id, w.name, w.url,
  json_build_object('type', w.authentication_type, 'login_url', w.login_url, 'client_id', w.client_id, 'form_params', ${masked('w.form_param_names')}) as authentication,
  ${masked('w.custom_header_names')} as custom_headers, w.events, w.content_scope, w.active,
  (select row_to_json(r) from (select ${deliveryColumns.parts[0]} from webhook_deliveries d where d.organisation_id = $1 and d.webhook_id = w.id and d.last_attempt_at is not null and d.id <= ${searchedUpTo} order by d.id desc limit 1) r) as last_delivery,
  iso(w.failing_since) as failing_since, iso(w.suspended_at) as suspended_at, w.notice, iso(w.listened_until) as listened_until, w.created_by, iso(w.created_at) as created_at, iso(w.updated_at) as updated_at`);
const show = (source: Sql) => sql`select row_to_json(r)::text as json from (select ${columns} from ${source}) r`;

const webhooksList: Listing = { table: 'webhooks', at: null, id: 'id', newestFirst: false };

export const listWebhooks = (tx: Tx, skip: number, take: number) =>
  listRows(
    tx,
    webhooksList,
    { skip, take, ...everyRow },
    show(sql`webhooks w where w.organisation_id = $1 and w.id = listed.id`),
  );
export const findWebhook = (tx: Tx, id: number) =>
  tx.json(show(sql`webhooks w where w.organisation_id = $1 and w.id = ${id}`));
/** No other one is made until this transaction ends. */
export const lockWebhooks = (tx: Tx) => tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('webhooks', $1))`);
export const countWebhooks = async (tx: Tx) =>
  (await tx.row<{ count: number }>(sql`select count(*) from webhooks where organisation_id = $1`))?.count ?? 0;

export interface WebhookSecrets {
  id: number;
  client_secret_sealed: string | null;
  form_params_sealed: string | null;
  custom_headers_sealed: string;
  signing_secret_sealed: string;
}
const secrets = (id: number) =>
  sql`select id, client_secret_sealed, form_params_sealed, custom_headers_sealed, signing_secret_sealed from webhooks where organisation_id = $1 and id = ${id}`;
export const findSecrets = (tx: Tx, id: number) => tx.row<WebhookSecrets>(secrets(id));
export const lockSecrets = (tx: Tx, id: number) => tx.row<WebhookSecrets>(sql`${secrets(id)} for no key update`);

export interface NewWebhookRow extends WebhookRow {
  signing_secret_sealed: string;
  created_by: number | null;
  listened_until?: string | undefined;
}
export const insertWebhook = (tx: Tx, w: NewWebhookRow) => {
  const now = tx.now();
  return tx.json(sql`
    with w as (
      insert into webhooks (organisation_id, name, url, authentication_type, login_url, client_id, client_secret_sealed, form_params_sealed, form_param_names,
        custom_headers_sealed, custom_header_names, events, content_scope, active, suspended_at, signing_secret_sealed, listened_until, created_by, created_at, updated_at)
      values ($1, ${w.name}, ${w.url}, ${w.authentication_type}, ${w.login_url}, ${w.client_id}, ${w.client_secret_sealed}, ${w.form_params_sealed}, ${w.form_param_names},
        ${w.custom_headers_sealed}, ${w.custom_header_names}, ${w.events}, ${w.content_scope}, ${w.active}, ${w.active ? null : now}, ${w.signing_secret_sealed}, ${w.listened_until ?? null}, ${w.created_by}, ${now}, ${now})
      returning *)
    ${show(trusted('w'))}`) as Promise<Json>;
};

export const updateWebhook = (tx: Tx, id: number, w: WebhookRow) =>
  tx.json(sql`
    with w as (
      update webhooks set name = ${w.name}, url = ${w.url}, authentication_type = ${w.authentication_type}, login_url = ${w.login_url}, client_id = ${w.client_id},
        client_secret_sealed = ${w.client_secret_sealed}, form_params_sealed = ${w.form_params_sealed}, form_param_names = ${w.form_param_names},
        custom_headers_sealed = ${w.custom_headers_sealed}, custom_header_names = ${w.custom_header_names}, events = ${w.events}, content_scope = ${w.content_scope},
        ${activity(tx, w.active)}, updated_at = ${tx.now()}
      where organisation_id = $1 and id = ${id} returning *)
    ${show(trusted('w'))}`);

/** Resuming begins anew: an earlier failing period does not count. */
const activity = (tx: Tx, active: boolean) =>
  active
    ? sql`active = true, suspended_at = null, notice = null, failing_since = case when active then failing_since end`
    : sql`active = false, suspended_at = coalesce(suspended_at, ${tx.now()}::timestamptz)`;
export const updateActivity = (tx: Tx, id: number, active: boolean) =>
  tx.json(sql`
    with w as (update webhooks set ${activity(tx, active)}, updated_at = ${tx.now()} where organisation_id = $1 and id = ${id} returning *)
    ${show(trusted('w'))}`);

/** The former secret goes on signing beside the new one until then. */
export const updateSigningSecret = (tx: Tx, id: number, signing_secret_sealed: string, former_secret_sealed: string) =>
  tx.json(sql`
    with w as (
      update webhooks set former_secret_sealed = ${former_secret_sealed}, former_secret_until = ${tx.now()}::timestamptz + interval '24 hours',
        signing_secret_sealed = ${signing_secret_sealed}, updated_at = ${tx.now()}
      where organisation_id = $1 and id = ${id} returning *)
    ${show(trusted('w'))}`);

export const deleteWebhook = (tx: Tx, id: number) =>
  tx.json(sql`
    with gone as (delete from webhook_deliveries where organisation_id = $1 and webhook_id = ${id} returning id),
    log as (delete from webhook_attempts a using gone where a.organisation_id = $1 and a.delivery_id = gone.id)
    delete from webhooks where organisation_id = $1 and id = ${id} returning json_build_object('id', id)::text as json`);

// ---- Listeners: temporary subscriptions of a command ----------------------------------------------------------------

/** `gone`: their command renews them no more. */
export const findListeners = async (tx: Tx, which: 'here' | 'gone') =>
  (
    await tx.rows<{ id: number }>(
      sql`select id from webhooks where organisation_id = $1 and listened_until ${trusted(which === 'here' ? '>' : '<=')} ${tx.now()}::timestamptz order by id`,
    )
  ).map(({ id }) => id);
export const updateListener = (tx: Tx, id: number, until: string) =>
  tx.rows(sql`update webhooks set listened_until = ${until}::timestamptz where organisation_id = $1 and id = ${id}`);

// ---- Health ------------------------------------------------------------------------------------------------------

export const updateRecovered = (tx: Tx, ids: readonly number[]) =>
  tx.rows(
    sql`update webhooks set failing_since = null where organisation_id = $1 and id = any(${ids}::bigint[]) and failing_since is not null`,
  );
export const updateFailing = (tx: Tx, ids: readonly number[]) =>
  tx.rows(
    sql`update webhooks set failing_since = ${tx.now()} where organisation_id = $1 and id = any(${ids}::bigint[]) and failing_since is null`,
  );
/** Suspends what has been failing for too long and tells who made it; where an app did, or that person has left, everybody who may resume it. */
export const suspendFailing = (tx: Tx, ids: readonly number[], hours: number) =>
  tx.rows<{ id: number; name: string; created_by: number | null }>(sql`
    with suspended as (
      update webhooks set active = false, suspended_at = ${tx.now()}::timestamptz,
        notice = 'Suspended automatically: every delivery since ' || iso(failing_since) || ' failed. Events are still collected. Mend the receiver, then resume the subscription.'
      where organisation_id = $1 and id = any(${ids}::bigint[]) and active and failing_since <= ${tx.now()}::timestamptz - ${hours} * interval '1 hour'
      returning id, name, notice, created_by),
    owned as (
      select s.*, u.id as owner_id from suspended s
      left join users u on u.organisation_id = $1 and u.id = s.created_by and u.kind = 'person' and u.is_active and u.has_access),
    notes as (
      select u.id as user_id, 'Webhook ' || o.name as title, o.notice as body, 'webhook-' || o.id as tag
      from owned o join users u on u.organisation_id = $1 and u.kind = 'person' and (u.id = o.owner_id or o.owner_id is null and u.roles && ${managers}::text[])),
    told as (${noted('notes', tx.now())})
    select id, name, created_by from suspended`);

// ---- Targets of deliveries -----------------------------------------------------------------------------------------

export interface Target {
  id: number;
  url: string;
  /** It is written to now, by every node. */
  open: boolean;
  authentication_type: 'none' | 'oauth2';
  login_url: string | null;
  client_id: string | null;
  client_secret_sealed: string | null;
  form_params_sealed: string | null;
  custom_headers_sealed: string;
  events: string[];
  content_scope: 'public' | 'all';
  signing_secret_sealed: string;
  former_secret_sealed: string | null;
  created_at: string;
  version: string;
}
/** Of these ids, or all. */
export const findTargets = async (tx: Tx, ids?: readonly number[]): Promise<ReadonlyMap<number, Target>> => {
  const rows = await tx.rows<Target>(sql`
    select id, url, active and listened_until is null as open, authentication_type, login_url, client_id, client_secret_sealed, form_params_sealed, custom_headers_sealed,
      events, content_scope, signing_secret_sealed, case when former_secret_until > ${tx.now()}::timestamptz then former_secret_sealed end as former_secret_sealed,
      iso(created_at) as created_at, iso(updated_at) as version
    from webhooks where organisation_id = $1 ${ids ? sql`and id = any(${ids}::bigint[])` : nothing}`);
  return new Map(rows.map((row) => [row.id, row]));
};
