// Who sees content, and who changes it.
import type { Key, Role } from '../../kernel/contract/contract.ts';
import { refuse, refuseForbidden, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { inAudience } from '../audiences/access.ts';
import type { SpaceRole } from '../spaces/contract.ts';
import { actingAs } from '../users/access.ts';
import { findUser } from '../users/queries.ts';
import { type ContentNoun, type PostedNoun, plurals } from './contract.ts';
import { familyOf, type PostedFamily } from './family.ts';
import { isOpen, isUnpublished } from './reach.ts';
import { languageOf } from './shown.ts';

export const isKey = (key: Key) =>
  typeof key === 'number' ? sql`t.id = ${key}` : sql`t.external_id = ${key.external_id}`;
export const isModerator = (actor: Actor) => actor.roles.includes('admin') || actor.roles.includes('moderator');

/** A credential that holds nothing of a family sees none of it, whatever it is asked about. */
export const mayRead = ({ scopes }: Actor, noun: ContentNoun): boolean =>
  holds(scopes, `${plurals[noun]}.*.read`) || holds(scopes, `${plurals[noun]}.*.write`);

/** SQL: the actor sees, and may change, the content `t`. */
export const sees = (actor: Actor, noun: ContentNoun): Sql =>
  mayRead(actor, noun) ? familyOf(noun).sees(actor) : trusted('false');
export const edits = (actor: Actor, noun: ContentNoun): Sql => familyOf(noun).edits(actor);

/**
 * The rules of what is posted: its author, people with one of these roles in its space, moderators for what is in none.
 */
export function postedAccess(noun: PostedNoun, editors: readonly SpaceRole[]): Pick<PostedFamily, 'sees' | 'edits'> {
  const [audiences, id] = [trusted(`${noun}_audiences`), trusted(`a.${noun}_id`)];
  const edits = (actor: Actor): Sql => {
    if (actor.kind === 'key') return trusted(String(holds(actor.scopes, `${plurals[noun]}.*.write`)));
    if (actor.roles.includes('admin')) return trusted('true');
    return sql`(
      t.creator_id = ${actor.user_id}
      or ${trusted(String(isModerator(actor)))} and t.audience_type <> 'spaces'
      or exists (
        select from ${audiences} a
        join space_members m on m.organisation_id = $1 and m.space_id = a.space_id
        where a.organisation_id = $1 and ${id} = t.id and m.user_id = ${actor.user_id}
          and m.role = any(${editors}::text[])))`;
  };
  // What is not published yet is seen by those who may change it.
  const sees = (actor: Actor): Sql => {
    const isReached = sql`(${isOpen(actor)} or ${inAudience(actor, noun)} or t.creator_id = ${actor.user_id})`;
    return sql`${actor.kind === 'key' ? isOpen(actor) : isReached} and (not ${isUnpublished} or ${edits(actor)})`;
  };
  return { sees: (actor) => sql`(${sees(actor)})`, edits };
}

export interface ContentRow {
  id: number;
  external_id: string | number | null;
  creator_id: number;
  language: string;
  may_edit: boolean;
}
/** The content, if the actor sees it. */
export async function contentFor(tx: Tx, actor: Actor, noun: ContentNoun, key: Key): Promise<ContentRow> {
  if (!mayRead(actor, noun)) {
    const scope = `${plurals[noun]}.*.read`;
    refuse('forbidden', `The credential does not hold the scope ${scope}.`, { meta: { required_scopes: [scope] } });
  }
  const content = await tx.row<ContentRow>(sql`
    select t.id, t.external_id, t.creator_id, coalesce(${trusted(languageOf)}) as language,
      ${edits(actor, noun)} as may_edit
    from ${trusted(plurals[noun])} t
    where t.organisation_id = $1 and ${isKey(key)} and ${sees(actor, noun)}`);
  return content ?? refuseNotFound();
}

/** The content, if the actor may change it. Cannot see it: not_found. Sees it, but may not: forbidden. */
export async function contentForEditing(tx: Tx, actor: Actor, noun: ContentNoun, key: Key): Promise<ContentRow> {
  const content = await contentFor(tx, actor, noun, key);
  if (!content.may_edit) refuseForbidden(`You may read this ${noun}, but not change it.`);
  return content;
}

/**
 * SQL: the person `u`, a row with id and roles, sees the content `t`: the rules of `sees`, for many people at once.
 * What a role opens is known before the statement runs, who it is only in it.
 */
export const seenBy = (tx: Tx, noun: ContentNoun): Sql => {
  const as = (...roles: Role[]) => {
    const user_id = trusted('u.id') as unknown as number;
    return sees(actingAs(tx, user_id, ['user', ...roles]), noun);
  };
  return sql`case when 'admin' = any(u.roles) then ${as('admin')}
    when 'moderator' = any(u.roles) then ${as('moderator')} else ${as()} end`;
};

/** Does this person see the content? */
export async function reachesPerson(tx: Tx, noun: ContentNoun, id: number, user_id: number): Promise<boolean> {
  const { roles } = JSON.parse((await findUser(tx, user_id)) ?? refuseNotFound()) as { roles: Role[] };
  const person = actingAs(tx, user_id, roles);
  return tx.any(sql`
    select t.id from ${trusted(plurals[noun])} t
    where t.organisation_id = $1 and t.id = ${id} and ${sees(person, noun)}`);
}
