import type { Json, Tx } from '../../kernel/data/db.ts';
import { pageOf, type Row } from '../../kernel/data/listing.ts';
import { all, given, jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { recordset } from '../../kernel/delivery/recordset.ts';
import { momentOf } from '../../kernel/http/request-id.ts';
import type { Kind } from './contract.ts';

interface Used {
  scope: string | null;
  calls: number;
  refused: number;
  ms: number;
}
/** Calls of one credential; moments are microseconds since 1970, calls and bodies JSON texts. */
export interface Chunk {
  organisation_id: number;
  kind: Kind;
  credential_id: number;
  first_at: number;
  last_at: number;
  count: number;
  calls: string[];
  bodies: string[];
  bodies_length: number;
  statuses: Set<number>;
  usage: Map<string, Used>;
}
const momentAt = (micros: number) => sql`(timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond')`;
const usageColumns = { text: ['operation', 'scope'], int: ['calls', 'refused'], float8: ['ms'] } as const;

export const insertChunk = (tx: Tx, chunk: Chunk) => {
  const { kind, credential_id, first_at, last_at, count, calls, bodies, bodies_length, statuses, usage } = chunk;
  const used = [...usage].map(([operation, one]) => ({ operation, ...one }));
  return tx.rows(sql`
    with owner as (
      select coalesce(k.app_id, case when c.kind in ('jwt', 'app') then c.id end) as app_id, k.user_id
      from (select ${kind}::text as kind, ${credential_id}::bigint as id) c
      left join api_keys k on k.organisation_id = $1 and k.id = c.id and c.kind in ('key', 'personal_key')),
    added as (
      insert into request_chunks (organisation_id, kind, credential_id, app_id, owner_id, first_at, last_at, count,
        operations, statuses, calls, bodies)
      select $1, ${kind}::text, ${credential_id}::bigint, app_id, user_id, ${momentAt(first_at)}, ${momentAt(last_at)},
        ${count}::int, ${[...usage.keys()]}::text[], ${[...statuses]}::int[], ${`[${calls.join(',')}]`}::json,
        case when (select s.keeps_bodies from request_settings s where s.organisation_id = $1) is not false
          then ${bodies_length > 0 ? `[${bodies.join(',')}]` : null}::json end
      from owner)
    insert into request_usage (organisation_id, kind, credential_id, day, operation, scope, calls, refused, ms)
    select $1, ${kind}::text, ${credential_id}::bigint, (${momentAt(last_at)} at time zone 'UTC')::date, u.operation,
      u.scope, u.calls, u.refused, u.ms
    from ${recordset('u', usageColumns, used)}
    on conflict (organisation_id, kind, credential_id, day, operation) do update
    set calls = request_usage.calls + excluded.calls, refused = request_usage.refused + excluded.refused,
      ms = request_usage.ms + excluded.ms`);
};

export interface Filter {
  skip: number;
  take: number;
  /** Conditions on chunks `c`. */
  of: readonly Sql[];
  operation?: string;
  /** `404`, `4xx`. */
  status?: string;
  request_id?: string;
  from?: string;
  to?: string;
}

const callColumns = trusted(
  'request_id text, at bigint, method text, path text, operation text, status int, code text, ms float8, ' +
    'request_bytes bigint, answer_bytes bigint, user_id bigint, ignored json, cleared json',
);
const callNames = trusted(callColumns.parts[0]?.replaceAll(/ \w+(?=,|$)/g, '') ?? '');
/** Of a call `s`. */
const shownCall = jsonOf(sql`
  select s.request_id, iso(timestamptz 'epoch' + s.at * interval '1 microsecond') as at, s.kind,
    case when s.kind in ('key', 'personal_key') then s.credential_id end as key_id, s.app_id,
    case when s.kind = 'scim' then s.credential_id end as scim_secret_id, s.user_id, s.method, s.path, s.operation,
    s.status, s.code, s.ms, s.request_bytes, s.answer_bytes, coalesce(s.ignored, '[]') as ignored_fields,
    coalesce(s.cleared, '[]') as cleared_fields, s.body->'request' as request, s.body->'answer' as answer`);

/** An id says when to look for it; requests take a while to be answered. */
const ID_SLACK_S = 5;
const matching = ({ operation, status, request_id }: Filter, from: Sql, to: Sql): { chunks: Sql[]; calls: Sql[] } => {
  const least = status && Number(status.replace('xx', '00'));
  const most = status && Number(status.replace('xx', '99'));
  const at = request_id === undefined ? undefined : (momentOf(request_id) ?? 0) / 1000;
  return {
    chunks: [
      sql`c.last_at >= ${from} and c.first_at < ${to}`,
      ...given(at, (s) => sql`c.first_at <= to_timestamp(${s + ID_SLACK_S}) and c.last_at >= to_timestamp(${s - 1})`),
      ...given(operation, (name) => sql`${name} = any(c.operations)`),
      ...given(least, (l) => sql`exists (select from unnest(c.statuses) s where s between ${l}::int and ${most}::int)`),
    ],
    calls: [
      ...given(request_id, (id) => sql`r.request_id = ${id}`),
      ...given(operation, (name) => sql`r.operation = ${name}`),
      ...given(least, (l) => sql`r.status between ${l}::int and ${most}::int`),
    ],
  };
};
const micros = (moment: Sql) => sql`(extract(epoch from ${moment}) * 1000000)::bigint`;

/** A page of calls: which chunks it is in follows from how many calls of each match, and only those are unpacked. */
export async function listCalls(tx: Tx, filter: Filter, days: number): Promise<{ rows: Json[]; total: number }> {
  const { skip, take, of } = filter;
  const kept = sql`${tx.now()}::timestamptz - ${literal(days)} * interval '1 day'`;
  const from = filter.from === undefined ? kept : sql`greatest(${filter.from}::timestamptz, ${kept})`;
  const to = sql`${filter.to ?? 'infinity'}::timestamptz`;
  const { chunks, calls } = matching(filter, trusted('span.begins'), trusted('span.ends'));
  const within = sql`r.at >= span.from_micros and r.at < span.to_micros`;
  const counted = sql`(
    select count(*) from json_to_recordset(c.calls) as r(${callColumns}) where ${all([within, ...calls])})`;
  return pageOf(
    await tx.rows<Row>(sql`
      with span as (
        select s.*, ${micros(trusted('s.begins'))} as from_micros,
          case when s.ends = 'infinity' then 9223372036854775807 else ${micros(trusted('s.ends'))} end as to_micros
        from (select ${from} as begins, ${to} as ends) s),
      matched as materialized (
        select c.id, ${
          calls.length > 0
            ? counted
            : sql`case when c.first_at >= span.begins and c.last_at < span.ends then c.count else ${counted} end`
        } as n
        from request_chunks c cross join span
        where ${all([sql`c.organisation_id = $1`, ...of, ...chunks])}),
      placed as (select id, n, sum(n) over (order by id desc) - n as before from matched where n > 0),
      near as materialized (
        select id, before from placed where before < ${skip + take}::bigint and before + n > ${skip}::bigint),
      shown as (
        select c.kind, c.credential_id, c.app_id, r.*,
          row_number() over (order by c.id desc, r.place desc) + (select min(before) from near) as n
        from near join request_chunks c on c.organisation_id = $1 and c.id = near.id
        cross join span
        cross join lateral rows from (
          json_to_recordset(c.calls) as (${callColumns}),
          json_array_elements(c.bodies)) with ordinality as r(${callNames}, body, place)
        where ${all([within, ...calls])}),
      page as (
        select s.n, p.json from shown s cross join lateral (${shownCall}) p
        where s.n > ${skip}::bigint and s.n <= ${skip + take}::bigint)
      select (select coalesce(sum(n), 0) from matched)::bigint as total, page.json
      from (select 1) one left join page on true
      order by page.n`),
  );
}

export const findSettings = (tx: Tx) =>
  tx.value<boolean>(sql`select keeps_bodies from request_settings where organisation_id = $1`);
/** What is not wanted any more is not kept any longer. */
export const upsertSettings = (tx: Tx, keeps_bodies: boolean) =>
  tx.rows(sql`
    with stored as (
      insert into request_settings (organisation_id, keeps_bodies, updated_at) values ($1, ${keeps_bodies}, ${tx.now()})
      on conflict (organisation_id) do update
      set (keeps_bodies, updated_at) = (excluded.keeps_bodies, excluded.updated_at))
    update request_chunks set bodies = null
    where organisation_id = $1 and bodies is not null and not ${keeps_bodies}::boolean`);

const DELETED_AT_ONCE = 500;
/** Calls after so many days, usage after a quarter of a year. */
export async function deleteOldCalls(tx: Tx, days: number) {
  for (let gone = DELETED_AT_ONCE; gone === DELETED_AT_ONCE; )
    gone = (
      await tx.rows(sql`
        delete from request_chunks where organisation_id = $1 and id = any(array(
          select id from request_chunks
          where organisation_id = $1 and last_at < ${tx.now()}::timestamptz - ${days} * interval '1 day'
          order by last_at limit ${literal(DELETED_AT_ONCE)}))
        returning id`)
    ).length;
  await tx.rows(sql`
    delete from request_usage
    where organisation_id = $1 and day < (${tx.now()}::timestamptz at time zone 'UTC')::date - 92`);
}
