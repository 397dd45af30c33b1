import type { Key } from '../../kernel/contract/contract.ts';
import { refuse, refuseForbidden, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Tx } from '../../kernel/data/db.ts';
import { type Sql, sql, trusted } from '../../kernel/data/sql.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { inAudience } from '../audiences/access.ts';
import { isKey } from '../content/access.ts';
import { languageOf } from '../content/shown.ts';
import { editsPagesIn, seesInside, spaceFor, spacesOpenTo } from '../spaces/access.ts';

/** Global pages are edited by moderators and admins; a key by its scope. */
const editsGlobal = (actor: Actor) =>
  actor.kind === 'key'
    ? holds(actor.scopes, 'pages.*.write')
    : actor.roles.some((role) => role === 'admin' || role === 'moderator');

/** SQL: the page `t` is in no space, or in one whose inside the actor sees. */
export const inVisibleSpace = (actor: Actor): Sql => sql`(
  t.space_id is null or exists (
    select from spaces s
    where s.organisation_id = $1 and s.id = t.space_id and ${seesInside(actor, trusted('s'))}))`;

/** SQL: the actor may edit the page `t`, given that they see its space. */
export const editsPage = (actor: Actor): Sql => {
  const isGlobalEditor = trusted(String(editsGlobal(actor)));
  if (actor.kind === 'key') return isGlobalEditor;
  if (actor.roles.includes('admin')) return trusted('true');
  return sql`(${isGlobalEditor} and t.space_id is null or ${editsPagesIn(actor, trusted('t.space_id'))})`;
};

/** SQL: drafts and limited audiences, for pages whose class does not already say that everybody may see them. */
export const seesRestricted = (actor: Actor): Sql =>
  sql`(not t.is_draft or ${editsPage(actor)}) and (${inAudience(actor, 'page')} or ${editsPage(actor)})`;

export const seesPage = (actor: Actor): Sql => sql`${inVisibleSpace(actor)} and ${seesRestricted(actor)}`;

/** list_class of a page is the sum of what it is; migration 0005. */
const [BUILDER, DRAFT, LIMITED] = [1, 2, 4];
const classes = [0, 1, 2, 3, 4, 5, 6, 7];
const is = (one: number, what: number) => Math.floor(one / what) % 2 === 1;
export const isOfEdition = (one: number, edition: 'classic' | 'builder') =>
  is(one, BUILDER) === (edition === 'builder');

/**
 * Classes of a bucket's pages: `open` without a look at the single page, `unsure` with one; of the others none is seen.
 * Who edits drafts is known of keys, admins and the global pages, which are bucket 0; whoever edits a page sees it.
 */
export function classesFor(actor: Actor, bucket: number | undefined): { open: number[]; unsure: number[] } {
  const isAdmin = actor.kind !== 'key' && actor.roles.includes('admin');
  const isKnown = actor.kind === 'key' || bucket === 0;
  const edits = isAdmin ? true : isKnown ? editsGlobal(actor) : undefined;
  const seesEverySpace = spacesOpenTo(actor).length === 3;
  const isOpen = (one: number) => edits === true || (!is(one, DRAFT) && (!is(one, LIMITED) || seesEverySpace));
  const visible = classes.filter((one) => !is(one, DRAFT) || edits !== false);
  return { open: visible.filter(isOpen), unsure: visible.filter((one) => !isOpen(one)) };
}

export interface PageRow {
  id: number;
  external_id: number | null;
  space_id: number | null;
  language: string;
}
/** The page, if the actor may edit it. Cannot see it: not_found. Sees it, but may not: forbidden. */
export async function pageForEditing(tx: Tx, actor: Actor, key: Key): Promise<PageRow> {
  const page = await tx.row<PageRow & { may_edit: boolean }>(sql`
    select t.id, t.external_id, t.space_id, coalesce(${trusted(languageOf)}) as language,
      ${editsPage(actor)} as may_edit
    from pages t where t.organisation_id = $1 and ${isKey(key)} and ${seesPage(actor)}`);
  if (!page) return refuseNotFound();
  if (!page.may_edit) refuseForbidden('You may read this page, but not change it.');
  return page;
}

/** May the actor put pages there? Null is the global area. */
export async function refuseUnlessMayPlace(tx: Tx, actor: Actor, space_id: number | null | undefined) {
  if (space_id == null) {
    if (!editsGlobal(actor)) refuseForbidden('Only moderators and admins edit global pages.');
    return;
  }
  const space = await spaceFor(tx, actor, space_id, 'edit_pages').catch((error) => {
    if (error.code === 'not_found')
      refuse('space_not_found', 'There is no such space, or you may not see it.', { path: 'space_id' });
    throw error;
  });
  if (space.is_archived) refuse('space_archived', 'The space is archived; bring it back first.', { path: 'space_id' });
}
