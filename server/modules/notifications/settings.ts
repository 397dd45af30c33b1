// How a person wants to be told, and of what they do not want to hear.
import type { Json, Tx } from '../../kernel/data/db.ts';
import { pageOf, type Row } from '../../kernel/data/listing.ts';
import { literal, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { type Kind, kinds } from './contract.ts';
import { isVisible, shownThing } from './things.ts';

const rows = trusted(kinds.map((kind, n) => `('${kind}', ${n})`).join(', '));
export const getSettings = (tx: Tx, user_id: number) =>
  tx.json(sql`
    select json_build_object(
      'kinds', (
        select json_agg(json_build_object(
          'kind', k.kind, 'in_app', not coalesce(k.kind || ':in_app' = any(s.off), false),
          'push', not coalesce(array[k.kind || ':in_app', k.kind || ':push'] && s.off, false)) order by k.n)
        from (values ${rows}) k(kind, n)),
      'quiet_from', to_char(p.quiet_from, 'HH24:MI'), 'quiet_until', to_char(p.quiet_until, 'HH24:MI'),
      'timezone', coalesce(u.timezone, o.timezone))::text as json
    from users u join organisations o on o.id = $1
    left join notification_settings s on s.organisation_id = $1 and s.user_id = u.id
    left join push_settings p on p.organisation_id = $1 and p.user_id = u.id
    where u.organisation_id = $1 and u.id = ${user_id}`) as Promise<Json>;

export interface Wanted {
  kind: Kind;
  in_app: boolean;
  push: boolean;
}
/** Other kinds stay as they are. */
export const upsertSettings = (tx: Tx, user_id: number, wanted: readonly Wanted[]) => {
  const named = wanted.map(({ kind }) => kind);
  const off = wanted.flatMap(({ kind, in_app, push }) => [
    ...(in_app ? [] : [`${kind}:in_app`]),
    ...(push ? [] : [`${kind}:push`]),
  ]);
  return tx.rows(sql`
    insert into notification_settings as s (organisation_id, user_id, off, updated_at)
    values ($1, ${user_id}, ${off}::text[], ${tx.now()})
    on conflict (organisation_id, user_id) do update
    set updated_at = excluded.updated_at, off = excluded.off || array(
      select x from unnest(s.off) x where split_part(x, ':', 1) <> all(${named}::text[]))`);
};

const LISTED_MAX = 1000;
export const listMutes = async (tx: Tx, actor: Actor, { skip, take }: { skip: number; take: number }) =>
  pageOf(
    await tx.rows<Row>(sql`
    with mine as materialized (
      select n.* from (
        select * from notification_mutes n where n.organisation_id = $1 and n.user_id = ${actor.user_id}
        order by n.created_at desc, n.thing_type, n.thing_id limit ${literal(LISTED_MAX)}) n
      where ${isVisible(actor)}),
    page as materialized (
      select *, row_number() over (order by created_at desc, thing_type, thing_id) as n from mine
      order by created_at desc, thing_type, thing_id offset (select ${skip}::bigint) limit (select ${take}::bigint))
    select (select count(*) from mine) as total, r.json
    from (select) one left join lateral (
      select n.n, json_build_object('type', n.thing_type, 'id', n.thing_id, 'title', told.title, 'level', n.level,
        'created_at', iso(n.created_at))::text as json
      from page n cross join lateral (${shownThing()}) told) r on true
    order by r.n`),
  );
export const upsertMute = (tx: Tx, user_id: number, { type, id }: { type: string; id: number }, level: string) =>
  tx.json(sql`
    insert into notification_mutes (organisation_id, user_id, thing_type, thing_id, level, created_at)
    values ($1, ${user_id}, ${type}, ${id}, ${level}, ${tx.now()})
    on conflict (organisation_id, user_id, thing_type, thing_id) do update set level = excluded.level
    returning json_build_object('type', thing_type, 'id', thing_id)::text as json`) as Promise<Json>;
/** Undefined: it was not muted. */
export const deleteMute = (tx: Tx, user_id: number, { type, id }: { type: string; id: number }) =>
  tx.json(sql`
    delete from notification_mutes
    where organisation_id = $1 and user_id = ${user_id} and thing_type = ${type} and thing_id = ${id}
    returning json_build_object('type', thing_type, 'id', thing_id)::text as json`);
