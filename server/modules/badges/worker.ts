import type { Tx } from '../../kernel/data/db.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import { type Chore, job, queued } from '../../kernel/work/jobs.ts';
import { claimedAwardDay } from '../organisations/queries.ts';
import { awardByRules } from './queries.ts';

export const awardBadges = job<object>('award_badges', (tx) => awardByRules(tx));

/** Everybody is looked at again once the transaction is committed. */
export const queueAwards = (tx: Tx) =>
  tx.rows(queued(awardBadges, sql`(select '{}'::jsonb as payload, ${tx.now()}::timestamptz as run_at)`));

/** With every new day of the organisation's calendar, for anniversaries. Of several nodes one queues the job. */
export const awardDaily: Chore = (tx) => {
  const hasRules = trusted('exists (select from badges b where b.organisation_id = $1 and b.rules_active)');
  return tx.rows(sql`
    with claimed as (${claimedAwardDay(hasRules, tx.now())})
    ${queued(awardBadges, sql`(select '{}'::jsonb as payload, ${tx.now()}::timestamptz as run_at from claimed)`)}`);
};
