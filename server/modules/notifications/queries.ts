import type { Tx } from '../../kernel/data/db.ts';
import { pageOf, type Row } from '../../kernel/data/listing.ts';
import { literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { personOf } from '../users/queries.ts';
import { words } from './reasons.ts';
import { isVisible, shownThing } from './things.ts';

/** The latest that are looked at. */
const LISTED_MAX = 1000;
const COUNTED_MAX = 100;
const NAMES_MAX = 3;

/** A reason in a comment ends with the comment. */
const isThere = trusted(`(
  r.id is null or r.kind not in ('comment', 'reply', 'mention') or exists (
    select from comments c where c.organisation_id = $1 and c.id = r.id))`);
const reasonsOf = trusted('jsonb_to_recordset(n.reasons) r(kind text, id bigint, actor_id bigint, at timestamptz)');

/** SQL: rows `n` of the actor, latest first, as far as they may see them and something in them is still there. */
const mine = (actor: Actor, where: Sql) => sql`
  select n.* from (
    select * from notifications n
    where n.organisation_id = $1 and n.user_id = ${actor.user_id} and ${where}
    order by n.at desc, n.id desc limit ${literal(LISTED_MAX)}) n
  where ${isVisible(actor)} and exists (select from ${reasonsOf} where ${isThere})`;

/** CTE columns of `grouped`: a reason of `n` with all whose doing it was. */
const grouped = sql`
  select r.kind, max(r.at) as at, max(r.id) filter (where r.kind in ('comment', 'reply', 'mention')) as comment_id,
    count(distinct r.actor_id) as people_count,
    array(
      select x.actor_id from ${trusted(
        'jsonb_to_recordset(n.reasons) x(kind text, id bigint, actor_id bigint, at timestamptz)',
      )}
      where x.kind = r.kind and x.actor_id is not null
      group by x.actor_id order by max(x.at) desc, x.actor_id limit ${literal(NAMES_MAX)}) as people
  from ${reasonsOf} where ${isThere} group by r.kind`;
const who = trusted(`coalesce((
      select string_agg(u.name, ', ' order by p.n)
      from unnest(g.people) with ordinality p(id, n) join users u on u.organisation_id = $1 and u.id = p.id), '')
      || case when g.people_count > ${NAMES_MAX} then ' +' || g.people_count - ${NAMES_MAX} else '' end`);
const people = trusted(`(
      select coalesce(json_agg(${personOf('p.id')} order by p.n), '[]')
      from unnest(g.people) with ordinality p(id, n))`);
const shownReasons = sql`(
    select json_agg(json_build_object('reason', g.kind, 'text', replace(w.words ->> g.kind, '{who}', ${who}),
      'people', ${people}, 'people_count', g.people_count, 'comment_id', g.comment_id, 'at', iso(g.at))
      order by g.at desc, g.kind)
    from (${grouped}) g)`;

export async function listNotifications(
  tx: Tx,
  actor: Actor,
  { skip, take, is_read, language }: { skip: number; take: number; is_read?: boolean; language?: string },
) {
  const where = is_read === undefined ? trusted('true') : trusted(`n.read_at is ${is_read ? 'not null' : 'null'}`);
  const all = JSON.stringify(words);
  return pageOf(
    await tx.rows<Row>(sql`
    with mine as materialized (${mine(actor, where)}),
    page as materialized (
      select *, row_number() over (order by at desc, id desc) as n from mine
      order by at desc, id desc offset (select ${skip}::bigint) limit (select ${take}::bigint)),
    language as (
      select coalesce(a.words -> left(coalesce(${language ?? null}::text, u.locale, o.locale), 2), a.words -> 'en')
        as words
      from (select ${all}::jsonb as words) a, organisations o, users u
      where o.id = $1 and u.organisation_id = $1 and u.id = ${actor.user_id})
    select (select count(*) from mine) as total, r.json
    from (select) one left join lateral (
      select n.n, json_build_object('id', n.id, 'topic', n.topic,
        'thing', json_build_object('type', n.thing_type, 'id', n.thing_id, 'title', told.title,
          'permalink', (select o.web_url from organisations o where o.id = $1) || told.path),
        'reasons', ${shownReasons}, 'is_read', n.read_at is not null,
        'is_muted', exists (
          select from notification_mutes x
          where x.organisation_id = $1 and x.user_id = n.user_id and x.thing_type = n.thing_type
            and x.thing_id = n.thing_id),
        'at', iso(n.at))::text as json
      from page n cross join language w cross join lateral (${shownThing()}) told) r on true
    order by r.n`),
  );
}

const unread = (actor: Actor) => sql`
  select count(*) from (
    select from (${mine(actor, trusted('n.read_at is null'))}) m limit ${literal(COUNTED_MAX)}) c`;
export const countUnread = async (tx: Tx, actor: Actor) => Number(await tx.value<number>(unread(actor)));

export interface Which {
  ids?: readonly number[];
  thing?: { type: string; id: number };
  until_id?: number;
}
/** Returns how many were unread. */
export const markRead = async (tx: Tx, user_id: number, { ids = [], thing, until_id }: Which) =>
  (
    await tx.values<number>(sql`
    update notifications n set read_at = ${tx.now()}
    where n.organisation_id = $1 and n.user_id = ${user_id} and n.read_at is null and (
      n.id = any(${ids}::bigint[])
      or (n.thing_type, n.thing_id) = (${thing?.type ?? null}::text, ${thing?.id ?? null}::bigint)
      or (n.at, n.id) <= (
        select l.at, l.id from notifications l
        where l.organisation_id = $1 and l.user_id = ${user_id} and l.id = ${until_id ?? null}::bigint))
    returning n.id`)
  ).length;

/** With the content that is deleted. */
export const deleteNotificationsOf = (tx: Tx, thing_type: string, ids: readonly number[]) =>
  tx.rows(sql`
    with gone as (
      delete from notifications
      where organisation_id = $1 and thing_type = ${thing_type} and thing_id = any(${ids}::bigint[]))
    delete from notification_mutes
    where organisation_id = $1 and thing_type = ${thing_type} and thing_id = any(${ids}::bigint[])`);

const KEPT_DAYS = 180;
const DELETED_AT_ONCE = 1000;
/** What was read long ago. */
export const deleteOldNotifications = (tx: Tx) =>
  tx.rows(sql`
    delete from notifications where organisation_id = $1 and id = any (array(
      select id from notifications
      where organisation_id = $1 and read_at < ${tx.now()}::timestamptz - interval '${literal(KEPT_DAYS)} days'
      order by read_at limit ${literal(DELETED_AT_ONCE)}))`);
