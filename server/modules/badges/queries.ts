import type { Json, Tx } from '../../kernel/data/db.ts';
import { tombstones } from '../../kernel/data/deletion.ts';
import { counted, everyRow, type Listing, listRows, totalOf, uncounted } from '../../kernel/data/listing.ts';
import { nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Event, emitted } from '../../kernel/delivery/outbox.ts';
import { type PictureChange, pictureAfter, pictureUrl, removedPictures } from '../pictures/queries.ts';
import { userColumns } from '../users/queries.ts';
import type { Rule } from './contract.ts';
import { badgeAssigned, badgeUnassigned } from './events.ts';

const badgesList: Listing = { table: 'badges', at: null, id: 'id', newestFirst: false };
/** One bucket a badge; class 0 active people, 1 deactivated ones. */
export const badgeUsersList: Listing = { table: 'badge_users', at: 'created_at', id: 'user_id', newestFirst: true };
const pictures = ['image_key', 'award_image_key'];

const holders = totalOf(badgeUsersList, trusted('t.id'), [0]);
/** A badge as the interface shows it; needs `t`. A statement that changes the number of holders says what it becomes. */
const columns = (count: Sql = holders): Sql => sql`
  t.id, t.title, t.description, t.type, t.value, t.rules_active, t.rules_needed, t.award_msg, t.award_confetti, t.award_confetti_colours, ${count} as badge_received_count,
  ${trusted(pictureUrl('t.image_key'))} as image, ${trusted(pictureUrl('t.award_image_key'))} as award_image, t.rules,
  iso(t.created_at) as created_at, iso(t.updated_at) as updated_at, o.web_url || '/badges/' || t.id as permalink`;
const shown = (source: Sql, count?: Sql) =>
  sql`select row_to_json(r)::text as json from (select ${columns(count)} from ${source} join organisations o on o.id = t.organisation_id) r`;

export const listBadges = (tx: Tx, skip: number, take: number) =>
  listRows(
    tx,
    badgesList,
    { skip, take, ...everyRow },
    shown(sql`(select * from badges where organisation_id = $1 and id = listed.id) t`),
  );
export const findBadge = (tx: Tx, id: number) =>
  tx.json(shown(sql`(select * from badges where organisation_id = $1 and id = ${id}) t`));
/** Keeps the badge from being deleted until the transaction ends. */
export const lockBadge = (tx: Tx, id: number) =>
  tx.row<{ id: number }>(sql`select id from badges where organisation_id = $1 and id = ${id} for key share`);
/** Which of these are badges. */
export const listBadgeIds = async (tx: Tx, ids: readonly number[]) =>
  (
    await tx.rows<{ id: number }>(sql`select id from badges where organisation_id = $1 and id = any(${ids}::bigint[])`)
  ).map(({ id }) => id);

export interface BadgeFields {
  title: string;
  description?: string | undefined;
  type?: string | undefined;
  value?: number | undefined;
  rules_active?: boolean | undefined;
  rules_needed?: string | undefined;
  rules?: readonly Rule[] | undefined;
  award_msg?: string | null | undefined;
  award_confetti?: boolean | undefined;
  award_confetti_colours?: readonly string[] | undefined;
  image_key: PictureChange;
  award_image_key: PictureChange;
}
const names = trusted(
  'title, description, type, value, rules_active, rules_needed, rules, award_msg, award_confetti, award_confetti_colours',
);
const values = (badge: BadgeFields) => sql`
  ${badge.title}, ${badge.description ?? ''}, ${badge.type ?? 'standard'}, ${badge.value ?? 0}::integer, ${badge.rules_active ?? false}::boolean, ${badge.rules_needed ?? 'all'}, ${JSON.stringify(badge.rules ?? [])}::jsonb,
  ${badge.award_msg ?? null}, ${badge.award_confetti ?? false}::boolean, ${badge.award_confetti_colours ?? []}::text[]`;

