import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import { type Chore, job, queued } from '../../kernel/work/jobs.ts';
import { awardByRules } from './queries.ts';

export const awardBadges = job<object>('award_badges', (tx) => awardByRules(tx));

/** Everybody is looked at again once the transaction is committed. */
export const queueAwards = (tx: Tx) =>
  tx.rows(queued(awardBadges, sql`(select '{}'::jsonb as payload, ${tx.now()}::timestamptz as run_at)`));

/** With every new day of the organisation's calendar, for anniversaries. Of several nodes one queues the job. */
export const awardDaily: Chore = (tx) =>
  tx.rows(sql`
    with claimed as (
      update organisations o set badges_awarded_on = (${tx.now()}::timestamptz at time zone o.timezone)::date
      where o.id = $1 and o.badges_awarded_on is distinct from (${tx.now()}::timestamptz at time zone o.timezone)::date
        and exists (select from badges b where b.organisation_id = $1 and b.rules_active) returning o.id)
    ${queued(awardBadges, sql`(select '{}'::jsonb as payload, ${tx.now()}::timestamptz as run_at from claimed)`)}`);
