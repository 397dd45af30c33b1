// One-time passcodes: an app asks for one, hands it to a person who lost their password, and they sign in with it and
// set a new password in the same request. For whom, provisioning says (`allowsPasscodes`), and never for people who
// administer: an app acts as nobody's administrator.
import { createHmac, randomInt } from 'node:crypto';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql } from '../../kernel/data/sql.ts';
import { extensionPoint } from '../../kernel/module.ts';
import { lentRoles } from '../../kernel/people/scopes.ts';
import type { Sealing } from '../../kernel/people/sealing.ts';

/** Condition: the person `u` has a password, and it may be set with a passcode. One contribution is enough. */
export const allowsPasscodes = extensionPoint<Sql>();

const LENGTH = 6;
/** Without the letters that look like digits; 30 bits in all. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const LIFE = '10 minutes';

export const newPasscode = () => Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** As people type it: in small letters, and with spaces or dashes. */
export const hmacOf = (sealing: Sealing, tx: Tx, code: string) =>
  createHmac('sha256', sealing.keyFor('one-time passcodes'))
    .update(`${tx.organisation_id} ${code.toUpperCase().replaceAll(/[\s-]/g, '')}`)
    .digest('hex');

const mayHavePasscode = (): Sql => {
  const [first = sql`false`, ...others] = allowsPasscodes.all;
  return sql`(u.roles <@ ${lentRoles}::text[] and (${others.reduce((all, one) => sql`${all} or ${one}`, first)}))`;
};

/**
 * Undefined: there is no such person. It was issued where it is allowed and there is nothing to wait for. The person is
 * locked, so that two requests of one moment are two. A newer passcode ends the former.
 */
export const issuePasscode = (tx: Tx, email: string, code_hmac: string) =>
  tx.transaction(async (inside) => {
    const now = sql`${inside.now()}::timestamptz`;
    const person = await inside.row<{ id: number; email: string; is_allowed: boolean; login_url: string }>(sql`
      select u.id, u.email, ${mayHavePasscode()} as is_allowed, o.web_url || '/' as login_url
      from users u join organisations o on o.id = $1
      where u.organisation_id = $1 and lower(u.email) = lower(${email}) and u.kind = 'person' and u.is_active
        and u.has_access
      for no key update of u`);
    if (!person?.is_allowed) return person && { ...person, wait_s: null, expires_at: 0 };
    const issued = await inside.row<{ wait_s: number | null; expires_at: number }>(sql`
      with former as (
        select created_at, row_number() over (order by created_at desc, id desc) as n
        from one_time_passcodes
        where organisation_id = $1 and user_id = ${person.id} and created_at > ${now} - interval '1 day'),
      waiting as (
        select max(created_at + case n when 2 then interval '10 minutes' else interval '1 day' end) as until
        from former where (n = 2 and created_at > ${now} - interval '10 minutes') or n = 10),
      ended as (
        update one_time_passcodes set ended_at = ${now}
        from waiting w
        where organisation_id = $1 and user_id = ${person.id} and ended_at is null and w.until is null),
      added as (
        insert into one_time_passcodes (organisation_id, user_id, code_hmac, created_at, expires_at)
        select $1, ${person.id}, ${code_hmac}, ${now}, ${now} + ${LIFE}::interval from waiting where until is null)
      select ceil(extract(epoch from until - ${now}))::integer as wait_s,
        floor(extract(epoch from ${now} + ${LIFE}::interval))::bigint as expires_at
      from waiting`);
    return issued && { ...person, ...issued };
  });

export interface Passcode {
  id: number;
  user_id: number;
  code_hmac: string;
}
/** The one that this person may use now. */
export const findPasscode = (tx: Tx, email: string) =>
  tx.row<Passcode>(sql`
    select c.id, c.user_id, c.code_hmac
    from users u join one_time_passcodes c on c.organisation_id = $1 and c.user_id = u.id
    where u.organisation_id = $1 and lower(u.email) = lower(${email}) and u.kind = 'person' and u.is_active
      and u.has_access and c.ended_at is null and c.expires_at > ${tx.now()}::timestamptz and ${mayHavePasscode()}
    order by c.id desc limit 1`);
/** False: somebody else has used it meanwhile. */
export const usePasscode = (tx: Tx, id: number) =>
  tx.any(sql`
    update one_time_passcodes set ended_at = ${tx.now()}::timestamptz
    where organisation_id = $1 and id = ${id} and ended_at is null returning id`);

export const endPasscodes = async (tx: Tx, user_ids: readonly number[]) => {
  const ended = await tx.values(sql`
    update one_time_passcodes set ended_at = ${tx.now()}::timestamptz
    where organisation_id = $1 and user_id = any(${user_ids}::bigint[]) and ended_at is null
      and expires_at > ${tx.now()}::timestamptz
    returning id`);
  return ended.length;
};
export const deletePastPasscodes = (tx: Tx) =>
  tx.rows(sql`
    delete from one_time_passcodes
    where organisation_id = $1 and created_at < ${tx.now()}::timestamptz - interval '1 day'`);
