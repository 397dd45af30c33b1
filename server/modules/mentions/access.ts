// Who is spoken of. Plain text (comments, messages) comes with ids beside it; in HTML an element says whom it names:
//
//   <a data-user-id="5" href="https://…/directory/people/5">@Emi Tanaka</a>     also data-team-id, data-space-id
//
// The sanitiser keeps it and what stands in it as it was written. What names nobody, or a space that the writer does
// not know, stays text.
import { refuseFields } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { peopleOf } from '../users/access.ts';
import type { MentionType } from './contract.ts';
import { listUnknown, type Target } from './queries.ts';

export const mentionsSomebody = (html: string) => /\sdata-(user|team|space)-id="/.test(html);

export interface Mentioning {
  mentioned_user_ids?: number[];
  mentioned_user_external_ids?: string[];
  mentioned_team_ids?: number[];
  mentioned_space_ids?: number[];
}
/** Those whom a body names. Who is unknown is an error with its path. */
export async function mentionedIn(tx: Tx, actor: Actor, body: Mentioning): Promise<Target[]> {
  const { mentioned_user_ids = [], mentioned_user_external_ids = [] } = body;
  const people = await peopleOf(tx, [
    { field: 'mentioned_user_ids', values: mentioned_user_ids, external: false },
    { field: 'mentioned_user_external_ids', values: mentioned_user_external_ids, external: true },
  ]);
  const groups = (['team', 'space'] as const).flatMap((type) =>
    (body[`mentioned_${type}_ids`] ?? []).map((id, n) => ({ type, id, path: `mentioned_${type}_ids[${n}]` })),
  );
  const unknown = groups.length > 0 ? await listUnknown(tx, actor, groups) : [];
  if (unknown.length > 0)
    refuseFields(
      unknown.flatMap((n) => {
        const { path, type, id } = groups[n] ?? {};
        return path ? [{ path, message: `names no ${type}: ${id}` }] : [];
      }),
    );
  const users = [...people.values()].flat().map((id) => ({ type: 'user' as MentionType, id }));
  return [...users, ...groups.map(({ type, id }) => ({ type, id }))];
}
