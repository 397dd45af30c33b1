import { refuse, refuseForbidden } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { seesInside, spaceFor } from '../spaces/access.ts';

/** SQL: the document or folder `t` is in no space, or in one whose inside the actor sees. */
export const inVisibleSpace = (actor: Actor): Sql =>
  sql`(t.space_id is null or exists (select from spaces s where s.organisation_id = $1 and s.id = t.space_id and ${seesInside(actor, trusted('s'))}))`;

/** May the actor put documents there, and change those that are there? Null is the area for everybody. */
export async function placeFor(tx: Tx, actor: Actor, space_id: number | null, path = 'space_id') {
  if (space_id === null) {
    const may =
      actor.kind === 'key'
        ? holds(actor.scopes, 'documents.*.write')
        : actor.roles.some((role) => role === 'admin' || role === 'moderator');
    if (!may) refuseForbidden('Only moderators and admins change documents for everybody.');
    return;
  }
  const space = await spaceFor(tx, actor, space_id, 'edit_documents').catch((error) => {
    if (error.code === 'not_found')
      refuse('space_not_found', 'There is no such space, or you may not see it.', { path });
    throw error;
  });
  if (space.is_archived) refuse('space_archived', 'The space is archived; bring it back first.', { path });
}
