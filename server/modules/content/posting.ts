// Where somebody may post: the spaces and teams that a request names.
import { type FieldError, refuse, refuseFields, refuseForbidden } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import type { AudienceTargets } from '../audiences/access.ts';
import { knows } from '../spaces/access.ts';
import type { SpaceRole } from '../spaces/contract.ts';
import { lockSpaces } from '../spaces/queries.ts';
import { isModerator } from './access.ts';
import type { PostedFamily } from './family.ts';

/** The field that names the spaces, or the teams. */
export type FieldOf = (of: 'spaces' | 'teams') => string;
export const within =
  (field: string): FieldOf =>
  (of) =>
    `${field}.${of}`;

interface Target {
  of: 'spaces' | 'teams';
  /** Its place in the given list. */
  n: number;
  id: number;
  is_known: boolean;
  is_archived: boolean;
  is_read_only: boolean;
  is_member: boolean;
  role: SpaceRole | null;
}
/** Each of the spaces and teams as the actor stands to it. */
const findTargets = (tx: Tx, actor: Actor, spaces: readonly number[], teams: readonly number[]) =>
  tx.rows<Target>(sql`
    select 'spaces' as of, g.n - 1 as n, g.id, s.id is not null as is_known,
      coalesce(s.is_archived, false) as is_archived, coalesce(s.is_read_only, false) as is_read_only,
      m.role is not null as is_member, m.role
    from unnest(${spaces}::bigint[]) with ordinality g(id, n)
    left join spaces s on s.organisation_id = $1 and s.id = g.id and ${knows(actor, trusted('s'))}
    left join space_members m on m.organisation_id = $1 and m.space_id = s.id and m.user_id = ${actor.user_id}
    union all
    select 'teams', g.n - 1, g.id, k.id is not null, false, false, m.user_id is not null, null
    from unnest(${teams}::bigint[]) with ordinality g(id, n)
    left join teams k on k.organisation_id = $1 and k.id = g.id
    left join team_members m on m.organisation_id = $1 and m.team_id = k.id and m.user_id = ${actor.user_id}
    order by 1, 2`);

/** Every space and team that the actor does not know is an error with its path, and so is a space that is archived. */
export async function knownTargets(
  tx: Tx,
  actor: Actor,
  fieldOf: FieldOf,
  spaces: readonly number[],
  teams: readonly number[],
) {
  const targets = await findTargets(tx, actor, spaces, teams);
  const errors: FieldError[] = targets
    .filter(({ is_known }) => !is_known)
    .map(({ of, n, id }) => ({ path: `${fieldOf(of)}[${n}]`, message: `names none of the ${of}: ${id}` }));
  if (errors.length > 0) refuseFields(errors);
  const archived = targets.find(({ is_archived }) => is_archived);
  if (archived)
    refuse('space_archived', 'The space is archived; bring it back first.', {
      path: `${fieldOf(archived.of)}[${archived.n}]`,
    });
  return targets;
}

/** In read-only spaces only these post what is everybody's voice. */
const posters: readonly SpaceRole[] = ['owner', 'admin', 'moderator', 'editor'];

/** May the actor post there? Until the commit none of the spaces is archived. */
export async function refuseUnlessMayPost(
  tx: Tx,
  actor: Actor,
  { noun, editors, isOpenToAll }: PostedFamily,
  { type, spaces, teams }: AudienceTargets,
  fieldOf = within('audience'),
): Promise<void> {
  if (type === 'Global') {
    if (isUnbounded(actor) || isOpenToAll || isModerator(actor)) return;
    refuseForbidden(`Only moderators and admins address an ${noun} to everybody; choose spaces or teams.`);
  }
  if (spaces.length > 0) await lockSpaces(tx, spaces);
  const targets = await knownTargets(tx, actor, fieldOf, spaces, teams);
  if (isUnbounded(actor)) return;
  for (const { of, n, is_read_only, is_member, role } of targets) {
    const path = `${fieldOf(of)}[${n}]`;
    if (of === 'teams') {
      if (!(is_member && isOpenToAll) && !isModerator(actor)) refuse('forbidden', 'Only members post there.', { path });
      continue;
    }
    const roles = isOpenToAll ? (is_read_only ? posters : undefined) : editors;
    if (roles && !(role && roles.includes(role)))
      refuse('forbidden', `There you need one of the roles ${roles.join(', ')}.`, { path });
    if (!is_member) refuse('forbidden', 'Only members post there.', { path });
  }
}

/** Is the content for a space that is not archived, or for no space at all? Such a space stays so until the commit. */
export const hasOpenSpace = async (tx: Tx, { noun, name }: PostedFamily, id: number) =>
  (await tx.any(sql`
    select id from ${trusted(name)} where organisation_id = $1 and id = ${id} and audience_type <> 'spaces'`)) ||
  (await tx.any(sql`
    select s.id from spaces s where s.organisation_id = $1 and not s.is_archived and s.id in (
      select a.space_id from ${trusted(`${noun}_audiences`)} a
      where a.organisation_id = $1 and a.${trusted(`${noun}_id`)} = ${id})
    order by s.id for share`));
