import { refuseForbidden } from '../../kernel/contract/errors.ts';
import { given, type Sql, sql } from '../../kernel/data/sql.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';

/** Of whom a row `c` with kind, credential_id, app_id and owner_id is. */
export interface Whom {
  key_id?: number;
  app_id?: number;
}

/** Whose calls an administrator sees: all, or of the apps that a developer made, and of their own keys. */
export const seenBy = (actor: Actor, whom: Whom): Sql[] => [
  ...ofWhom(whom),
  ...(isUnbounded(actor)
    ? []
    : [
        sql`(c.owner_id = ${actor.user_id} or c.app_id in (
          select a.id from apps a where a.organisation_id = $1 and a.created_by = ${actor.user_id}))`,
      ]),
];
export const ofWhom = ({ key_id, app_id }: Whom): Sql[] => [
  ...given(key_id, (id) => sql`c.kind in ('key', 'personal_key') and c.credential_id = ${id}`),
  ...given(app_id, (id) => sql`c.app_id = ${id}`),
];

/** The credential's own; a person's are those of their personal keys. */
export function ownOf({ kind, credential_id, user_id }: Actor): Sql[] {
  if (kind === 'session') return [sql`c.owner_id = ${user_id}`];
  // Other people are in what the app asks for.
  if (kind === 'jwt') return refuseForbidden('What an app asks for in the name of people is read with a key of it.');
  return [sql`c.kind = ${kind} and c.credential_id = ${credential_id}`];
}
