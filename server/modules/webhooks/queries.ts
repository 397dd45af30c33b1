import type { Paging } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { assigned, cleared, inserted } from '../../kernel/data/rows.ts';
import { given, jsonOf, literal, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { noted } from '../push/notifications.ts';
import type { WebhookRow } from './access.ts';
import { MASK, managers } from './contract.ts';

export const deliveryColumns = sql`
  d.id, d.webhook_id, d.event_id, d.action, d.state, d.attempts_before + d.attempts as attempts,
  case when d.state = 'pending' then iso(d.next_attempt_at) end as next_attempt_at,
  iso(d.last_attempt_at) as last_attempt_at, d.last_status, d.last_failure, iso(d.created_at) as created_at`;
const masked = (names: string) =>
  trusted(`(select coalesce(json_object_agg(n, '${MASK}'), '{}') from unnest(${names}) n)`);
/** What waits was not tried yet: of a large backlog only the oldest part is searched for the last that was. */
const searchedUpTo = sql`coalesce((
  select p.id from webhook_deliveries p
  where p.organisation_id = $1 and p.webhook_id = w.id and p.state = 'pending'
  order by p.next_attempt_at, p.id offset 1000 limit 1), 9223372036854775807)`;
/** SQL: the key that made the subscription `o`, if one did, is good. */
export const makerIsGood = (o: Sql, now: Sql): Sql => sql`(${o}.key_id is null or exists (
  select from api_keys k
  where k.organisation_id = $1 and k.id = ${o}.key_id and k.revoked_at is null and k.status = 'active'
    and (k.expires_at is null or k.expires_at > ${now})))`;
const ENDED = literal(
  'The key that made it has ended. Events are still collected; a replacement (PUT) makes it yours.',
);
const shown = (now: string, source: Sql) =>
  jsonOf(sql`
    select w.id, w.name, w.url,
      json_build_object('type', w.authentication_type, 'login_url', w.login_url, 'client_id', w.client_id,
        'form_params', ${masked('w.form_param_names')}) as authentication,
      ${masked('w.custom_header_names')} as custom_headers, w.events, w.content_scope, w.status,
      w.decided_by, iso(w.decided_at) as decided_at, w.active,
      (select row_to_json(r) from (
        select ${deliveryColumns} from webhook_deliveries d
        where d.organisation_id = $1 and d.webhook_id = w.id and d.last_attempt_at is not null
          and d.id <= ${searchedUpTo}
        order by d.id desc limit 1) r) as last_delivery,
      iso(w.failing_since) as failing_since, iso(w.suspended_at) as suspended_at,
      case when ${makerIsGood(trusted('w'), sql`${now}::timestamptz`)} then w.notice else ${ENDED} end as notice,
      iso(w.listened_until) as listened_until, w.created_by, iso(w.created_at) as created_at,
      iso(w.updated_at) as updated_at
    from ${source}`);

const webhooksList: Listing = { table: 'webhooks', at: null, id: 'id', newestFirst: false };
const rowOf = (id: Sql) => sql`webhooks w where w.organisation_id = $1 and w.id = ${id}`;

export type WebhookStatus = 'active' | 'pending' | 'refused';
type Filter = Paging & { status?: WebhookStatus };
export const listWebhooks = (tx: Tx, { status, ...page }: Filter) =>
  listRows(
    tx,
    webhooksList,
    { ...page, ...everyRow, where: given(status, (one) => sql`t.status = ${one}`) },
    shown(tx.now(), rowOf(trusted('listed.id'))),
  );
export const findWebhook = (tx: Tx, id: number) => tx.json(shown(tx.now(), rowOf(sql`${id}`)));
/** No other one is made until this transaction ends. */
export const lockWebhooks = (tx: Tx) => tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('webhooks', $1))`);
export const countWebhooks = async (tx: Tx) =>
  (await tx.value<number>(sql`select count(*) from webhooks where organisation_id = $1`)) ?? 0;

const written = {
  name: 'webhooks',
  columns: {
    name: cleared('text'),
    url: cleared('text'),
    authentication_type: cleared('text'),
    login_url: cleared('text'),
    client_id: cleared('text'),
    client_secret_sealed: cleared('text'),
    form_params_sealed: cleared('text'),
    form_param_names: cleared('text[]'),
    custom_headers_sealed: cleared('text'),
    custom_header_names: cleared('text[]'),
    events: cleared('text[]'),
    content_scope: cleared('text'),
  },
};
export interface Maker {
  status: 'active' | 'pending';
  /** Of a key; null: a person, for whom content_scope says it all. */
  scopes: readonly string[] | null;
  key_id: number | null;
  created_by: number | null;
}

export type NewWebhookRow = WebhookRow & {
  signing_secret_sealed: string;
  maker?: Partial<Maker>;
  listened_until?: string;
};
export const insertWebhook = (tx: Tx, row: NewWebhookRow) => {
  const { active, signing_secret_sealed, maker, listened_until = null } = row;
  const at = { suspended_at: active ? null : tx.now(), created_at: tx.now(), updated_at: tx.now() };
  return tx.json(sql`
    with w as (${inserted(written, row, { active, signing_secret_sealed, listened_until, ...maker, ...at })})
    ${shown(tx.now(), trusted('w'))}`) as Promise<Json>;
};

const change = (tx: Tx, id: number, assignments: Sql) =>
  tx.json(sql`
    with w as (
      update webhooks set ${assignments}, updated_at = ${tx.now()}
      where organisation_id = $1 and id = ${id} returning *)
    ${shown(tx.now(), trusted('w'))}`);
/** Whoever replaces it is its maker from now on; `created_by` stays. */
export const updateWebhook = (tx: Tx, id: number, row: WebhookRow, { status, scopes, key_id }: Maker) =>
  change(
    tx,
    id,
    sql`${assigned(written.columns, row, 'webhooks')}, ${activity(tx, row.active)}, status = ${status},
      scopes = ${scopes}::text[], key_id = ${key_id}::bigint, decided_by = null, decided_at = null`,
  );
export const lockWebhook = (tx: Tx, id: number) =>
  tx.row<Pick<WebhookRow, 'name' | 'events' | 'content_scope'> & { status: string; created_by: number | null }>(sql`
    select name, events, content_scope, status, created_by from webhooks
    where organisation_id = $1 and id = ${id} for no key update`);
export const decideWebhook = (tx: Tx, id: number, status: WebhookStatus, decided_by: number | null) =>
  change(tx, id, sql`status = ${status}, decided_by = ${decided_by}::bigint, decided_at = ${tx.now()}::timestamptz`);
export const updateActivity = (tx: Tx, id: number, active: boolean) => change(tx, id, activity(tx, active));
/** Resuming begins anew: an earlier failing period does not count. */
const activity = (tx: Tx, active: boolean) =>
  active
    ? sql`active = true, suspended_at = null, notice = null, failing_since = case when active then failing_since end`
    : sql`active = false, suspended_at = coalesce(suspended_at, ${tx.now()}::timestamptz)`;
/** The former secret goes on signing beside the new one until then. */
export const updateSigningSecret = (tx: Tx, id: number, secret_sealed: string) =>
  change(
    tx,
    id,
    sql`former_secret_sealed = signing_secret_sealed, signing_secret_sealed = ${secret_sealed},
      former_secret_until = ${tx.now()}::timestamptz + interval '24 hours'`,
  );

export const deleteWebhook = (tx: Tx, id: number) =>
  tx.json(sql`
    with gone as (delete from webhook_deliveries where organisation_id = $1 and webhook_id = ${id} returning id),
    log as (delete from webhook_attempts a using gone where a.organisation_id = $1 and a.delivery_id = gone.id)
    delete from webhooks where organisation_id = $1 and id = ${id}
    returning json_build_object('id', id)::text as json`);

// ---- Listeners: temporary subscriptions of a command ----------------------------------------------------------------

/** `gone`: their command renews them no more. */
export const findListeners = (tx: Tx, which: 'here' | 'gone') =>
  tx.values<number>(sql`
    select id from webhooks
    where organisation_id = $1 and listened_until ${trusted(which === 'here' ? '>' : '<=')} ${tx.now()}::timestamptz
    order by id`);
export const updateListener = (tx: Tx, id: number, until: string) =>
  tx.rows(sql`update webhooks set listened_until = ${until}::timestamptz where organisation_id = $1 and id = ${id}`);

// ---- Health ------------------------------------------------------------------------------------------------------

export const updateRecovered = (tx: Tx, ids: readonly number[]) =>
  tx.rows(sql`
    update webhooks set failing_since = null
    where organisation_id = $1 and id = any(${ids}::bigint[]) and failing_since is not null`);
export const updateFailing = (tx: Tx, ids: readonly number[]) =>
  tx.rows(sql`
    update webhooks set failing_since = ${tx.now()}
    where organisation_id = $1 and id = any(${ids}::bigint[]) and failing_since is null`);
/**
 * Suspends what has been failing for too long and tells who made it; where an app did, or that person has left,
 * everybody who may resume it.
 */
export const suspendFailing = (tx: Tx, ids: readonly number[], hours: number) =>
  tx.rows<{ id: number; name: string; created_by: number | null }>(sql`
    with suspended as (
      update webhooks set active = false, suspended_at = ${tx.now()}::timestamptz,
        notice = 'Suspended automatically: every delivery since ' || iso(failing_since) || ' failed. '
          || 'Events are still collected. Mend the receiver, then resume the subscription.'
      where organisation_id = $1 and id = any(${ids}::bigint[]) and active
        and failing_since <= ${tx.now()}::timestamptz - ${hours} * interval '1 hour'
      returning id, name, notice, created_by),
    owned as (
      select s.*, u.id as owner_id from suspended s
      left join users u on u.organisation_id = $1 and u.id = s.created_by and u.kind = 'person' and u.is_active
        and u.has_access),
    notes as (
      select u.id as user_id, 'Webhook ' || o.name as title, o.notice as body, 'webhook-' || o.id as tag
      from owned o join users u on u.organisation_id = $1 and u.kind = 'person'
        and (u.id = o.owner_id or o.owner_id is null and u.roles && ${managers}::text[])),
    told as (${noted('notes', tx.now())})
    select id, name, created_by from suspended`);

// ---- Targets of deliveries -----------------------------------------------------------------------------------------

export interface Target extends Omit<WebhookRow, 'name' | 'active' | 'form_param_names' | 'custom_header_names'> {
  id: number;
  status: WebhookStatus;
  /** Of the key that made it; null: content_scope says it all. */
  scopes: string[] | null;
  /** It is written to now, by every node. */
  open: boolean;
  signing_secret_sealed: string;
  former_secret_sealed: string | null;
  created_at: string;
  version: string;
}
/** Of these ids, or all. */
export const findTargets = async (tx: Tx, ids?: readonly number[]): Promise<ReadonlyMap<number, Target>> => {
  const now = sql`${tx.now()}::timestamptz`;
  const rows = await tx.rows<Target>(sql`
    select id, url, status, scopes,
      active and listened_until is null and status = 'active'
        and ${makerIsGood(trusted('webhooks'), now)} as open, authentication_type, login_url, client_id,
      client_secret_sealed, form_params_sealed, custom_headers_sealed, events, content_scope, signing_secret_sealed,
      case when former_secret_until > ${tx.now()}::timestamptz then former_secret_sealed end as former_secret_sealed,
      iso(created_at) as created_at, iso(updated_at) as version
    from webhooks where organisation_id = $1 ${ids ? sql`and id = any(${ids}::bigint[])` : nothing}`);
  return new Map(rows.map((row) => [row.id, row]));
};

/** What a changed subscription keeps when the request masks it or leaves it out. */
export interface Secrets {
  client_secret_sealed: string | null;
  form_params_sealed: string | null;
  custom_headers_sealed: string;
}
const secrets = (id: number) => sql`
  select signing_secret_sealed, client_secret_sealed, form_params_sealed, custom_headers_sealed
  from webhooks where organisation_id = $1 and id = ${id}`;
export const findSecrets = (tx: Tx, id: number) => tx.row<Secrets>(secrets(id));
export const lockSecrets = (tx: Tx, id: number) =>
  tx.row<Secrets & { signing_secret_sealed: string }>(sql`${secrets(id)} for no key update`);
