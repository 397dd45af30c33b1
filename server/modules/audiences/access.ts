import { refuseInvalid } from '../../kernel/contract/errors.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { spacesOpenTo } from '../spaces/access.ts';
import type { NewAudience } from './contract.ts';

/**
 * A family's content has an audience in the table `<noun>_audiences`, with the columns `<noun>_id`, space_id, team_id.
 */
export type AudienceNoun = 'page' | 'article' | 'update' | 'kudos' | 'event' | 'livestream' | 'billboard' | 'bot';

export interface AudienceTargets {
  type: 'Global' | 'spaces' | 'teams';
  spaces: readonly number[];
  teams: readonly number[];
}
export const everybody: AudienceTargets = { type: 'Global', spaces: [], teams: [] };

/** What a body asks for; undefined when it does not say. */
export function targetsOf(audience: NewAudience | undefined): AudienceTargets | undefined {
  if (!audience) return undefined;
  const { type, spaces = [], teams = [] } = audience;
  if (type === 'Global') {
    // Whoever names spaces or teams does not mean everybody.
    for (const [of, ids] of Object.entries({ spaces, teams }))
      if (ids.length > 0) refuseInvalid(`audience.${of}`, 'must be empty when the type is Global');
    return everybody;
  }
  const targets = { type, spaces: type === 'spaces' ? spaces : [], teams: type === 'teams' ? teams : [] };
  if (targets[type].length === 0) refuseInvalid(`audience.${type}`, `must name at least one of the ${type}`);
  return targets;
}

/** SQL: the content `t` is for everybody who sees its space, or the actor is in its audience. */
export function inAudience(actor: Actor, noun: AudienceNoun): Sql {
  const open = spacesOpenTo(actor);
  if (open.length === 3) return trusted('true');
  const isMember = (table: string, column: string) => sql`exists (
        select from ${trusted(table)} m
        where m.organisation_id = $1 and m.${trusted(column)} = a.${trusted(column)} and m.user_id = ${actor.user_id})`;
  const isReached =
    actor.kind === 'key'
      ? sql`a.team_id is not null or exists (
        select from spaces s
        where s.organisation_id = $1 and s.id = a.space_id and s.visibility = any(${open}::text[]))`
      : sql`${isMember('space_members', 'space_id')} or ${isMember('team_members', 'team_id')}`;
  return sql`(
    t.audience_type = 'Global' or exists (
      select from ${trusted(`${noun}_audiences`)} a
      where a.organisation_id = $1 and a.${trusted(`${noun}_id`)} = t.id and (${isReached})))`;
}
