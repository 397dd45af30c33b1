import type { Key } from '../../kernel/contract/contract.ts';
import { refuse, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Json, Tx } from '../../kernel/data/db.ts';
import { toJson } from '../../kernel/http/envelope.ts';
import { type Call, routes } from '../../kernel/http/routes.ts';
import type { Actor } from '../../kernel/people/auth.ts';
import { holds } from '../../kernel/people/scopes.ts';
import { targetsOf } from '../audiences/access.ts';
import { listCampaignsOf, replaceCampaigns } from '../campaigns/queries.ts';
import { contentFor, contentForEditing } from '../content/access.ts';
import { hasOpenSpace } from '../content/posting.ts';
import { slugOf } from '../content/slug.ts';
import { announce, findContent, getContent } from '../content/statements.ts';
import {
  contentToDelete,
  createContent,
  deleteContent,
  refuseUnlessMayShow,
  replaceContent,
  type Writer,
} from '../content/writing.ts';
import { type ArticleReplacement, articles, type NewArticle } from './contract.ts';
import { articleUpdated } from './events.ts';
import { articleFamily } from './family.ts';
import * as queries from './queries.ts';
import { publicationDate, scheduleOf } from './schedule.ts';
import * as states from './states.ts';

export const articleRoutes = routes(articles, {
  createArticle: (call) => createContent(call, writer, call.body),
  listArticles: ({ tx, actor, query }) => queries.listArticles(tx, actor, query),
  getArticle: async ({ tx, actor, params, query }) =>
    (await findContent(tx, articleFamily, params.id, { now: tx.now(), actor, ...query })) ?? refuseNotFound(),
  replaceArticle: (call) => replaceContent(call, writer, call.params.id, call.body),
  deleteArticle: (call) => (call.query.permanent ? remove(call, call.params.id) : archive(call, call.params.id)),
  unarchiveArticle: ({ tx, actor, params }) => tx.transaction((inside) => unarchive(inside, actor, params.id)),
  listArticleCampaigns: async ({ tx, actor, params, query }) =>
    listCampaignsOf(tx, 'article', (await contentFor(tx, actor, 'article', params.id)).id, query),
});

type Body = ArticleReplacement & Partial<NewArticle>;
const writer: Writer<Body> = {
  family: articleFamily,
  async values(tx, actor, body, replaced) {
    await refuseUnlessMayShow(tx, actor, 'article', body.html_content, replaced?.row.id);
    const words = { ...body, slug: body.slug && nameOf(body.slug) };
    if (replaced?.isTranslation) return words;
    const stored = replaced && (await queries.lockArticle(tx, replaced.row.id));
    return { ...words, ...scheduleOf(tx.now(), body, stored) };
  },
  initial: async (tx, _actor, body) =>
    body.slug === undefined ? { slug: await queries.findFreeSlug(tx, nameOf(body.title)) } : {},
  targets({ audience, space_ids: spaces }) {
    if (spaces === undefined) return targetsOf(audience);
    if (audience) refuseInvalid('space_ids', 'cannot stand beside audience');
    if (spaces.length === 0) refuseInvalid('space_ids', 'must name at least one space');
    return { type: 'spaces', spaces, teams: [] };
  },
  targetField: ({ space_ids }) => (space_ids ? () => 'space_ids' : undefined),
  belongings: (tx, _actor, id, { campaign_ids = [] }) => replaceCampaigns(tx, 'article', id, campaign_ids),
  retargeted: (tx, id) => states.partFromSpace(tx, id),
  async created(tx, actor, id, body, { archive_at }) {
    await publishIfDue(tx, id, body);
    if (archive_at) await states.archiveDue(tx, { id });
    return getContent(tx, articleFamily, id, actor);
  },
  async replaced(tx, actor, id, body, language) {
    const answer = await announce(tx, articleFamily, id, actor, articleUpdated, language);
    if (language !== undefined) return answer;
    const moved = (await publishIfDue(tx, id, body)) + (await states.archiveDue(tx, { id }));
    return moved > 0 ? getContent(tx, articleFamily, id, actor) : answer;
  },
};
/** Pages that people open are at `/articles/new` and below an article's name; none is called so. */
const nameOf = (words: string) => slugOf(words).replace(/^new$/, 'new-article');
const publishIfDue = (tx: Tx, id: number, body: Body) =>
  states.publishDue(tx, { id, published_at: publicationDate(tx.now(), body) });

type Asked = Pick<Call, 'tx' | 'actor' | 'client' | 'services'>;
async function archive(call: Asked, key: Key): Promise<Json> {
  const { id, external_id } = await contentToDelete(call, articleFamily, key);
  await call.tx.transaction((tx) => states.archiveArticle(tx, id));
  return toJson({ id, external_id, is_archived: true });
}

async function unarchive(tx: Tx, actor: Actor, key: Key): Promise<Json> {
  const { id } = await contentForEditing(tx, actor, 'article', key);
  if (!(await hasOpenSpace(tx, articleFamily, id)))
    refuse('space_archived', 'Its space is archived; bring that back first.');
  if ((await states.unarchiveArticle(tx, id)) > 0) await states.publishDue(tx, { id });
  return getContent(tx, articleFamily, id, actor);
}

const ADMIN = 'articles.*.admin';
async function remove(call: Asked, key: Key): Promise<Json> {
  const { actor } = call;
  const isAllowed = actor.kind === 'key' ? holds(actor.scopes, ADMIN) : actor.roles.includes('admin');
  if (!isAllowed)
    refuse('forbidden', `Deleting for good needs the scope ${ADMIN} or the role admin.`, {
      meta: { required_scopes: [ADMIN] },
    });
  return toJson({ ...JSON.parse(await deleteContent(call, articleFamily, key)), is_archived: false });
}
