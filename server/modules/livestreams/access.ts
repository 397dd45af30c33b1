import { refuseInvalid } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { type AudienceTargets, everybody, inAudience } from '../audiences/access.ts';
import { knownTargets, within } from '../content/posting.ts';
import type { NewLivestreamAudience } from './contract.ts';

/** SQL: the actor sees the livestream `t`. So do its host, and who may change all of them. */
export function seesLivestream(actor: Actor): Sql {
  if (actor.kind === 'key') return inAudience(actor, 'livestream');
  if (actor.roles.includes('moderator')) return trusted('true');
  return sql`(${inAudience(actor, 'livestream')} or t.host_id = ${actor.user_id})`;
}

/**
 * Whom a body asks for, if the actor knows all of it; undefined when it does not say. Spaces and teams may come
 * together.
 */
export async function livestreamTargets(tx: Tx, actor: Actor, audience: NewLivestreamAudience | undefined) {
  if (!audience) return undefined;
  const { is_global, spaces = [], teams = [] } = audience;
  const isLimited = spaces.length + teams.length > 0;
  if (is_global && isLimited) refuseInvalid('audience.is_global', 'must be false when spaces or teams are named');
  if (is_global) return everybody;
  if (!isLimited) refuseInvalid('audience.spaces', 'must name at least one space, or audience.teams a team');
  await knownTargets(tx, actor, within('audience'), spaces, teams);
  return { type: spaces.length > 0 ? 'spaces' : 'teams', spaces, teams } satisfies AudienceTargets;
}
