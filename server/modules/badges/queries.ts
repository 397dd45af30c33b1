import { noted } from '../../kernel/data/changes.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { tombstones } from '../../kernel/data/deletion.ts';
import { counted, type Listing, listRows, totalOf, uncounted } from '../../kernel/data/listing.ts';
import { cleared } from '../../kernel/data/rows.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import { picture, picturesRemoved, type RowFamily, rowColumns, rowsFrom } from '../pictures/rows.ts';
import { userColumns } from '../users/queries.ts';
import { badgeAssigned, badgeUnassigned } from './events.ts';

/** One bucket a badge; class 0 active people, 1 deactivated ones. */
export const badgeUsersList: Listing = { table: 'badge_users', at: 'created_at', id: 'user_id', newestFirst: true };
const holders = totalOf(badgeUsersList, trusted('t.id'), [0]);

export const badgeFamily: RowFamily = {
  name: 'badges',
  columns: {
    title: cleared('text'),
    description: cleared('text', ''),
    type: cleared('text', 'standard'),
    value: cleared('integer', 0),
    rules_active: cleared('boolean', false),
    rules_needed: cleared('text', 'all'),
    award_msg: cleared('text'),
    award_confetti: cleared('boolean', false),
    award_confetti_colours: cleared('text[]', []),
    image_key: picture('image'),
    award_image_key: picture('award_image'),
    rules: cleared('jsonb', '[]'),
  },
  shown: () => sql`${holders} as badge_received_count`,
  path: '/badges/',
  followedAs: 'badge',
};

/** SQL: this person holds the badge `t`. */
export const isHeldBy = (user_id: number) => sql`exists (
  select from badge_users h where h.organisation_id = $1 and h.badge_id = t.id and h.user_id = ${user_id})`;
/** Keeps the badge from being deleted until the transaction ends. */
export const lockBadge = (tx: Tx, id: number) =>
  tx.any(sql`select id from badges where organisation_id = $1 and id = ${id} for key share`);
/** Which of these are badges. */
export const listBadgeIds = (tx: Tx, ids: readonly number[]) =>
  tx.values<number>(sql`select id from badges where organisation_id = $1 and id = any(${ids}::bigint[])`);

/** Unassigns it from everybody, one event each. Returns whether there was a badge to delete. */
export const deleteBadge = (tx: Tx, id: number) => {
  const now = tx.now();
  return tx.any(sql`
    with doomed as (select * from badges where organisation_id = $1 and id = ${id} for update),
    ended as (
      delete from badge_users h using doomed d where h.organisation_id = $1 and h.badge_id = d.id returning h.*),
    gone as (delete from badges t using doomed d where t.organisation_id = $1 and t.id = d.id returning t.*),
    ${announced(badgeUnassigned, 'ended', trusted('doomed'), trusted('0'), now)},
    ${uncounted([badgeUsersList], id, trusted('exists (select from gone)'))},
    tombstone as (${tombstones('badge', id, 'gone', now, 'null')}),
    note as (${noted('badge', 'gone', now)})${picturesRemoved(badgeFamily, 'gone', now)}
    select id from gone`);
};

/** The person with this id, as JSON. */
const userOf = (id: string) => sql`(
  select row_to_json(r) from (
    select ${userColumns} from users u join organisations o on o.id = u.organisation_id
    where u.organisation_id = $1 and u.id = ${trusted(id)}) r)`;

export const listBadgeUsers = (tx: Tx, badge_id: number, { skip, take }: { skip: number; take: number }) =>
  listRows(
    tx,
    badgeUsersList,
    { skip, take, bucket: badge_id, classes: [0] },
    sql`
      select json_build_object('user', ${userOf('h.user_id')}, 'created_at', iso(h.created_at))::text as json
      from badge_users h where h.organisation_id = $1 and h.badge_id = ${badge_id} and h.user_id = listed.id`,
  );

/** CTEs: one event for each row of `assignments`, with its badge of `badges`, which `count` people hold now. */
const announced = (event: Event, assignments: string, badges: Sql, count: Sql, now: string) => {
  const family = { ...badgeFamily, shown: () => sql`${count} as badge_received_count` };
  return sql`
    badge as (
      select r.id, row_to_json(r) as json from (select ${rowColumns(family, now)} from ${rowsFrom(badges)}) r),
    shown as (
      select badge.json, ${userOf('a.user_id')} as "user", true as is_public, null::bigint as space_id
      from ${trusted(assignments)} a join badge on badge.id = a.badge_id),
    event as (${emitted(event, 'shown', now)})`;
};
const ofAssigned = trusted(`(
  select b.* from badges b where b.organisation_id = $1 and b.id in (select badge_id from changed))`);
