import type { Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import type { PointRead } from '../../kernel/data/point-reads.ts';
import { sql } from '../../kernel/data/sql.ts';
import { userColumns } from '../users/queries.ts';

/** A live session of a person who may sign in, by the hash of its secret. */
export const sessionByHash: PointRead = {
  keyType: 'text',
  text: `select row_to_json(r) from (
    select s.id, s.user_id, s.csrf_token, u.roles, extract(epoch from s.last_seen_at) * 1000 as last_seen_ms
    from sessions s join users u on u.organisation_id = $1 and u.id = s.user_id
    where s.organisation_id = $1 and s.secret_sha256 = KEY and u.is_active and u.has_access) r`,
};

export const findSignIn = (tx: Tx, email: string) =>
  tx.row<{ id: number; password_hash: string | null; failed_sign_ins: number; locked: boolean }>(sql`
    select id, password_hash, failed_sign_ins, coalesce(failed_sign_ins >= 10 and last_failed_sign_in_at > ${tx.now()}::timestamptz - interval '15 minutes', false) as locked
    from users where organisation_id = $1 and lower(email) = lower(${email}) and kind = 'person' and is_active and has_access`);

export const recordFailedSignIn = (tx: Tx, user_id: number) =>
  tx.rows(sql`
    update users set last_failed_sign_in_at = ${tx.now()}::timestamptz,
      failed_sign_ins = case when last_failed_sign_in_at > ${tx.now()}::timestamptz - interval '15 minutes' then failed_sign_ins + 1 else 1 end
    where organisation_id = $1 and id = ${user_id}`);

export interface NewSession {
  user_id: number;
  secret_sha256: string;
  csrf_token: string;
  ip_address: string;
  user_agent: string;
}
/** The person is checked again in the statement: a deactivation in between must win. */
export const insertSession = (tx: Tx, { user_id, secret_sha256, csrf_token, ip_address, user_agent }: NewSession) =>
  tx.json(sql`
    with person as (
      update users set has_logged_in = true, failed_sign_ins = 0 where organisation_id = $1 and id = ${user_id} and is_active and has_access returning *),
    added as (
      insert into sessions (organisation_id, user_id, secret_sha256, csrf_token, ip_address, user_agent, created_at, last_seen_at)
      select $1, id, ${secret_sha256}, ${csrf_token}, ${ip_address}, left(${user_agent}, 512), ${tx.now()}::timestamptz, ${tx.now()}::timestamptz from person returning id)
    select json_build_object('session_id', added.id, 'csrf_token', ${csrf_token}::text, 'user', (
      select row_to_json(r) from (select ${userColumns} from person u join organisations o on o.id = $1) r))::text as json from added`);

export const getSignedIn = (tx: Tx, session_id: number) =>
  tx.json(sql`
    select json_build_object('session_id', s.id, 'csrf_token', s.csrf_token, 'user', (
      select row_to_json(r) from (select ${userColumns} from users u join organisations o on o.id = $1 where u.organisation_id = $1 and u.id = s.user_id) r))::text as json
    from sessions s where s.organisation_id = $1 and s.id = ${session_id}`);

export const touchSession = (tx: Tx, session_id: number) =>
  tx.rows(
    sql`update sessions set last_seen_at = ${tx.now()}::timestamptz where organisation_id = $1 and id = ${session_id}`,
  );

export const listSessions = (tx: Tx, user_id: number, current_id: number, skip: number, take: number) =>
  listRows(
    tx,
    sessionsList,
    { skip, take, ...everyRow, where: [sql`t.user_id = ${user_id}`] },
    sql`
    select row_to_json(r)::text as json from (
      select s.id, s.user_id, s.id = ${current_id} as is_current, s.ip_address, s.user_agent, iso(s.created_at) as created_at, iso(s.last_seen_at) as last_seen_at
      from sessions s where s.organisation_id = $1 and s.id = listed.id) r`,
  );
const sessionsList: Listing = { table: 'sessions', at: 'created_at', id: 'id', newestFirst: true };

export const deleteSession = (tx: Tx, user_id: number, id: number) =>
  tx.json(
    sql`delete from sessions where organisation_id = $1 and user_id = ${user_id} and id = ${id} returning json_build_object('id', id)::text as json`,
  );
/** Every session of these people, at once; `except` stays. Returns how many ended. */
export const endSessions = async (tx: Tx, user_ids: readonly number[], except = 0) =>
  user_ids.length === 0
    ? 0
    : (
        await tx.rows(
          sql`delete from sessions where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) and id <> ${except} returning id`,
        )
      ).length;
export const deleteStaleSessions = (tx: Tx, days: number) =>
  tx.rows(
    sql`delete from sessions where organisation_id = $1 and last_seen_at < ${tx.now()}::timestamptz - make_interval(days => ${days})`,
  );

export const getPasswordHash = async (tx: Tx, user_id: number) =>
  (
    await tx.row<{ password_hash: string | null }>(
      sql`select password_hash from users where organisation_id = $1 and id = ${user_id}`,
    )
  )?.password_hash;
export const updatePassword = (tx: Tx, user_id: number, password_hash: string) =>
  tx.rows(
    sql`update users set password_hash = ${password_hash}, failed_sign_ins = 0 where organisation_id = $1 and id = ${user_id}`,
  );
