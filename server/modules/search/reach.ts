// Who may see an item, as far as the index knows it: a coarse sieve, so that most of what it lets through is seen. What
// decides is each family's own condition on the row itself (families.ts): nothing is counted or shown without it.
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { reach as reachOfContent } from '../content/reach.ts';
import { spacesKnownTo, spacesOpenTo } from '../spaces/access.ts';

/** How far an item reaches: as content says, and two more. */
export const reach = {
  ...reachOfContent,
  /** Drafts, and what waits for approval: those who edit it. */
  unpublished: 5,
  /** A private space itself, which people know of. */
  known: 6,
} as const;
type Visibility = 'public' | 'private' | 'hidden';

/** Among the places of an item: a space, a team. */
export const placeOfSpace = (id: string) => `${id} * 2`;
export const placeOfTeam = (id: string) => `${id} * 2 + 1`;
/** Who wrote something sees it wherever it is. */
export const placeOfAuthor = (id: string) => `-(${id})`;

/** CTE `mine`: the places of the actor, as an array. */
export const myPlaces = ({ user_id }: Actor): Sql => sql`
  mine as materialized (
    select array(
      select ${trusted(placeOfSpace('m.space_id'))} from space_members m
      where m.organisation_id = $1 and m.user_id = ${user_id}
      union all
      select ${trusted(placeOfTeam('m.team_id'))} from team_members m
      where m.organisation_id = $1 and m.user_id = ${user_id}) || ${-user_id}::bigint as places)`;

/** SQL on the item `i`, given `mine`: the actor may well see it. */
export function isWithinReach(actor: Actor): Sql {
  if (actor.kind !== 'key' && actor.roles.includes('admin')) return trusted('true');
  if (isUnbounded(actor)) {
    const spaces = spacesOpenTo(actor).map((visibility) => reach[visibility as Visibility]);
    const known = spacesKnownTo(actor).includes('private') ? [reach.known] : [];
    return within([reach.everybody, ...spaces, reach.teams, reach.unpublished, ...known]);
  }
  const edits = actor.roles.includes('moderator') ? [reach.teams, reach.unpublished] : [];
  const open = within([reach.everybody, reach.public, reach.known, ...edits]);
  return sql`(${open} or i.places && (select places from mine))`;
}
const within = (reaches: readonly number[]) => trusted(`i.reach in (${reaches.join(', ')})`);
/** Whether everybody who is a person sees it. */
export const isOpen = (one: number) => one === reach.everybody || one === reach.public || one === reach.known;
