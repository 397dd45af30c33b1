// Deliveries that a node withheld as it could not open the subscription's secrets, sealed with a key that it did not
// have. Once the secrets open they are sent, without anybody asking.
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { madeDue } from './log.ts';
import { isReadable } from './messages.ts';
import { findTargets } from './queries.ts';

export async function sendReadable(tx: Tx, services: Services): Promise<void> {
  const webhook_ids = await tx.values<number>(sql`
    select distinct d.webhook_id from webhook_deliveries d
    where d.organisation_id = $1 and d.state = 'withheld' and d.last_failure = 'secret_unreadable'`);
  if (webhook_ids.length === 0) return;
  const targets = await findTargets(tx, webhook_ids);
  for (const target of targets.values())
    if (isReadable(tx, services, target))
      await tx.rows(madeDue(tx, target.id, sql`d.state = 'withheld' and d.last_failure = 'secret_unreadable'`));
}
