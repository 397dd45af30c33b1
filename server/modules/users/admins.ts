// An organisation always keeps an admin who can sign in, whatever takes the role or the access away; and nobody else
// takes an admin's place.
import { refuse, refuseForbidden } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';

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

/** Whoever has an admin's address may be taken for them. Apps that write people were approved by an admin. */
export async function refuseTakingOver(tx: Tx, actor: Actor, id: number, email: string): Promise<void> {
  if (actor.kind === 'key' || actor.roles.includes('admin')) return;
  const changesAdmin = await tx.any(sql`
    select from users where ${isAdmin} and id = ${id} and lower(email) <> lower(${email})`);
  if (changesAdmin) refuseForbidden('Only an admin changes the e-mail address of an admin.');
}
