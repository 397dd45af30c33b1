import type { Json, Tx } from '../../kernel/data/db.ts';
import { roundedUp } from '../../kernel/data/listing.ts';
import { joined, literal, nothing, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import type { Feed } from './feeds.ts';

export interface Key {
  type: string;
  id: number;
  sequence: number;
  is_note: boolean;
}
/** What happened after one number and up to another, in order. */
export const findKeys = (
  tx: Tx,
  feeds: readonly Pick<Feed<string>, 'type' | 'table' | 'where'>[],
  after: number,
  until: number,
  take: number,
) => {
  // The planner must see about how little is taken; see kernel/data/listing.ts.
  const slice = (columns: Sql, condition: Sql) => sql`(
    select ${columns}
    where t.organisation_id = $1 and t.sequence > ${after} and t.sequence <= ${until} ${condition}
    order by t.sequence limit ${literal(roundedUp(take))})`;
  const rows = feeds.map(({ type, table, where }) =>
    slice(
      trusted(`'${type}' as type, t.id, t.sequence, false as is_note from ${table} t`),
      where ? sql`and ${where}` : nothing,
    ),
  );
  const notes = slice(
    trusted('t.type, t.id, t.sequence, true from change_notes t'),
    sql`and t.type = any(${feeds.map(({ type }) => type)}::text[])`,
  );
  return tx.rows<Key>(sql`
    select * from (${joined([...rows, notes], ' union all ')}) k order by k.sequence limit (select ${take}::bigint)`);
};

/** Of one family, as the actor sees them now. What they cannot see is told only where it may have been seen before. */
export const findEntries = (tx: Tx, actor: Actor, { type, shown }: Feed, keys: readonly Key[]) =>
  tx.rows<{ sequence: number; json: Json }>(sql`
    select k.sequence, json_build_object('sequence', k.sequence, 'type', ${literal(type)}, 'id', k.id, 'change', case
        when x.resource is null then 'deleted'
        when x.resource ->> 'is_archived' = 'true' then 'archived'
        when x.resource ->> 'created_at' = x.resource ->> 'updated_at' then 'created'
        else 'changed' end, 'resource', x.resource)::text as json
    from unnest(${keys.map(({ sequence }) => sequence)}::bigint[], ${keys.map(({ id }) => id)}::bigint[],
      ${keys.map(({ is_note }) => is_note)}::boolean[]) k(sequence, id, is_note)
    left join lateral (
      select r.json::json as resource from (${shown(tx, actor, trusted('k.id'))}) r offset 0) x on true
    where x.resource is not null or k.is_note`);
