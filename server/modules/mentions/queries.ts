import type { Tx } from '../../kernel/data/db.ts';
import { literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { knows } from '../spaces/access.ts';
import type { MentionType } from './contract.ts';

export interface Target {
  readonly type: MentionType;
  readonly id: number;
}
const TARGETS_MAX = 200;

/** Scalar: those whom it speaks of, as the interface shows them. Names of hidden spaces are their members'. */
export const mentionsOf = (kind: string, id: string) =>
  trusted(`(
    select coalesce(
      json_agg(json_build_object('type', m.target_type, 'id', m.target_id, 'name', n.name)
        order by m.target_type = 'user' desc, m.target_type, m.target_id), '[]')
    from mentions m cross join lateral (
      select u.name from users u
      where m.target_type = 'user' and u.organisation_id = $1 and u.id = m.target_id
      union all
      select g.name from teams g where m.target_type = 'team' and g.organisation_id = $1 and g.id = m.target_id
      union all
      select s.name from spaces s
      where m.target_type = 'space' and s.organisation_id = $1 and s.id = m.target_id and s.visibility <> 'hidden') n
    where m.organisation_id = $1 and m.kind = '${kind}' and m.content_id = ${id})`);

/** Condition: there is such a target `w`, and the actor knows of it. */
const isKnown = (actor: Actor) => sql`case w.type
  when 'user' then exists (select from users u where u.organisation_id = $1 and u.id = w.id)
  when 'team' then exists (select from teams g where g.organisation_id = $1 and g.id = w.id)
  else exists (
    select from spaces s where s.organisation_id = $1 and s.id = w.id and ${knows(actor, trusted('s'))}) end`;
const rowsOf = (targets: readonly Target[]) => sql`
  unnest(${targets.map(({ type }) => type)}::text[], ${targets.map(({ id }) => id)}::bigint[])`;

/** Places in the list, from 0, of those that the actor does not know. */
export const listUnknown = (tx: Tx, actor: Actor, targets: readonly Target[]) =>
  tx.values<number>(sql`
    select (w.n - 1)::integer from ${rowsOf(targets)} with ordinality w(type, id, n)
    where not ${isKnown(actor)} order by w.n`);

const replaced = (kind: string, id: Sql, wanted: Sql) => sql`
  wanted as (${wanted}),
  gone as (
    delete from mentions m
    where m.organisation_id = $1 and m.kind = ${kind} and m.content_id = ${id} and not exists (
      select from wanted w where w.type = m.target_type and w.id = m.target_id))
  insert into mentions (organisation_id, kind, content_id, target_type, target_id)
  select $1, ${kind}, ${id}, w.type, w.id from wanted w on conflict do nothing`;

export const replaceMentions = (tx: Tx, kind: string, id: number, targets: readonly Target[]) =>
  tx.rows(sql`
    with ${replaced(kind, sql`${id}::bigint`, sql`select distinct w.type, w.id from ${rowsOf(targets)} w(type, id)`)}`);

/** Whom the stored HTML names, in any language. */
export const replaceHtmlMentions = (tx: Tx, actor: Actor, kind: string, id: number, table: string, column: string) => {
  const [html, translations, of] = [column, `${kind}_translations`, `${kind}_id`].map(trusted);
  const named = sql`
    select distinct found[1] as type, found[2]::bigint as id
    from (
      select ${html} as html from ${trusted(table)} where organisation_id = $1 and id = ${id}
      union all
      select ${html} from ${translations} where organisation_id = $1 and ${of} = ${id}) texts,
      regexp_matches(html, '<[a-z][^<>]*\\sdata-(user|team|space)-id="([1-9][0-9]{0,15})"', 'g') found
    where html like '%-id="%'
    limit ${literal(TARGETS_MAX)}`;
  const wanted = sql`select w.type, w.id from (${named}) w where ${isKnown(actor)}`;
  return tx.rows(sql`with ${replaced(kind, sql`${id}::bigint`, wanted)}`);
};

/** CTE body: those who have not been told that this speaks of them; from now on they have, or were not to. */
export const claimedMentions = (kind: string, id: number, condition = trusted('true')) => sql`
  update mentions m set is_told = true
  where m.organisation_id = $1 and m.kind = ${kind} and m.content_id = ${id} and not m.is_told and ${condition}
  returning m.target_type, m.target_id`;
/** SQL: ids of the people in `claimed`, which has target_type and target_id. */
export const mentionedPeople = (claimed: string) =>
  trusted(`
    select c.target_id as user_id from ${claimed} c where c.target_type = 'user'
    union
    select m.user_id from ${claimed} c
    join team_members m on m.organisation_id = $1 and m.team_id = c.target_id where c.target_type = 'team'
    union
    select m.user_id from ${claimed} c
    join space_members m on m.organisation_id = $1 and m.space_id = c.target_id where c.target_type = 'space'`);

/** Before or after what says it is deleted. */
export const deleteMentionsIn = (tx: Tx, kind: string, ids: readonly number[]) =>
  tx.rows(sql`
    delete from mentions where organisation_id = $1 and kind = ${kind} and content_id = any(${ids}::bigint[])`);
