import type { Tx } from '../../kernel/data/db.ts';
import { recounted } from '../../kernel/data/listing.ts';
import { touched } from '../../kernel/data/rows.ts';
import { given, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { listContent, type PostedFilter, postedSlice } from '../content/lists.ts';
import { state } from '../content/reach.ts';
import { reposted } from '../content/statements.ts';
import { type PostNoun, postFamilies } from './family.ts';

export type Approval = 'pending' | 'approved' | 'rejected';
const table = (noun: PostNoun) => trusted(postFamilies[noun].name);

interface Thanking {
  recipient_id?: number;
  recipient_team_id?: number;
  badge_id?: number;
  goal_id?: number;
}
const thanks = (column: string, id: number) => sql`exists (
  select from kudos_recipients r
  where r.organisation_id = $1 and r.kudos_id = t.id and r.${trusted(column)} = ${id})`;
/** Of kudos alone. */
const thanking = ({ recipient_id, recipient_team_id, badge_id, goal_id }: Thanking) => [
  ...given(recipient_id, (id) => thanks('user_id', id)),
  ...given(recipient_team_id, (id) => thanks('team_id', id)),
  ...given(badge_id, (id) => sql`t.badge_id = ${id}`),
  ...given(goal_id, (id) => sql`t.goal_id = ${id}`),
];

export function listPosts(
  tx: Tx,
  actor: Actor,
  noun: PostNoun,
  filter: PostedFilter & Thanking & { language?: string; content_approval?: Approval },
) {
  const { language, content_approval } = filter;
  const family = postFamilies[noun];
  const isWaiting = content_approval !== undefined && content_approval !== 'approved';
  const slice = isWaiting
    ? postedSlice(
        actor,
        noun,
        filter,
        [state.unpublished],
        [sql`t.approval = ${content_approval}`, family.edits(actor)],
      )
    : postedSlice(actor, noun, filter, [state.published], thanking(filter));
  return listContent(tx, family, family.list, slice, { now: tx.now(), actor, language });
}

export interface Recipients {
  users: readonly number[];
  teams: readonly number[];
}
/** Returns whether there are other recipients now. */
export const replaceRecipients = (tx: Tx, kudos_id: number, { users, teams }: Recipients) =>
  tx.any(sql`
    with gone as (
      delete from kudos_recipients where organisation_id = $1 and kudos_id = ${kudos_id} and not (
        coalesce(user_id = any(${users}::bigint[]), false) or coalesce(team_id = any(${teams}::bigint[]), false))
      returning id),
    wanted as (
      select u as user_id, null::bigint as team_id, n
      from unnest(${[...new Set(users)]}::bigint[]) with ordinality x(u, n)
      union all
      select null, g, n from unnest(${[...new Set(teams)]}::bigint[]) with ordinality x(g, n)
      order by n),
    added as (
      insert into kudos_recipients (organisation_id, kudos_id, user_id, team_id)
      select $1, ${kudos_id}, w.user_id, w.team_id from wanted w on conflict do nothing returning id)
    select id from gone union all select id from added`);

/** False: it does not wait for approval. */
export const reviewPost = (tx: Tx, noun: PostNoun, id: number, approval: Approval, reviewer_id: number) =>
  tx.any(sql`
    with was as (
      select * from ${table(noun)} where organisation_id = $1 and id = ${id} and approval = 'pending' for update),
    changed as (
      update ${table(noun)} t
      set approval = ${approval}, reviewed_by = ${reviewer_id}, reviewed_at = ${tx.now()}, ${touched(tx.now())}
      from was where t.organisation_id = $1 and t.id = was.id returning t.*),
    ${reposted(postFamilies[noun])}
    ${recounted(postFamilies[noun].list)}
    select id from changed`);

/** Does this person's post to these spaces wait for somebody's approval? */
export const needsApproval = async (tx: Tx, user_id: number, spaces: readonly number[]) =>
  (await tx.value<boolean>(sql`
    select o.content_approvals and not exists (
      select from space_members m
      where m.organisation_id = $1 and m.user_id = ${user_id} and m.space_id = any(${spaces}::bigint[])
        and m.role in ('owner', 'admin', 'moderator'))
    from organisations o where o.id = $1`)) ?? false;

/** Is it approved, for spaces where this person's posts wait for somebody's approval? */
export const isApprovedByOthers = async (tx: Tx, noun: PostNoun, id: number, user_id: number) => {
  const spaces = await tx.value<number[]>(sql`
    select array(
      select a.space_id from ${trusted(`${noun}_audiences`)} a
      where a.organisation_id = $1 and a.${trusted(`${noun}_id`)} = t.id)
    from ${table(noun)} t
    where t.organisation_id = $1 and t.id = ${id} and t.approval = 'approved' and t.audience_type = 'spaces'`);
  return spaces !== undefined && (await needsApproval(tx, user_id, spaces));
};

/** People whom kudos thank by name, and the badge they get; nobody thanks themselves into one. */
export const findThanked = (tx: Tx, kudos_id: number) =>
  tx.row<{ badge_id: number | null; user_ids: number[] }>(sql`
    select k.badge_id, array(
      select r.user_id from kudos_recipients r
      where r.organisation_id = $1 and r.kudos_id = k.id and r.user_id <> k.creator_id) as user_ids
    from kudos k where k.organisation_id = $1 and k.id = ${kudos_id}`);
