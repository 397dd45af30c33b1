// What credentials themselves show: scopes nobody uses, ends that come near, receivers that are slow.

import type { Tx } from '../../../kernel/data/db.ts';
import { literal, type Sql, sql } from '../../../kernel/data/sql.ts';
import { holds } from '../../../kernel/people/scopes.ts';
import type { Advice } from './rule.ts';

export interface Standing {
  readonly kind: 'key' | 'personal_key' | 'webhook';
  readonly credential_id: number;
  readonly app_id: number | null;
  readonly owner_id: number | null;
  readonly subject: string;
  readonly seen: string;
  /** Of requests, or ids of events. */
  readonly request_ids: readonly string[];
}
export interface StandingRule extends Advice {
  find(tx: Tx): Promise<Standing[]>;
}

const UNUSED_DAYS = 30;
interface KeyUse {
  kind: 'key' | 'personal_key';
  credential_id: number;
  app_id: number | null;
  owner_id: number | null;
  scopes: string[];
  used: string[];
}
/** Keys that are good and as old as that, with the scopes of what they were used for. */
const findKeyUse = (tx: Tx) =>
  tx.rows<KeyUse>(sql`
    select case when k.user_id is null then 'key' else 'personal_key' end as kind, k.id as credential_id, k.app_id,
      k.user_id as owner_id, k.scopes, array(
        select distinct u.scope from request_usage u
        where u.organisation_id = $1 and u.kind in ('key', 'personal_key') and u.credential_id = k.id
          and u.scope is not null and u.calls > u.refused
          and u.day >= (${tx.now()}::timestamptz at time zone 'UTC')::date - ${literal(UNUSED_DAYS)}) as used
    from api_keys k
    where k.organisation_id = $1 and ${isGood(tx)}
      and k.created_at < ${tx.now()}::timestamptz - ${literal(UNUSED_DAYS)} * interval '1 day'`);
const isGood = (tx: Tx): Sql => sql`k.revoked_at is null and k.status = 'active'
  and (k.expires_at is null or k.expires_at > ${tx.now()}::timestamptz)`;

const unusedScopes: StandingRule = {
  rule: 'unused_scopes',
  why: 'Whoever gets hold of the key can do all that it may, not only what it is for.',
  advice: 'Make a key with the scopes that are used, put it into the program, and revoke this one.',
  chapter: 'scopes.md',
  async find(tx) {
    return (await findKeyUse(tx)).flatMap(({ scopes, used, ...key }): Standing[] => {
      const wide = scopes.filter((scope) => /^\*/.test(scope) || !used.some((one) => holds([scope], one)));
      if (wide.length === 0) return [];
      const seen =
        used.length === 0
          ? `Nothing was done with it in ${UNUSED_DAYS} days.`
          : `In ${UNUSED_DAYS} days it used ${used.join(', ')}; it also holds ${wide.join(', ')}.`;
      return [{ ...key, subject: '', seen, request_ids: [] }];
    });
  },
};

const END_DAYS = 14;
const endsSoon: StandingRule = {
  rule: 'token_near_expiry',
  why: 'From that moment on every call is a 401.',
  advice: 'Make the next key now and put it into the program; both work until then.',
  chapter: 'credentials.md',
  async find(tx) {
    const rows = await tx.rows<Omit<Standing, 'subject' | 'seen' | 'request_ids'> & { expires_at: string }>(sql`
      select case when k.user_id is null then 'key' else 'personal_key' end as kind, k.id as credential_id, k.app_id,
        k.user_id as owner_id, iso(k.expires_at) as expires_at
      from api_keys k
      where k.organisation_id = $1 and ${isGood(tx)}
        and k.expires_at < ${tx.now()}::timestamptz + ${literal(END_DAYS)} * interval '1 day'
        and k.last_used_at > ${tx.now()}::timestamptz - interval '7 days'`);
    return rows.map(({ expires_at, ...key }) => ({
      ...key,
      subject: expires_at,
      seen: `It is in use and ends at ${expires_at}.`,
      request_ids: [],
    }));
  },
};

const SLOW_MS = 4000;
const slowWebhook: StandingRule = {
  rule: 'slow_webhook',
  why: 'After five seconds an attempt counts as failed and is repeated: you get the same event again.',
  advice: 'Answer first (204), and do the work afterwards.',
  chapter: 'webhooks.md',
  async find(tx) {
    const rows = await tx.rows<
      { id: number; name: string; key_id: number | null; app_id: number | null } & Pick<Standing, 'owner_id'> & {
          slowest: number;
          count: number;
          event_ids: string[];
        }
    >(sql`
      with slow as (
        select d.webhook_id, d.event_id, s.latency_ms
        from webhook_deliveries d
        cross join lateral (
          select d.latency_ms union all
          select a.latency_ms from webhook_attempts a where a.organisation_id = $1 and a.delivery_id = d.id) s
        where d.organisation_id = $1 and d.created_at > ${tx.now()}::timestamptz - interval '1 day'
          and s.latency_ms > ${literal(SLOW_MS)})
      select w.id, w.name, w.key_id, k.app_id, coalesce(k.user_id, case when w.key_id is null then w.created_by end)
          as owner_id, max(s.latency_ms) as slowest, count(*) as count,
        (array_agg(distinct s.event_id::text))[1:10] as event_ids
      from slow s join webhooks w on w.organisation_id = $1 and w.id = s.webhook_id
      left join api_keys k on k.organisation_id = $1 and k.id = w.key_id
      group by w.id, w.name, w.key_id, k.app_id, k.user_id, w.created_by`);
    return rows.map(({ id, name, key_id, app_id, owner_id, slowest, count, event_ids }) => ({
      ...(key_id === null
        ? { kind: 'webhook' as const, credential_id: id }
        : { kind: owner_id === null ? ('key' as const) : ('personal_key' as const), credential_id: key_id }),
      ...{ app_id, owner_id, subject: `webhook ${id}`, request_ids: event_ids },
      seen: `${name} took more than ${SLOW_MS / 1000} seconds to answer ${count} times in a day, up to ${slowest} ms.`,
    }));
  },
};

export const standingRules = [unusedScopes, endsSoon, slowWebhook];
