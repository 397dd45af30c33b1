// What a space shows at its top. Archived content is left out while it is archived, and all of it while the space is: so both
// come back by themselves.

import { type FieldError, refuseFields } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { sees } from '../content/access.ts';
import { type ContentNoun, plurals } from '../content/contract.ts';
import { featurable } from './contract.ts';

export interface FeaturedItem {
  type: (typeof featurable)[number];
  id: number;
}
const isPublished = (noun: ContentNoun) => trusted(noun === 'page' ? 'not t.is_draft' : 't.list_bucket = 0');
const tableOf = (noun: ContentNoun) => trusted(plurals[noun]);

export const getFeatured = (tx: Tx, actor: Actor, space_id: number) => {
  const [first, ...others] = featurable.map(
    (noun) => sql`
      select f.position, ${trusted(`'${noun}'`)} as type, t.id, o.web_url || ${trusted(`'/${plurals[noun]}/' || t.${noun === 'article' ? 'slug' : 'id'}`)} as permalink
      from space_features f join ${tableOf(noun)} t on t.organisation_id = $1 and t.id = f.content_id join organisations o on o.id = $1
      where f.organisation_id = $1 and f.space_id = ${space_id} and f.kind = ${trusted(`'${noun}'`)} and ${isPublished(noun)} and ${sees(actor, noun)}`,
  );
  const items = others.reduce((all, one) => sql`${all} union all ${one}`, first ?? trusted(''));
  return tx.json(sql`
    select json_build_object('is_archived', s.is_archived, 'items', coalesce(
      (select json_agg(json_build_object('type', i.type, 'id', i.id, 'permalink', i.permalink) order by i.position) from (${items}) i where not s.is_archived), '[]'))::text as json
    from spaces s where s.organisation_id = $1 and s.id = ${space_id}`) as Promise<Json>;
};

/** Each must be there for the actor, once. */
export async function checkItems(tx: Tx, actor: Actor, items: readonly FeaturedItem[]): Promise<void> {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const noun of featurable) {
    const ids = items.filter(({ type }) => type === noun).map(({ id }) => id);
    if (ids.length === 0) continue;
    const found = await tx.rows<{ id: number }>(
      sql`select t.id from ${tableOf(noun)} t where t.organisation_id = $1 and t.id = any(${ids}::bigint[]) and ${isPublished(noun)} and ${sees(actor, noun)}`,
    );
    for (const { id } of found) seen.add(`${noun} ${id}`);
  }
  for (const [n, { type, id }] of items.entries())
    if (!seen.delete(`${type} ${id}`))
      errors.push({ path: `items[${n}].id`, message: `names no published ${type}, or one named before: ${id}` });
  if (errors.length > 0) refuseFields(errors);
}

export const replaceFeatured = async (tx: Tx, space_id: number, items: readonly FeaturedItem[]) => {
  await tx.rows(sql`delete from space_features where organisation_id = $1 and space_id = ${space_id}`);
  await tx.rows(sql`
    insert into space_features (organisation_id, space_id, position, kind, content_id)
    select $1, ${space_id}, w.n, w.kind, w.id from unnest(${items.map(({ type }) => type)}::text[], ${items.map(({ id }) => id)}::bigint[]) with ordinality w(kind, id, n)`);
};
