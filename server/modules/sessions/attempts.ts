// How often passwords may be tried. A try is counted before the password is looked at, by the statement that says
// whether it may be: so ten are ten, on however many nodes and however many at once. Whoever signs in gets theirs back.
//
//   a device that has signed in to this account before    counts for itself: no stranger can lock it out
//   the account, from one network                         so a stranger locks the account out for their network only
//   the account, from everywhere
//   one address                                           few passwords, many accounts
//   its network
//
// An account that does not exist counts as one that does. 0046 in docs/decisions has the reasons.
import { isIPv4 } from 'node:net';
import type { Tx } from '../../kernel/data/db.ts';
import { sql } from '../../kernel/data/sql.ts';
import { sha256 } from '../../kernel/people/secrets.ts';

/** `most` tries in a window of 15 minutes. */
export interface Limit {
  readonly subject: string;
  readonly most: number;
  /** Begins anew when the password was right; else one try is given back. */
  readonly isOwn?: boolean;
}
const WINDOW = '15 minutes';
const limit = (most: number, isOwn: boolean, ...subject: (string | number)[]): Limit => ({
  subject: sha256(subject.join(' ')),
  most,
  isOwn,
});

export const accountOf = (email: string) => sha256(email.trim().toLowerCase()).slice(0, 32);

export const limitsOfDevice = (account: string, device: string) => [limit(10, true, 'device', device, account)];
export function limitsOfStranger(account: string, ip: string): Limit[] {
  const { address, network } = placesOf(ip);
  return [
    limit(10, true, 'account', account, network),
    limit(100, true, 'account', account),
    limit(200, false, 'address', address),
    limit(2000, false, 'network', network),
  ];
}
/** Whoever holds a session and does not know its password. */
export const limitsOfPerson = (user_id: number) => [limit(10, true, 'person', user_id)];

/** IPv4: the address and its /24. IPv6: the /64 that one line has, and the /48 of its site. */
export function placesOf(ip: string): { address: string; network: string } {
  const plain = ip.replace(/^::ffff:/i, '');
  if (isIPv4(plain)) return { address: plain, network: plain.slice(0, plain.lastIndexOf('.')) };
  const [head = [], tail] = ip.split('::').map((part) => part.split(':').filter(Boolean));
  const groups = tail ? [...head, ...Array(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail] : head;
  return { address: groups.slice(0, 4).join(':'), network: groups.slice(0, 3).join(':') };
}

/** Counts a try. Returns the seconds to wait when it may not be made. */
export const countAttempt = (tx: Tx, limits: readonly Limit[]) =>
  tx.value<number | null>(sql`
    with counted as (
      insert into sign_in_attempts as t (organisation_id, subject, attempts, ends_at)
      select $1, s.subject, 1, ${tx.now()}::timestamptz + ${WINDOW}::interval
      from unnest(${limits.map(({ subject }) => subject)}::text[]) as s (subject)
      -- In one order, so that no two wait for each other.
      order by s.subject
      on conflict (organisation_id, subject) do update set
        attempts = case when t.ends_at > ${tx.now()}::timestamptz then t.attempts + 1 else 1 end,
        ends_at = case when t.ends_at > ${tx.now()}::timestamptz then t.ends_at else excluded.ends_at end
      returning subject, attempts, ends_at)
    select ceil(extract(epoch from max(c.ends_at) - ${tx.now()}::timestamptz))::integer
    from counted c
    join unnest(${limits.map(({ subject }) => subject)}::text[], ${limits.map(({ most }) => most)}::integer[])
      as l (subject, most) on l.subject = c.subject
    where c.attempts > l.most`);

/** The password was right. */
export const giveBack = (tx: Tx, limits: readonly Limit[]) =>
  tx.rows(sql`
    with counted as (
      select a.subject, l.is_own
      from sign_in_attempts a
      join unnest(${limits.map(({ subject }) => subject)}::text[], ${limits.map(({ isOwn }) => isOwn)}::boolean[])
        as l (subject, is_own) on l.subject = a.subject
      where a.organisation_id = $1
      order by a.subject for update of a)
    update sign_in_attempts t set attempts = case when c.is_own then 0 else greatest(t.attempts - 1, 0) end
    from counted c where t.organisation_id = $1 and t.subject = c.subject`);

export const deletePastAttempts = (tx: Tx) =>
  tx.rows(sql`delete from sign_in_attempts where organisation_id = $1 and ends_at < ${tx.now()}::timestamptz`);
