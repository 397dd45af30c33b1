import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';

/** What each credential did in the week that has ended, once. */
export const summarise = (tx: Tx) => {
  const today = sql`(${tx.now()}::timestamptz at time zone 'UTC')::date`;
  return tx.rows(sql`
    with w as (select date_trunc('week', ${today})::date - 7 as begins),
    used as (
      select u.kind, u.credential_id, u.operation, sum(u.calls) as calls, sum(u.refused) as refused, sum(u.ms) as ms
      from w join request_usage u
        on u.organisation_id = $1 and u.day >= w.begins and u.day < w.begins + 7
      group by u.kind, u.credential_id, u.operation),
    ranked as (
      select used.*, row_number() over (partition by kind, credential_id order by calls desc, operation) as n
      from used)
    insert into request_summaries (organisation_id, week, kind, credential_id, app_id, owner_id, summary)
    select $1, (select begins from w), r.kind, r.credential_id,
      max(coalesce(k.app_id, case when r.kind in ('jwt', 'app') then r.credential_id end)), max(k.user_id),
      json_build_object(
        'calls', sum(r.calls), 'refused', sum(r.refused), 'ms', round((sum(r.ms) / sum(r.calls))::numeric, 1),
        'operations', json_agg(json_build_object('operation', r.operation, 'calls', r.calls, 'refused', r.refused)
          order by r.n) filter (where r.n <= 10),
        'findings', (
          select count(*) from request_findings f
          where f.organisation_id = $1 and f.kind = r.kind and f.credential_id = r.credential_id
            and f.last_at >= (select begins from w)))
    from ranked r
    left join api_keys k
      on k.organisation_id = $1 and k.id = r.credential_id and r.kind in ('key', 'personal_key')
    group by r.kind, r.credential_id
    on conflict do nothing`);
};
