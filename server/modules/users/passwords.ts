// Passwords of people, and whether they may sign in with them.
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql } from '../../kernel/data/sql.ts';

export const findSignIn = (tx: Tx, email: string) =>
  tx.row<{ id: number; password_hash: string | null }>(sql`
    select id, password_hash
    from users
    where organisation_id = $1 and lower(email) = lower(${email}) and kind = 'person' and is_active and has_access`);

/** CTE body: the person has signed in. No row for who may not, for example since a moment ago. */
export const recordedSignIn = (user_id: number): Sql => sql`
  update users set has_logged_in = true
  where organisation_id = $1 and id = ${user_id} and is_active and has_access returning *`;

export const getPassword = async (tx: Tx, user_id: number) =>
  (await tx.row<{ email: string; password_hash: string | null }>(sql`
    select email, password_hash from users where organisation_id = $1 and id = ${user_id}`)) ?? refuseNotFound();
export const updatePassword = (tx: Tx, user_id: number, password_hash: string) =>
  tx.rows(sql`update users set password_hash = ${password_hash} where organisation_id = $1 and id = ${user_id}`);
