import type { Key } from '../../kernel/contract/contract.ts';
import { refuseForbidden, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import { type Actor, isUnbounded } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import type { SpaceRole } from './contract.ts';

const ALL = ['public', 'private', 'hidden'] as const;

/** Visibilities whose spaces the actor knows of without belonging to them. */
export const spacesKnownTo = (actor: Actor): readonly string[] => {
  if (actor.kind !== 'key') return actor.roles.includes('admin') ? ALL : ['public', 'private'];
  return ALL.filter((visibility) => visibility === 'public' || holds(actor.scopes, `spaces.${visibility}.read`));
};
/** Visibilities whose content the actor sees without belonging to the space. */
export const spacesOpenTo = (actor: Actor): readonly string[] =>
  !isUnbounded(actor) ? ['public'] : spacesKnownTo(actor);

/** No space, and nothing in any, is hidden from the actor. */
export const isOpenToAll = (actor: Actor): boolean => spacesOpenTo(actor).length === ALL.length;

/** `from … where …`: the membership of the actor in the space with this id. */
const membership = (actor: Actor, space_id: Sql) => sql`
  from space_members sm
  where sm.organisation_id = $1 and sm.space_id = ${space_id} and sm.user_id = ${actor.user_id}`;
const isMember = (actor: Actor, space: Sql) => sql`exists (select ${membership(actor, sql`${space}.id`)})`;
const among = (actor: Actor, space: Sql, visibilities: readonly string[]) =>
  visibilities.length === ALL.length
    ? trusted('true')
    : sql`(${space}.visibility = any(${visibilities}::text[]) or ${isMember(actor, space)})`;

/** SQL: does the actor know that this space exists? */
export const knows = (actor: Actor, space: Sql) => among(actor, space, spacesKnownTo(actor));
/** SQL: does the actor see what is inside? */
export const seesInside = (actor: Actor, space: Sql) => among(actor, space, spacesOpenTo(actor));

export type SpaceRight = 'know' | 'see' | 'edit_pages' | 'edit_documents' | 'manage' | 'own';

const rolesWith: Partial<Record<SpaceRight, readonly SpaceRole[]>> = {
  edit_pages: ['owner', 'admin', 'moderator', 'editor', 'pages_editor'],
  edit_documents: ['owner', 'admin', 'moderator', 'editor', 'documents_editor'],
  manage: ['owner', 'admin'],
  own: ['owner'],
};
const pageEditors = trusted(`('${rolesWith.edit_pages?.join(`', '`)}')`);
/** SQL: may this person edit pages of the space with this id? */
export const editsPagesIn = (actor: Actor, space_id: Sql) =>
  sql`exists (select ${membership(actor, space_id)} and sm.role in ${pageEditors})`;

/** SQL: does this role in a space, or the actor anywhere, manage it? */
export const mayManage = (actor: Actor, role: Sql) =>
  isUnbounded(actor) ? trusted('true') : sql`coalesce(${role} in ('owner', 'admin'), false)`;
const posters = ['owner', 'admin', 'moderator', 'editor'];
/** SQL: may who has this role post in the space `s`? */
export const mayPostIn = (actor: Actor, role: Sql) =>
  sql`(not s.is_archived and (${trusted(String(isUnbounded(actor)))}
    or case when s.is_read_only then coalesce(${role} = any(${posters}::text[]), false) else ${role} is not null end))`;

export interface SpaceRow {
  id: number;
  visibility: string;
  is_archived: boolean;
  auto_unenrol: boolean;
}
/** The actor's part in it; null: none. */
interface Belonging {
  role: SpaceRole | null;
}
/** Does the role of the actor give this right? */
export function mayIn(actor: Actor, { role }: Belonging, right: SpaceRight): boolean {
  const roles = rolesWith[right];
  return !roles || isUnbounded(actor) || (role !== null && roles.includes(role));
}

/** The space, if the actor has this right to it. Cannot see it: not_found. Sees it, but may not: forbidden. */
export async function spaceFor(tx: Tx, actor: Actor, key: Key, right: SpaceRight) {
  const condition = typeof key === 'number' ? sql`s.id = ${key}` : sql`s.external_id = ${key.external_id}`;
  const space = await tx.row<SpaceRow & Belonging & { sees_inside: boolean }>(sql`
    select s.id, s.visibility, s.is_archived, s.auto_unenrol, ${seesInside(actor, trusted('s'))} as sees_inside,
      (select sm.role ${membership(actor, trusted('s.id'))}) as role
    from spaces s where s.organisation_id = $1 and ${condition} and ${knows(actor, trusted('s'))}`);
  if (!space) return refuseNotFound();
  if (right === 'know') return space;
  if (!space.sees_inside) refuseForbidden('This space is private; only its members see inside.');
  if (!mayIn(actor, space, right))
    refuseForbidden(`In this space you need one of the roles ${rolesWith[right]?.join(', ')}.`);
  return space;
}
