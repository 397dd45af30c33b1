// What a space shows at its top. Archived content is left out while it is archived, and all of it while the space is:
// so both come back by themselves.
import { type FieldError, refuseFields } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { joined, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { sees } from '../content/access.ts';
import { type ContentNoun, contentNouns, plurals } from '../content/contract.ts';
import { isPublished } from '../content/reach.ts';

export interface FeaturedItem {
  type: ContentNoun;
  id: number;
}
const isShown = (actor: Actor, noun: ContentNoun) =>
  sql`${noun === 'page' ? trusted('not t.is_draft') : isPublished} and ${sees(actor, noun)}`;
const tableOf = (noun: ContentNoun) => trusted(plurals[noun]);

const itemsOf = (noun: ContentNoun, actor: Actor, space_id: number): Sql => sql`
  select f.position, ${literal(noun)} as type, t.id,
    o.web_url || ${trusted(`'/${plurals[noun]}/' || t.${noun === 'article' ? 'slug' : 'id'}`)} as permalink
  from space_features f
  join ${tableOf(noun)} t on t.organisation_id = $1 and t.id = f.content_id join organisations o on o.id = $1
  where f.organisation_id = $1 and f.space_id = ${space_id} and f.kind = ${literal(noun)} and ${isShown(actor, noun)}`;

export const getFeatured = (tx: Tx, actor: Actor, space_id: number) => {
  const items = joined(
    contentNouns.map((noun) => itemsOf(noun, actor, space_id)),
    ' union all ',
  );
  return tx.json(sql`
    select json_build_object('is_archived', s.is_archived, 'items', coalesce((
      select json_agg(json_build_object('type', i.type, 'id', i.id, 'permalink', i.permalink) order by i.position)
      from (${items}) i where not s.is_archived), '[]'))::text as json
    from spaces s where s.organisation_id = $1 and s.id = ${space_id}`) as Promise<Json>;
};

/** Each must be there for the actor, once. */
export async function refuseUnlessPublished(tx: Tx, actor: Actor, items: readonly FeaturedItem[]): Promise<void> {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const noun of new Set(items.map(({ type }) => type))) {
    const ids = items.filter(({ type }) => type === noun).map(({ id }) => id);
    const found = await tx.values<number>(sql`
      select t.id from ${tableOf(noun)} t
      where t.organisation_id = $1 and t.id = any(${ids}::bigint[]) and ${isShown(actor, noun)}`);
    for (const id of found) seen.add(`${noun} ${id}`);
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
    select $1, ${space_id}, w.n, w.kind, w.id
    from unnest(${items.map(({ type }) => type)}::text[], ${items.map(({ id }) => id)}::bigint[])
      with ordinality w(kind, id, n)`);
};
