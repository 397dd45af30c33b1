import type { Json, Tx } from '../../kernel/data/db.ts';
import { touched } from '../../kernel/data/rows.ts';
import { sql } from '../../kernel/data/sql.ts';
import { emitted } from '../../kernel/delivery/outbox.ts';
import { userUpdated } from './events.ts';
import { shown } from './queries.ts';

export interface FrontlineChange {
  external_id: string;
  is_frontline: boolean;
  has_access: boolean;
}
/** All or nothing: while one external id is unknown, nothing is written and `unknown` names the places. */
export const updateFrontlineStatus = (tx: Tx, changes: readonly FrontlineChange[]) => {
  const at = tx.now();
  return tx.row<{ unknown: number[] | null; shown: Json | null; ended: number[] | null }>(sql`
    with given as (
      select * from unnest(
        ${changes.map((c) => c.external_id)}::text[], ${changes.map((c) => c.is_frontline)}::boolean[],
        ${changes.map((c) => c.has_access)}::boolean[])
      with ordinality as g(external_id, is_frontline, has_access, n)),
    unknown as (
      select g.n from given g where not exists (
        select from users u
        where u.organisation_id = $1 and u.external_id = g.external_id and u.kind = 'person')),
    changed as (
      update users u set is_frontline = g.is_frontline, has_access = g.has_access, ${touched(at, 'u')}
      from given g
      where u.organisation_id = $1 and u.external_id = g.external_id and not exists (select from unknown)
      returning u.*),
    ${shown('changed')},
    event as (${emitted(userUpdated, 'shown', at)})
    select (select array_agg(n - 1 order by n) from unknown) as unknown,
      (select array_agg(id) from changed where not has_access) as ended,
      (select coalesce(json_agg(json_build_object(
        'id', c.id, 'external_id', c.external_id, 'email', c.email, 'name', c.name, 'is_frontline', c.is_frontline,
        'has_access', c.has_access and c.is_active,
        'permalink', o.web_url || '/directory/people/' || c.id) order by g.n), '[]')
       from changed c
       join given g on g.external_id = c.external_id
       join organisations o on o.id = c.organisation_id)::text as shown`);
};
