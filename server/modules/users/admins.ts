// An organisation always keeps an admin who can sign in, whatever takes the role or the access away.
import { refuse } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';

const isAdmin = sql`organisation_id = $1 and kind = 'person' and is_active and 'admin' = any(roles)`;

/**
 * Refuses when no other admin would be left. Ask with the rows of these people locked: those who end two admins at the
 * same moment decide one after the other.
 */
export async function refuseLastAdmins(tx: Tx, ids: readonly number[], path?: string): Promise<void> {
  const areAdmins = await tx.any(sql`select from users where ${isAdmin} and id = any(${ids}::bigint[])`);
  if (!areAdmins) return;
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended('admins', $1))`);
  const hasAnother = await tx.any(sql`
    select from users where ${isAdmin} and has_access and id <> all(${ids}::bigint[]) limit 1`);
  if (hasAnother) return;
  const detail = 'This is the last admin of the organisation. Give the role to somebody else first.';
  refuse('last_admin', detail, path === undefined ? {} : { path });
}
