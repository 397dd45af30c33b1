import type { Paging } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { pageOf, type Row } from '../../kernel/data/listing.ts';
import { joined, literal, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { sees } from '../content/access.ts';
import { type ContentNoun, contentNouns } from '../content/contract.ts';
import { familyOf, type ViewerColumns } from '../content/family.ts';
import { shownRows } from '../content/shown.ts';
import { SAVED_MAX } from './contract.ts';

/** Undefined: there are too many already. Saving twice is saving once. */
export const insertSaved = (tx: Tx, user_id: number, kind: ContentNoun, content_id: number) =>
  tx.json(sql`
    with added as (
      insert into saved_items as s (organisation_id, user_id, kind, content_id, created_at)
      select $1, ${user_id}, ${kind}, ${content_id}::bigint, ${tx.now()}::timestamptz
      where (
        select count(*) from saved_items o
        where o.organisation_id = $1 and o.user_id = ${user_id} and (o.kind, o.content_id) <> (${kind}, ${content_id})
      ) < ${literal(SAVED_MAX)}
      on conflict (organisation_id, user_id, kind, content_id) do update set created_at = s.created_at
      returning s.kind, s.content_id, s.created_at)
    select json_build_object('type', kind, 'id', content_id, 'saved_at', iso(created_at))::text as json from added`);

export const deleteSaved = (tx: Tx, user_id: number, kind: ContentNoun, content_id: number) =>
  tx.rows(sql`
    delete from saved_items
    where organisation_id = $1 and user_id = ${user_id} and kind = ${kind} and content_id = ${content_id}`);

/** Before or after the content is deleted. */
export const deleteSavedOf = (tx: Tx, kind: ContentNoun, ids: readonly number[]) =>
  tx.rows(sql`
    delete from saved_items where organisation_id = $1 and kind = ${kind} and content_id = any(${ids}::bigint[])`);

/** Column: the actor saved `t`. */
export const savedBy: ViewerColumns = (noun, { user_id }) => sql`exists (
  select from saved_items s
  where s.organisation_id = $1 and s.user_id = ${user_id} and s.kind = ${literal(noun)} and s.content_id = t.id)
  as saved_by_me`;

/** Each of the few rows of one person is looked up by its key, whoever sees it now. */
export async function listSaved(tx: Tx, actor: Actor, { skip, take, language }: Paging & { language?: string }) {
  const rowOf = (noun: ContentNoun, id: string) => sql`
        select t.* from ${trusted(familyOf(noun).name)} t where t.organisation_id = $1 and t.id = ${trusted(id)}`;
  const seen = contentNouns.map(
    (noun) => sql`
      select s.kind, s.content_id, s.created_at
      from saved_items s cross join lateral (${rowOf(noun, 's.content_id')} and ${sees(actor, noun)} limit 1) t
      where s.organisation_id = $1 and s.user_id = ${actor.user_id} and s.kind = ${literal(noun)}`,
  );
  const shown = contentNouns.map(
    (noun) => sql`
      select k.n, json_build_object('type', k.kind, 'id', k.content_id, 'saved_at', iso(k.created_at),
        'resource', r.json::json)::text as json
      from page k cross join lateral (
        ${shownRows(familyOf(noun), sql`(${rowOf(noun, 'k.content_id')})`, { now: tx.now(), actor, language })}
        offset 0) r
      where k.kind = ${literal(noun)}`,
  );
  return pageOf(
    await tx.rows<Row>(sql`
      with seen as materialized (${joined(seen, ' union all ')}),
      page as materialized (
        select *, row_number() over () as n from (
          select * from seen order by created_at desc, kind, content_id desc
          offset (select ${skip}::bigint) limit (select ${take}::bigint)) k)
      select (select count(*) from seen) as total, r.json
      from (select) one left join lateral (${joined(shown, ' union all ')}) r on true
      order by r.n`),
  );
}
