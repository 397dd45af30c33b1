// Web Push: notifications in the browsers and phones of people.
//
//   queue    a kind of notification is a job, queued by the statement that makes true what people are told
//   find     when it runs, one statement finds the browsers of those who are to know, want to, and have no quiet hours
//   send     each is encrypted and handed to its browser's push service                                    sending.ts
//   again    who could not be reached gets a job of their own, a minute later
//
// A module that has something to tell declares a kind with `notification` and lists it under `jobs` of its module.ts.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Job, job, queued } from '../../kernel/work/jobs.ts';
import type { Notice } from '../apps/approvals.ts';
import { type Addressed, sendAll } from './sending.ts';

/** Jobs take turns: what is not answered by then goes on beside the next ones, and is lost when the node ends. */
const PATIENCE_MS = 2000;
/** A push service that does not answer is asked again so often; who missed it all still finds the message unread. */
const RETRIES_MAX = 3;
const RETRY_MINUTES = 1;
/** What waits for the end of quiet hours looks for it so often. */
const QUIET_MINUTES = 15;

interface Kind<Payload> {
  /**
   * SQL: rows with `user_id`, `sender` ('people' or 'bots', whom settings can switch off, or null), and `shown`, the
   * JSON that the browser gets: title, body, url and tag. Of two with one tag the later takes the former's place.
   */
  recipients(payload: Payload, tx: Tx): Sql;
  /** It is told when quiet hours are over; others are not told at all then. */
  isPatient?: boolean;
}
/** Of a job for one subscription that is tried again. */
interface Again {
  subscription_id?: number;
  retries?: number;
}
export function notification<Payload>(kind: string, { recipients, isPatient = false }: Kind<Payload>) {
  const own: Job<Payload & Again> = job(kind, async (tx, payload, services) => {
    const found = await listAddressed(tx, recipients(payload, tx), isPatient, payload.subscription_id);
    if (found.some(({ is_quiet }) => is_quiet)) return void (await queueLater(tx, own, [payload], QUIET_MINUTES));
    const { retries = 0 } = payload;
    const sent = sendAll(tx, services, found).then(async (failed) => {
      if (failed.length === 0 || retries === RETRIES_MAX) return;
      const payloads = failed.map((subscription_id) => ({ ...payload, subscription_id, retries: retries + 1 }));
      await queueLater(tx, own, payloads, RETRY_MINUTES);
    });
    await Promise.race([sent, sleep(PATIENCE_MS, undefined, { ref: false })]);
  });
  return own;
}

/** Condition: somebody has subscribed; without it most organisations would queue jobs for nobody. */
export const hasSubscriptions = trusted('exists (select from push_subscriptions s where s.organisation_id = $1)');

const listAddressed = (tx: Tx, recipients: Sql, isPatient: boolean, only: number | undefined) =>
  tx.rows<Addressed & { is_quiet: boolean }>(sql`
    select s.id as subscription_id, s.endpoint, s.p256dh, s.auth, split_part(o.domain, ':', 1) as domain, n.shown,
      hours.is_quiet
    from (${recipients}) n
    join users u on u.organisation_id = $1 and u.id = n.user_id and u.is_active and u.has_access
    join organisations o on o.id = $1
    join push_subscriptions s on s.organisation_id = $1 and s.user_id = u.id
      and (${only ?? null}::bigint is null or s.id = ${only ?? null}::bigint)
    left join push_settings p on p.organisation_id = $1 and p.user_id = u.id
    cross join lateral (
      select (${tx.now()}::timestamptz at time zone coalesce(u.timezone, o.timezone))::time as local) clock
    cross join lateral (
      select coalesce(case when p.quiet_from <= p.quiet_until
          then clock.local >= p.quiet_from and clock.local < p.quiet_until
          else clock.local >= p.quiet_from or clock.local < p.quiet_until end, false) as is_quiet) hours
    where case n.sender when 'people' then p.from_people when 'bots' then p.from_bots end is not false
      and (${isPatient}::boolean or not hours.is_quiet)
    order by s.id`);
const queueLater = (tx: Tx, kind: Job<never>, payloads: readonly object[], minutes: number) =>
  tx.rows(
    queued(
      kind,
      sql`(
        select payload, ${tx.now()}::timestamptz + make_interval(mins => ${minutes}) as run_at
        from jsonb_array_elements(${JSON.stringify(payloads)}::jsonb) payload)`,
    ),
  );

// ---- Notes -------------------------------------------------------------------------------------------------------

interface Note {
  user_id: number;
  title: string;
  body: string;
  tag: string;
}
/** What one person is told. */
export const pushNote = notification<Note>('push_note', {
  isPatient: true,
  recipients: ({ user_id, title, body, tag }) => sql`
    select ${user_id}::bigint as user_id, null::text as sender,
      json_build_object('title', ${title}::text, 'body', ${body}::text, 'tag', ${tag}::text, 'url', o.web_url) as shown
    from organisations o where o.id = $1`,
});
/** One person, or every admin. */
export const insertNotes = (tx: Tx, { to, title, body, tag }: Notice) => {
  const isMeant = to === 'admins' ? trusted(`'admin' = any(u.roles)`) : sql`u.id = ${to}`;
  return tx.rows(sql`
    with notes as (
      select u.id as user_id, ${title}::text as title, ${body}::text as body, ${tag}::text as tag
      from users u where u.organisation_id = $1 and u.kind = 'person' and u.is_active and u.has_access and ${isMeant})
    ${noted('notes', tx.now())}`);
};
/** CTE body: tells each row of `source`, which has the columns of a note, once it is committed. */
export const noted = (source: string, now: string): Sql =>
  queued(
    pushNote,
    sql`(
      select to_jsonb(n) as payload, ${now}::timestamptz as run_at from ${trusted(source)} n
      where exists (select from push_subscriptions s where s.organisation_id = $1 and s.user_id = n.user_id))`,
  );
