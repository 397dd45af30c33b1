import type { Static } from '../../kernel/contract/schema.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { totalOf } from '../../kernel/data/listing.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Team } from '../teams/contract.ts';
import { teamMembersList } from '../teams/members.ts';
import { teamsList } from '../teams/queries.ts';
import { findResource, type ListOptions, listResources } from './list-queries.ts';

type Shown = 'id' | 'external_id' | 'name' | 'created_at' | 'updated_at';
export interface GroupRow extends Pick<Static<typeof Team>, Shown> {
  sequence: number;
  members: { id: number; name: string }[] | null;
}

const members = trusted(`(
  select json_agg(json_build_object('id', m.user_id, 'name', u.name) order by m.user_id)
  from team_members m
  join users u on u.organisation_id = $1 and u.id = m.user_id
  where m.organisation_id = $1 and m.team_id = g.id and not u.is_withdrawn)`);
const groupRow = (withMembers: boolean, which: Sql) => sql`
  select
    g.id, g.external_id, g.name, iso(g.created_at) as created_at, iso(g.updated_at) as updated_at, g.sequence,
    ${withMembers ? members : trusted('null::json')} as members
  from teams g where g.organisation_id = $1 and ${which}`;

export const findGroupRow = (tx: Tx, id: number, withMembers: boolean) =>
  findResource<GroupRow>(tx, groupRow(withMembers, sql`g.id = ${id}`));
export function listGroupRows(tx: Tx, withMembers: boolean, options: ListOptions) {
  const weight = withMembers ? totalOf(teamMembersList, trusted('listed.id'), [0, 1]) : undefined;
  return listResources<GroupRow>(tx, teamsList, [0], options, groupRow(withMembers, sql`g.id = listed.id`), weight);
}

/** A team of this name that no provider knows, locked. */
export const lockAdoptable = (tx: Tx, name: string) =>
  tx.value<number>(sql`
    select id from teams
    where organisation_id = $1 and lower(name) = lower(${name}) and external_id is null
    order by id limit 1 for update`);

/** Some of those that are no person of the organisation. */
export const findStrangers = (tx: Tx, ids: readonly number[]) =>
  tx.values<number>(sql`
    select unnest(${ids}::bigint[])
    except
    select id from users where organisation_id = $1 and id = any(${ids}::bigint[]) and kind = 'person'
    limit 10`);
