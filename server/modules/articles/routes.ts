import type { Key } from '../../kernel/contract/contract.ts';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { deleteOnce, findDeletedId, tooLate } from '../../kernel/data/deletion.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { sanitizeHtml } from '../../kernel/text/html.ts';
import { slugOf } from '../../kernel/text/slug.ts';
import { checkAssets, type Placing, references, withContentFiles } from '../assets/access.ts';
import { attachReferences } from '../assets/queries.ts';
import { type AudienceTargets, everybody, targetsOf } from '../audiences/access.ts';
import { replaceAudience } from '../audiences/queries.ts';
import { listCampaignsOf, replaceCampaigns } from '../campaigns/queries.ts';
import { deleteWhatHangsOn } from '../comments/queries.ts';
import { type ContentRow, checkTargets, contentFor, contentForEditing } from '../content/access.ts';
import { hasOpenSpace } from '../content/queries.ts';
import { authorOf, importedAt } from '../users/access.ts';
import { type ArticleReplacement, articles, type NewArticle } from './contract.ts';
import * as queries from './queries.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import * as states from './states.ts';

export const articleRoutes = routes(articles, {
  createArticle: (call) =>
    withContentFiles(call, call.body, (place) => call.tx.transaction((tx) => create(tx, call.actor, call.body, place))),
  listArticles: ({ tx, actor, query }) => queries.listArticles(tx, actor, query),
  getArticle: async ({ tx, actor, params, query }) =>
    (await queries.findArticle(tx, actor, params.id, query)) ?? refuseNotFound(),
  replaceArticle: (call) =>
    withContentFiles(call, call.body, (place) =>
      call.tx.transaction((tx) => replace(tx, call.actor, call.params.id, call.body, place)),
    ),
  deleteArticle: (call) => (call.query.permanent ? remove(call, call.params.id) : archive(call, call.params.id)),
  unarchiveArticle: ({ tx, actor, params }) => tx.transaction((inside) => unarchive(inside, actor, params.id)),
  listArticleCampaigns: async ({ tx, actor, params, query }) =>
    listCampaignsOf(tx, 'article', (await contentFor(tx, actor, 'article', params.id)).id, query.skip, query.take),
});

type Asked = Pick<Call, 'tx' | 'actor' | 'client' | 'services'>;

async function create(tx: Tx, actor: Actor, body: NewArticle, place: Placing): Promise<Json> {
  const { published_at, ...schedule } = scheduleOf(tx.now(), body);
  const audience = targetsIn(body) ?? everybody;
  await checkAudience(tx, actor, audience, body);
  const creator_id = await authorOf(tx, actor, body);
  const created_at = importedAt(tx, actor, body.created_at);
  await checkReferences(tx, actor, body.html_content);
  const fields = contentOf(body);
  const slug = fields.slug ?? (await queries.findFreeSlug(tx, slugOf(body.title)));
  const id = await queries.insertArticle(tx, { ...fields, slug, schedule, creator_id, created_at, audience });
  await place(tx, 'article', id);
  if (body.campaign_ids) await replaceCampaigns(tx, 'article', id, body.campaign_ids);
  await attachReferences(tx, 'article', id, 'articles', 'html_content');
  await states.publishDue(tx, { id, published_at });
  if (schedule.archive_at) await states.archiveDue(tx, { id });
  return queries.getArticle(tx, actor, id);
}

async function replace(tx: Tx, actor: Actor, key: Key, body: ArticleReplacement, place: Placing): Promise<Json> {
  const article = await contentForEditing(tx, actor, 'article', key);
  const { id } = article;
  await checkReferences(tx, actor, body.html_content, id);
  const language = otherLanguage(article, body.language);
  const schedule = language === undefined ? scheduleOf(tx.now(), body, await queries.lockArticle(tx, id)) : undefined;
  const rewritten = schedule
    ? await rewrite(tx, actor, id, body, schedule)
    : await queries.upsertTranslation(tx, id, language ?? '', contentOf(body));
  const illustrated = await place(tx, 'article', id);
  if (!rewritten && !illustrated) return queries.getArticle(tx, actor, id);
  await attachReferences(tx, 'article', id, 'articles', 'html_content');
  await queries.touchArticle(tx, id);
  await queries.announceUpdated(tx, id);
  if (schedule) {
    await states.publishDue(tx, { id, published_at: schedule.published_at });
    await states.archiveDue(tx, { id });
  }
  return queries.getArticle(tx, actor, id);
}