export const insertBadge = (tx: Tx, badge: BadgeFields & { created_at?: string | undefined }) =>
  tx.json(sql`
    with t as (
      insert into badges (organisation_id, ${names}, image_key, award_image_key, created_at, updated_at)
      values ($1, ${values(badge)}, ${badge.image_key ?? null}, ${badge.award_image_key ?? null}, ${badge.created_at ?? tx.now()}, ${tx.now()}) returning *)
    ${shown(trusted('t'))}`) as Promise<Json>;
export const updateBadge = (tx: Tx, id: number, badge: BadgeFields) =>
  tx.json(sql`
    with was as (select * from badges where organisation_id = $1 and id = ${id} for update),
    changed as (
      update badges t set (${names}) = (${values(badge)}), image_key = ${pictureAfter('image_key', badge.image_key)}, award_image_key = ${pictureAfter('award_image_key', badge.award_image_key)},
        updated_at = greatest(${tx.now()}::timestamptz, t.updated_at + interval '1 microsecond')
      from was where t.organisation_id = $1 and t.id = was.id returning t.*),
    pictures as (${removedPictures(pictures, 'was', 'changed', tx.now())})
    ${shown(trusted('changed t'))}`);

/** Unassigns it from everybody, one event each. Returns whether there was a badge to delete. */
export const deleteBadge = async (tx: Tx, id: number) => {
  const at = tx.now();
  const rows = await tx.rows(sql`
    with doomed as (select * from badges where organisation_id = $1 and id = ${id} for update),
    ended as (delete from badge_users h using doomed d where h.organisation_id = $1 and h.badge_id = d.id returning h.*),
    gone as (delete from badges t using doomed d where t.organisation_id = $1 and t.id = d.id returning t.*),
    ${announced(badgeUnassigned, 'ended', 'doomed', trusted('0'), at)},
    ${uncounted([badgeUsersList], id, trusted('exists (select from gone)'))},
    pictures as (${removedPictures(pictures, 'gone', undefined, at)}),
    tombstone as (${tombstones('badge', id, 'gone', at, 'null')})
    select id from gone`);
  return rows.length > 0;
};

export const listBadgeUsers = (tx: Tx, badge_id: number, skip: number, take: number) =>
  listRows(
    tx,
    badgeUsersList,
    { skip, take, bucket: badge_id, classes: [0] },
    sql`
    select json_build_object('user', (select row_to_json(r) from (select ${userColumns} from users u join organisations o on o.id = u.organisation_id where u.organisation_id = $1 and u.id = h.user_id) r),
      'created_at', iso(h.created_at))::text as json
    from badge_users h where h.organisation_id = $1 and h.badge_id = ${badge_id} and h.user_id = listed.id`,
  );

/** CTEs: one event for each row of `assignments`, with its badge of `badges` and its person. */
const announced = (event: Event, assignments: string, badges: string, count: Sql, at: string) => sql`
  badge as (select t.id, (select row_to_json(r) from (select ${columns(count)}) r) as json from ${trusted(badges)} t join organisations o on o.id = t.organisation_id),
  shown as (
    select badge.json, (select row_to_json(r) from (select ${userColumns} from users u join organisations o on o.id = u.organisation_id where u.organisation_id = $1 and u.id = a.user_id) r) as "user",
      true as is_public, null::bigint as space_id
    from ${trusted(assignments)} a join badge on badge.id = a.badge_id),
  event as (${emitted(event, 'shown', at)})`;
const ofAssigned = '(select b.* from badges b where b.organisation_id = $1 and b.id in (select badge_id from changed))';
const active = trusted('(select count(*) from changed c where c.badge_id = t.id and c.list_class = 0)');