const active = trusted('(select count(*) from changed c where c.badge_id = t.id and c.list_class = 0)');

/**
 * Statement: the people in `wanted(badge_id, user_id)` hold the badge; an event for each who did not. Returns how many.
 */
const assign = async (tx: Tx, wanted: Sql, created_at: string) =>
  (
    await tx.values(sql`
      with wanted as (${wanted}),
      changed as (
        insert into badge_users (organisation_id, badge_id, user_id, created_at, list_class)
        select $1, w.badge_id, u.id, ${created_at}::timestamptz, case when u.is_active then 0 else 1 end
        from wanted w join users u on u.organisation_id = $1 and u.id = w.user_id
        order by w.badge_id, u.id for share of u
        on conflict do nothing returning *),
      counts as (${counted(badgeUsersList, 'changed', 1)}),
      allowed as (
        delete from badge_withdrawals x using changed c
        where x.organisation_id = $1 and x.badge_id = c.badge_id and x.user_id = c.user_id),
      ${announced(badgeAssigned, 'changed', ofAssigned, sql`${holders} + ${active}`, tx.now())}
      select user_id from changed`)
  ).length;

/** Who holds the badge already keeps it. Returns how many did not. */
export const insertBadgeUsers = (tx: Tx, badge_id: number, user_ids: readonly number[], created_at = tx.now()) => {
  const wanted = sql`
    select distinct ${badge_id}::bigint as badge_id, u as user_id from unnest(${user_ids}::bigint[]) u`;
  return assign(tx, wanted, created_at);
};

/** Returns how many held it. Rules do not give it back to them. */
export const deleteBadgeUsers = async (tx: Tx, badge_id: number, user_ids: readonly number[]) =>
  (
    await tx.values(sql`
      with changed as (
        delete from badge_users
        where organisation_id = $1 and badge_id = ${badge_id} and user_id = any(${user_ids}::bigint[]) returning *),
      counts as (${counted(badgeUsersList, 'changed', -1)}),
      withdrawn as (
        insert into badge_withdrawals (organisation_id, badge_id, user_id, created_at)
        select $1, c.badge_id, c.user_id, ${tx.now()} from changed c on conflict do nothing),
      ${announced(badgeUnassigned, 'changed', ofAssigned, sql`${holders} - ${active}`, tx.now())}
      select user_id from changed`)
  ).length;

/** SQL: the person `u` of the organisation `o` meets the rule `r`. A rule of a badge that is gone is met by nobody. */
const meets = (now: string) => sql`case r.rule ->> 'type'
  when 'years_of_service' then coalesce(
    u.hire_date + make_interval(years => (r.rule ->> 'threshold')::int) <= ${now}::timestamptz at time zone o.timezone,
    false)
  when 'kudos_received' then (r.rule ->> 'threshold')::int <= (
    select count(*) from kudos_recipients x join kudos k on k.organisation_id = $1 and k.id = x.kudos_id
    where x.organisation_id = $1 and x.user_id = u.id and k.creator_id <> u.id and k.approval = 'approved')
  when 'badge_held' then exists (
    select from badge_users h
    where h.organisation_id = $1 and h.badge_id = (r.rule ->> 'badge_id')::bigint and h.user_id = u.id)
  else false end`;

/**
 * Gives badges with active rules to those of these people (default: everybody) who meet them; one badge may lead to
 * another.
 */
export async function awardByRules(tx: Tx, user_ids?: readonly number[]) {
  const candidates = user_ids ? sql`u.id = any(${user_ids}::bigint[])` : trusted('true');
  const earned = () => sql`
    select b.id as badge_id, u.id as user_id
    from badges b
    join organisations o on o.id = b.organisation_id
    join users u on u.organisation_id = $1 and u.kind = 'person' and u.is_active and ${candidates}
    where b.organisation_id = $1 and b.rules_active
      and not exists (
        select from badge_users h where h.organisation_id = $1 and h.badge_id = b.id and h.user_id = u.id)
      and not exists (
        select from badge_withdrawals x where x.organisation_id = $1 and x.badge_id = b.id and x.user_id = u.id)
      and (
        select case b.rules_needed
          when 'all' then bool_and(${meets(tx.now())}) else bool_or(${meets(tx.now())}) end
        from jsonb_array_elements(b.rules) r(rule))`;
  while ((await assign(tx, earned(), tx.now())) > 0);
}