/** Undefined: the article itself is written, and no translation. */
const otherLanguage = (article: ContentRow, language: string | null | undefined) =>
  language != null && article.language !== null && language.toLowerCase() !== article.language.toLowerCase()
    ? language
    : undefined;

/** Returns whether anything is other than before. */
async function rewrite(
  tx: Tx,
  actor: Actor,
  id: number,
  body: ArticleReplacement,
  schedule: Schedule,
): Promise<boolean> {
  const audience = targetsIn(body);
  if (audience) await checkAudience(tx, actor, audience, body);
  const changed = await queries.updateArticle(tx, id, contentOf(body), schedule, audience);
  const retargeted = audience !== undefined && (await replaceAudience(tx, 'article', id, audience));
  if (retargeted) await states.partFromSpace(tx, id);
  const enlisted = await replaceCampaigns(tx, 'article', id, body.campaign_ids ?? []);
  return changed || retargeted || enlisted;
}

/** An article may show files of its author's, and those it shows already. */
const checkReferences = (tx: Tx, actor: Actor, html: string, id?: number) =>
  checkAssets(
    tx,
    actor,
    [{ field: 'html_content', accepts: 'any', ids: references(html), single: true }],
    id === undefined ? undefined : { kind: 'article', id },
  );

async function archive({ tx, actor, client }: Asked, key: Key): Promise<Json> {
  const { id, external_id } = await articleToDelete(tx, actor, key, client.received_micros);
  await tx.transaction((inside) => states.archiveArticle(inside, id));
  return toJson({ id, external_id, is_archived: true });
}

async function unarchive(tx: Tx, actor: Actor, key: Key): Promise<Json> {
  const { id } = await contentForEditing(tx, actor, 'article', key);
  if (!(await hasOpenSpace(tx, 'article', id)))
    refuse('space_archived', 'Its space is archived; bring that back first.');
  if ((await states.unarchiveArticle(tx, id)) > 0) await states.publishDue(tx, { id });
  return queries.getArticle(tx, actor, id);
}

const ADMIN = 'articles.*.admin';
async function remove(call: Asked, key: Key): Promise<Json> {
  const { tx, actor, client } = call;
  const may = actor.kind === 'key' ? holds(actor.scopes, ADMIN) : actor.roles.includes('admin');
  if (!may)
    refuse('forbidden', `Deleting for good needs the scope ${ADMIN} or the role admin.`, {
      meta: { required_scopes: [ADMIN] },
    });
  const { id, external_id } = await articleToDelete(tx, actor, key, client.received_micros);
  await deleteOnce(call, 'article', id, async (inside) => {
    const deleted = await queries.deleteArticle(inside, id);
    await deleteWhatHangsOn(inside, 'article', [id]);
    await replaceCampaigns(inside, 'article', id, []);
    return deleted;
  });
  return toJson({ id, external_id, is_archived: false });
}

const articleToDelete = (tx: Tx, actor: Actor, key: Key, received_micros: number) =>
  contentForEditing(tx, actor, 'article', key).catch(async (error) => {
    const id = typeof key === 'number' ? key : await findDeletedId(tx, 'article', key.external_id);
    return error.code === 'not_found' && id !== undefined
      ? tooLate(tx, 'article', id, received_micros)
      : Promise.reject(error);
  });

const contentOf = (body: ArticleReplacement): queries.ArticleFields => ({
  ...body,
  html_content: sanitizeHtml(body.html_content),
  slug: body.slug === undefined ? undefined : slugOf(body.slug),
});

/** Undefined: the body does not say. */
function targetsIn({ audience, space_ids: spaces }: ArticleReplacement): AudienceTargets | undefined {
  if (spaces === undefined) return targetsOf(audience);
  if (audience) refuseInvalid('space_ids', 'cannot stand beside audience');
  if (spaces.length === 0) refuseInvalid('space_ids', 'must name at least one space');
  return { type: 'spaces', spaces, teams: [] };
}

const checkAudience = (tx: Tx, actor: Actor, targets: AudienceTargets, { space_ids }: ArticleReplacement) =>
  checkTargets(tx, actor, 'article', targets, space_ids ? () => 'space_ids' : undefined);