/** CTEs: the people in `wanted(badge_id, user_id)` hold the badge; an event for each who did not, who is in `changed`. */
const assigned = (created_at: string, at: string) => sql`
  changed as (
    insert into badge_users (organisation_id, badge_id, user_id, created_at, list_class)
    select $1, w.badge_id, u.id, ${created_at}::timestamptz, case when u.is_active then 0 else 1 end
    from wanted w join users u on u.organisation_id = $1 and u.id = w.user_id order by w.badge_id, u.id for share of u
    on conflict do nothing returning *),
  counts as (${counted(badgeUsersList, 'changed', 1)}),
  allowed as (delete from badge_withdrawals x using changed c where x.organisation_id = $1 and x.badge_id = c.badge_id and x.user_id = c.user_id),
  ${announced(badgeAssigned, 'changed', ofAssigned, sql`${holders} + ${active}`, at)}`;

/** Who holds the badge already keeps it. Returns how many did not. */
export const insertBadgeUsers = async (tx: Tx, badge_id: number, user_ids: readonly number[], created_at = tx.now()) =>
  (
    await tx.rows(sql`
    with wanted as (select distinct ${badge_id}::bigint as badge_id, u as user_id from unnest(${user_ids}::bigint[]) u),
    ${assigned(created_at, tx.now())}
    select user_id from changed`)
  ).length;

/** Returns how many held it. Rules do not give it back to them. */
export const deleteBadgeUsers = async (tx: Tx, badge_id: number, user_ids: readonly number[]) =>
  (
    await tx.rows(sql`
    with changed as (delete from badge_users where organisation_id = $1 and badge_id = ${badge_id} and user_id = any(${user_ids}::bigint[]) returning *),
    counts as (${counted(badgeUsersList, 'changed', -1)}),
    withdrawn as (
      insert into badge_withdrawals (organisation_id, badge_id, user_id, created_at) select $1, c.badge_id, c.user_id, ${tx.now()} from changed c on conflict do nothing),
    ${announced(badgeUnassigned, 'changed', ofAssigned, sql`${holders} - ${active}`, tx.now())}
    select user_id from changed`)
  ).length;

/** SQL: does the person `u` meet the rule `r`? A rule of a badge that is gone is met by nobody. */
const meets = (at: string) => sql`case r.rule ->> 'type'
  when 'years_of_service' then coalesce(u.hire_date + make_interval(years => (r.rule ->> 'threshold')::int) <= ${at}::timestamptz at time zone o.timezone, false)
  when 'kudos_received' then (
    select count(*) from kudos_recipients x join kudos k on k.organisation_id = $1 and k.id = x.kudos_id where x.organisation_id = $1 and x.user_id = u.id and k.creator_id <> u.id and k.approval = 'approved') >= (r.rule ->> 'threshold')::int
  when 'badge_held' then exists (select from badge_users h where h.organisation_id = $1 and h.badge_id = (r.rule ->> 'badge_id')::bigint and h.user_id = u.id)
  else false end`;
/** Returns how many badges people got. */
const insertEarnedBadges = async (tx: Tx, user_ids: readonly number[] | undefined) =>
  (
    await tx.rows(sql`
    with wanted as (
      select b.id as badge_id, u.id as user_id
      from badges b join organisations o on o.id = b.organisation_id
        join users u on u.organisation_id = $1 and u.kind = 'person' and u.is_active${user_ids ? sql` and u.id = any(${user_ids}::bigint[])` : nothing}
      where b.organisation_id = $1 and b.rules_active
        and not exists (select from badge_users h where h.organisation_id = $1 and h.badge_id = b.id and h.user_id = u.id)
        and not exists (select from badge_withdrawals x where x.organisation_id = $1 and x.badge_id = b.id and x.user_id = u.id)
        and (select case b.rules_needed when 'all' then bool_and(${meets(tx.now())}) else bool_or(${meets(tx.now())}) end from jsonb_array_elements(b.rules) r(rule))),
    ${assigned(tx.now(), tx.now())}
    select user_id from changed`)
  ).length;

/** Gives badges with active rules to those of these people (default: everybody) who meet them; one badge may lead to another. */
export async function awardByRules(tx: Tx, user_ids?: readonly number[]) {
  while ((await insertEarnedBadges(tx, user_ids)) > 0);
}
