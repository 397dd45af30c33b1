import type { Json, Tx } from '../../kernel/data/db.ts';
import { pageOf, type Row } from '../../kernel/data/listing.ts';
import { all, given, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Change, Values } from './entries.ts';

/** Something to tell that changes no row: the triggers tell the rest. */
export const insertEvent = (tx: Tx, table: string, id: number | null, after: Values) =>
  tx.rows(sql`
    insert into audit_changes (organisation_id, transaction_id, origin, table_name, change, key, after)
    values ($1, pg_current_xact_id(), audit_origin(), ${table}, 'event', jsonb_build_object('id', ${id}::bigint),
      ${JSON.stringify(after)}::jsonb)`);
/** Whoever types a password where an address belongs must not find it here: known people only are named. */
export const insertFailedSignIn = (tx: Tx, email: string, code: string) =>
  tx.rows(sql`
    insert into audit_changes (organisation_id, transaction_id, origin, table_name, change, key, after)
    select $1, pg_current_xact_id(), audit_origin(), 'sign_ins', 'event', '{}',
      jsonb_build_object('refused', ${code}::text, 'user_id', (
        select u.id from users u where u.organisation_id = $1 and lower(u.email) = lower(${email}) limit 1))`);

export const hasChanges = (tx: Tx) => tx.any(sql`select from audit_changes where organisation_id = $1 limit 1`);
export const firstChanges = (tx: Tx, most: number) =>
  tx.rows<Change>(sql`
    select id, transaction_id::text, origin, table_name, change, key, before, after
    from audit_changes where organisation_id = $1
    order by id limit ${most}`);
export const deleteChanges = (tx: Tx, ids: readonly number[]) =>
  tx.rows(sql`delete from audit_changes where organisation_id = $1 and id = any(${ids}::bigint[])`);

export interface Head {
  /** Of the last entry and the first that is kept. */
  readonly sequence: number;
  readonly first_sequence: number;
  readonly hash: string;
}
/** Who holds it writes the next entries; the others wait. */
export const lockHead = async (tx: Tx, none: string): Promise<Head> => {
  await tx.rows(sql`
    insert into audit_heads (organisation_id, sequence, first_sequence, hash) values ($1, 0, 1, ${none})
    on conflict do nothing`);
  return (await tx.row<Head>(sql`
    select sequence, first_sequence, hash from audit_heads where organisation_id = $1 for update`)) as Head;
};
export const findHead = (tx: Tx) =>
  tx.row<Head>(sql`select sequence, first_sequence, hash from audit_heads where organisation_id = $1`);
export const updateHead = (tx: Tx, { sequence, hash }: Pick<Head, 'sequence' | 'hash'>) =>
  tx.rows(sql`
    update audit_heads set sequence = ${sequence}::bigint, hash = ${hash} where organisation_id = $1`);

export const findOwners = (tx: Tx, keys: readonly number[], grants: readonly number[]) =>
  tx.rows<{ kind: 'key' | 'grant'; id: number; owner_id: number | null }>(sql`
    select 'key' as kind, id, app_id as owner_id from api_keys
    where organisation_id = $1 and id = any(${keys}::bigint[])
    union all
    select 'grant', id, client_id from oauth_grants where organisation_id = $1 and id = any(${grants}::bigint[])`);

/** `entries` is a JSON array of rows. */
export const insertEntries = (tx: Tx, entries: string) =>
  tx.rows(sql`
    insert into audit_entries (organisation_id, sequence, at, action, person_id, app_id, credential_type, credential_id,
      object_type, object_id, request_id, entry)
    select $1, r.* from json_to_recordset(${entries}::json) as r (sequence bigint, at timestamptz, action text,
      person_id bigint, app_id bigint, credential_type text, credential_id bigint, object_type text, object_id bigint,
      request_id text, entry json)`);

export interface Filter {
  actor_id?: number;
  app_id?: number;
  credential_type?: string;
  credential_id?: number;
  action?: string;
  object_type?: string;
  object_id?: number;
  request_id?: string;
  from?: string;
  to?: string;
}
const matching = (filter: Filter): Sql[] => [
  ...given(filter.actor_id, (id) => sql`e.person_id = ${id}`),
  ...given(filter.app_id, (id) => sql`e.app_id = ${id}`),
  ...given(filter.credential_id, (id) => sql`e.credential_id = ${id}`),
  ...given(filter.credential_type, (type) => sql`e.credential_type = ${type}`),
  ...given(filter.action, (action) => sql`e.action = ${action}`),
  ...given(filter.object_type, (type) => sql`e.object_type = ${type}`),
  ...given(filter.object_id, (id) => sql`e.object_id = ${id}`),
  ...given(filter.request_id, (id) => sql`e.request_id = ${id}`),
  ...given(filter.from, (from) => sql`e.at >= ${from}::timestamptz`),
  ...given(filter.to, (to) => sql`e.at < ${to}::timestamptz`),
];
export const isFiltered = (filter: Filter) => matching(filter).length > 0;

