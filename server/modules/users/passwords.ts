// Passwords of people, and whether they may sign in with them.
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql } from '../../kernel/data/sql.ts';

export const findSignIn = (tx: Tx, email: string) =>
  tx.row<{ id: number; password_hash: string | null; is_locked: boolean }>(sql`
    select id, password_hash, coalesce(
      failed_sign_ins >= 10 and last_failed_sign_in_at > ${tx.now()}::timestamptz - interval '15 minutes',
      false) as is_locked
    from users
    where organisation_id = $1 and lower(email) = lower(${email}) and kind = 'person' and is_active and has_access`);

export const recordFailedSignIn = (tx: Tx, user_id: number) =>
  tx.rows(sql`
    update users set last_failed_sign_in_at = ${tx.now()}::timestamptz, failed_sign_ins = case
      when last_failed_sign_in_at > ${tx.now()}::timestamptz - interval '15 minutes' then failed_sign_ins + 1
      else 1 end
    where organisation_id = $1 and id = ${user_id}`);

/** CTE body: the person has signed in. No row for who may not, for example since a moment ago. */
export const recordedSignIn = (user_id: number): Sql => sql`
  update users set has_logged_in = true, failed_sign_ins = 0
  where organisation_id = $1 and id = ${user_id} and is_active and has_access returning *`;

export const getPasswordHash = (tx: Tx, user_id: number) =>
  tx.value<string | null>(sql`select password_hash from users where organisation_id = $1 and id = ${user_id}`);
export const updatePassword = (tx: Tx, user_id: number, password_hash: string) =>
  tx.rows(sql`
    update users set password_hash = ${password_hash}, failed_sign_ins = 0
    where organisation_id = $1 and id = ${user_id}`);
