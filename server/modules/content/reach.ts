// A posted row carries its state in list_bucket and its reach in list_class, so that a list for a key is a set of
// classes whose totals are kept, and a person's is that plus what reaches them alone.
import { literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import type { AudienceTargets } from '../audiences/access.ts';
import { spacesOpenTo } from '../spaces/access.ts';
import type { PostedNoun } from './contract.ts';
import { plurals } from './contract.ts';

/** list_bucket */
export const state = { published: 0, archived: 1, unpublished: 2 } as const;
/** list_class: of several spaces the most open one counts. */
export const reach = { everybody: 0, public: 1, private: 2, hidden: 3, teams: 4 } as const;

export const isPublished = sql`t.list_bucket = ${literal(state.published)}`;
export const isUnpublished = sql`t.list_bucket = ${literal(state.unpublished)}`;
/** It reaches everybody in the organisation. */
export const reachesAll = sql`t.list_class <= ${literal(reach.public)}`;

/** Reaches whose content the actor sees without being in the audience. */
export const openReaches = (actor: Actor): number[] => {
  if (!isUnbounded(actor)) return [reach.everybody, reach.public];
  const spaces = spacesOpenTo(actor) as readonly ('public' | 'private' | 'hidden')[];
  return [reach.everybody, ...spaces.map((visibility) => reach[visibility]), reach.teams];
};
/** SQL: the actor sees the posted content `t` without being in its audience. */
export const isOpen = (actor: Actor) => trusted(`t.list_class in (${openReaches(actor).join(', ')})`);

/** SQL: ids of the content that reaches a person through their spaces and teams, or that they wrote. */
export const reaching = ({ user_id }: Actor, noun: PostedNoun): Sql => {
  const [audiences, id] = [trusted(`${noun}_audiences`), trusted(`a.${noun}_id`)];
  return sql`
    select ${id} from space_members m join ${audiences} a on a.organisation_id = $1 and a.space_id = m.space_id
    where m.organisation_id = $1 and m.user_id = ${user_id}
    union all
    select ${id} from team_members m join ${audiences} a on a.organisation_id = $1 and a.team_id = m.team_id
    where m.organisation_id = $1 and m.user_id = ${user_id}
    union all
    select c.id from ${trusted(plurals[noun])} c where c.organisation_id = $1 and c.creator_id = ${user_id}`;
};

/** Scalar: the reach of what is in spaces `s` of this visibility. */
export const reachOfVisibility = trusted(
  `case s.visibility when 'public' then ${reach.public} when 'private' then ${reach.private} else ${reach.hidden} end`,
);
/**
 * Scalar: the reach of content with these targets. Locks the spaces, so that one whose visibility changes meanwhile is
 * waited for.
 */
export const reachOf = ({ type, spaces }: AudienceTargets): Sql => {
  if (type !== 'spaces') return literal(type === 'Global' ? reach.everybody : reach.teams);
  return sql`coalesce((
    select min(${reachOfVisibility}) from (
      select visibility from spaces where organisation_id = $1 and id = any(${spaces}::bigint[]) for share) s),
    ${literal(reach.hidden)})`;
};
/** The same for what is in one space, or in none. */
export const reachOfSpace = (space_id: number | null): Sql =>
  reachOf({ type: space_id === null ? 'Global' : 'spaces', spaces: space_id === null ? [] : [space_id], teams: [] });
