import type { Paging } from '../../kernel/contract/contract.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { counted, type Listing, listRows } from '../../kernel/data/listing.ts';
import { given, jsonOf, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { userColumns } from '../users/queries.ts';
import { mayManage, mayPostIn, seesInside } from './access.ts';
import type { SpaceRole } from './contract.ts';

/** One bucket a space; class 0 active people, 1 deactivated ones. */
export const spaceMembersList: Listing = {
  table: 'space_members',
  at: null,
  id: 'user_id',
  newestFirst: false,
  updated_at: '(select u.updated_at from users u where u.organisation_id = $1 and u.id = t.user_id)',
};

export const listSpaceUsers = (tx: Tx, space_id: number, role: SpaceRole | undefined, page: Paging) =>
  listRows(
    tx,
    spaceMembersList,
    { ...page, bucket: space_id, classes: [0], where: given(role, (one) => sql`t.role = ${one}`) },
    jsonOf(sql`
      select ${userColumns}, m.role as space_role
      from users u join organisations o on o.id = u.organisation_id
      join space_members m on m.organisation_id = $1 and m.space_id = ${space_id} and m.user_id = u.id
      where u.organisation_id = $1 and u.id = listed.id`),
  );

export interface MemberChange {
  user_id: number;
  added: boolean;
}
/** Adds who is no member; with a role also gives it to who is. Returns who was added and who was changed. */
export const upsertMembers = (tx: Tx, space_id: number, user_ids: readonly number[], role: SpaceRole | undefined) =>
  tx.rows<MemberChange>(sql`
    with added as (
      insert into space_members as m (organisation_id, space_id, user_id, role, created_at, list_class)
      select $1, ${space_id}, u.id, ${role ?? 'member'}, ${tx.now()}, case when u.is_active then 0 else 1 end
      from users u where u.organisation_id = $1 and u.id = any(${user_ids}::bigint[])
      order by u.id on conflict do nothing returning *),
    updated as (
      update space_members m set role = ${role ?? 'member'}, from_rules = false
      where ${role !== undefined} and m.organisation_id = $1 and m.space_id = ${space_id}
        and m.user_id = any(${user_ids}::bigint[]) and m.role <> ${role ?? 'member'}
      returning m.user_id),
    change as (${counted(spaceMembersList, 'added', 1)})
    select user_id, true as added from added union all select user_id, false from updated`);
export const deleteMembers = (tx: Tx, space_id: number, user_ids: readonly number[]) =>
  tx.values<number>(sql`
    with gone as (
      delete from space_members
      where organisation_id = $1 and space_id = ${space_id} and user_id = any(${user_ids}::bigint[]) returning *),
    change as (${counted(spaceMembersList, 'gone', -1)})
    select user_id from gone`);
export const hasOwnerAmong = (tx: Tx, space_id: number, user_ids: readonly number[]) =>
  tx.any(sql`
    select user_id from space_members
    where organisation_id = $1 and space_id = ${space_id} and role = 'owner' and user_id = any(${user_ids}::bigint[])`);
/** Scalar: spaces that this person owns and nobody else who is active does. */
export const countOwnedAlone = (user_id: number) => sql`(
  select count(*) from space_members m
  join spaces s on s.organisation_id = $1 and s.id = m.space_id and not s.is_archived
  where m.organisation_id = $1 and m.user_id = ${user_id} and m.role = 'owner' and not exists (
    select from space_members o
    where o.organisation_id = $1 and o.space_id = m.space_id and o.role = 'owner' and o.user_id <> m.user_id
      and o.list_class = 0))`;

/** Scalar: the spaces of the person `u` whose members the actor may list. */
export const spacesOfUser = (actor: Actor) => sql`(
  select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name) order by s.id), '[]')
  from space_members m join spaces s on s.organisation_id = $1 and s.id = m.space_id
  where m.organisation_id = $1 and m.user_id = u.id and ${seesInside(actor, trusted('s'))})`;
/** SQL: the person `t` is in one of these spaces, as far as the actor may list their members. */
export const isMemberOf = (actor: Actor, ids: readonly number[]) => sql`exists (
  select from space_members m join spaces s on s.organisation_id = $1 and s.id = m.space_id
  where m.organisation_id = $1 and m.user_id = t.id and m.space_id = any(${ids}::bigint[])
    and ${seesInside(actor, trusted('s'))})`;

const hasOtherOwner = (user_id: number) => sql`exists (
  select from space_members x
  join users u on u.organisation_id = $1 and u.id = x.user_id and u.is_active
  where x.organisation_id = $1 and x.space_id = s.id and x.role = 'owner' and x.user_id <> ${user_id})`;
const isLastOwner = (user_id: number) => sql`(m.role = 'owner' and not ${hasOtherOwner(user_id)})`;

/** What the person is in the space, and what they may do there. */
export const getMembership = (tx: Tx, actor: Actor, space_id: number) =>
  tx.json(
    jsonOf(sql`
      select m.role as space_role, ${seesInside(actor, trusted('s'))} as see_inside,
        m.role is null and s.visibility = 'public' and not s.is_archived as may_join,
        m.role is not null and not s.is_mandatory and not ${isLastOwner(actor.user_id)} as may_leave,
        ${mayManage(actor, trusted('m.role'))} and not s.is_archived as may_manage,
        ${mayPostIn(actor, trusted('m.role'))} as may_post
      from spaces s
      left join space_members m on m.organisation_id = $1 and m.space_id = s.id and m.user_id = ${actor.user_id}
      where s.organisation_id = $1 and s.id = ${space_id}`),
  ) as Promise<Json>;

/** Owners of the space wait for one another, so that one of them stays. */
export const lockMembership = (tx: Tx, space_id: number, user_id: number) =>
  tx.row<{ is_mandatory: boolean; is_last_owner: boolean }>(sql`
    with owners as (
      select user_id from space_members
      where organisation_id = $1 and space_id = ${space_id} and role = 'owner' order by user_id for update)
    select s.is_mandatory, ${isLastOwner(user_id)} as is_last_owner
    from (select count(*) from owners) waited, spaces s
    join space_members m on m.organisation_id = $1 and m.space_id = s.id and m.user_id = ${user_id}
    where s.organisation_id = $1 and s.id = ${space_id}`);
