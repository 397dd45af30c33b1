// A posted row carries its state in list_bucket and its reach in list_class, so that a list for a key is a set of classes
// whose totals are kept, and a person's is that plus what reaches them alone.

import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { spacesOpenTo } from '../spaces/access.ts';
import { type PostedNoun, plurals } from './contract.ts';

/** list_bucket */
export const state = { published: 0, archived: 1, unpublished: 2 } as const;
/** list_class: of several spaces the most open one counts. */
export const reach = { everybody: 0, public: 1, private: 2, hidden: 3, teams: 4 } as const;

/** Reaches whose content the actor sees without being in the audience. */
export const openReaches = (actor: Actor): number[] => {
  if (!isUnbounded(actor)) return [reach.everybody, reach.public];
  const spaces = spacesOpenTo(actor) as readonly ('public' | 'private' | 'hidden')[];
  return [reach.everybody, ...spaces.map((visibility) => reach[visibility]), reach.teams];
};

/** SQL: ids of the content that reaches a person through their spaces and teams, or that they wrote. */
export const reaching = (actor: Actor, noun: PostedNoun): Sql => {
  const [audiences, id] = [trusted(`${noun}_audiences`), trusted(`a.${noun}_id`)];
  return sql`
    select ${id} from space_members m join ${audiences} a on a.organisation_id = $1 and a.space_id = m.space_id where m.organisation_id = $1 and m.user_id = ${actor.user_id}
    union all select ${id} from team_members m join ${audiences} a on a.organisation_id = $1 and a.team_id = m.team_id where m.organisation_id = $1 and m.user_id = ${actor.user_id}
    union all select c.id from ${trusted(plurals[noun])} c where c.organisation_id = $1 and c.creator_id = ${actor.user_id}`;
};
