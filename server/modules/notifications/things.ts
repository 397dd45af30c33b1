// What a notification `n` is about.
import type { Tx } from '../../kernel/data/db.ts';
import { joined, literal, type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { streams } from '../activity/streams.ts';
import { seenBy, sees } from '../content/access.ts';
import { type ContentNoun, contentNouns, plurals } from '../content/contract.ts';
import { knows } from '../spaces/access.ts';
import { actingAs } from '../users/access.ts';

/** Condition: the person has the badge. */
export const holdsBadge = (badge_id: Sql, user_id: Sql) => sql`exists (
  select from badge_users h where h.organisation_id = $1 and h.badge_id = ${badge_id} and h.user_id = ${user_id})`;

/** Condition on the row `n`, which has user_id, thing_type and thing_id: the actor may see the thing now. */
export const isVisible = (actor: Actor) => visible((noun) => sees(actor, noun), knows(actor, trusted('s')));
/** The same for the person `u`, who has none of `actor`'s credentials. */
export const isVisibleTo = (tx: Tx) => visible((noun) => seenBy(tx, noun), knowsOf(tx));
/** Condition: the person `u` knows of the space `s`. */
export const knowsOf = (tx: Tx) => knows(actingAs(tx, trusted('u.id') as unknown as number, ['user']), trusted('s'));

function visible(isSeen: (noun: ContentNoun) => Sql, isKnown: Sql): Sql {
  const content = contentNouns.map(
    (noun) => sql`when ${literal(noun)} then exists (
      select from ${trusted(plurals[noun])} t
      where t.organisation_id = $1 and t.id = n.thing_id and ${isSeen(noun)})`,
  );
  return sql`case n.thing_type ${joined(content, '\n    ')}
    when 'space' then exists (
      select from spaces s where s.organisation_id = $1 and s.id = n.thing_id and ${isKnown})
    when 'badge' then ${holdsBadge(trusted('n.thing_id'), trusted('n.user_id'))} end`;
}

/** SQL: title and path of the thing of `n`. */
export const shownThing = (): Sql => {
  const objects = streams().map(
    ({ type, object }) => sql`
      select x.title, x.path from (${object}) x(actor_id, title, path, content_type, content_id)
      where n.thing_type = ${literal(type)}`,
  );
  return sql`
    select o.title, o.path from (select n.thing_id as id, null::bigint as actor_id) k
    cross join lateral (${joined(objects, ' union all ')}) o`;
};
