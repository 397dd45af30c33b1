import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { inAudience } from '../audiences/access.ts';

/** SQL: the actor sees the billboard `t`. Who may change all of them sees all; people see what has started. */
export function seesBillboard(actor: Actor, now: string): Sql {
  if (actor.kind === 'key') return inAudience(actor, 'billboard');
  if (actor.roles.includes('moderator') || actor.roles.includes('admin')) return trusted('true');
  return sql`(t.starts_at <= ${now}::timestamptz and ${inAudience(actor, 'billboard')})`;
}
