import type { Key } from '../../kernel/contract/contract.ts';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import { idsOrAll, type Static } from '../../kernel/contract/schema.ts';
import { noteChange } from '../../kernel/data/changes.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { everybody, targetsOf } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { slugOf } from '../content/slug.ts';
import * as content from '../content/statements.ts';
import { deleteContent, noteMentions, otherLanguage, refuseUnlessMayShow, showReferences } from '../content/writing.ts';
import { mentionsSomebody } from '../mentions/access.ts';
import { authorOf, importedAt } from '../users/access.ts';
import { pageForEditing, refuseUnlessMayPlace } from './access.ts';
import { type NewPage, type PageReplacement, pages } from './contract.ts';
import { pageUpdated } from './events.ts';
import { pageFamily } from './family.ts';
import * as queries from './queries.ts';
import * as tree from './tree.ts';

export const pageRoutes = routes(pages, {
  createPage: ({ tx, actor, body }) =>
    isPlain(actor, body) ? createPlain(tx, actor, body) : tx.transaction((inside) => create(inside, actor, body)),
  async listPages({ tx, actor, query }) {
    const { in_spaces, space_ids, ...filter } = query;
    const found = await queries.listPages(tx, actor, { ...filter, space_ids: idsOrAll(space_ids ?? in_spaces) });
    return found ?? refuseNotFound();
  },
  getPage: async ({ tx, actor, params, query }) =>
    (await queries.findPage(tx, actor, params.id, query)) ?? refuseNotFound(),
  getPageTree: async ({ tx, actor, query }) => (await tree.findLevel(tx, actor, query)) ?? refuseNotFound(),
  movePage: ({ tx, actor, params, body }) => tx.transaction((inside) => move(inside, actor, params.id, body)),
  replacePage: (call) => replace(call, call.params.id, call.body),
  deletePage: (call) =>
    deleteContent(call, pageFamily, call.params.id, async (tx, id) => {
      if (!call.query.cascade && (await queries.hasChildren(tx, id)))
        refuse('page_has_children', 'The page has children. Delete or move them first, or delete all with cascade=1.');
      return queries.deletePages(tx, id);
    }),
});

type New = Static<typeof NewPage>;
type Replacement = Static<typeof PageReplacement>;
type Move = Static<typeof pages.endpoints.movePage.body>;

const valuesOf = (body: Replacement) => ({ ...body, slug: slugOf(body.title) });

/** Nothing to look up before it is stored: one statement does it all. */
const isPlain = (actor: Actor, { space_id, parent_id, external_parent_id, ...body }: New) =>
  actor.kind === 'key' &&
  !body.html_content.includes('asset://') &&
  !mentionsSomebody(body.html_content) &&
  [space_id, parent_id, external_parent_id, body.user_id, body.user_external_id, body.audience].every((x) => x == null);

async function createPlain(tx: Tx, actor: Actor, body: New) {
  await refuseUnlessMayPlace(tx, actor, null);
  const created_at = importedAt(tx, actor, body.created_at);
  const row = { creator_id: actor.user_id, created_at, audience: everybody };
  return content.insertAnnounced(tx, pageFamily, valuesOf(body), row);
}

async function create(tx: Tx, actor: Actor, body: New): Promise<Json> {
  await refuseUnlessMayPlace(tx, actor, body.space_id);
  const audience = targetsOf(body.audience) ?? everybody;
  const values = { ...valuesOf(body), parent_id: await parentOf(tx, body.space_id ?? null, body) };
  const creator_id = await authorOf(tx, actor, body);
  const created_at = importedAt(tx, actor, body.created_at);
  await refuseUnlessMayShow(tx, actor, 'page', body.html_content);
  const id = await content.insertContent(tx, pageFamily, values, { creator_id, created_at, audience });
  await showReferences(tx, pageFamily, id);
  if (mentionsSomebody(body.html_content)) await noteMentions(tx, actor, pageFamily, id);
  return content.announce(tx, pageFamily, id, actor, pageFamily.events.added);
}

const replace = ({ tx, actor, warnings }: Pick<Call, 'tx' | 'actor' | 'warnings'>, key: Key, body: Replacement) =>
  tx.transaction(async (inside): Promise<Json> => {
    const page = await pageForEditing(inside, actor, key);
    await refuseUnlessMayShow(inside, actor, 'page', body.html_content, page.id);
    const language = otherLanguage(page, body.language);
    const isChanged =
      language === undefined
        ? await rewrite(inside, actor, page, body, warnings)
        : await content.replaceTranslation(inside, pageFamily, page.id, language, valuesOf(body));
    if (!isChanged) return content.getContent(inside, pageFamily, page.id, actor, language);
    await showReferences(inside, pageFamily, page.id);
    await noteMentions(inside, actor, pageFamily, page.id);
    return content.announce(inside, pageFamily, page.id, actor, pageUpdated, language);
  });

async function move(tx: Tx, actor: Actor, key: Key, { parent_id, before_id = null }: Move): Promise<Json> {
  const { id, space_id } = await pageForEditing(tx, actor, key);
  await tree.lockTree(tx, space_id);
  await parentOf(tx, space_id, { parent_id });
  if (parent_id !== null && (await queries.isBelow(tx, id, parent_id)))
    refuseInvalid('parent_id', 'must not be the page itself or below it');
  const siblings = (await tree.listSiblings(tx, space_id, parent_id)).filter((one) => one.id !== id);
  const at = before_id === null ? siblings.length : siblings.findIndex((one) => one.id === before_id);
  if (at < 0) refuseInvalid('before_id', 'must stand below the same page');
  await tree.place(tx, id, parent_id, tree.positionsAround(siblings, at, id));
  return content.getContent(tx, pageFamily, id, actor);
}

/** Returns whether anything is other than before. */
async function rewrite(
  tx: Tx,
  actor: Actor,
  page: { id: number; space_id: number | null },
  body: Replacement,
  warnings: string[],
) {
  const space_id = body.space_id ?? null;
  if (space_id !== page.space_id) {
    await refuseUnlessMayPlace(tx, actor, space_id);
    if (space_id === null) warnings.push('space_id was omitted, so the page is a global page now.');
  }
  const parent_id = await parentOf(tx, space_id, body);
  if (parent_id && (await queries.isBelow(tx, page.id, parent_id)))
    refuseInvalid('parent_id', 'must not be the page itself or below it');
  const audience = targetsOf(body.audience);
  const values = { ...valuesOf(body), parent_id: queries.parentAfter(parent_id, space_id) };
  const changed = await content.replaceRow(tx, pageFamily, page.id, values, audience);
  if (changed?.is_moved) await queries.moveDescendants(tx, page.id, space_id);
  const isRetargeted = audience !== undefined && (await replaceAudience(tx, 'page', page.id, audience));
  if (isRetargeted) await noteChange(tx, 'page', page.id);
  return changed !== undefined || isRetargeted;
}

/** Undefined: the body does not say. Null: none. */
async function parentOf(
  tx: Tx,
  space_id: number | null,
  { parent_id, external_parent_id }: Pick<Replacement, 'parent_id' | 'external_parent_id'>,
) {
  if (parent_id == null && external_parent_id == null) return parent_id ?? external_parent_id;
  const [by, path] =
    parent_id != null
      ? [{ id: parent_id }, 'parent_id']
      : [{ external_id: external_parent_id ?? 0 }, 'external_parent_id'];
  const found = await queries.findParent(tx, space_id, by);
  return found ?? refuse('parent_not_found', 'There is no such page in the same space.', { path });
}
