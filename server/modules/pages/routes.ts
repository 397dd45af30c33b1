import type { Static } from 'typebox';
import type { Key } from '../../kernel/contract/contract.ts';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import { idsOrAll } from '../../kernel/contract/schema.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { deleteOnce, findDeletedId, tooLate } from '../../kernel/data/deletion.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { sanitizeHtml } from '../../kernel/text/html.ts';
import { slugOf } from '../../kernel/text/slug.ts';
import { checkAssets, references } from '../assets/access.ts';
import { attachReferences } from '../assets/queries.ts';
import { everybody, targetsOf } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { deleteWhatHangsOn } from '../comments/queries.ts';
import { authorOf, importedAt } from '../users/access.ts';
import { pageForEditing, placeFor } from './access.ts';
import { type NewPage, type PageReplacement, pages } from './contract.ts';
import * as queries from './queries.ts';

export const pageRoutes = routes(pages, {
  createPage: ({ tx, actor, body }) =>
    isPlain(actor, body) ? createPlain(tx, actor, body) : tx.transaction((inside) => create(inside, actor, body)),
  async listPages({ tx, actor, query }) {
    const { in_spaces, space_ids, ...filter } = query;
    return (
      (await queries.listPages(tx, actor, { ...filter, space_ids: idsOrAll(space_ids ?? in_spaces) })) ??
      refuseNotFound()
    );
  },
  getPage: ({ tx, actor, params, query }) => read(tx, actor, params.id, query),
  replacePage: (call) => replace(call, call.params.id, call.body),
  deletePage: (call) => remove(call, call.params.id, call.query.cascade),
});

type New = Static<typeof NewPage>;
type Replacement = Static<typeof PageReplacement>;

/** Nothing to look up before it is stored: one statement does it all. */
const isPlain = (actor: Actor, body: New) =>
  actor.kind === 'key' &&
  !body.html_content.includes('asset://') &&
  [body.space_id, body.parent_id, body.external_parent_id, body.user_id, body.user_external_id, body.audience].every(
    (value) => value == null,
  );

async function createPlain(tx: Tx, actor: Actor, body: New) {
  await placeFor(tx, actor, null);
  return queries.insertPage(tx, {
    ...contentOf(body),
    created_at: importedAt(tx, actor, body.created_at),
    creator_id: actor.user_id,
    audience: everybody,
  });
}

async function create(tx: Tx, actor: Actor, body: New): Promise<Json> {
  await placeFor(tx, actor, body.space_id);
  const audience = targetsOf(body.audience) ?? everybody;
  const page = {
    ...contentOf(body),
    parent_id: await parentOf(tx, body.space_id ?? null, body),
    creator_id: await authorOf(tx, actor, body),
    created_at: importedAt(tx, actor, body.created_at),
    audience,
  };
  await checkReferences(tx, actor, body.html_content);
  const id = await queries.insertUnannouncedPage(tx, page);
  await attachReferences(tx, 'page', id, 'pages', 'html_content');
  await replaceAudience(tx, 'page', id, audience);
  return queries.announceCreated(tx, id);
}

async function read(tx: Tx, actor: Actor, key: Key, reading: queries.Reading) {
  return (await queries.findPage(tx, actor, key, reading)) ?? refuseNotFound();
}

const replace = ({ tx, actor, warnings }: Pick<Call, 'tx' | 'actor' | 'warnings'>, key: Key, body: Replacement) =>
  tx.transaction(async (inside): Promise<Json> => {
    const page = await pageForEditing(inside, actor, key);
    const { language } = body;
    await checkReferences(inside, actor, body.html_content, page.id);
    if (language !== undefined && page.language !== null && language.toLowerCase() !== page.language.toLowerCase())
      return translate(inside, page.id, language, body);

    const space_id = body.space_id ?? null;
    if (space_id !== page.space_id) {
      await placeFor(inside, actor, space_id);
      if (space_id === null) warnings.push('space_id was omitted, so the page is a global page now.');
    }
    const parent_id = await parentOf(inside, space_id, body);
    if (parent_id && (await queries.isBelow(inside, page.id, parent_id)))
      refuseInvalid('parent_id', 'must not be the page itself or below it');
    const audience = targetsOf(body.audience);
    const changed = await queries.updatePage(inside, page.id, { ...contentOf(body), parent_id }, audience?.type);
    if (changed) await attachReferences(inside, 'page', page.id, 'pages', 'html_content');
    if (changed?.moved) await queries.moveDescendants(inside, page.id, space_id);
    const retargeted = audience !== undefined && (await replaceAudience(inside, 'page', page.id, audience));
    return changed || retargeted ? queries.announceUpdated(inside, page.id) : queries.getPage(inside, page.id);
  });

async function translate(tx: Tx, id: number, language: string, { title, subtitle = '', html_content }: Replacement) {
  const changed = await queries.upsertTranslation(tx, id, {
    language,
    title,
    subtitle,
    html_content: sanitizeHtml(html_content),
  });
  if (changed) await attachReferences(tx, 'page', id, 'pages', 'html_content');
  return changed ? queries.announceUpdated(tx, id) : queries.getPage(tx, id);
}

/** A page may show files of its author's, and those it shows already. */
const checkReferences = (tx: Tx, actor: Actor, html: string, id?: number) =>
  checkAssets(
    tx,
    actor,
    [{ field: 'html_content', accepts: 'any', ids: references(html), single: true }],
    id === undefined ? undefined : { kind: 'page', id },
  );

async function remove(
  call: Pick<Call, 'tx' | 'actor' | 'client' | 'services'>,
  key: Key,
  cascade = false,
): Promise<Json> {
  const { tx, actor, client } = call;
  const page = await pageForEditing(tx, actor, key).catch(async (error) => {
    const id = typeof key === 'number' ? key : await findDeletedId(tx, 'page', key.external_id);
    return error.code === 'not_found' && id !== undefined
      ? tooLate(tx, 'page', id, client.received_micros)
      : Promise.reject(error);
  });
  await deleteOnce(call, 'page', page.id, async (inside) => {
    if (!cascade && (await queries.hasChildren(inside, page.id)))
      refuse('page_has_children', 'The page has children. Delete or move them first, or delete all with cascade=1.');
    const deleted = await queries.deletePages(inside, page.id);
    await deleteWhatHangsOn(inside, 'page', deleted);
    return deleted.length > 0;
  });
  return toJson({ id: page.id, external_id: page.external_id });
}

const contentOf = (body: Replacement) => ({
  ...body,
  html_content: sanitizeHtml(body.html_content),
  slug: slugOf(body.title),
});
/** Undefined: the body does not say. Null: none. */
async function parentOf(
  tx: Tx,
  space_id: number | null,
  { parent_id, external_parent_id }: Replacement,
): Promise<number | null | undefined> {
  if (parent_id == null && external_parent_id == null) return parent_id ?? external_parent_id;
  const found = await queries.findParent(
    tx,
    space_id,
    parent_id != null ? { id: parent_id } : { external_id: external_parent_id ?? 0 },
  );
  return (
    found ??
    refuse('parent_not_found', 'There is no such page in the same space.', {
      path: parent_id != null ? 'parent_id' : 'external_parent_id',
    })
  );
}
