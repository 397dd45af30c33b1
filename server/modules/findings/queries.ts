import type { Json, Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import { given, jsonOf, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Kind } from '../requests/contract.ts';
import type { Standing } from './rules/credentials.ts';

const KEPT_DAYS = 30;
const ROUND_CHUNKS = 500;

/** Undefined: another node judges this organisation now. */
export const lockRound = async (tx: Tx) => {
  await tx.rows(sql`
    insert into request_judgements (organisation_id, chunk_id, next_at) values ($1, 0, ${tx.now()})
    on conflict (organisation_id) do nothing`);
  return tx.row<{ chunk_id: number; is_hour: boolean }>(sql`
    select chunk_id, next_at <= ${tx.now()}::timestamptz as is_hour from request_judgements
    where organisation_id = $1 for update skip locked`);
};
export const updateRound = (tx: Tx, chunk_id: number, isHour: boolean) =>
  tx.rows(sql`
    update request_judgements
    set chunk_id = ${chunk_id}::bigint,
      next_at = case when ${isHour}::boolean then ${tx.now()}::timestamptz + interval '1 hour' else next_at end
    where organisation_id = $1`);

export interface Fresh {
  kind: Kind;
  credential_id: number;
  app_id: number | null;
  owner_id: number | null;
  from_id: number;
  /** ISO 8601. */
  since: string;
}
/** Credentials with calls that are not judged yet. */
export async function findFresh(tx: Tx, after_id: number): Promise<{ fresh: Fresh[]; last_id: number }> {
  const rows = await tx.rows<Fresh & { last_id: number }>(sql`
    select kind, credential_id, max(app_id) as app_id, max(owner_id) as owner_id, min(id) as from_id,
      max(id) as last_id, iso(min(first_at) - interval '15 minutes') as since
    from (
      select kind, credential_id, app_id, owner_id, id, first_at from request_chunks
      where organisation_id = $1 and id > ${after_id}::bigint order by id limit ${literal(ROUND_CHUNKS)}) c
    group by kind, credential_id`);
  return { fresh: rows, last_id: Math.max(after_id, ...rows.map(({ last_id }) => last_id)) };
}
/** JSON texts of chunks, newest first. */
export const findCalls = (tx: Tx, { kind, credential_id, from_id, since }: Fresh, most: number) =>
  tx.rows<{ calls: string; is_fresh: boolean }>(sql`
    select calls::text, is_fresh from (
      select c.calls, c.id >= ${from_id}::bigint as is_fresh, c.id,
        sum(c.count) over (order by c.id desc) - c.count as later
      from request_chunks c
      where c.organisation_id = $1 and c.kind = ${kind} and c.credential_id = ${credential_id}
        and c.last_at >= ${since}::timestamptz) s
    where later < ${most}::bigint order by id desc`);

export interface Found {
  rule: string;
  subject: string;
  seen: string;
  request_ids: string[];
  count: number;
  /** Microseconds since 1970. */
  first_at: number;
  last_at: number;
}
const again = trusted(`
  on conflict (organisation_id, kind, credential_id, rule, subject) do update
  set seen = excluded.seen, request_ids = excluded.request_ids, last_at = excluded.last_at,
    occurrences = request_findings.occurrences + excluded.occurrences`);
const columns = trusted(`organisation_id, kind, credential_id, app_id, owner_id, rule, subject, seen, request_ids,
  occurrences, first_at, last_at`);

export const upsertFindings = (tx: Tx, { kind, credential_id, app_id, owner_id }: Fresh, found: readonly Found[]) =>
  tx.rows(sql`
    insert into request_findings (${columns})
    select $1, ${kind}, ${credential_id}::bigint, ${app_id}::bigint, ${owner_id}::bigint, f.rule, f.subject, f.seen,
      f.request_ids, f.count, to_timestamp(f.first_at / 1000000.0), to_timestamp(f.last_at / 1000000.0)
    from jsonb_to_recordset(${JSON.stringify(found)}::jsonb)
      as f(rule text, subject text, seen text, request_ids text[], count int, first_at bigint, last_at bigint)
    ${again}`);

/** As they are now: what does not hold any more is taken away. */
export const upsertStanding = (tx: Tx, rule: string, found: readonly Standing[]) =>
  tx.rows(sql`
    with f as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(found)}::jsonb)
        as f(kind text, credential_id bigint, app_id bigint, owner_id bigint, subject text, seen text,
          request_ids text[])),
    over as (
      delete from request_findings r
      where r.organisation_id = $1 and r.rule = ${rule} and not exists (
        select from f where f.kind = r.kind and f.credential_id = r.credential_id and f.subject = r.subject))
    insert into request_findings (${columns})
    select $1, f.kind, f.credential_id, f.app_id, f.owner_id, ${rule}, f.subject, f.seen, f.request_ids, 1,
      ${tx.now()}::timestamptz, ${tx.now()}::timestamptz
    from f
    on conflict (organisation_id, kind, credential_id, rule, subject) do update
    set seen = excluded.seen, request_ids = excluded.request_ids, last_at = excluded.last_at`);

export const deleteOld = (tx: Tx) =>
  tx.rows(sql`
    with old as (
      delete from request_findings
      where organisation_id = $1 and last_at < ${tx.now()}::timestamptz - ${literal(KEPT_DAYS)} * interval '1 day')
    delete from request_summaries
    where organisation_id = $1 and week < (${tx.now()}::timestamptz at time zone 'UTC')::date - 92`);

const whose = trusted(`
  c.kind, case when c.kind in ('key', 'personal_key') then c.credential_id end as key_id, c.app_id,
  case when c.kind = 'scim' then c.credential_id end as scim_secret_id,
  case when c.kind = 'webhook' then c.credential_id end as webhook_id`);
interface Page {
  skip: number;
  take: number;
}
const findingsList: Listing = { table: 'request_findings', at: null, id: 'id', newestFirst: true };
/** Conditions speak of `c`. */
export const listFindings = (tx: Tx, page: Page & { rule?: string }, of: readonly Sql[]) => {
  const { skip, take, rule } = page;
  const own = sql`exists (
    select from request_findings c where c.organisation_id = $1 and c.id = t.id and ${conditions(of)})`;
  const where = [own, ...given(rule, (name) => sql`t.rule = ${name}`)];
  const shown = jsonOf(sql`
    select c.id, c.rule, ${whose}, c.subject, c.seen, c.request_ids, c.occurrences, iso(c.first_at) as first_at,
      iso(c.last_at) as last_at
    from request_findings c where c.organisation_id = $1 and c.id = listed.id`);
  return listRows(tx, findingsList, { skip, take, ...everyRow, where }, shown);
};
const conditions = (of: readonly Sql[]) => of.reduce((one, other) => sql`${one} and ${other}`, trusted('true'));

export const listSummaries = async (tx: Tx, { skip, take }: Page, of: readonly Sql[]) => {
  const rows = await tx.rows<{ total: number; json: Json }>(sql`
    with c as (select * from request_summaries c where c.organisation_id = $1 and ${conditions(of)})
    select (select count(*) from c) as total, r.json
    from (select 1) one left join lateral (
      select row_to_json(s)::text as json from (
        select ${whose}, c.week, c.summary->'calls' as calls, c.summary->'refused' as refused,
          c.summary->'ms' as ms, c.summary->'operations' as operations, c.summary->'findings' as findings
        from c order by c.week desc, c.kind, c.credential_id
        limit ${take}::bigint offset ${skip}::bigint) s) r on true`);
  return { total: rows[0]?.total ?? 0, rows: rows.flatMap(({ json }) => (json === null ? [] : [json])) };
};