/**
 * Newest first. Sequences have no gaps, so that without a filter a place in the list is a sequence, and nothing is
 * counted.
 */
export async function listEntries(tx: Tx, { skip, take, ...filter }: Filter & { skip: number; take: number }) {
  const conditions = matching(filter);
  const where = all([sql`e.organisation_id = $1`, ...conditions]);
  const [total, place, offset] =
    conditions.length > 0
      ? [sql`(select count(*) from audit_entries e where ${where})`, nothing, sql`offset ${skip}::bigint`]
      : [
          sql`h.sequence - h.first_sequence + 1`,
          sql`and e.sequence between h.first_sequence and h.sequence - ${skip}::bigint`,
          nothing,
        ];
  return pageOf(
    await tx.rows<Row>(sql`
      select ${total} as total, e.entry::text as json
      from audit_heads h
      left join lateral (
        select e.sequence, e.entry from audit_entries e
        where ${where} ${place}
        order by e.sequence desc limit ${take}::bigint ${offset}) e on true
      where h.organisation_id = $1
      order by e.sequence desc`),
  );
}

/** Of one filter, in the order of the chain, after this one and up to that one. */
export const findSlice = (tx: Tx, filter: Filter, after: number, until: number, most: number) =>
  tx.rows<{ sequence: number; json: Json }>(sql`
    select e.sequence, e.entry::text as json from audit_entries e
    where e.organisation_id = $1 and e.sequence > ${after}::bigint and e.sequence <= ${until}::bigint
      and ${all(matching(filter))}
    order by e.sequence limit ${most}`);

/** Places are in the order of time, and entries of one moment in that of the chain. */
export interface Place {
  readonly at: string;
  readonly sequence: number;
}
const microseconds = trusted(`to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`);
/** `brand_id` is the name that the organisation's id has beside service_id. */
export const findEvents = (tx: Tx, { at, sequence }: Place, to: string, brand_id: string, most: number) =>
  tx.rows<Place & { json: Json }>(sql`
    select ${microseconds} as at, e.sequence, (
      case when ${brand_id}::text = 'service_id' then '{}' else jsonb_build_object(${brand_id}::text, $1::bigint) end
      || jsonb_build_object('id', e.sequence, 'created_at_timestamp', floor(extract(epoch from e.at))::bigint,
        'created_at', iso(e.at), 'service_id', $1::bigint, 'user_email', u.email, 'event', e.action,
        'ip_address', e.entry->'ip', 'user_agent', e.entry->'user_agent',
        'note', left(concat_ws(' ', e.object_type, coalesce(e.object_id::text, e.entry->>'key'),
          coalesce(e.entry->'after'->>'refused', nullif(e.entry->>'change', 'none'))), 500)))::text as json
    from audit_entries e
    left join lateral (
      select u.email from users u
      where u.organisation_id = $1 and u.id = coalesce(e.person_id, (e.entry->'after'->>'user_id')::bigint)
      limit 1) u on true
    where e.organisation_id = $1 and (e.at, e.sequence) > (${at}::timestamptz, ${sequence}::bigint)
      and e.at < ${to}::timestamptz
    order by e.at, e.sequence limit ${most}`);

/** The first entry that is kept is older than this many days. */
export const isOlder = (tx: Tx, days: number) =>
  tx.any(sql`
    select from (select at from audit_entries where organisation_id = $1 order by sequence limit 1) e
    where e.at < ${tx.now()}::timestamptz - ${days} * interval '1 day'`);
/** Deletes from the beginning of the chain, up to the first entry that is not so old; the head is locked. */
export const deletePast = (tx: Tx, days: number, most: number) =>
  tx.row<{ through_sequence: number; hash: string; entries: number }>(sql`
    with past as (
      select e.sequence, e.entry->>'hash' as hash,
        bool_and(e.at < ${tx.now()}::timestamptz - ${days} * interval '1 day') over (order by e.sequence) as is_past
      from (
        select sequence, at, entry from audit_entries where organisation_id = $1 order by sequence limit ${most}) e),
    last as (select sequence, hash from past where is_past order by sequence desc limit 1),
    gone as (
      delete from audit_entries where organisation_id = $1 and sequence <= (select sequence from last)
      returning sequence),
    kept as (
      update audit_heads h set first_sequence = last.sequence + 1 from last where h.organisation_id = $1)
    select sequence as through_sequence, hash, (select count(*) from gone) as entries from last`);
