import type { Paging } from '../../kernel/contract/contract.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { counted, type Listing, listRows } from '../../kernel/data/listing.ts';
import { jsonOf, type Sql, sql } from '../../kernel/data/sql.ts';
import { extensionPoint } from '../../kernel/module.ts';
import { userColumns } from '../users/queries.ts';

/** One bucket a team; class 0 active people, 1 deactivated ones. */
export const teamMembersList: Listing = {
  table: 'team_members',
  at: null,
  id: 'user_id',
  newestFirst: false,
  updated_at: '(select u.updated_at from users u where u.organisation_id = $1 and u.id = t.user_id)',
};

/** What follows who is in a team, in the same transaction. */
export const followsTeam = extensionPoint<{
  readonly changed: (tx: Tx, team_id: number, added: readonly number[], removed: readonly number[]) => Promise<unknown>;
  /** Before it is gone. */
  readonly deleted: (tx: Tx, team_id: number) => Promise<unknown>;
}>();

type Who = readonly number[] | Sql;
/** `remove` are ids, or a condition on the member `m` and person `u`. Returns who was in fact added and removed. */
export async function changeMembers(tx: Tx, team_id: number, add: readonly number[], remove: Who) {
  const removed = await deleteTeamMembers(tx, team_id, remove);
  const added = add.length > 0 ? await insertTeamMembers(tx, team_id, add) : [];
  for (const { changed } of followsTeam.all) await changed(tx, team_id, added, removed);
  return { added, removed };
}

export const listTeamUsers = (tx: Tx, team_id: number, page: Paging) =>
  listRows(
    tx,
    teamMembersList,
    { ...page, bucket: team_id, classes: [0] },
    jsonOf(sql`
      select ${userColumns} from users u join organisations o on o.id = u.organisation_id
      where u.organisation_id = $1 and u.id = listed.id`),
  );
export const insertTeamMembers = (tx: Tx, team_id: number, user_ids: readonly number[]) =>
  tx.values<number>(sql`
    with added as (
      insert into team_members (organisation_id, team_id, user_id, created_at, list_class)
      select $1, ${team_id}, u.id, ${tx.now()}, case when u.is_active then 0 else 1 end
      from users u where u.organisation_id = $1 and u.id = any(${user_ids}::bigint[])
      order by u.id on conflict do nothing returning *),
    change as (${counted(teamMembersList, 'added', 1)})
    select user_id from added`);
async function deleteTeamMembers(tx: Tx, team_id: number, who: Who): Promise<number[]> {
  if ('length' in who && who.length === 0) return [];
  const which = 'length' in who ? sql`m.user_id = any(${who}::bigint[])` : who;
  return tx.values<number>(sql`
    with gone as (
      delete from team_members m using users u
      where m.organisation_id = $1 and m.team_id = ${team_id} and u.organisation_id = $1 and u.id = m.user_id
        and ${which}
      returning m.*),
    change as (${counted(teamMembersList, 'gone', -1)})
    select user_id from gone`);
}

/** Scalar: the teams of the person `u`. */
export const teamsOfUser = sql`(
  select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) order by t.id), '[]')
  from team_members m join teams t on t.organisation_id = $1 and t.id = m.team_id
  where m.organisation_id = $1 and m.user_id = u.id)`;
/** SQL: the person `t` is in one of these teams. */
export const isMemberOf = (ids: readonly number[]) => sql`exists (
  select from team_members m
  where m.organisation_id = $1 and m.user_id = t.id and m.team_id = any(${ids}::bigint[]))`;
