// What a space's changes mean to the content that is posted there.
import { noted } from '../../kernel/data/changes.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { recounted } from '../../kernel/data/listing.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import type { SpaceFollower } from '../spaces/following.ts';
import type { PostedFamily } from './family.ts';
import { reachOfVisibility } from './reach.ts';
import { movedRows } from './statements.ts';

/** Posted content: it reaches others when the visibility of one of its spaces changes. */
export const followingSpaces = ({ noun, name, list }: PostedFamily): SpaceFollower => {
  const [table, audiences, id] = [trusted(name), trusted(`${noun}_audiences`), trusted(`${noun}_id`)];
  return {
    isIn: (space_id) => sql`exists (select from ${audiences} where organisation_id = $1 and space_id = ${space_id})`,
    visibilityChanged: (tx: Tx, space_id) =>
      tx.rows(sql`
        with was as (
          select t.* from ${table} t
          where t.organisation_id = $1 and t.audience_type = 'spaces' and t.id in (
            select a.${id} from ${audiences} a where a.organisation_id = $1 and a.space_id = ${space_id})
          order by t.id for update),
        reached as (
          select was.id, (
            select min(${reachOfVisibility})
            from ${audiences} a join spaces s on s.organisation_id = $1 and s.id = a.space_id
            where a.organisation_id = $1 and a.${id} = was.id)::smallint as reach
          from was),
        changed as (
          update ${table} t set list_class = r.reach from reached r
          where t.organisation_id = $1 and t.id = r.id and t.list_class <> r.reach returning t.*),
        ${recounted(list)},
        note as (${noted(noun, movedRows({ noun }), tx.now())})
        select id from changed`),
  };
};
