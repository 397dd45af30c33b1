import {
  byBothKeys,
  ExternalId,
  endpoint,
  Flag,
  Id,
  IdList,
  List,
  Nullable,
  OneOf,
  Optional,
  RequiredText,
  Shape,
  type Static,
  Text,
  Timestamp,
  Type,
} from '../../kernel/contract/contract.ts';
import { ContentFile, fileErrors, newCover, newFiles, shownFiles } from '../assets/contract.ts';
import { Campaign, campaignErrors, campaignIds } from '../campaigns/contract.ts';
import {
  acknowledgementFields,
  authorship,
  inLanguage,
  newPosted,
  postedErrors,
  postedFields,
  postedFilters,
} from '../content/contract.ts';
import { Creator } from '../pages/contract.ts';

const HTML_MAX = 2_000_000;
const states = ['draft', 'scheduled', 'published', 'archived'] as const;

const fields = {
  id: Id(),
  external_id: Nullable(ExternalId()),
  slug: Text(200, 'Its name in the permalink: made from the title when it is created, then kept.'),
  title: Text(500),
  subtitle: Text(1000),
  html_content: Text(
    HTML_MAX,
    'Sanitised. Images are asset://{id}, or signed URLs that expire when sign_url asks for them.',
  ),
  creator: Creator,
  state: OneOf(states),
  is_draft: Flag(),
  publish_at: Nullable(Timestamp('When it is to be published, or was.')),
  published_at: Nullable(Timestamp('When it was published.')),
  archive_at: Nullable(Timestamp('When it is to be archived.')),
  is_archived: Flag(),
  requires_acknowledgement: Flag(),
  acknowledgement_due_at: Nullable(Timestamp()),
  content_version: Type.Integer({ description: 'Rises when the text changes; an acknowledgement is of one version.' }),
  campaign: Nullable(Campaign),
  cover_image: Nullable(ContentFile),
  ...shownFiles,
  ...postedFields,
};
/** Interface 2.5, with the fields of gaps 8. */
export const Article = Shape(fields, { title: 'Article' });
const ArticleWithLanguages = Shape(
  { ...fields, languages: List(Text(35, 'Languages it is translated into.')) },
  { title: 'ArticleWithLanguages' },
);
/** What is left to say of an article that was deleted for good. */
export const DeletedArticle = Shape(
  { id: fields.id, title: fields.title, permalink: fields.permalink },
  { title: 'DeletedArticle' },
);

const written = {
  title: RequiredText(500),
  html_content: Text(HTML_MAX, 'Sanitised when it is stored.'),
  subtitle: Optional(Text(1000)),
  slug: Optional(RequiredText(100, 'Instead of one made from the title.')),
  ...newPosted,
  space_ids: Optional(IdList('For these spaces: short for an audience of spaces.')),
  is_draft: Optional(Flag('Not to be published yet.')),
  publish_at: Optional(Nullable(Timestamp('In the future: scheduled. In the past: published now, with that date.'))),
  archive_at: Optional(Nullable(Timestamp('When it is to be archived; null removes the date.'))),
  campaign_ids: campaignIds,
  ...acknowledgementFields,
  ...newFiles,
  ...newCover,
};
export const ArticleReplacement = Shape(written);
export type ArticleReplacement = Static<typeof ArticleReplacement>;
export const NewArticle = Shape({
  ...written,
  ...authorship,
  published_at: Optional(Nullable(Timestamp('For imports: when it was published; never in the future.'))),
});
export type NewArticle = Static<typeof NewArticle>;

const errors = { ...postedErrors, ...fileErrors, ...campaignErrors, slug_taken: 409 } as const;
const signed = {
  sign_url: Optional(Flag('1: expiring signed image URLs in html_content. 0 or absent: internal references.')),
};

const declared = {
  createArticle: endpoint({
    method: 'POST',
    path: '/v1/articles',
    summary: 'Write an article',
    description: 'Published at once, unless it is a draft or publish_at lies in the future.',
    scope: 'articles.*.write',
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
  listArticles: endpoint({
    method: 'GET',
    path: '/v1/articles',
    summary: 'List articles',
    description:
      'Newest first; without state, what is published. Drafts and scheduled articles are listed for those who may change them.',
    scope: 'articles.*.read',
    query: Shape({
      state: Optional(OneOf(['published', 'archived', 'all', 'draft', 'scheduled'])),
      has_acknowledgement: Optional(Flag('1: those that readers are asked to acknowledge. 0: the others.')),
      ...signed,
      ...postedFilters,
      ...inLanguage,
    }),
    list: Article,
    example: { query: { state: 'all', take: 10 } },
  }),
  getArticle: endpoint({
    method: 'GET',
    path: '/v1/articles/{id}',
    summary: 'Read an article',
    scope: 'articles.*.read',
    query: Shape({ ...signed, ...inLanguage }),
    reply: ArticleWithLanguages,
    example: { params: { id: 1 } },
  }),
  replaceArticle: endpoint({
    method: 'PUT',
    path: '/v1/articles/{id}',
    summary: 'Replace an article',
    description:
      'Omitted subtitle, campaigns and acknowledgement are cleared; identifiers, language, audience, files, is_draft, publish_at and archive_at are kept. With a language other than its own, title, subtitle and html_content become that translation, and but for files nothing else changes. is_draft=0 publishes a draft, publish_at schedules it. What was published cannot become a draft again: archive it. A PUT that changes nothing leaves updated_at alone and emits no event.',
    scope: 'articles.*.write',
    body: ArticleReplacement,
    documented: 'multipart',
    reply: Article,
    errors: { ...errors, article_published: 409 },
    emits: ['article.updated', 'article.published', 'article.archived'],
    example: {
      params: { id: 1 },
      body: { title: 'Our year', html_content: '<p>What we achieved together.</p>', archive_at: null },
    },
  }),
  deleteArticle: endpoint({
    method: 'DELETE',
    path: '/v1/articles/{id}',
    summary: 'Archive an article, or delete it for good',
    description:
      'Archives it; its files are kept. An archived article stays archived. With permanent=1, which needs the scope articles.*.admin or the role admin, it is removed with all that belongs to it; of such DELETEs that overlap one gets 200, the others 409.',
    scope: 'articles.*.write',
    query: Shape({ permanent: Optional(Flag('1: for good.')) }),
    reply: Shape({
      id: Id(),
      external_id: Nullable(ExternalId()),
      is_archived: Flag('True: it is archived. False: it is gone.'),
    }),
    errors: { concurrent_delete: 409 },
    emits: ['article.archived', 'article.deleted'],
    example: { params: { id: 1 } },
  }),
  unarchiveArticle: endpoint({
    method: 'POST',
    path: '/v1/articles/{id}/unarchive',
    summary: 'Bring an article back',
    description: 'An archive_at that has passed is removed. A draft comes back as a draft.',
    scope: 'articles.*.write',
    reply: Article,
    errors: { space_archived: 409 },
    emits: ['article.unarchived', 'article.published'],
    example: { params: { id: 3, external_id: 'A-3' } },
  }),
  listArticleCampaigns: endpoint({
    method: 'GET',
    path: '/v1/articles/{id}/campaigns',
    summary: 'List the campaigns of an article',
    description: 'Newest attachment first.',
    scope: 'campaigns.*.read',
    list: Campaign,
    example: { params: { id: 1 } },
  }),
};
export const articles = byBothKeys(declared, 'A-1');
