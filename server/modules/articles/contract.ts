import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { ContentFile, fileErrors, newCover, newFiles, shownFiles } from '../assets/contract.ts';
import { Campaign, campaignErrors, campaignIds } from '../campaigns/contract.ts';
import {
  acknowledgementFields,
  authorship,
  Creator,
  inLanguage,
  newPosted,
  postedErrors,
  postedFields,
  postedFilters,
} from '../content/contract.ts';

const HTML_MAX = 2_000_000;
const states = ['draft', 'scheduled', 'published', 'archived'] as const;

const fields = {
  id: t.Id(),
  external_id: t.Nullable(t.ExternalId()),
  slug: t.Text(200, 'Its name in the permalink: made from the title when it is created, then kept.'),
  title: t.Text(500),
  subtitle: t.Text(1000),
  html_content: t.Text(
    HTML_MAX,
    'Sanitised. Images are asset://{id}, or signed URLs that expire when sign_url asks for them.',
  ),
  creator: Creator,
  state: t.OneOf(states),
  is_draft: t.Flag(),
  publish_at: t.Nullable(t.Timestamp('When it is to be published, or was.')),
  published_at: t.Nullable(t.Timestamp('When it was published.')),
  archive_at: t.Nullable(t.Timestamp('When it is to be archived.')),
  is_archived: t.Flag(),
  requires_acknowledgement: t.Flag(),
  acknowledgement_due_at: t.Nullable(t.Timestamp()),
  content_version: t.Integer({ description: 'Rises when the text changes; an acknowledgement is of one version.' }),
  campaign: t.Nullable(Campaign),
  cover_image: t.Nullable(ContentFile),
  ...shownFiles,
  ...postedFields,
};
/** docs/interface.md, Article. */
export const Article = t.Object(fields, { title: 'Article' });
const ArticleWithLanguages = t.Object(
  { ...fields, languages: t.Array(t.Text(35, 'Languages it is translated into.')) },
  { title: 'ArticleWithLanguages' },
);
/** What is left to say of an article that was deleted for good. */
export const DeletedArticle = t.Object(
  { id: fields.id, title: fields.title, permalink: fields.permalink },
  { title: 'DeletedArticle' },
);

const written = {
  title: t.RequiredText(500),
  html_content: t.Html(HTML_MAX),
  subtitle: t.Optional(t.Text(1000)),
  slug: t.Optional(t.RequiredText(100, 'Instead of one made from the title.')),
  ...newPosted,
  space_ids: t.Optional(t.IdList('For these spaces: short for an audience of spaces.')),
  is_draft: t.Optional(t.Flag('Not to be published yet.')),
  publish_at: t.Optional(
    t.Nullable(t.Timestamp('In the future: scheduled. In the past: published now, with that date.')),
  ),
  archive_at: t.Optional(t.Nullable(t.Timestamp('When it is to be archived; null removes the date.'))),
  campaign_ids: campaignIds,
  ...acknowledgementFields,
  ...newFiles,
  ...newCover,
};
export const ArticleReplacement = t.Object(written);
export type ArticleReplacement = t.Static<typeof ArticleReplacement>;
export const NewArticle = t.Object({
  ...written,
  ...authorship,
  published_at: t.Optional(t.Nullable(t.Timestamp('For imports: when it was published; never in the future.'))),
});
export type NewArticle = t.Static<typeof NewArticle>;

const errors = { ...postedErrors, ...fileErrors, ...campaignErrors, slug_taken: 409 } as const;
const signed = {
  sign_url: t.Optional(t.Flag('1: expiring signed image URLs in html_content. 0 or absent: internal references.')),
};

