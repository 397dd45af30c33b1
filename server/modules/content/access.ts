import type { Key, Role } from '../../kernel/contract/contract.ts';
import {
  type FieldError,
  refuse,
  refuseFields,
  refuseForbidden,
  refuseNotFound,
} from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { type AudienceTargets, inAudience } from '../audiences/access.ts';
import { editsPage, seesPage } from '../pages/access.ts';
import type { SpaceRole } from '../spaces/contract.ts';
import { lockSpaces } from '../spaces/queries.ts';
import { actingAs } from '../users/access.ts';
import { findUser } from '../users/queries.ts';
import { type ContentNoun, type PostedNoun, plurals } from './contract.ts';
import { findTargets } from './queries.ts';
import { openReaches, state } from './reach.ts';

const editors: Record<PostedNoun, readonly SpaceRole[]> = {
  article: ['owner', 'admin', 'moderator', 'editor', 'news_editor'],
  update: ['owner', 'admin', 'moderator'],
  kudos: ['owner', 'admin', 'moderator'],
  event: ['owner', 'admin', 'moderator', 'editor', 'events_editor'],
};
const isOpen = (actor: Actor) => trusted(`t.list_class in (${openReaches(actor).join(', ')})`);
/** In read-only spaces only these post updates and kudos. */
const posters: readonly SpaceRole[] = ['owner', 'admin', 'moderator', 'editor'];
/** Updates and kudos are everybody's voice; articles and events are editors' work. */
const isOpenToAll = (noun: PostedNoun) => noun === 'update' || noun === 'kudos';
const isModerator = (actor: Actor) => actor.roles.includes('admin') || actor.roles.includes('moderator');

/** SQL: the actor may change the content `t`, given that they see it. */
export function edits(actor: Actor, noun: ContentNoun): Sql {
  if (noun === 'page') return editsPage(actor);
  if (actor.kind === 'key') return trusted(String(holds(actor.scopes, `${plurals[noun]}.*.write`)));
  if (actor.roles.includes('admin')) return trusted('true');
  const global = trusted(`(${isModerator(actor)} and t.audience_type <> 'spaces')`);
  return sql`(t.creator_id = ${actor.user_id} or ${global} or exists (
    select from ${trusted(`${noun}_audiences`)} a join space_members m on m.organisation_id = $1 and m.space_id = a.space_id
    where a.organisation_id = $1 and a.${trusted(`${noun}_id`)} = t.id and m.user_id = ${actor.user_id} and m.role = any(${editors[noun]}::text[])))`;
}

/** SQL: the actor sees the content `t`. What is not published yet is seen by those who may change it. */
export function sees(actor: Actor, noun: ContentNoun): Sql {
  if (noun === 'page') return seesPage(actor);
  const reached =
    actor.kind === 'key'
      ? isOpen(actor)
      : sql`(${isOpen(actor)} or ${inAudience(actor, noun)} or t.creator_id = ${actor.user_id})`;
  return sql`(${reached} and (t.list_bucket <> ${trusted(String(state.unpublished))} or ${edits(actor, noun)}))`;
}

export { openReaches, reach, state } from './reach.ts';

export const isKey = (key: Key) =>
  typeof key === 'number' ? sql`t.id = ${key}` : sql`t.external_id = ${key.external_id}`;

export interface ContentRow {
  id: number;
  external_id: string | null;
  creator_id: number;
  language: string | null;
  may_edit: boolean;
}
/** The content, if the actor sees it. */
export const contentFor = async (tx: Tx, actor: Actor, noun: ContentNoun, key: Key): Promise<ContentRow> =>
  (await tx.row<ContentRow>(sql`
    select t.id, t.external_id::text as external_id, t.creator_id, t.language, ${edits(actor, noun)} as may_edit
    from ${trusted(plurals[noun])} t where t.organisation_id = $1 and ${isKey(key)} and ${sees(actor, noun)}`)) ??
  refuseNotFound();

/** Does this person see the content? */
export async function reachesPerson(tx: Tx, noun: ContentNoun, id: number, user_id: number): Promise<boolean> {
  const { roles } = JSON.parse((await findUser(tx, user_id)) ?? refuseNotFound()) as { roles: Role[] };
  return contentFor(tx, actingAs(tx, user_id, roles), noun, id).then(
    () => true,
    (error) => (error.code === 'not_found' ? false : Promise.reject(error)),
  );
}

/** The content, if the actor may change it. Cannot see it: not_found. Sees it, but may not: forbidden. */
export async function contentForEditing(tx: Tx, actor: Actor, noun: ContentNoun, key: Key): Promise<ContentRow> {
  const content = await contentFor(tx, actor, noun, key);
  if (!content.may_edit) refuseForbidden(`You may read this ${noun}, but not change it.`);
  return content;
}

/** The field that names the spaces, or the teams. */
export type FieldOf = (of: 'spaces' | 'teams') => string;
export const within =
  (field: string): FieldOf =>
  (of) =>
    `${field}.${of}`;

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
  for (const { of, n, is_archived } of targets)
    if (is_archived)
      refuse('space_archived', 'The space is archived; bring it back first.', { path: `${fieldOf(of)}[${n}]` });
  return targets;
}

/** May the actor post there? Until the commit none of the spaces is archived. */
export async function checkTargets(
  tx: Tx,
  actor: Actor,
  noun: PostedNoun,
  { type, spaces, teams }: AudienceTargets,
  fieldOf = within('audience'),
): Promise<void> {
  const unbounded = isUnbounded(actor);
  if (type === 'Global') {
    if (unbounded || isOpenToAll(noun) || isModerator(actor)) return;
    refuseForbidden(`Only moderators and admins address an ${noun} to everybody; choose spaces or teams.`);
  }
  if (spaces.length > 0) await lockSpaces(tx, spaces);
  const targets = await knownTargets(tx, actor, fieldOf, spaces, teams);
  if (unbounded) return;
  for (const { of, n, is_read_only, is_member, role } of targets) {
    const roles = of === 'teams' ? undefined : isOpenToAll(noun) ? (is_read_only ? posters : undefined) : editors[noun];
    const may = roles ? role !== null && roles.includes(role) : is_member && (of === 'spaces' || isOpenToAll(noun));
    if (!may && !(of === 'teams' && isModerator(actor)))
      refuse('forbidden', roles ? `There you need one of the roles ${roles.join(', ')}.` : 'Only members post there.', {
        path: `${fieldOf(of)}[${n}]`,
      });
  }
}
