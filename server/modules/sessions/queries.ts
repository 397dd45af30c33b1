import type { Config } from '../../kernel/config.ts';
import { everyNodeReadsSealed, type Tx } from '../../kernel/data/db.ts';
import { everyRow, type Listing, listRows } from '../../kernel/data/listing.ts';
import type { PointRead } from '../../kernel/data/point-reads.ts';
import { jsonOf, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { sha256 } from '../../kernel/people/secrets.ts';
import { recordedSignIn } from '../users/passwords.ts';
import { userColumns } from '../users/queries.ts';

/** A live session of a person who may sign in, by the hash of its secret. */
export const sessionByHash: PointRead = {
  keyType: 'text',
  text: `
    select row_to_json(r) from (
      select s.id, s.user_id, s.csrf_token, u.roles, extract(epoch from s.created_at) * 1000 as created_ms,
        extract(epoch from s.last_seen_at) * 1000 as last_seen_ms
      from sessions s join users u on u.organisation_id = $1 and u.id = s.user_id
      where s.organisation_id = $1 and s.secret_sha256 = KEY and u.is_active and u.has_access) r`,
};

/** The session `s` and its person `u`, from these. */
const signedIn = (from: Sql, csrf_token: string) =>
  jsonOf(sql`
    select s.id as session_id, ${csrf_token}::text as csrf_token, (
      select row_to_json(p) from (select ${userColumns} from organisations o where o.id = $1) p) as "user"
    from ${from}`);

/** What is kept of a token. Nodes of the version before compare it as it is. */
export const HASHED = 'sha256:';
const keptFor = (csrf_token: string) =>
  sql`case when ${everyNodeReadsSealed} then ${HASHED + sha256(csrf_token)} else ${csrf_token} end`;
export const hashCsrfTokens = (tx: Tx) =>
  tx.rows(sql`
    update sessions set csrf_token = 'sha256:' || encode(sha256(convert_to(csrf_token, 'UTF8')), 'hex')
    where organisation_id = $1 and csrf_token <> '' and not starts_with(csrf_token, 'sha256:')
      and ${everyNodeReadsSealed}`);

export interface NewSession {
  user_id: number;
  secret_sha256: string;
  csrf_token: string;
  ip_address: string;
  user_agent: string;
}
/** The person is checked again in the statement: a deactivation in between must win. */
export const insertSession = (tx: Tx, { user_id, secret_sha256, csrf_token, ip_address, user_agent }: NewSession) => {
  const now = sql`${tx.now()}::timestamptz`;
  return tx.json(sql`
    with person as (${recordedSignIn(user_id)}),
    added as (
      insert into sessions (organisation_id, user_id, secret_sha256, csrf_token, ip_address, user_agent, created_at,
        last_seen_at)
      select $1, id, ${secret_sha256}, ${keptFor(csrf_token)}, ${ip_address}, left(${user_agent}, 512), ${now}, ${now}
      from person returning *)
    ${signedIn(trusted('added s, person u'), csrf_token)}`);
};
export const getSignedIn = (tx: Tx, session_id: number, csrf_token: string) => {
  const own = sql`s.organisation_id = $1 and s.id = ${session_id}`;
  return tx.json(
    signedIn(sql`sessions s join users u on u.organisation_id = $1 and u.id = s.user_id where ${own}`, csrf_token),
  );
};

export const touchSession = (tx: Tx, session_id: number) =>
  tx.rows(sql`
    update sessions set last_seen_at = ${tx.now()}::timestamptz where organisation_id = $1 and id = ${session_id}`);

const sessionsList: Listing = { table: 'sessions', at: 'created_at', id: 'id', newestFirst: true };
export const listSessions = (
  tx: Tx,
  user_id: number,
  current_id: number,
  { skip, take }: { skip: number; take: number },
) =>
  listRows(
    tx,
    sessionsList,
    { skip, take, ...everyRow, where: [sql`t.user_id = ${user_id}`] },
    jsonOf(sql`
      select s.id, s.user_id, s.id = ${current_id} as is_current, s.ip_address, s.user_agent,
        iso(s.created_at) as created_at, iso(s.last_seen_at) as last_seen_at
      from sessions s where s.organisation_id = $1 and s.id = listed.id`),
  );

export const deleteSession = (tx: Tx, user_id: number, id: number) =>
  tx.json(sql`
    delete from sessions where organisation_id = $1 and user_id = ${user_id} and id = ${id}
    returning json_build_object('id', id)::text as json`);
/** Every session of these people, at once; `except` stays. Returns how many ended. */
export const endSessions = async (tx: Tx, user_ids: readonly number[], except = 0) => {
  if (user_ids.length === 0) return 0;
  const ended = await tx.values(sql`
    delete from sessions
    where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) and id <> ${except} returning id`);
  return ended.length;
};
export const deleteStaleSessions = (tx: Tx, { session_days, session_days_max }: Config) =>
  tx.rows(sql`
    delete from sessions
    where organisation_id = $1 and (
      last_seen_at < ${tx.now()}::timestamptz - make_interval(days => ${session_days})
      or created_at < ${tx.now()}::timestamptz - make_interval(days => ${session_days_max}))`);
export const isOwnOrigin = (tx: Tx, origin: string) =>
  tx.any(sql`select from organisations where id = $1 and web_url = ${origin}`);