export const articles = family('articles', 'News that is written, scheduled, published and archived.', {
  createArticle: endpoint('POST /v1/articles', 'Write an article', {
    description: 'Published at once, unless it is a draft or publish_at lies in the future.',
    status: 201,
    body: NewArticle,
    documented: 'multipart',
    reply: Article,
    errors,
    emits: ['article.published', 'article.archived'],
    example: {
      body: { title: 'Our year', html_content: '<p>What we achieved.</p>', archive_at: '2099-12-31T00:00:00Z' },
    },
  }),
  listArticles: endpoint('GET /v1/articles', 'List articles', {
    description:
      'Newest first; without state, what is published. Drafts and scheduled articles are listed for those who ' +
      'may change them.',
    query: t.Object({
      state: t.Optional(t.OneOf(['published', 'archived', 'all', 'draft', 'scheduled'])),
      has_acknowledgement: t.Optional(t.Flag('1: those that readers are asked to acknowledge. 0: the others.')),
      slug: t.Optional(t.RequiredText(200, 'The one with this name in its permalink.')),
      ...signed,
      ...postedFilters,
      ...inLanguage,
    }),
    list: Article,
    example: { query: { state: 'all', take: 10 } },
  }),
  getArticle: endpoint('GET /v1/articles/{id}', 'Read an article', {
    byExternalId: 'getArticleByExternalId',
    query: t.Object({ ...signed, ...inLanguage }),
    reply: ArticleWithLanguages,
    example: { params: { id: 1, external_id: 'A-1' } },
  }),
  replaceArticle: endpoint('PUT /v1/articles/{id}', 'Replace an article', {
    byExternalId: 'replaceArticleByExternalId',
    description:
      'Omitted subtitle, campaigns and acknowledgement are cleared; identifiers, language, audience, files, ' +
      'is_draft, publish_at and archive_at are kept. With a language other than its own, title, subtitle and ' +
      'html_content become that translation, and but for files nothing else changes. is_draft=0 publishes a ' +
      'draft, publish_at schedules it. What was published cannot become a draft again: archive it. ' +
      'A PUT that changes nothing leaves updated_at alone and emits no event.',
    body: ArticleReplacement,
    documented: 'multipart',
    reply: Article,
    errors: { ...errors, article_published: 409 },
    emits: ['article.updated', 'article.published', 'article.archived'],
    example: {
      params: { id: 1, external_id: 'A-1' },
      body: { title: 'Our year', html_content: '<p>What we achieved together.</p>', archive_at: null },
    },
  }),
  deleteArticle: endpoint('DELETE /v1/articles/{id}', 'Archive an article, or delete it for good', {
    byExternalId: 'deleteArticleByExternalId',
    description:
      'Archives it; its files are kept. An archived article stays archived. With permanent=1, ' +
      'which needs the scope articles.*.admin or the role admin, it is removed with all that belongs to it; ' +
      'of such DELETEs that overlap one gets 200, the others 409.',
    query: t.Object({ permanent: t.Optional(t.Flag('1: for good.')) }),
    reply: t.Object({
      id: t.Id(),
      external_id: t.Nullable(t.ExternalId()),
      is_archived: t.Flag('True: it is archived. False: it is gone.'),
    }),
    errors: { concurrent_delete: 409 },
    emits: ['article.archived', 'article.deleted'],
    example: { params: { id: 1, external_id: 'A-1' } },
  }),
  unarchiveArticle: endpoint('POST /v1/articles/{id}/unarchive', 'Bring an article back', {
    byExternalId: 'unarchiveArticleByExternalId',
    description: 'An archive_at that has passed is removed. A draft comes back as a draft.',
    reply: Article,
    errors: { space_archived: 409 },
    emits: ['article.unarchived', 'article.published'],
    example: { params: { id: 3, external_id: 'A-3' } },
  }),
  listArticleCampaigns: endpoint('GET /v1/articles/{id}/campaigns', 'List the campaigns of an article', {
    byExternalId: 'listArticleCampaignsByExternalId',
    description: 'Newest attachment first.',
    scope: 'campaigns.*.read',
    list: Campaign,
    example: { params: { id: 1, external_id: 'A-1' } },
  }),
});
